"""Files of an index: one file each, which is whole or not there."""

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
_PART = ".part"  # how the name of a file ends that is being written
_DAY = 86_400  # seconds; what is older is not being written any more


def write_index_file(
    path: Path, kind: str, version: int, data: bytes | memoryview, replaces: str = ""
) -> str:
    """Write a file beside the one of its name, then put it in its place.

    Of several processes that do so at a time, the last one's file stays, whole. What a process
    left that ended while it wrote is removed a day later.

    Args:
        path: of the file; its folder is made where it is missing.
        kind: of the file, in lower case letters and spaces.
        version: of its format.
        data: what it holds.
        replaces: the digest of the file that may be replaced; "" for any file.

    Returns:
        The digest of the data.

    Raises:
        IndexFileError: if the file that is there has another digest; it stays.
        OSError: if it cannot be written; the file that was there stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_old_parts(path)
    digest = digest_of(data)
    beside = path.with_name(f".{path.name}.{token_hex(8)}{_PART}")
    try:
        with beside.open("xb") as file:
            file.write(b"chunkana %s %d %s\n" % (kind.encode(), version, digest.encode()))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        require_digest(path, replaces)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return digest


def require_digest(path: Path, digest: str) -> None:
    """Raise an IndexFileError if there is a file, and its first line has not this digest.

    Args:
        path: of the file.
        digest: what `write_index_file` returned; "" for any.
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
    """Return the data that `write_index_file` was given.

    Raises:
        IndexFileError: if the file is of another kind or version, or damaged.
        OSError: if it cannot be read.
    """
    head, _, data = path.read_bytes().partition(b"\n")
    match = _HEAD.fullmatch(head)
    if match is None or match[1].decode() != kind:
        raise IndexFileError(str(path), f"is no {kind}")
    if int(match[2]) != version:
        reason = f"is of format {int(match[2])}, not {version}; index the documents again"
        raise IndexFileError(str(path), reason)
    if match[3] != digest_of(data).encode():
        raise IndexFileError(str(path), "is damaged; index the documents again")
    return data


def digest_of(data: bytes | memoryview) -> str:
    """Return what the first line of a file says of its data."""
    return sha256(data).hexdigest()


def _remove_old_parts(path: Path) -> None:
    parts = path.parent.glob(f".{path.name}.*{_PART}")
    for part in parts:
        with suppress(OSError):  # another process may have removed it
            if part.stat().st_mtime < time.time() - _DAY:
                part.unlink()
