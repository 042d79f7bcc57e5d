"""Reading the files of an import of capsules from the disk. What they mean is not decided here."""

from __future__ import annotations

import stat
from pathlib import Path

from memories.engine.capsule_imports import is_record
from memories.engine.limits import CAPSULE_IMPORT_MAX_BYTES
from memories.errors import InvalidInput


def read(path: Path) -> dict[str, bytes]:
    """One file, or the decision records that lie in a folder itself, by name; InvalidInput for what cannot be read.

    No more is read than is needed to see that it is too much.
    """
    try:
        if not path.is_dir():
            return {path.name: _read(path, CAPSULE_IMPORT_MAX_BYTES + 1)}
        files: dict[str, bytes] = {}
        left = CAPSULE_IMPORT_MAX_BYTES + 1
        for entry in sorted(path.iterdir()):
            if is_record(entry.name) and entry.is_file():
                files[entry.name] = _read(entry, left)
                left -= len(files[entry.name])
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is no name of a file"
        raise InvalidInput.for_field("path", f"{path} cannot be read: {reason}.") from None
    if not files:
        raise InvalidInput.for_field(
            "path", f"There is no decision record (.md) in the folder {path}. Of JSON Lines, name the file itself."
        )
    return files


def _read(path: Path, most: int) -> bytes:
    # A pipe or a device could keep the command waiting for ever.
    if not stat.S_ISREG(path.stat().st_mode):
        raise InvalidInput.for_field("path", f"{path} is no regular file.")
    with path.open("rb") as file:
        return file.read(max(most, 0))
