"""Tags of HTML and MDX: what a reader sees besides them, and where to cut between elements."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from html import unescape
from itertools import accumulate

from msgspec import Struct

from chunkana_core.text.source import BOM

_MARKUP = ("<", "{/*", "import", "export")  # how a block starts that may have no text
# An unclosed comment runs to the end, which keeps these linear.
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|\{/\*(?:[^*]|\*(?!/\}))*+(?:\*/\}|\Z)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_SAID_IN_A_TAG = re.compile(r"""(?<=[\s"'])(?:alt|title)\s*+=\s*+["']?+[^"'<>\w]*+\w""")
_IMPORT = r"""import\b[\w$*{},\s]*+(?:(?<=\bfrom)|(?<=\bfrom\s)|(?<=import\s))
    ["'][^"'\r\n]*+["']\s*+;?+\s*+"""
_EXPORT = r"""export\s++(?:
    (?:const|let|var)\s[^=]++=|(?:default\s++)?+(?:async\s++)?+(?:function|class)\b[^{]*+\{
    |default\s++(?:[\w$.]++\s*+[;(]|[\[{(])|[{*]
)"""
_MODULE = re.compile(
    rf"(?=import|export)(?:{_IMPORT})*+(?:{_EXPORT}.*+)?+", re.VERBOSE | re.DOTALL
)  # MDX, whose statements end at a blank line
_TAG_OR_COMMENT = re.compile(
    r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|</?(?P<name>[A-Za-z][^\s<>/]*+)[^<>]*+>"
)
# Elements without an end (HTML Living Standard §13.1.2).
_VOID = re.compile("(?i:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)")


def starts_with_text(text: str, offset: int) -> bool:
    """Tell whether how a block starts shows that a reader sees text of it."""
    return not (text[offset].isspace() or text.startswith((BOM, *_MARKUP), offset))


def has_text(block: str) -> bool:
    """Tell whether a reader sees text of a block of HTML or MDX, or of a paragraph.

    Tags and comments are none, but for the `alt` and `title` of a tag, nor are `import` and
    `export` statements.
    """
    block = block.strip()
    if not block.startswith(_MARKUP):
        return bool(block)
    if _MODULE.fullmatch(block):
        return False
    markup = _COMMENT.sub("", block)
    return bool(unescape(_TAG.sub("", markup)).strip() or _SAID_IN_A_TAG.search(markup))


class Tags(Struct, frozen=True):
    """The tags and comments of a stretch of text, in order.

    Attributes:
        starts: where they start.
        ends: where they end.
        depths: how many elements are open before each, by the tags alone, and after all.
    """

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    depths: Sequence[int] = (0,)

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Tags:
        """Find the tags between two offsets."""
        found = [*_TAG_OR_COMMENT.finditer(text, start, end)]
        return cls(
            [tag.start() for tag in found],
            [tag.end() for tag in found],
            [*accumulate(map(_opened, found), initial=0)],
        )

    def is_inside(self, offset: int) -> bool:
        """Tell whether an offset is inside a tag."""
        index = bisect_left(self.starts, offset) - 1
        return index >= 0 and offset < self.ends[index]

    def depth(self, offset: int) -> int:
        """Return how many elements are open at an offset that is inside no tag."""
        return self.depths[bisect_left(self.starts, offset)]

    def cut(self, start: int, stop: int) -> int | None:
        """Return the start of a tag between two offsets, where to cut; None if there is none.

        It is the last of those with the fewest open elements, in the second half, so that pieces
        are not small; else that of the tag around the stop.
        """
        first, last = (
            bisect_right(self.starts, (start + stop) // 2),
            bisect_right(self.starts, stop),
        )
        if first < last:
            return self.starts[min(range(first, last), key=lambda tag: (self.depths[tag], -tag))]
        is_around = last > 0 and self.starts[last - 1] > start and self.ends[last - 1] > stop
        return self.starts[last - 1] if is_around else None


NO_TAGS = Tags()


def _opened(tag: re.Match[str]) -> int:
    """Return how many elements a tag opens: -1 for one that closes an element."""
    if tag["name"] is None or _VOID.fullmatch(tag["name"]) or tag[0].endswith("/>"):
        return 0
    return -1 if tag[0].startswith("</") else 1
