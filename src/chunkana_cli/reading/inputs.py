"""Read all bytes of a file or of standard input."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from pathlib import Path
from typing import Protocol

from chunkana_cli.errors import InputError

MAX_BYTES = 2**30  # of an input; a device such as /dev/zero has no end
_READ_SIZE = 2**20  # bytes
_STEP = 1.0  # seconds
TOO_LONG = "has more than {:,} bytes, the maximum size of an input"


class _RawReader(Protocol):
    """A raw binary stream, whose `read` returns None if no bytes are available yet."""

    def read(self, count: int, /) -> bytes | None: ...


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: if the file cannot be read, or is too long.
    """
    try:
        with Path(name).open("rb", buffering=0) as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode) and found.st_size > MAX_BYTES:
                raise InputError(f"{name}: {TOO_LONG.format(MAX_BYTES)}")
            return _read_all(file, name)
    except IsADirectoryError:
        raise InputError(f"{name}: is a folder; name the files in it") from None
    except FileNotFoundError:
        raise InputError(f"{name}: {_describe_missing(name)}") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except ValueError:  # a NUL in the path
        raise InputError(f"{name}: no such file") from None


def read_standard_input(title: str) -> bytes:
    """Return all bytes of standard input.

    Args:
        title: the name of standard input in messages.

    Raises:
        InputError: if standard input is closed, cannot be read, or is too long.
    """
    if sys.stdin is None:
        raise InputError(f"{title}: is closed")
    try:
        return _read_all(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), title)
    except OSError as error:
        raise InputError(f"{title}: {error.strerror or error}") from None


def _read_all(file: _RawReader, title: str) -> bytes:
    data = bytearray()
    while (piece := _read_piece(file)) != b"":
        data += piece or b""
        if len(data) > MAX_BYTES:
            raise InputError(f"{title}: {TOO_LONG.format(MAX_BYTES)}")
    return bytes(data)


def _read_piece(file: _RawReader) -> bytes | None:
    """Return the next bytes, b"" at the end, None if another process has read them.

    Waiting for a pipe has a timeout, because Python handles a signal that arrives just before
    `select` only after it.
    """
    if os.name == "posix" and isinstance(file, io.FileIO):
        while not any(select.select([file], [], [], _STEP)):
            pass
    return file.read(_READ_SIZE)


def _describe_missing(name: str) -> str:
    """Return why a name is not a file: a broken link, or nothing."""
    return "is a broken link" if os.path.islink(name) else "no such file"  # noqa: PTH114
