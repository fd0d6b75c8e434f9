"""Text from untrusted documents, made fit for a terminal."""

from __future__ import annotations

import re

_MAX_BYTE = 0xFF
_LINE_END = re.compile(r"\r\n?")
# What a terminal would obey: control characters, and those that reorder what stands around them;
# and surrogates, which file names that are not UTF-8 are read as.
_OBEYED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text with one kind of line end, its control characters written out.

    >>> visible("a\x1b[31mb\r\n")
    'a\\x1b[31mb\n'
    """
    return _OBEYED.sub(_written_out, _LINE_END.sub("\n", text))


def on_one_line(text: str) -> str:
    r"""Return a text made visible, white space folded.

    >>> on_one_line("a\n b")
    'a b'
    """
    return " ".join(visible(text).split())


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= _MAX_BYTE else f"\\u{code:04x}"
