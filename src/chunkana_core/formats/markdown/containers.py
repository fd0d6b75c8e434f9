"""Containers whose opening and closing lines are blocks of their own: found, and wrapped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.formats.markdown.container_lines import DIRECTIVE, Tag, marker_tag
from chunkana_core.formats.markdown.state import MAX_NESTING

# Looking up a member of an enum takes Python 3.11 longer than the rest of a loop over blocks.
_HEADING, _HTML, _MARKER = BlockKind.HEADING, BlockKind.HTML, BlockKind.MARKER
_TAG = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|<(/?)([A-Za-z][\w.:-]*+)([^<>]*+)>")
# Elements that have no closing tag, or need none.
_UNCLOSED = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
    | {"p", "param", "track"}
)


class Pair(Struct, frozen=True, gc=False):
    """The opening and the closing block of a container, by their indexes, and its name."""

    first: int
    last: int
    name: str


class Containers(Struct, frozen=True, gc=False):
    """The containers of some blocks.

    Attributes:
        pairs: in the order of their opening blocks.
        marker_lines: the offsets of those of their lines that are markers.
        is_complete: whether every marker is one of them.
    """

    pairs: Sequence[Pair]
    marker_lines: frozenset[int]
    is_complete: bool


def find_containers(text: str, blocks: Sequence[Block]) -> Containers:
    """Return the containers whose opening and closing blocks are siblings, in linear time."""
    found = [block for block in blocks if block.kind is _HTML or block.kind is _MARKER]
    if not any(_may_close(text, block) for block in found):
        return Containers((), frozenset(), is_complete=True)
    pairs = list(_within_limit(blocks, sorted(_pairs(text, blocks), key=lambda pair: pair.first)))
    ends = (blocks[index] for pair in pairs for index in (pair.first, pair.last))
    lines = frozenset(block.start for block in ends if block.kind is _MARKER)
    count = sum(1 for block in found if _is_pairable(block))
    return Containers(pairs, lines, count == len(lines))


def _may_close(text: str, block: Block) -> bool:
    """Tell whether a block is a marker, or HTML that starts with a closing tag."""
    if block.kind is _MARKER:
        return _is_pairable(block)
    return text.startswith("</", text.index("<", block.start))


def _is_pairable(block: Block) -> bool:
    """Tell whether a block is a marker whose container is not found by its own rule."""
    return block.kind is _MARKER and bool(block.info)


def _pairs(text: str, blocks: Sequence[Block]) -> Iterator[Pair]:
    """Yield the pairs among the blocks of each container, and of the document."""
    levels: list[_Siblings] = []  # by depth, what is open among the siblings of a block
    for block in blocks:
        kind, depth = block.kind, block.depth
        if depth < len(levels) - 1:
            del levels[depth + 1 :]
        if kind is not _HEADING and kind is not _HTML and kind is not _MARKER:
            continue
        while len(levels) <= depth:
            levels.append(_Siblings())
        yield from levels[depth].read_block(block, text)


def open_directives(text: str, blocks: Sequence[Block]) -> dict[int, int]:
    """Return for each heading of the document itself where the first open directive before it is.

    Both are offsets; that is the end of the text where no directive is open.
    """
    siblings, found = _Siblings(), dict[int, int]()
    for block in blocks:
        if block.depth:
            continue
        for _ in siblings.read_block(block, text):
            pass
        if block.kind is _HEADING:
            first = siblings.stack[0].block if siblings.stack else len(blocks)
            found[block.start] = blocks[first].start if siblings.stack else len(text)
    return found


@dataclass(slots=True)
class _Open:
    """What was opened and not closed yet; only one tag of a block can be the container's."""

    tag: Tag
    block: int
    may_pair: bool
    has_heading: bool = False


@dataclass(slots=True)
class _Siblings:
    """What is open among blocks of one container: a stack, and by key the places in it.

    An element or shortcode that holds a heading is no container: the heading ends it, unless a
    directive around the heading is opened in it.
    """

    stack: list[_Open] = field(default_factory=list)
    places: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def read_block(self, block: Block, text: str) -> Iterator[Pair]:
        """Read a heading, an HTML block or a marker, and yield the pair that it closes."""
        if block.kind is _HEADING:
            self.add_heading()
        elif block.kind is _HTML:
            yield from self.read_html(block, text)
        elif _is_pairable(block) and (tag := marker_tag(block.info)):
            yield from self.read(block, tag)

    def add_heading(self) -> None:
        """Close what is open and not around a directive, and note that this holds a heading."""
        while self.stack and not self.stack[-1].tag.key.startswith(DIRECTIVE):
            self._pop()
        if self.stack:
            self.stack[-1].has_heading = True

    def _pop(self) -> _Open:
        ended = self.stack.pop()
        self.places[ended.tag.key].pop()
        return ended

    def read_html(self, block: Block, text: str) -> Iterator[Pair]:
        """Read the tags of an HTML block, and yield the pair that its last one closes.

        A tag at the start of the block may be a container's opening; a block of nothing but closing
        tags its closing, that of the outermost element.
        """
        html = text[text.index("<", block.start) : block.end]
        matches = [match for match in _TAG.finditer(html) if match[2]]
        is_closing = all(match[1] for match in matches) and not _TAG.sub("", html).strip("> \t\r\n")
        for match in matches:
            key = match[2].lower()
            if key in _UNCLOSED or match[3].endswith("/"):
                continue
            tag = Tag(f"<{key}", match[2], bool(match[1]))
            may_pair = is_closing and match is matches[-1] if match[1] else not match.start()
            yield from self.read(block, tag, may_pair=may_pair)

    def read(self, block: Block, tag: Tag, *, may_pair: bool = True) -> Iterator[Pair]:
        """Open what a tag opens, or close what it closes, and yield the pair that is found."""
        if not tag.is_closing:
            self.places[tag.key].append(len(self.stack))
            self.stack.append(_Open(tag, block.index, may_pair))
            return
        place = self._innermost(tag.key)
        if place is None:
            return
        opened, has_heading = self.stack[place], False
        while len(self.stack) > place:
            has_heading |= self._pop().has_heading
        is_directive = tag.key.startswith(DIRECTIVE)
        if may_pair and opened.may_pair and (is_directive or not has_heading):
            yield Pair(opened.block, block.index, opened.tag.name)
        if has_heading and not is_directive:
            self.add_heading()

    def _innermost(self, key: str) -> int | None:
        """Return the place of what is closed: for a directive, of as many colons or of fewer."""
        if places := self.places.get(key):
            return places[-1]
        if not key.startswith(DIRECTIVE):
            return None
        fewer = (self.places.get(DIRECTIVE * count) for count in range(3, len(key)))
        return max((places[-1] for places in fewer if places), default=None)


def _within_limit(blocks: Sequence[Block], pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pairs that are not too deep inside others."""
    around: list[int] = []  # the last blocks of the pairs around
    for pair in pairs:
        while around and around[-1] < pair.first:
            around.pop()
        if blocks[pair.first].depth + len(around) < MAX_NESTING:
            around.append(pair.last)
            yield pair


def wrap(blocks: Sequence[Block], pairs: Sequence[Pair]) -> tuple[Block, ...]:
    """Return blocks with a container around each pair and what is between."""
    opened = [0] * (len(blocks) + 1)  # by index, 1 if a container starts before the block
    deeper = [0] * (len(blocks) + 1)  # by index, by how much the depth changes there
    for pair in pairs:
        opened[pair.first] = 1
        deeper[pair.first] += 1
        deeper[blocks[pair.last].after] -= 1
    before = [*accumulate(opened, initial=0)]  # the containers that start before a block
    waiting = iter(pairs)
    wrapped: list[Block] = []
    for block, depth in zip(blocks, accumulate(deeper), strict=False):
        if opened[block.index]:
            pair, index = next(waiting), len(wrapped)
            last = blocks[pair.last]
            after = last.after + before[last.after]
            depth_outside = block.depth + depth - 1
            kind = BlockKind.CONTAINER
            wrapped.append(
                Block(kind, depth_outside, block.start, last.end, index, after, info=pair.name)
            )
        after = block.after + before[block.after]
        index = len(wrapped)
        wrapped.append(replace(block, depth=block.depth + depth, index=index, after=after))
    return tuple(wrapped)
