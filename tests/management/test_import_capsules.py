"""The command `import_capsules`: what it prints, how it ends, what it reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memories.errors import InvalidInput, NotFound
from memories.management import capsule_files, folders
from memories.models import Capsule, CapsuleRelation, Tenant
from memories.selectors import capsules as reading
from tests import factories

SAMPLE = folders.SAMPLE / "capsules.jsonl"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "atlas.jsonl"
    rows = [
        {"id": "rule", "kind": "constraint", "content": "Never on a Friday\n\nafter 14:00"},
        {"id": "tag", "kind": "task", "content": "Tag it", "blocks": ["move"]},
        {"id": "move", "kind": "task", "content": "Move it", "project_id": "atlas/web"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "decisions"
    folder.mkdir()
    (folder / "0001-sqlite.md").write_text("# 1. SQLite\n\nStatus: accepted\n", encoding="utf-8")
    (folder / "0002-files.md").write_text("# 2. Files\n\nStatus: rejected\n", encoding="utf-8")
    (folder / "README.md").write_text("No title here.", encoding="utf-8")
    (folder / "diagram.svg").write_text("<svg/>", encoding="utf-8")
    return folder


def test_it_says_what_is_new_and_the_second_time_what_was_there(
    command: Callable[..., str], tenant: Tenant, lines: Path
) -> None:
    """C9"""
    call = ("import_capsules", tenant.slug, str(lines), "--project", "atlas")
    assert command(*call) == "In all: 3 new capsules, 0 already there; 1 new relation, 0 already there.\n"
    assert command(*call) == "In all: 0 new capsules, 3 already there; 0 new relations, 1 already there.\n"
    assert Capsule.objects.count() == 3


def test_a_dry_run_shows_each_capsule_and_writes_nothing(
    command: Callable[..., str], tenant: Tenant, lines: Path
) -> None:
    call = ("import_capsules", tenant.slug, str(lines), "--project", "atlas", "--dry-run")
    assert command(*call).splitlines() == [
        "Plan, nothing is written.",
        "add  constraint atlas: Never on a Friday… (rule)",
        "add  task atlas: Tag it (tag)",
        "add  task atlas/web: Move it (move)",
        "In all: 3 new capsules, 0 already there; 1 new relation, 0 already there.",
    ]
    assert not Capsule.objects.exists()
    command(*call[:-1])
    assert "same cap-2 task atlas: Tag it (tag)" in command(*call)


def test_decision_records_of_a_folder(command: Callable[..., str], tenant: Tenant, records: Path) -> None:
    printed = command("import_capsules", tenant.slug, str(records), "--project", "atlas")
    assert printed.splitlines()[0] == "left out: 0002-files.md: its status is rejected"
    assert Capsule.objects.get().content == "SQLite"
    one = command("import_capsules", tenant.slug, str(records / "0001-sqlite.md"), "--project", "atlas", "--json")
    assert (json.loads(one)["new"], json.loads(one)["same"]) == (0, 1)


def test_json_is_one_object(command: Callable[..., str], tenant: Tenant, lines: Path) -> None:
    told = json.loads(command("import_capsules", tenant.slug, str(lines), "--project", "atlas", "--json"))
    assert told["capsules"][2] == {
        "id": "cap-3", "name": "move", "new": True, "kind": "task", "project_id": "atlas/web", "headline": "Move it"
    }  # fmt: skip
    del told["capsules"]
    assert told == {
        "dry_run": False, "new": 3, "same": 0, "relations_new": 1, "relations_same": 0, "freed": [], "cycle": [],
        "left_out": [],
    }  # fmt: skip


def test_faults_are_told_by_line_and_nothing_is_written(
    command: Callable[..., str], tenant: Tenant, lines: Path
) -> None:
    """C10"""
    with lines.open("a", encoding="utf-8") as file:
        file.write('\n{"kind": "chore", "content": "x", "blocks": ["nobody"]}\nnot json\n')
    with pytest.raises(InvalidInput) as caught:
        command("import_capsules", tenant.slug, str(lines), "--project", "atlas")
    told = caught.value.detail.splitlines()
    assert told[0] == "Nothing was imported."
    assert [line.split(":")[0] for line in told[1:]] == ["line 4, kind", "line 5"]
    assert not Capsule.objects.exists()


def test_faults_of_the_call(command: Callable[..., str], tenant: Tenant, tmp_path: Path, records: Path) -> None:
    with pytest.raises(NotFound, match="nobody"):
        command("import_capsules", "nobody", str(records))
    with pytest.raises(InvalidInput, match="--project"):
        command("import_capsules", tenant.slug, str(records))
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        command("import_capsules", tenant.slug, str(tmp_path / "absent.jsonl"))
    with pytest.raises(InvalidInput, match="no decision record"):
        command("import_capsules", tenant.slug, str(tmp_path))
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(InvalidInput, match="no regular file"):
        command("import_capsules", tenant.slug, str(tmp_path / "pipe.jsonl"))


def test_no_more_is_read_than_shows_that_it_is_too_much(
    records: Path, monkeypatch: pytest.MonkeyPatch, lines: Path
) -> None:
    monkeypatch.setattr(capsule_files, "CAPSULE_IMPORT_MAX_BYTES", 12)
    assert sum(map(len, capsule_files.read(records).values())) == 13
    assert len(capsule_files.read(lines)["atlas.jsonl"]) == 13


def test_the_process_ends_with_0_or_1(manage, lines: Path) -> None:  # type: ignore[no-untyped-def]
    tenant = factories.make_tenant()
    first = manage("import_capsules", tenant.slug, str(lines), "--project", "atlas")
    assert (first.returncode, first.stderr) == (0, b"")
    wrong = manage("import_capsules", tenant.slug, str(lines), "--project", "atlas/")
    assert (wrong.returncode, wrong.stdout) == (1, b"")
    assert wrong.stderr.decode().splitlines()[:2] == [
        "Nothing was imported.",
        "line 1, project_id: “atlas/” has an empty segment; segments are joined by single slashes. Send “atlas”.",
    ]
    assert manage("import_capsules", tenant.slug, str(lines.parent / "absent")).returncode == 1


def test_a_database_that_does_not_answer_ends_with_75(manage, lines: Path) -> None:  # type: ignore[no-untyped-def]
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "SECRET_KEY": "k" * 60}
    assert manage("import_capsules", "x", str(lines), "--project", "a", more=nowhere).returncode == 75


def test_the_sample_project_has_something_in_every_section(command: Callable[..., str], tenant: Tenant) -> None:
    """C28 to C31: constraints, a next action, decisions and traps, within the default budget."""
    command("import_capsules", tenant.slug, str(SAMPLE))
    actor = factories.agent_of(tenant)
    pack = reading.bootstrap(actor, arguments={"project_prefix": "atlas"}).to_wire()
    assert pack["ready"]["next_action"]["headline"].startswith("Write the rollback note")  # type: ignore[index]
    assert all(pack[f"{section}_total"] >= 3 for section in ("constraints", "decisions", "traps"))  # type: ignore[operator]
    whole = reading.digest(actor, arguments={}).to_wire()
    assert set(whole["by_project"]) == {"atlas", "atlas/api", "atlas/web", "beacon"}  # type: ignore[call-overload]
    assert set(whole["by_kind"]) == {  # type: ignore[call-overload]
        "constraint", "decision", "failure_pattern", "task", "procedure", "fact", "reference"
    }  # fmt: skip
    assert "cycle" not in whole["ready"]  # type: ignore[operator]
    assert set(CapsuleRelation.objects.values_list("kind", flat=True)) == {
        "supersedes", "blocks", "proves", "derived_from"
    }  # fmt: skip
