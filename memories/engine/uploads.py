"""What somebody uploads: what it is taken for, by the names of its files, and by what a plan is known again.

Unpacking, keeping and importing are done elsewhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum

from memories.engine import archives, capsule_imports, imports
from memories.engine.capsule_imports import LINES, is_record
from memories.engine.workspace import DAY_FOLDER, is_wanted, shown
from memories.errors import InvalidInput

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[^/]*\.md", re.IGNORECASE)
_LITTER = ("__macosx",)


class UploadKind(StrEnum):
    WORKSPACE = "workspace"
    CAPSULES = "capsules"
    ARCHIVE = "archive"


def safe_path(name: str) -> str:
    """`name` with `/` between its parts, else InvalidInput: it leads out of its folder, or is no name of a file."""
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or ".." in parts or not parts[0] or parts[0].endswith(":") or len(name) > 1_000:
        raise InvalidInput.for_field(
            "files", f"“{shown(name[:100])}” leads out of its folder or is no name of a file. Nothing was taken."
        )
    return "/".join(part for part in parts if part not in ("", "."))


def placed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files by their paths inside the folder that was meant.

    A folder around all of them is taken away, and so is what a Mac adds. A day's file that came without its folder, as
    browsers send it, is put into it.
    """
    kept = {path: data for path, data in files.items() if path.split("/")[0].lower() not in _LITTER}
    tops = {path.partition("/")[0] for path in kept}
    if len(tops) == 1 and all("/" in path for path in kept) and tops != {DAY_FOLDER}:
        kept = {path.partition("/")[2]: data for path, data in kept.items()}
    return {f"{DAY_FOLDER}/{path}" if _DAY.fullmatch(path) else path: data for path, data in kept.items()}


def kind_of(files: Mapping[str, bytes], *, project_id: str) -> UploadKind:
    """An archive says what it is, and a project is named for capsules; a file of a workspace makes it one."""
    if archives.is_archive(files):
        return UploadKind.ARCHIVE
    if project_id:
        return UploadKind.CAPSULES
    lines = any(path.lower().endswith(LINES) for path in files)
    return UploadKind.CAPSULES if lines and not any(map(is_wanted, files)) else UploadKind.WORKSPACE


def capsule_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of `files` that are read as capsules: the JSON Lines, else the decision records."""
    lines = {path: data for path, data in files.items() if path.lower().endswith(LINES)}
    return lines or {path: data for path, data in files.items() if is_record(path.rpartition("/")[2])}


def mark_of_workspace(outcome: imports.Outcome) -> str:
    """What tells one plan from another: all that it would do, to the byte."""
    return hashlib.sha256(repr(outcome).encode("utf-8", "surrogatepass")).hexdigest()


def mark_of_capsules(outcome: capsule_imports.Outcome) -> str:
    """As `mark_of_workspace`. What a line leaves to the moment of its import is not part of it."""
    told = [
        (one.name, one.origin, one.number, one.new, one.draft.kind, one.draft.project_id, one.draft.content)
        for one in outcome.capsules
    ]
    rest = (outcome.relations_new, outcome.relations_same, outcome.freed, outcome.cycle, outcome.left_out)
    return hashlib.sha256(repr((told, rest)).encode("utf-8", "surrogatepass")).hexdigest()
