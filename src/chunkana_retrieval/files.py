"""Index files: written atomically, with kind, format version and digest on the first line."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from chunkana_retrieval.errors import IndexFileError

_HEAD = re.compile(rb"chunkana ([a-z ]{1,40}) ([0-9]{1,9}) ([0-9a-f]{64})")  # the first line
_LONGEST_HEAD = 200  # bytes
_REPLACED = "was written by another since it was loaded; `load` it again, and update that"
_PART = ".part"  # the suffix of a temporary file that is being written
_DAY = 86_400  # seconds; an older temporary file was abandoned


def write_index_file(
    path: Path, kind: str, version: int, data: bytes | memoryview, replaces: str = ""
) -> str:
    """Write an index file atomically: into a temporary file that then replaces the old file.

    If several processes write at the same time, the complete file of the last one remains.
    Temporary files that an interrupted process left are removed after a day.

    Args:
        path: the path of the file; a missing folder is created.
        kind: the kind of file, in lower case letters and spaces.
        version: the format version.
        data: the content after the first line.
        replaces: the digest of the file that may be replaced; "" for any file.

    Returns:
        The digest of the data.

    Raises:
        IndexFileError: if the existing file has another digest; it is not changed.
        OSError: if the file cannot be written; an existing file is not changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_old_parts(path)
    digest = digest_of(data)
    temporary = path.with_name(f".{path.name}.{token_hex(8)}{_PART}")
    try:
        with temporary.open("xb") as file:
            file.write(b"chunkana %s %d %s\n" % (kind.encode(), version, digest.encode()))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        require_digest(path, replaces)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return digest


def require_digest(path: Path, digest: str) -> None:
    """Raise an IndexFileError if the file exists and has another digest on its first line.

    Args:
        path: the path of the file.
        digest: the digest that `write_index_file` returned; "" accepts any file.
    """
    if not digest:
        return
    try:
        with path.open("rb") as file:
            head = file.readline(_LONGEST_HEAD)
    except FileNotFoundError:
        return
    if not head.rstrip().endswith(digest.encode()):
        raise IndexFileError(str(path), _REPLACED)


def read_index_file(path: Path, kind: str, version: int) -> bytes:
    """Return the data of a file that `write_index_file` wrote.

    Raises:
        IndexFileError: if the file is of another kind or version, or damaged.
        OSError: if the file cannot be read.
    """
    head, _, data = path.read_bytes().partition(b"\n")
    match = _HEAD.fullmatch(head)
    if match is None or match[1].decode() != kind:
        raise IndexFileError(str(path), f"is not a Chunkana {kind}")
    if int(match[2]) != version:
        reason = f"is of format {int(match[2])}, not {version}; index the documents again"
        raise IndexFileError(str(path), reason)
    if match[3] != digest_of(data).encode():
        raise IndexFileError(str(path), "is damaged; index the documents again")
    return data


def digest_of(data: bytes | memoryview) -> str:
    """Return the digest of a file's data, as written on its first line: SHA-256 in hexadecimal."""
    return sha256(data).hexdigest()


def _remove_old_parts(path: Path) -> None:
    """Remove temporary files of this file that are older than a day."""
    parts = path.parent.glob(f".{path.name}.*{_PART}")
    for part in parts:
        with suppress(OSError):  # another process may have removed it
            if part.stat().st_mtime < time.time() - _DAY:
                part.unlink()
