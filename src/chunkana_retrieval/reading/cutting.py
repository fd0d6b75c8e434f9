"""Offsets at which a text may be cut so that its beginning is readable, and unclosed fences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LINE = re.compile(r"(?:\A\ufeff)?+([^\r\n]*+)(?:\r\n?|\n|\Z)")
_SENTENCE_END = re.compile(
    r"""(?<![\d.!?…])[.!?…]++["'»”’)\]*_`]*+(?=\s++(?![a-zß-ÿа-я])|\s*+$)  # not after "1."
    |[。！？]++["'」』”’）]*+""",
    re.VERBOSE,
)
_WORD = re.compile(r"\S++")
# Markers of lists and block quotes may precede the fence.
_FENCE = re.compile(
    r"(?P<prefix>[ \t>]*+(?:(?:[-+*]|\d{1,9}[.)])[ \t]++)*+[ \t>]*+)"
    r"(?P<mark>`{3,}+(?!.*`)|~{3,}+|\$\$(?=[ \t]*+$))"
)
_CLOSING = re.compile(r"[ \t>]*+(`{3,}+|~{3,}+|.*\$\$)[ \t]*+$")
_STARTS_BLOCK = re.compile(r"[ \t>]*+(?:$|[-+*|]|\d{1,9}[.)]\s|#{1,6}\s|`{3}|~{3}|\$\$)")
_ROW = re.compile(r"[ \t>]*+\|")
_UNDERLINE = re.compile(r"[ \t>]*+(?:=++|[-:|][-:| \t]*+)[ \t]*+$")  # below a heading or header row
_ONLY_OPENS = re.compile(rf" {{0,3}}#{{1,6}}(?:[ \t]|$)|{_UNDERLINE.pattern}")
_MARKER = re.compile(r"[^>\s]")


@dataclass(frozen=True, slots=True)
class Fence:
    """An opening fence of code or math.

    Attributes:
        opening: the line of the opening fence.
        prefix: the prefix of further lines in the fence's container, such as indentation or ">".
        mark: the fence's characters, such as "```".
    """

    opening: str
    prefix: str
    mark: str

    @property
    def closing(self) -> str:
        """The line that closes the fence."""
        return self.prefix + self.mark

    def is_closed_by(self, line: str) -> bool:
        """Return whether a line closes the fence."""
        match = _CLOSING.match(line)
        if match is None:
            return False
        mark = match[1]
        if self.mark == "$$":
            return mark.endswith("$$")
        return mark[0] == self.mark[0] and len(mark) >= len(self.mark)


def open_fence(text: str) -> Fence | None:
    r"""Return the fence that is still open at the end of a text, None for none.

    >>> open_fence("Run:\n\n- ~~~sh\n  make").closing
    '  ~~~'
    """
    fence = None
    for match in _LINE.finditer(text):
        fence = _fence_after(match[1], fence)
    return fence


def _fence_after(line: str, fence: Fence | None) -> Fence | None:
    """Return the fence that is open after a line."""
    if fence is not None:
        return None if fence.is_closed_by(line) else fence
    opening = _FENCE.match(line)
    if opening is None:
        return None
    return Fence(line, _MARKER.sub(" ", opening["prefix"]), opening["mark"])


def sentence_ends(text: str) -> list[int]:
    """Return the offsets after sentences, list items, table rows and lines of code.

    The text before such an offset is never only headings, and does not end with an opening fence or
    a table header. The end of the text is not included.
    """
    last = len(text.rstrip())
    return [end for end in _ends([*_LINE.finditer(text)]) if end < last]


def line_ends(text: str) -> list[int]:
    """Return the offsets after lines that are not blank; the end of the text is not included."""
    last = len(text.rstrip())
    ends = [line.end(1) for line in _LINE.finditer(text) if line[1].strip()]
    return [end for end in ends if end < last]


def _ends(lines: Sequence[re.Match[str]]) -> Iterator[int]:
    fence: Fence | None = None
    for number, match in enumerate(lines[:-1]):
        line, following = match[1], lines[number + 1][1]
        was_open, fence = fence is not None, _fence_after(line, fence)
        if was_open:
            yield match.end(1)
        elif line.strip() and fence is None and not _ONLY_OPENS.match(line):
            yield from _ends_in_line(match, following)


def _ends_in_line(line: re.Match[str], following: str) -> Iterator[int]:
    """Yield the ends of sentences in a line, and the end of the line if its block ends there."""
    if _UNDERLINE.match(following):
        return  # the line is a heading or a table header
    end = line.end(1)
    if _ROW.match(line[1]):
        yield end
        return
    ends = [match.end() for match in _SENTENCE_END.finditer(line.string, line.start(1), end)]
    yield from ends
    if _STARTS_BLOCK.match(following) and ends[-1:] != [end]:
        yield end


def word_ends(text: str) -> list[int]:
    """Return the offsets after the words of a text."""
    return [match.end() for match in _WORD.finditer(text)]
