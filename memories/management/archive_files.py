"""Archives on the disk: written beside their name first, read with a limit. What they hold is not decided here."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from memories.engine.archives import READ_AGAIN, STAYS_BEHIND
from memories.engine.limits import ARCHIVE_UNPACKED_MAX_BYTES
from memories.errors import Conflict, InvalidInput


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole, readable for its owner alone; nothing that is there is replaced."""
    if path.exists():
        raise Conflict(f"{path} is there already. Name another file with --to, or move that one away.")
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            unfinished = Path(file.name)
            try:
                yield file  # type: ignore[misc]
                file.flush()
                os.fsync(file.fileno())
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InvalidInput.for_field("to", f"{path} cannot be written: {error.strerror or error}.") from None


def read(path: Path) -> dict[str, bytes]:
    """The files of the archive at `path` that are read again, the others as empty; InvalidInput when it is none."""
    files: dict[str, bytes] = {}
    left = ARCHIVE_UNPACKED_MAX_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            for name in (*READ_AGAIN, *STAYS_BEHIND):
                if name not in archive.namelist():
                    continue
                with archive.open(name) as file:
                    files[name] = file.read(left + 1)
                left -= len(files[name])
                if left < 0:
                    raise InvalidInput.for_field(
                        "path", f"{path} holds more than {ARCHIVE_UNPACKED_MAX_BYTES:,} bytes unpacked."
                    )
    except OSError as error:
        raise InvalidInput.for_field("path", f"{path} cannot be read: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InvalidInput.for_field("path", f"{path} is no whole zip archive: {error}.") from None
    return files
