"""Decode input files, with the option `--encoding`."""

from __future__ import annotations

import codecs
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Annotated

import typer

from chunkana_cli.errors import USAGE, InputError, fail

UTF_8 = "utf-8"
_START = 2**13  # bytes that are searched for NUL to recognise a binary file


def _require_encoding(name: str) -> str:
    """Return the name of an encoding; end the command if Python does not know it."""
    try:
        b" ".decode(name, "replace")
    except (LookupError, ValueError):  # codecs other than text encodings, such as hex, too
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
        found = f"half of a surrogate pair at character {error.start}"
        raise InputError(f"{title}: not {_display_name(encoding)}: {found}") from None
    except UnicodeDecodeError as error:
        place = _describe_position(data, error.start, encoding)
        hint = _suggestion(data, encoding) if has_option else ""
        raise InputError(f"{title}: not {_display_name(encoding)}: {place}{hint}") from None
    except UnicodeError as error:
        raise InputError(f"{title}: not {_display_name(encoding)}: {error}") from None
    return text


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


def _display_name(encoding: str) -> str:
    return encoding.upper() if encoding == UTF_8 else encoding
