"""What an upload is taken for, and where its files belong."""

from __future__ import annotations

import pytest

from memories.engine.uploads import UploadKind, capsule_files, kind_of, placed, safe_path
from memories.errors import InvalidInput


@pytest.mark.parametrize(
    "name", ["../SOUL.md", "a/../../b", "/etc/passwd", "\\SOUL.md", "C:\\SOUL.md", "a\0b", "", "x" * 1_001]
)
def test_a_name_that_leads_out_of_its_folder_is_refused(name):
    with pytest.raises(InvalidInput) as refused:
        safe_path(name)
    assert "\0" not in refused.value.detail


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("SOUL.md", "SOUL.md"),
        ("./a//b.md", "a/b.md"),
        ("a\\b.md", "a/b.md"),
        ("…/é\u202e.md", "…/é\u202e.md"),
        ("a..b/c", "a..b/c"),
    ],
)
def test_other_names_are_kept(name, path):
    assert safe_path("x/" + name) == "x/" + path


def test_files_are_placed_in_the_folder_that_was_meant():
    assert placed({"bot/SOUL.md": b"1", "bot/memory/2026-11-28.md": b"2", "__MACOSX/bot/._SOUL.md": b""}) == {
        "SOUL.md": b"1",
        "memory/2026-11-28.md": b"2",
    }
    assert placed({"2026-11-28-release.md": b"1", "MEMORY.md": b"2"}) == {
        "memory/2026-11-28-release.md": b"1",
        "MEMORY.md": b"2",
    }
    assert placed({"memory/2026-11-28.md": b""}) == {"memory/2026-11-28.md": b""}
    assert placed({"a/SOUL.md": b"", "b/SOUL.md": b""}) == {"a/SOUL.md": b"", "b/SOUL.md": b""}


@pytest.mark.parametrize(
    ("names", "project", "kind"),
    [
        (("SOUL.md", "revell.json"), "", UploadKind.ARCHIVE),
        (("atlas.JSONL",), "", UploadKind.CAPSULES),
        (("capsules.jsonl", "SOUL.md"), "", UploadKind.WORKSPACE),
        (("capsules.jsonl", "README.md"), "", UploadKind.CAPSULES),
        (("0001-queue.md",), "atlas", UploadKind.CAPSULES),
        (("0001-queue.md", "SOUL.md"), "", UploadKind.WORKSPACE),
        ((), "", UploadKind.WORKSPACE),
    ],
)
def test_what_it_is_shows_in_the_names(names, project, kind):
    assert kind_of(dict.fromkeys(names, b""), project_id=project) is kind


def test_capsules_are_the_lines_or_else_the_records():
    files = {"a.jsonl": b"1", "0001-queue.md": b"2", "README.md": b"3", "x.png": b""}
    assert capsule_files(files) == {"a.jsonl": b"1"}
    assert capsule_files({name: files[name] for name in list(files)[1:]}) == {"0001-queue.md": b"2"}
