"""Turning what a browser sent into {path: bytes}: single files, zip, tar.gz. What the files mean is not decided here.

Nothing is written to a disk by a name from outside, nothing is unpacked beyond the limits, and archives inside archives
stay closed.
"""

from __future__ import annotations

import gzip
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import IO, Any

from django.core.files.uploadedfile import UploadedFile

from memories.engine.archives import READ_AGAIN, STAYS_BEHIND
from memories.engine.capsule_imports import LINES, RECORDS
from memories.engine.limits import IMPORT_FILE_MAX_BYTES, UPLOAD_FILES_MAX, UPLOAD_UNPACKED_MAX_BYTES
from memories.engine.uploads import placed, safe_path
from memories.errors import InvalidInput

_ZIP = (".zip",)
_TAR = (".tar.gz", ".tgz")
# The list of the files of a zip is read whole before its first file: each has 46 bytes there and its name.
_ZIP_LIST_MAX_BYTES = 1024 * 1024
_ZIP_END_BYTES = 22
_ZIP_COMMENT_MAX_BYTES = 65_535
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, gzip.BadGzipFile, EOFError, NotImplementedError, RuntimeError,
    ValueError, OSError,
)  # fmt: skip


def read_uploads(uploaded: Sequence[UploadedFile]) -> dict[str, bytes]:
    """The files that were sent, those of archives unpacked; InvalidInput for what cannot be taken."""
    if not uploaded:
        raise InvalidInput.for_field("files", "Choose one or more files first.")
    files = _Files()
    for one in uploaded:
        name = str(one.name)
        lower = name.lower()
        try:
            if lower.endswith(_ZIP):
                _unzip(one, files)
            elif lower.endswith(_TAR):
                _untar(one, files)
            else:
                files.add(name, one.read)
        except _BROKEN:
            raise InvalidInput.for_field(
                "files", f"“{name}” cannot be unpacked: it is damaged, has a password, or is no such archive."
            ) from None
    return placed(files.taken)


class _Files:
    """What was taken so far. Bytes are kept only of files that can mean something; of others the name."""

    def __init__(self) -> None:
        self.taken: dict[str, bytes] = {}
        self.left = UPLOAD_UNPACKED_MAX_BYTES

    def add(self, name: str, read: Callable[[int], bytes]) -> None:
        """`read` gives at most so many bytes."""
        path = safe_path(name)
        if path in self.taken:
            raise InvalidInput.for_field("files", f"Two files have the name “{path}”. Send each once.")
        if len(self.taken) >= UPLOAD_FILES_MAX:
            raise InvalidInput.for_field("files", f"There are more than {UPLOAD_FILES_MAX:,} files. Divide them.")
        most = min(_most_of(path), self.left) + 1
        data = read(most) if most > 1 else b""
        self.left -= len(data)
        if self.left < 0:
            raise InvalidInput.for_field(
                "files",
                f"The files have more than {UPLOAD_UNPACKED_MAX_BYTES:,} bytes, unpacked. Divide them; a larger "
                "archive of Revell comes in with the command import_archive.",
            )
        self.taken[path] = data


def _most_of(path: str) -> int:
    """How many bytes of this file matter; one more shows that it is too large."""
    lower = path.lower()
    if any(part.startswith(".") for part in path.split("/")) or path in STAYS_BEHIND:
        return 0
    if path.rpartition("/")[2] in READ_AGAIN or lower.endswith(LINES):
        return UPLOAD_UNPACKED_MAX_BYTES
    return IMPORT_FILE_MAX_BYTES if lower.endswith(RECORDS) else 0


def _unzip(file: IO[Any], files: _Files) -> None:
    if _list_size(file) > _ZIP_LIST_MAX_BYTES:
        raise InvalidInput.for_field("files", f"The zip has more than {UPLOAD_FILES_MAX:,} files. Divide them.")
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if info.is_dir() or stat.S_ISLNK(info.external_attr >> 16):
                continue
            with archive.open(info) as inner:
                files.add(info.filename, inner.read)


def _list_size(file: IO[Any]) -> int:
    """What the end of a zip says of the size of its list of files; 0 where there is no such end."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _ZIP_END_BYTES - _ZIP_COMMENT_MAX_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    return int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0


def _untar(file: IO[Any], files: _Files) -> None:
    # As a stream: what is passed over is unpacked all the same, so all of it counts.
    unpacked: Any = _Counted(gzip.GzipFile(fileobj=file))
    with tarfile.open(fileobj=unpacked, mode="r|") as archive:
        for member in archive:
            inner = archive.extractfile(member) if member.isfile() else None
            if inner is not None:
                files.add(member.name, inner.read)


class _Counted:
    """A stream that ends with a refusal when it gives more than an upload may have unpacked."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self.stream = stream
        self.left = 2 * UPLOAD_UNPACKED_MAX_BYTES

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise InvalidInput.for_field(
                "files", f"The archive has more than {UPLOAD_UNPACKED_MAX_BYTES:,} bytes, unpacked. Divide it."
            )
        return data
