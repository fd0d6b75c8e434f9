"""Convert text from documents to text that can be displayed in a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LINE_END = re.compile(r"\r\n?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DELETE = "\x7f"
_PICTURES = 0x2400  # Unicode's Control Pictures: ␀ for NUL, and so on
_DELETE_PICTURE = "␡"
_REPLACEMENT = "\ufffd"
_LONGEST_TITLE = 200  # code points


def display(text: str) -> str:
    r"""Return a text as displayed in pages, which UTF-8 can encode.

    Line ends become "\n", as in HTML. Control characters other than tabs become their Unicode
    control pictures, and lone surrogates U+FFFD.

    >>> display("a\x00\r\nb")
    'a␀\nb'
    """
    text = _CONTROL.sub(_picture, _LINE_END.sub("\n", text))
    return _LONE_SURROGATE.sub(_REPLACEMENT, text)


def on_one_line(text: str) -> str:
    r"""Return a text as displayed in pages, on one line with white space collapsed.

    >>> on_one_line(" a\n b")
    'a b'
    """
    return " ".join(display(text).split())


def shortened(text: str, most: int) -> str:
    """Shorten a text of more than `most` code points to its start and end.

    >>> shortened("abcdefgh", 4)
    'ab … 4 more … gh'
    """
    if len(text) <= most:
        return text
    half = most // 2
    return _around(text[:half], len(text) - 2 * half, text[-half:])


def joined(texts: Sequence[str], between: str, most: int) -> str:
    """Return `shortened(between.join(texts), most)` without building the long text.

    >>> joined(["abcd", "e", "fgh"], "/", 4)
    'ab … 6 more … gh'
    """
    length = sum(map(len, texts)) + len(between) * (len(texts) - 1)
    if length <= most:
        return between.join(texts)
    half = most // 2
    start = between.join(text[:half] for text in texts)[:half]
    end = between.join(text[-half:] for text in texts)[-half:]
    return _around(start, length - 2 * half, end)


def title_of(text: str) -> str:
    """Return a title on one line, shortened to at most 200 code points and a note.

    The title is shortened first, so that the cost does not depend on its length.
    """
    return on_one_line(shortened(text, _LONGEST_TITLE))


def _around(start: str, left_out: int, end: str) -> str:
    return f"{start} … {left_out:,} more … {end}"


def _picture(match: re.Match[str]) -> str:
    control = match.group()
    return _DELETE_PICTURE if control == _DELETE else chr(_PICTURES + ord(control))
