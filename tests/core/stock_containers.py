"""Containers among the blocks that stock finds: their openings and closings paired, naively."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock

from chunkana_core.formats.markdown.container_lines import marker_tag

DEEPEST = 100
LONGEST_SHORTCODE = 65_536
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][\w.:-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*|[^<>]*)>",
    re.DOTALL,
)
_OPENING = re.compile(r"(?:!!!|\?\?\?\+?)( *)")
_UNCLOSED = "area base br col embed hr img input link meta p param source track wbr"


@dataclass(frozen=True, slots=True)
class StockBlock:
    """A block as the stock parser sees it; offsets are those of its first and after its last line.

    Attributes:
        kind: CommonMark's word for it, as in `chunkana_core.BlockKind`.
        depth: 0 for a block of the document itself.
        line: of its start, from 0; of a heading, that after the anchors and comments before it.
        line_start: offset of that line.
        start: the same; of a heading, that of the first anchor or comment before it.
        end: offset after its last line.
        level: 1 to 6 for a heading, else 0.
        markup: the inline text of a heading, HTML, the line of a marker.
        is_closed: False for a fence that no fence line ends, and for admonitions.
    """

    kind: str
    depth: int
    line: int
    line_start: int
    start: int
    end: int
    level: int = 0
    markup: str = ""
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    """The opening and the closing of a container, and the index after all that is in it."""

    first: int
    last: int
    after: int


@dataclass(slots=True)
class _Open:
    key: str
    block: int
    may_pair: bool
    has_heading: bool = False


def marker(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001, FBT001
    """Take a line that may open or close a directive or shortcode, if the environment says so."""
    lines = state.env.get("marker_lines", ())
    text = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]].rstrip()
    is_found = (lines is None or start in lines) and not state.is_code_block(start)
    tag = marker_tag(text)
    if not is_found or tag is None:
        return False
    near = state.src[state.bMarks[start] :][:LONGEST_SHORTCODE]
    if tag.is_shortcode and not re.search(
        rf"{{{{[<%][ \t]*/[ \t]*{re.escape(tag.name)}(?![\w./-])", near
    ):
        return False
    if not silent:
        state.line = start + 1
        token = state.push("container_marker", "", 0)
        token.map, token.content = [start, start + 1], text
    return True


def with_body(admonition: RuleFuncBlockType) -> RuleFuncBlockType:
    """Return the rule of admonitions for those alone that have a body."""

    def admonition_with_body(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
        opening = _OPENING.match(state.src, state.bMarks[start] + state.tShift[start])
        below = [n for n in (start + 1, start + 2) if n < end and not state.isEmpty(n)]
        if opening is None or not below:
            return False
        has_body = state.sCount[below[0]] >= state.blkIndent + 3 + len(opening[1])
        return has_body and admonition(state, start, end, silent)

    return admonition_with_body


def pairs(blocks: Sequence[StockBlock]) -> list[Pair]:
    """Return the pairs, outer ones first, that are not too deep inside others."""
    found: list[Pair] = []
    for parent in (None, *range(len(blocks))):
        for first, last in _sibling_pairs(blocks, [*_children(blocks, parent)]):
            found.append(Pair(first, last, _after(blocks, last)))
    found.sort(key=lambda pair: pair.first)
    kept: list[Pair] = []
    for pair in found:
        around = sum(1 for outer in kept if outer.first < pair.first < outer.after)
        if blocks[pair.first].depth + around < DEEPEST:
            kept.append(pair)
    return kept


def wrapped(blocks: Sequence[StockBlock], found: Sequence[Pair]) -> Iterator[StockBlock]:
    """Yield blocks with a container around each pair and what is between."""
    for index, block in enumerate(blocks):
        depth = block.depth + sum(1 for pair in found if pair.first <= index < pair.after)
        for pair in found:
            if pair.first == index:
                end = blocks[pair.last].end
                yield StockBlock("container", depth - 1, block.line, block.start, block.start, end)
        yield replace(block, depth=depth)


def _children(blocks: Sequence[StockBlock], parent: int | None) -> Iterator[int]:
    first, stop = (0, len(blocks)) if parent is None else (parent + 1, _after(blocks, parent))
    depth = 0 if parent is None else blocks[parent].depth + 1
    return (index for index in range(first, stop) if blocks[index].depth == depth)


def _after(blocks: Sequence[StockBlock], index: int) -> int:
    after = index + 1
    while after < len(blocks) and blocks[after].depth > blocks[index].depth:
        after += 1
    return after


def _sibling_pairs(
    blocks: Sequence[StockBlock], siblings: Sequence[int]
) -> Iterator[tuple[int, int]]:
    waiting: list[_Open] = []
    for index in siblings:
        if blocks[index].kind == "heading":
            waiting = _with_heading(waiting)
        for key, is_closing, may_pair in _tags(blocks[index]):
            if not is_closing:
                waiting.append(_Open(key, index, may_pair))
                continue
            place = _closed(waiting, key)
            if place is None:
                continue
            ended, waiting = waiting[place:], waiting[:place]
            has_heading = any(opened.has_heading for opened in ended)
            is_directive = key[0] == ":"
            if may_pair and ended[0].may_pair and (is_directive or not has_heading):
                yield ended[0].block, index
            if has_heading and not is_directive:
                waiting = _with_heading(waiting)


def _with_heading(waiting: Sequence[_Open]) -> list[_Open]:
    """Return what is open after a heading: the innermost directive, and what is around it."""
    directives = [place for place, opened in enumerate(waiting) if opened.key[0] == ":"]
    kept = [*waiting[: directives[-1] + 1]] if directives else []
    for opened in kept[-1:]:
        opened.has_heading = True
    return kept


def _tags(block: StockBlock) -> Iterator[tuple[str, bool, bool]]:
    """Yield what a block opens and closes: key, whether it closes, whether it may be a pair's."""
    if block.kind == "marker" and block.markup.startswith((":", "{")):
        marked = marker_tag(block.markup)
        assert marked
        yield marked.key, marked.is_closing, True
    if block.kind != "html":
        return
    html = block.markup.strip(" \t\r\n")
    found = [tag for tag in _TAG.finditer(html) if tag[2]]
    is_closing = not _TAG.sub("", html).strip(" \t\r\n") and all(tag[1] for tag in found)
    for number, tag in enumerate(found, 1):
        if tag[2].lower() not in _UNCLOSED.split() and tag[3][-1:] != "/":
            may_close = is_closing and number == len(found)
            yield f"<{tag[2].lower()}", bool(tag[1]), may_close if tag[1] else not tag.start()


def _closed(waiting: Sequence[_Open], key: str) -> int | None:
    places = [place for place, opened in enumerate(waiting) if opened.key == key]
    if not places and key[0] == ":":
        fewer = [":" * count for count in range(3, len(key))]
        places = [place for place, opened in enumerate(waiting) if opened.key in fewer]
    return places[-1] if places else None
