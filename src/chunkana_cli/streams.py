"""Messages of one line, and text that is safe for a terminal; imports only what loads quickly."""

from __future__ import annotations

import os
import re
import sys
from typing import NoReturn

FAILED = 1  # the exit code if a file could not be read or written
USAGE = 2  # for invalid arguments
INTERRUPTED = 130  # of shells for SIGINT
TERMINATED = 143  # and for SIGTERM

_MAX_BYTE = 0xFF
_LINE_END = re.compile(r"\r\n?")
# Control characters, which a terminal would execute; characters that reorder the text around them;
# and surrogates, which Python uses for file names that are not UTF-8.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text from an untrusted document with LF line ends and escaped control characters.

    >>> visible("a\x1b[31mb\r\n")
    'a\\x1b[31mb\n'
    """
    return _UNSAFE.sub(_escape, _LINE_END.sub("\n", text))


def on_one_line(text: str) -> str:
    r"""Return a text on one line: escaped, with white space collapsed.

    >>> on_one_line("a\n b")
    'a b'
    """
    return " ".join(visible(text).split())


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= _MAX_BYTE else f"\\u{code:04x}"


def format_count(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> format_count(1, "chunk"), format_count(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_cells(first: int, last: int) -> str:
    """Return a range of notebook cells.

    >>> format_cells(3, 3), format_cells(3, 5)
    ('cell 3', 'cells 3-5')
    """
    return f"cell {first}" if first == last else f"cells {first}-{last}"


def report(message: str) -> None:
    """Print a message as one line on standard error, with control characters escaped.

    If standard error is closed or full, the message is dropped, and the command continues.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"chunkana: {on_one_line(message)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr.fileno())


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Report a message and end the command."""
    report(message)
    sys.exit(code)


def discard_standard_output() -> None:
    """Drop buffered output after a failed write; Python would try to write it again at exit."""
    _discard(sys.stdout.fileno())


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
