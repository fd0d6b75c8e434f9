"""The encoding of the files that are read."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Annotated

import typer

from chunkana_cli.errors import USAGE, InputError, fail

UTF_8 = "utf-8"
_START = 2**13  # bytes that are looked through for what no text has


def _require_encoding(name: str) -> str:
    """Return the name of an encoding; end the command if Python knows none of that name."""
    try:
        b" ".decode(name, "replace")
    except (LookupError, ValueError):  # also what is no encoding of text, such as hex
        fail(f"--encoding is {name!r}; allowed: one that Python knows, such as latin-1", USAGE)
    return name


InputEncoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of the files, such as latin-1.",
        callback=_require_encoding,
    ),
]


def decode(data: bytes, encoding: str, title: str, *, has_option: bool = True) -> str:
    """Return a text; line ends and, in UTF-8, a BOM stay as they are.

    Args:
        data: the bytes of a file.
        encoding: one that Python knows.
        title: of the file, for messages.
        has_option: whether the user may name the encoding.

    Raises:
        InputError: for bytes that are not of this encoding; names the first one, and a way out.
    """
    try:
        text = data.decode(encoding)
        if encoding != UTF_8:
            text.encode()  # utf-7 and the like may make what no output can write
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair at character {error.start}"
        raise InputError(f"{title}: not {_shown(encoding)}: {found}") from None
    except UnicodeDecodeError as error:
        place = _place(data, error.start, encoding)
        way_out = _way_out(data) if has_option else ""
        raise InputError(f"{title}: not {_shown(encoding)}: {place}{way_out}") from None
    except UnicodeError as error:
        raise InputError(f"{title}: not {_shown(encoding)}: {error}") from None
    return text


def _place(data: bytes, at: int, encoding: str) -> str:
    line = data[:at].decode(encoding, "replace").count("\n") + 1
    return f"byte 0x{data[at : at + 1].hex()} at offset {at} (line {line})"


def _way_out(data: bytes) -> str:
    if data.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return "; --encoding utf-16 may read it"
    if b"\0" in data[:_START]:
        return "; it seems to be binary; if it is text, --encoding names its encoding"
    return "; --encoding names another, such as latin-1"


def _shown(encoding: str) -> str:
    return encoding.upper() if encoding == UTF_8 else encoding
