"""HTML and MDX tags: visible text besides them, and cuts between elements."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from html import unescape
from itertools import accumulate

from msgspec import Struct

from chunkana_core.text.source import BOM

_MARKUP = ("<", "{/*", "import", "export")  # the starts of blocks that may have no visible text
# The attributes of a tag; quoted ones may contain "<" and ">", unless a quote is not closed.
# Matching is linear: each quote swaps two of three states (outside, in "…", in '…'), and a "<"
# ends all attempts that are outside, so that only two attempts at a tag go on past any "<".
ATTRIBUTES = r"""(?:(?:[^<>"']++|"[^"]*+"|'[^']*+')*+(?=>)|[^<>]*+)"""
# Comments, scripts and styles; unclosed ones match to the end of the text, so that this is linear.
_UNSEEN = re.compile(
    r"""<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|\{/\*(?:[^*]|\*(?!/\}))*+(?:\*/\}|\Z)
    |<(?i:script|style)(?=[\s/>])(?:[^<]|<(?!/(?i:script|style)))*+(?:</[^>]*+(?:>|\Z)|\Z)""",
    re.VERBOSE,
)
_TAG = re.compile(rf"</?[A-Za-z]{ATTRIBUTES}>")
_TEXT_ATTRIBUTE = re.compile(r"""(?<=[\s"'])(?:alt|title)\s*+=\s*+["']?+[^"'<>\w]*+\w""")
_IMPORT = r"""import\b[\w$*{},\s]*+(?:(?<=\bfrom)|(?<=\bfrom\s)|(?<=import\s))
    ["'][^"'\r\n]*+["']\s*+;?+\s*+"""
_EXPORT = r"""export\s++(?:
    (?:const|let|var)\s[^=]++=|(?:default\s++)?+(?:async\s++)?+(?:function|class)\b[^{]*+\{
    |default\s++(?:[\w$.]++\s*+[;(]|[\[{(])|[{*]
)"""
_MODULE = re.compile(
    rf"(?=import|export)(?:{_IMPORT})*+(?:{_EXPORT}.*+)?+", re.VERBOSE | re.DOTALL
)  # MDX statements, which end at a blank line
_TAG_OR_COMMENT = re.compile(
    rf"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|</?(?P<name>[A-Za-z][^\s<>/]*+){ATTRIBUTES}>"
)
# Elements without an end tag (HTML Living Standard §13.1.2).
_VOID = re.compile("(?i:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)")


def starts_with_text(text: str, offset: int) -> bool:
    """Return whether a block has visible text by its first characters alone."""
    return not (text[offset].isspace() or text.startswith((BOM, *_MARKUP), offset))


def has_text(block: str) -> bool:
    """Return whether an HTML or MDX block or a paragraph has visible text.

    Visible are the `alt` and `title` attributes of tags, but no other part of tags, no comments,
    scripts and styles, and no `import` and `export` statements.
    """
    block = block.strip()
    if not block.startswith(_MARKUP):
        return bool(block)
    if _MODULE.fullmatch(block):
        return False
    markup = _UNSEEN.sub("", block)
    return bool(unescape(_TAG.sub("", markup)).strip() or _TEXT_ATTRIBUTE.search(markup))


class Tags(Struct, frozen=True):
    """The tags and comments of a text, in order.

    Attributes:
        starts: their start offsets.
        ends: their end offsets.
        depths: the number of open elements before each tag, and after the last.
    """

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    depths: Sequence[int] = (0,)

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Tags:
        """Return the tags between two offsets."""
        found = [*_TAG_OR_COMMENT.finditer(text, start, end)]
        return cls(
            [tag.start() for tag in found],
            [tag.end() for tag in found],
            [*accumulate(map(_depth_change, found), initial=0)],
        )

    def is_inside(self, offset: int) -> bool:
        """Return whether an offset is inside a tag."""
        index = bisect_left(self.starts, offset) - 1
        return index >= 0 and offset < self.ends[index]

    def depth(self, offset: int) -> int:
        """Return the number of elements that are open at an offset outside tags."""
        return self.depths[bisect_left(self.starts, offset)]

    def cut(self, start: int, stop: int) -> int | None:
        """Return the start of the best tag to cut at between two offsets, None if there is none.

        That is the last tag with the fewest open elements in the second half, so that pieces are
        not small; else the tag around `stop`.
        """
        first = bisect_right(self.starts, (start + stop) // 2)
        last = bisect_right(self.starts, stop)
        if first < last:
            return self.starts[min(range(first, last), key=lambda tag: (self.depths[tag], -tag))]
        is_around = last > 0 and self.starts[last - 1] > start and self.ends[last - 1] > stop
        return self.starts[last - 1] if is_around else None


NO_TAGS = Tags()


def _depth_change(tag: re.Match[str]) -> int:
    """Return 1 for a tag that opens an element, -1 for one that closes an element, else 0."""
    if tag["name"] is None or _VOID.fullmatch(tag["name"]) or tag[0].endswith("/>"):
        return 0
    return -1 if tag[0].startswith("</") else 1
