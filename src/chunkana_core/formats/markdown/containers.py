"""Containers with separate opening and closing blocks: directives, shortcodes, HTML elements."""

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
from chunkana_core.text.markup import ATTRIBUTES

# In Python 3.11, an enum member lookup takes longer than the rest of the loop over blocks.
_HEADING, _HTML, _MARKER = BlockKind.HEADING, BlockKind.HTML, BlockKind.MARKER
_TAG = re.compile(rf"<!--(?s:.*?)(?:-->|\Z)|<(/?)([A-Za-z][\w.:-]*+){ATTRIBUTES}>")
# Elements without a closing tag, or with an optional one.
_UNCLOSED = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
    | {"p", "param", "track"}
)


class Pair(Struct, frozen=True, gc=False):
    """The indexes of the opening and the closing block of a container, and its name."""

    first: int
    last: int
    name: str


class Containers(Struct, frozen=True, gc=False):
    """The containers of some blocks.

    Attributes:
        pairs: the pairs, in the order of their opening blocks.
        marker_lines: the offsets of the marker blocks in pairs.
        is_complete: whether every marker block is in a pair.
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
    """Return whether a block is a marker, or HTML that starts with a closing tag."""
    if block.kind is _MARKER:
        return _is_pairable(block)
    return text.startswith("</", text.index("<", block.start))


def _is_pairable(block: Block) -> bool:
    """Return whether a block is a marker of a directive or shortcode, not of an admonition."""
    return block.kind is _MARKER and bool(block.info)


def _pairs(text: str, blocks: Sequence[Block]) -> Iterator[Pair]:
    """Yield the pairs of sibling blocks, in each container and at the top level."""
    levels: list[_OpenTags] = []  # by depth, the open tags among siblings
    for block in blocks:
        kind, depth = block.kind, block.depth
        if depth < len(levels) - 1:
            del levels[depth + 1 :]
        if kind is not _HEADING and kind is not _HTML and kind is not _MARKER:
            continue
        while len(levels) <= depth:
            levels.append(_OpenTags())
        yield from levels[depth].read_block(block, text)


def open_directives(text: str, blocks: Sequence[Block]) -> dict[int, int]:
    """Return, by the offset of each top-level heading, that of the outermost directive open there.

    The value is the length of the text if no directive is open.
    """
    open_tags, found = _OpenTags(), dict[int, int]()
    for block in blocks:
        if block.depth:
            continue
        for _ in open_tags.read_block(block, text):
            pass
        if block.kind is _HEADING:
            first = open_tags.stack[0].block if open_tags.stack else len(blocks)
            found[block.start] = blocks[first].start if open_tags.stack else len(text)
    return found


@dataclass(slots=True)
class _OpenTag:
    """An open tag, the index of its block, and whether it may open a container."""

    tag: Tag
    block: int
    may_pair: bool
    has_heading: bool = False


@dataclass(slots=True)
class _OpenTags:
    """The open tags among sibling blocks: a stack, and the positions in it by key.

    An element or shortcode that contains a heading is no container: the heading closes it, unless
    the heading is in a directive that was opened inside it.
    """

    stack: list[_OpenTag] = field(default_factory=list)
    positions: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def read_block(self, block: Block, text: str) -> Iterator[Pair]:
        """Process a heading, an HTML block or a marker, and yield the pair that it completes."""
        if block.kind is _HEADING:
            self.add_heading()
        elif block.kind is _HTML:
            yield from self.read_html(block, text)
        elif _is_pairable(block) and (tag := marker_tag(block.info)):
            yield from self.read(block, tag)

    def add_heading(self) -> None:
        """Close the tags above the innermost directive, which is marked as containing a heading."""
        while self.stack and not self.stack[-1].tag.key.startswith(DIRECTIVE):
            self._pop()
        if self.stack:
            self.stack[-1].has_heading = True

    def _pop(self) -> _OpenTag:
        ended = self.stack.pop()
        self.positions[ended.tag.key].pop()
        return ended

    def read_html(self, block: Block, text: str) -> Iterator[Pair]:
        """Process the tags of an HTML block, and yield the pair that the last tag closes.

        A tag at the start of a block may open a container. The last tag of a block that consists of
        closing tags, that of the outermost element, may close one.
        """
        html = text[text.index("<", block.start) : block.end]
        matches = [match for match in _TAG.finditer(html) if match[2]]
        is_closing = all(match[1] for match in matches) and not _TAG.sub("", html).strip("> \t\r\n")
        for match in matches:
            key = match[2].lower()
            if key in _UNCLOSED or match[0].endswith("/>"):
                continue
            tag = Tag(f"<{key}", match[2], bool(match[1]))
            may_pair = is_closing and match is matches[-1] if match[1] else not match.start()
            yield from self.read(block, tag, may_pair=may_pair)

    def read(self, block: Block, tag: Tag, *, may_pair: bool = True) -> Iterator[Pair]:
        """Process an opening or a closing tag, and yield the pair that a closing tag completes."""
        if not tag.is_closing:
            self.positions[tag.key].append(len(self.stack))
            self.stack.append(_OpenTag(tag, block.index, may_pair))
            return
        position = self._innermost(tag.key)
        if position is None:
            return
        opened, has_heading = self.stack[position], False
        while len(self.stack) > position:
            has_heading |= self._pop().has_heading
        is_directive = tag.key.startswith(DIRECTIVE)
        if may_pair and opened.may_pair and (is_directive or not has_heading):
            yield Pair(opened.block, block.index, opened.tag.name)
        if has_heading and not is_directive:
            self.add_heading()

    def _innermost(self, key: str) -> int | None:
        """Return the stack position that a key closes; of a directive, as many or fewer colons."""
        if positions := self.positions.get(key):
            return positions[-1]
        if not key.startswith(DIRECTIVE):
            return None
        fewer = (self.positions.get(DIRECTIVE * count) for count in range(3, len(key)))
        return max((positions[-1] for positions in fewer if positions), default=None)


def _within_limit(blocks: Sequence[Block], pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pairs whose nesting is below the limit."""
    enclosing: list[int] = []  # the closing blocks of the enclosing pairs
    for pair in pairs:
        while enclosing and enclosing[-1] < pair.first:
            enclosing.pop()
        if blocks[pair.first].depth + len(enclosing) < MAX_NESTING:
            enclosing.append(pair.last)
            yield pair


def wrap(blocks: Sequence[Block], pairs: Sequence[Pair]) -> tuple[Block, ...]:
    """Return the blocks with a container block around each pair and the blocks between."""
    starts = [0] * (len(blocks) + 1)  # by index, 1 if a container starts before the block
    depth_changes = [0] * (len(blocks) + 1)  # by index, the change of depth at the block
    for pair in pairs:
        starts[pair.first] = 1
        depth_changes[pair.first] += 1
        depth_changes[blocks[pair.last].after] -= 1
    starts_before = [*accumulate(starts, initial=0)]  # by index, how many containers start before
    remaining = iter(pairs)
    wrapped: list[Block] = []
    for block, depth in zip(blocks, accumulate(depth_changes), strict=False):
        if starts[block.index]:
            pair, index = next(remaining), len(wrapped)
            last = blocks[pair.last]
            after = last.after + starts_before[last.after]
            depth_outside = block.depth + depth - 1
            kind = BlockKind.CONTAINER
            wrapped.append(
                Block(kind, depth_outside, block.start, last.end, index, after, info=pair.name)
            )
        after = block.after + starts_before[block.after]
        index = len(wrapped)
        wrapped.append(replace(block, depth=block.depth + depth, index=index, after=after))
    return tuple(wrapped)
