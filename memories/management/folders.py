"""Reading a workspace folder from the disk. What its files mean is not decided here."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

from memories.engine.limits import IMPORT_FILE_MAX_BYTES
from memories.engine.workspace import DAY_FOLDER, Note, Problem, is_wanted
from memories.errors import InvalidInput

SAMPLE = Path(__file__).parent / "sample_workspace"


@dataclass(slots=True)
class Folder:
    """`files` by relative path, with the bytes of those that can become memories; the others are there by name only.

    `problems` are files that could not be read, `notes` what was left alone on purpose.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def read(path: Path) -> Folder:
    """The folder and its `memory` folder; no other folder is looked into. InvalidInput when there is no such folder.

    Links are followed only to places inside the folder. Of a file at most one byte more than the limit is read.
    """
    try:
        root = path.resolve(strict=True)
        entries = sorted(root.iterdir())
    except (OSError, ValueError, RuntimeError) as error:
        raise InvalidInput.for_field("folder", f"The folder {path} cannot be read: {_told(error)}.") from None
    folder = Folder()
    for entry in entries:
        _try_to_take(folder, root, entry)
    for name in [name for name in folder.files if name.lower() == f"{DAY_FOLDER}/"]:
        try:
            days = sorted((root / name).iterdir())
        except OSError as error:
            folder.problems.append(Problem(name, f"This folder cannot be read: {_told(error)}."))
            continue
        del folder.files[name]
        for entry in days:
            _try_to_take(folder, root, entry)
    return folder


def _try_to_take(folder: Folder, root: Path, entry: Path) -> None:
    name = entry.relative_to(root).as_posix()
    try:
        _take(folder, root, entry, name)
    except (OSError, ValueError, RuntimeError) as error:
        if is_wanted(name):
            folder.problems.append(Problem(name, f"This file cannot be read: {_told(error)}."))
        else:
            folder.notes.append(Note(name, f"cannot be read ({_told(error)}), left alone"))


def _take(folder: Folder, root: Path, entry: Path, name: str) -> None:
    if entry.name.startswith("."):
        folder.files[name] = b""
        return
    # A link that leads nowhere or round in a circle fails here.
    place = entry.resolve(strict=True)
    if not place.is_relative_to(root):
        folder.notes.append(Note(name, "a link out of the folder, left alone"))
        return
    mode = place.stat().st_mode
    if stat.S_ISDIR(mode):
        folder.files[f"{name}/"] = b""
    elif not stat.S_ISREG(mode):
        folder.notes.append(Note(name, "not a regular file, left alone"))
    elif is_wanted(name):
        with place.open("rb") as file:
            folder.files[name] = file.read(IMPORT_FILE_MAX_BYTES + 1)
    else:
        folder.files[name] = b""


def _told(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "it is a link in a circle, or no name of a file"
