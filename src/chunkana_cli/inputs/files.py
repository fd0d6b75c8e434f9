"""Read the texts of files and of standard input."""

from __future__ import annotations

import codecs
import io
import os
import select
import stat
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

STANDARD_INPUT = "-"
UTF_8 = "utf-8"
MAX_BYTES = 2**30  # of an input; a device such as /dev/zero has no end
TOO_LONG = "has more than {:,} bytes, the maximum size of an input"
INSTALL_CODE = 'pip install "chunkana-rag[code]"'  # which some formats need
_READ_SIZE = 2**20  # bytes
_STEP = 1.0  # seconds
_START = 2**13  # bytes that are searched for NUL to recognise a binary file
Identity = tuple[int, int]


class InputError(Exception):
    """A document cannot be read; the message names it."""


class _RawReader(Protocol):
    """A raw binary stream, whose `read` returns None if no bytes are available yet."""

    def read(self, count: int, /) -> bytes | None: ...


def identity_of(name: str | Path) -> Identity | None:
    """Return the device and inode numbers of a regular file, None for anything else."""
    try:
        found = os.stat(name)
    except (OSError, ValueError):  # missing, too long, or with a NUL
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def identities_of(names: Iterable[str]) -> set[Identity]:
    """Return the identities of the regular files among some names."""
    return {identity for name in names if (identity := identity_of(name)) is not None}


def escape_name(name: str) -> str:
    """Return a file name that every output format can encode: bytes other than UTF-8 escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def title_of(name: str) -> str:
    """Return the name of a file in messages and titles."""
    return "standard input" if name == STANDARD_INPUT else name


def read_text(name: str, encoding: str = UTF_8, *, has_option: bool = True) -> str:
    """Read a file, or standard input if the name is "-".

    Args:
        name: the name of the file.
        encoding: the encoding of its text.
        has_option: whether the command has the option --encoding.

    Raises:
        InputError: if the file cannot be read or decoded, or is too long.
    """
    title = title_of(name)
    try:
        data = _read_standard_input() if name == STANDARD_INPUT else _read_file(name)
        return decode(data, encoding, title, has_option=has_option)
    except MemoryError:
        reason = "not enough memory to read it"
    except IsADirectoryError:
        reason = "is a folder; name the files in it"
    except FileNotFoundError:
        reason = "is a broken link" if os.path.islink(name) else "no such file"
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError:  # a NUL in the path
        reason = "no such file"
    raise InputError(f"{title}: {reason}")


def _read_file(name: str) -> bytes:
    with Path(name).open("rb", buffering=0) as file:
        found = os.fstat(file.fileno())
        if stat.S_ISREG(found.st_mode) and found.st_size > MAX_BYTES:
            raise OSError(TOO_LONG.format(MAX_BYTES))
        return _read_all(file)


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise OSError("is closed")
    return _read_all(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer))


def _read_all(file: _RawReader) -> bytes:
    data = bytearray()
    while (piece := _read_piece(file)) != b"":
        data += piece or b""
        if len(data) > MAX_BYTES:
            raise OSError(TOO_LONG.format(MAX_BYTES))
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


def decode(data: bytes, encoding: str, title: str, *, has_option: bool = True) -> str:
    """Decode a text; line ends and, in UTF-8, a BOM are preserved.

    Args:
        data: the bytes of a file.
        encoding: an encoding that Python knows.
        title: the name of the file in messages.
        has_option: whether the command has the option --encoding.

    Raises:
        InputError: for undecodable bytes; the message has the first one and a suggestion.
    """
    try:
        text = data.decode(encoding)
        if encoding != UTF_8:
            text.encode()  # utf-7 can decode to lone surrogates, which no output can encode
    except UnicodeEncodeError as error:
        reason = f"half of a surrogate pair at character {error.start}"
    except UnicodeDecodeError as error:
        hint = _suggestion(data, encoding) if has_option else ""
        reason = _describe_position(data, error.start, encoding) + hint
    except UnicodeError as error:
        reason = str(error)
    else:
        return text
    name = encoding.upper() if encoding == UTF_8 else encoding
    raise InputError(f"{title}: not {name}: {reason}")


def _describe_position(data: bytes, at: int, encoding: str) -> str:
    line = data[:at].decode(encoding, "replace").count("\n") + 1
    return f"byte 0x{data[at : at + 1].hex()} at offset {at} (line {line})"


def _suggestion(data: bytes, encoding: str) -> str:
    is_utf_16 = codecs.lookup(encoding).name.startswith("utf-16")
    if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) and not is_utf_16:
        return "; --encoding utf-16 may read it"
    if b"\0" in data[:_START]:
        return "; it seems to be binary; if it is text, --encoding names its encoding"
    return "; --encoding names another, such as latin-1"
