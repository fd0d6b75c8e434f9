"""Escape text from untrusted documents for a terminal."""

from __future__ import annotations

import re

_MAX_BYTE = 0xFF
_LINE_END = re.compile(r"\r\n?")
# Control characters, which a terminal would execute; characters that reorder the text around them;
# and surrogates, which Python uses for file names that are not UTF-8.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text with LF line ends and escaped control characters.

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
