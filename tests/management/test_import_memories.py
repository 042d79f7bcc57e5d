"""The command `import_memories`: what it prints, its exit codes, and how it reads a folder."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError

from memories.management import folders
from memories.management.commands.import_memories import Command
from memories.models import Memory, Tenant
from memories.services import workspaces


def run(*arguments: str | Path) -> tuple[str, str, int]:
    """(what is printed, the message on standard error, the exit code), as from a terminal."""
    out, err = io.StringIO(), io.StringIO()
    command = Command(stdout=out, stderr=err)
    command._called_from_command_line = True
    try:
        call_command(command, *map(str, arguments))
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return out.getvalue(), err.getvalue().rstrip("\n"), ended.code
    return out.getvalue(), err.getvalue(), 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "SOUL.md").write_text("## Care\n\nI check twice.\n", encoding="utf-8")
    (tmp_path / "memory" / "2026-11-28.md").write_text("## 14:30 Deploy\n\nmoved\n", encoding="utf-8")
    return tmp_path


@pytest.mark.django_db
def test_it_imports_says_so_and_exits_with_0(tenant: Tenant, folder: Path) -> None:
    (folder / "README.md").write_text("hello", encoding="utf-8")
    (folder / "src").mkdir()
    out, error, code = run(tenant.slug, folder)
    assert out.splitlines() == [
        "SOUL.md → core soul: 1 new, 0 revised, 0 already there",
        "memory/2026-11-28.md → episodic: 1 new, 0 revised, 0 already there",
        "README.md: not imported",
        "src/: not imported",
        "In all: 2 new, 0 revised, 0 already there.",
    ]
    assert (error, code) == ("", 0)
    assert Memory.objects.filter(tenant=tenant).count() == 2


@pytest.mark.django_db
def test_running_twice_adds_nothing(tenant: Tenant, folder: Path) -> None:
    run(tenant.slug, folder)
    out, _, code = run(tenant.slug, folder)
    assert out.splitlines()[-1] == "In all: 0 new, 0 revised, 2 already there."
    assert code == 0
    assert Memory.objects.filter(tenant=tenant).count() == 2


@pytest.mark.django_db
def test_a_dry_run_shows_each_memory_and_writes_nothing(tenant: Tenant, folder: Path) -> None:
    out, _, code = run(tenant.slug, folder, "--dry-run")
    assert out.splitlines() == [
        "Plan, nothing is written.",
        "SOUL.md → core soul: 1 new, 0 revised, 0 already there",
        "  add    care (14 characters, line 3)",
        "memory/2026-11-28.md → episodic: 1 new, 0 revised, 0 already there",
        "  add    2026-11-28T14:30:00Z (22 characters, line 3)",
        "In all: 2 new, 0 revised, 0 already there.",
    ]
    assert code == 0
    assert not Memory.objects.filter(tenant=tenant).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("option", [[], ["--dry-run"]])
def test_a_bad_file_is_named_and_the_good_ones_land_with_exit_1(
    tenant: Tenant, folder: Path, option: list[str]
) -> None:
    (folder / "USER.md").write_bytes(b"one\n\xff")
    (folder / "TOOLS.md").write_text("t" * 2_600, encoding="utf-8")
    (folder / "memory" / "2026-02-30.md").write_text("x", encoding="utf-8")
    _, error, code = run(tenant.slug, folder, *option)
    assert error.splitlines() == [
        f"3 files {'would be ' if option else ''}left out:",
        "memory/2026-02-30.md: 2026-02-30 is not a date of the calendar; correct the name of the file.",
        "USER.md, line 2: This is not UTF-8; save the file as UTF-8.",
        "TOOLS.md: 2,600 characters for tools, 100 over its cap of 2,500. "
        "Shorten the file, archive a lesser memory, or raise the cap.",
    ]
    assert code == 1
    assert Memory.objects.filter(tenant=tenant).count() == (0 if option else 2)


@pytest.mark.django_db
def test_json_is_one_object(tenant: Tenant, folder: Path) -> None:
    (folder / "USER.md").write_bytes(b"\0")
    (folder / "x.txt").write_bytes(b"")
    out, _, code = run(tenant.slug, folder, "--dry-run", "--json")
    told: dict[str, Any] = json.loads(out)
    assert code == 1
    assert told["dry_run"] is True
    assert (told["added"], told["revised"], told["same"]) == (2, 0, 0)
    assert told["memories"][1] == {
        "path": "memory/2026-11-28.md",
        "line": 3,
        "change": "add",
        "type": "episodic",
        "category": "",
        "key": "",
        "occurred_at": "2026-11-28T14:30:00Z",
        "characters": 22,
    }
    assert [(problem["path"], problem["line"]) for problem in told["problems"]] == [("USER.md", 1)]
    assert told["not_imported"] == [{"path": "x.txt", "line": None, "text": "not imported"}]


@pytest.mark.django_db
def test_an_unknown_agent_or_folder_exits_with_1(tenant: Tenant, folder: Path) -> None:
    assert run("nobody", folder)[1:] == ("There is no agent “nobody”.", 1)
    _, error, code = run(tenant.slug, folder / "absent")
    assert "absent cannot be read: No such file or directory." in error
    assert code == 1
    assert run(tenant.slug, folder / "SOUL.md")[2] == 1


@pytest.mark.django_db
def test_a_database_that_does_not_answer_exits_with_75(
    tenant: Tenant, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(actor: object, **given: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(workspaces, "apply", refuse)
    _, error, code = run(tenant.slug, folder)
    assert error == "The database does not answer: database is locked. Try again."
    assert code == 75


@pytest.mark.django_db
def test_the_sample_workspace_imports(tenant: Tenant) -> None:
    out, _, code = run(tenant.slug, folders.SAMPLE)
    assert code == 0
    assert "promises.txt: not imported" in out
    assert Memory.objects.filter(tenant=tenant, type="core", category="accounts").exists()


# Reading the folder


def test_links_are_followed_only_inside_the_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "USER.md").symlink_to(outside / "secret.md")
    (folder / "TOOLS.md").symlink_to(folder / "SOUL.md")
    (folder / "MEMORY.md").symlink_to(folder / "absent.md")
    (folder / "out").symlink_to(outside, target_is_directory=True)
    (folder / "AGENTS.md").symlink_to("AGENTS.md")
    read = folders.read(folder)
    assert read.files["TOOLS.md"] == read.files["SOUL.md"]
    assert not any(b"secret" in data for data in read.files.values())
    assert [str(note) for note in read.notes] == [
        "USER.md: a link out of the folder, left alone",
        "out: a link out of the folder, left alone",
    ]
    assert [problem.path for problem in read.problems] == ["AGENTS.md", "MEMORY.md"]


def test_a_memory_folder_that_is_a_link_out_is_not_read(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "2026-11-28.md").write_text("secret", encoding="utf-8")
    (tmp_path / "memory").symlink_to(outside, target_is_directory=True)
    read = folders.read(tmp_path)
    assert read.files == {}
    assert [note.path for note in read.notes] == ["memory"]


def test_only_what_can_become_a_memory_is_read(folder: Path) -> None:
    (folder / "README.md").write_text("long", encoding="utf-8")
    (folder / ".env").write_text("SECRET=1", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / "src").mkdir()
    (folder / "src" / "SOUL.md").write_text("not this", encoding="utf-8")
    (folder / "memory" / "old").mkdir()
    read = folders.read(folder)
    assert {path: bool(data) for path, data in read.files.items()} == {
        "SOUL.md": True,
        "memory/2026-11-28.md": True,
        "README.md": False,
        ".env": False,
        ".git": False,
        "src/": False,
        "memory/old/": False,
    }


def test_a_file_is_read_no_further_than_its_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "IMPORT_FILE_MAX_BYTES", 10)
    assert len(folders.read(folder).files["SOUL.md"]) == 11


def test_a_pipe_with_the_name_of_a_file_does_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "USER.md")
    read = folders.read(folder)
    assert "USER.md" not in read.files
    assert [str(note) for note in read.notes] == ["USER.md: not a regular file, left alone"]


@pytest.mark.django_db
def test_a_name_that_is_not_utf_8_is_printed_escaped(tenant: Tenant, folder: Path) -> None:
    (folder / os.fsdecode(b"n\xff.txt")).write_text("x", encoding="utf-8")
    out, _, code = run(tenant.slug, folder)
    assert "n\\udcff.txt: not imported" in out
    assert code == 0
