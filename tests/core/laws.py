"""The laws of chunking, each asserted from the source alone, with a parser of the tests' own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile, zip_longest

from markdown_it.token import Token

from chunkana_core import (
    Chunk,
    ChunkConfig,
    Chunker,
    Context,
    HierarchicalChunkingResult,
    HierarchyBuilder,
    InvariantValidator,
    MarkdownChunker,
    merge_sections,
    validate_tree,
)
from chunkana_core.context.introductions import Introductions
from chunkana_core.document.paths import Path, format_header_path
from chunkana_core.extending import BlockKind, BlockRule, Document, Format
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from tests.core.merge_laws import sound
from tests.core.stock import (
    ATOMS,
    BOM,
    limited_blocks,
    line_at,
    line_starts,
    open_fences,
    stock_blocks,
    top,
)
from tests.core.stock_containers import StockBlock

LARGEST_SHARE = 3  # repeated and carried headings take a third of the limit at most
LEAST_ROOM = 16  # in less than that, nothing worth it follows a heading
ATOM_REASONS = {
    "code_block_integrity": {"fenced_code", "indented_code", "math"},
    "table_integrity": {"table"},
    "list_item_integrity": ATOMS,
}
METADATA_KEYS = frozenset((
    "chunk_id", "parent_id", "section_id", "parent_section_id", "children_ids",
    "prev_sibling_id", "next_sibling_id", "hierarchy_level", "is_root", "is_leaf", "indexable",
    "chunk_index", "strategy", "content_type", "title", "format", "kind", "name", "path",
    "header_path", "header_level", "section_tags", "anchor", "start_line", "end_line",
    "text_start_line", "text_end_line", "start_char", "end_char", "size", "has_code",
    "code_languages", "cell", "cell_start_line", "cell_end", "cell_end_line", "container",
    "dangling_header_fixed", "header_moved_from_id", "merge_reason", "continued_from_header",
    "split_index", "original_section_size", "allow_oversize", "oversize_reason",
    "previous_content", "next_content",
))  # fmt: skip
CONTENT_TYPES = frozenset((
    "text", "code", "table", "list", "math", "html", "mixed", "section", "preamble",
    "front_matter", "heading", "definitions", "document",
))  # fmt: skip
_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNSEEN = re.compile(r"""(?:\s|<!--(?:(?!--).)*-->|<a (?:id|name)="[\w-]+"></a>)+""", re.DOTALL)
_CONTAINER_MARKS = "> \t\r" + BOM  # before the first character of a line's block
_FENCE = re.compile(r"`{3,}|~{3,}|@{3,}|\$\$")  # `@@@`: see `plugins`


def quarters(text: str) -> int:
    """Count tokens as many do: four characters each. Not additive: "ab" + "cd" is one, not none."""
    return len(text) // 4


def tokens(text: str) -> int:
    """Count words and punctuation. Not additive: a word cut in two counts twice."""
    return len(_TOKEN.findall(text))


@dataclass(frozen=True)
class Case:
    """A text, a configuration, a context, and what they yield; the name is for messages."""

    text: str
    config: ChunkConfig
    name: str = ""
    context: Context | None = None
    format: Format | None = None  # None is Markdown
    file: str | None = None  # what is chunked, where the text is made of it
    plugins: tuple[BlockRule, ...] = ()  # of Markdown

    @property
    def given(self) -> str:
        """What is chunked."""
        return self.text if self.file is None else self.file

    @cached_property
    def result(self) -> HierarchicalChunkingResult:
        """The tree."""
        return self.chunked()

    def chunked(self) -> HierarchicalChunkingResult:
        """Chunk the text, each time anew."""
        if self.format is None:
            chunker = MarkdownChunker(self.config, self.context, plugins=self.plugins)
            return chunker.chunk_hierarchical(self.text)
        formats = Chunker(self.config, self.context, formats=[self.format])
        return formats.chunk_hierarchical(self.given, self.format.name)

    @cached_property
    def document(self) -> Document:
        """What the format makes of the text."""
        if self.format is None:
            return parse_markdown(self.text, self.plugins)
        return self.format.document(self.given)

    @cached_property
    def leaves(self) -> list[Chunk]:
        """Its leaves, which hold the whole document."""
        return [chunk for chunk in self.result.chunks if chunk.is_leaf]

    @property
    def blocks(self) -> tuple[StockBlock, ...]:
        """All blocks, as the stock parser sees them."""
        return stock_blocks(self.text)

    @cached_property
    def lines(self) -> list[int]:
        """The offsets of the lines."""
        return line_starts(self.text)

    def size(self, text: str) -> int:
        """Measure a text."""
        return self.config.length_function(text)

    @property
    def reserved(self) -> str:
        """What a framework puts before what is embedded."""
        return self.context.reserved if self.context else ""

    @property
    def least_room(self) -> int:
        """The size that a content has at least: half of the limit where there is a context."""
        limit = self.config.max_chunk_size
        return limit - limit // 2 if self.context else limit

    @cached_property
    def introductions(self) -> Introductions:
        """The first sentences of its sections."""
        return Introductions(self.document, Sizer.of(self.config))


# L1


def exact_source(case: Case) -> None:
    """L1: each text is the exact slice at its span, and each leaf's content shows it."""
    assert case.result.text == case.text
    for chunk in case.result.chunks:
        start, end = chunk.span.start, chunk.span.end
        assert 0 <= start < end <= len(case.text)
        assert chunk.text == case.text[start:end]
        assert (chunk.metadata["start_char"], chunk.metadata["end_char"]) == (start, end)
        assert chunk.text_start_line == line_at(case.lines, start)
        assert chunk.text_end_line == line_at(case.lines, end - 1)
        if chunk.is_leaf:
            assert chunk.text in chunk.content
            _lines_present(case, chunk)


def _lines_present(case: Case, chunk: Chunk) -> None:
    """Assert that the lines of a leaf are those of the first and last source line it shows."""
    start, end = chunk.start_line, chunk.end_line
    assert start <= chunk.text_start_line <= chunk.text_end_line <= end
    if start < chunk.text_start_line:
        before = chunk.content[: chunk.text_offset].strip()
        opening = re.split(r"[\r\n]", before, maxsplit=1)[0]
        assert opening.lstrip(_CONTAINER_MARKS) in _line(case, start)
    after = chunk.content[chunk.text_offset + len(chunk.text) :]
    repeated = [*filter(None, re.split(rf"[\n{_CONTAINER_MARKS}]+", after))]
    if end > chunk.text_end_line:
        assert any(line in _line(case, end) for line in repeated)
    elif repeated and case.format is None:
        closings = [_line(case, number) for number in _closing_lines(case, chunk.span.end)]
        is_counted = not any(line in closing for line in repeated for closing in closings)
        assert is_counted, "a repeated line is not counted"


def _closing_lines(case: Case, offset: int) -> Iterator[int]:
    """Yield the closing lines, if below an offset, of the blocks that contain the offset."""
    for block in case.blocks:
        last = _last_text(case, block)
        may_close = block.kind in {"fenced_code", "math", "container"} and block.is_closed
        closing = line_at(case.lines, last - 1)
        if may_close and block.start < offset < last and closing > line_at(case.lines, offset - 1):
            yield closing


def _line(case: Case, number: int) -> str:
    starts = [*case.lines, len(case.text)]
    return case.text[starts[number - 1] : starts[number]]


# L2


def nothing_lost(case: Case) -> None:
    """L2: every character that is not white space is in one leaf; spans start and end as told."""
    end = 0
    for chunk in case.leaves:
        span = chunk.span
        assert span.start >= end, "spans overlap, or are out of order"
        assert not case.text[end : span.start].strip(), "text is lost between spans"
        _starts_properly(case, chunk, end)
        assert not case.text[span.end - 1].isspace()
        end = span.end
    assert not case.text[end:].strip(), "text is lost at the end"


def _starts_properly(case: Case, chunk: Chunk, previous_end: int) -> None:
    start = chunk.span.start
    line = case.lines[line_at(case.lines, start) - 1]
    if start == line:
        following = [n for n in case.lines if n > start]
        first_line = case.text[start : following[0] if following else len(case.text)]
        assert first_line.strip(), "the span starts with a blank line"
        return
    assert not case.text[start].isspace(), "the span starts with the white space after a cut"
    if previous_end <= line:  # then the cut was in an indentation that hardly fits
        size = case.size(case.text[line:start] + chunk.content)
        assert size > case.least_room // 2, "the span leaves out its line's start"


# L3


def size_within_limit(case: Case) -> None:
    """L3: nothing to embed is over the limit, but one atom, its headings, and nothing else.

    The lines that open and close the atom's containers may be with it.
    """
    limit = case.config.max_chunk_size
    for chunk in case.result.chunks:
        assert chunk.size == case.size(chunk.embedded)
        size = case.size((case.reserved if chunk.is_leaf else "") + chunk.embedded)
        is_over = size > limit
        assert chunk.metadata["allow_oversize"] is is_over, f"{size} with {chunk.oversize_reason}"
        assert bool(chunk.oversize_reason) is is_over
        if is_over:
            assert chunk.is_leaf
            _may_be_oversize(case, chunk)


def _may_be_oversize(case: Case, chunk: Chunk) -> None:
    if chunk.oversize_reason == "within_tolerance":
        most = case.config.max_chunk_size * (1 + case.config.oversize_tolerance)
        assert case.size(case.reserved + chunk.embedded) <= most
        assert chunk.content == chunk.text
        assert chunk.split_index is None
        return
    assert chunk.oversize_reason in ATOM_REASONS
    if case.format is not None:
        assert case.document.traits.is_markup, "other formats have no atoms"
        touched = [case.document.top[n] for n in case.document.positions(chunk.span)]
        assert [block.is_content for block in touched].count(True) == 1, "an atom, and more"
        return
    if limited_blocks(case.text) is None:
        return  # what lies too deep is one block, whatever it holds
    held = [block for block in _leaf_blocks(case, chunk) if block.kind != "marker"]
    while held and held[0].kind == "heading" and held[0].depth == 0:
        held = held[1:]
    assert [block.kind in ATOM_REASONS[chunk.oversize_reason] for block in held] == [True]
    atom = held[0]
    assert chunk.span.start <= _first_text(case, atom), "the atom was cut"
    assert chunk.span.end >= _last_text(case, atom), "the atom was cut"

    items = [b for b in case.blocks if b.kind == "list_item" and b.line == atom.line]
    at_marker = any(b.start <= atom.start and atom.end <= b.end for b in items)
    assert at_marker is (chunk.oversize_reason == "list_item_integrity")
    stack, _, closing = chunk.content.partition(chunk.text)
    assert not closing.strip(" \t\n>`~")
    start = case.lines[chunk.start_line - 1]
    end = start + len(stack.strip())
    repeated = (b for b in top(case.blocks) if start < b.end and b.start < end)
    assert not stack or {block.kind for block in repeated} == {"heading"}
    if case.config.atomic_blocks == "split":
        _cannot_be_split(case, atom)


def _cannot_be_split(case: Case, atom: StockBlock) -> None:
    """Accept a fence whose delimiters alone leave room for nothing longer between them."""
    assert atom.kind in {"fenced_code", "math"}
    assert case.size(case.reserved + _smallest_cut(case, atom)) > case.config.max_chunk_size


def _smallest_cut(case: Case, atom: StockBlock) -> str:
    """Return a fence with what is between its delimiters as long as they are."""
    line = case.text[atom.start : atom.end].splitlines()[0]
    fence = _FENCE.search(line)
    assert fence
    delimiter, prefix = line[: fence.end()], line[: fence.start()]
    return f"{delimiter}\n{prefix}{delimiter}\n{delimiter}"


def _leaf_blocks(case: Case, chunk: Chunk) -> list[StockBlock]:
    """Return the blocks without blocks inside that a chunk's span touches."""
    return [
        block
        for block in _leaves_among(case.blocks)
        if _first_text(case, block) < chunk.span.end and _last_text(case, block) > chunk.span.start
    ]


def _leaves_among(blocks: Sequence[StockBlock]) -> Iterator[StockBlock]:
    for block, after in zip_longest(blocks, blocks[1:]):
        if not (after and after.depth > block.depth):  # only containers have blocks in them
            yield block


def _first_text(case: Case, block: StockBlock) -> int:
    text = case.text[block.start : block.end]
    return block.start + len(text) - len(text.lstrip())


def _last_text(case: Case, block: StockBlock) -> int:
    return block.start + len(case.text[block.start : block.end].rstrip())


def atoms_whole(case: Case) -> None:
    """L3: an atom that fits below its headings is in one leaf, which is not flagged for it.

    Of those in containers, whose text has markers before and after it, nothing is said here.
    """
    if limited_blocks(case.text) is None:
        return  # what lies too deep is one block, whatever it holds
    limit = case.config.max_chunk_size
    if case.config.atomic_blocks == "split":  # then it is, rather than leave out its headings
        if case.config.length_function is not len:  # a second plan may have half of the room
            limit //= 2
        limit -= limit // LARGEST_SHARE + case.size("\n\n") + 1
    for atom in (block for block in case.blocks if block.kind in ATOMS and block.depth == 0):
        start, end = _with_headings(case, atom), _last_text(case, atom)
        if case.size(case.reserved + case.text[start:end]) > limit:
            continue
        first = _first_text(case, atom)
        holding = [c for c in case.leaves if c.span.start <= first and end <= c.span.end]
        assert len(holding) == 1, f"{case.text[start:end]!r} fits, and is cut"
        assert holding[0].oversize_reason in {None, "within_tolerance"}


def _with_headings(case: Case, atom: StockBlock) -> int:
    """Return where the headings start that stand directly before an atom, else its first line."""
    before = [block for block in case.blocks if block.start < case.lines[atom.line]]
    headings = takewhile(lambda b: b.kind == "heading" and b.depth == 0, reversed(before))
    return min([block.start for block in headings], default=case.lines[atom.line])


# Contexts, of which what is before a content is made


def contexts_sound(case: Case) -> None:
    """SPEC 6a: leaves alone have contexts, as much as fits of introduction and titles."""
    for chunk in case.result.chunks:
        assert chunk.embedded == f"{chunk.context}\n\n{chunk.content}".removeprefix("\n\n")
        if case.context is None or not chunk.is_leaf:
            assert chunk.context == ""
        else:
            assert chunk.context == _expected_context(case, chunk, case.context)


def _expected_context(case: Case, chunk: Chunk, context: Context) -> str:
    """Return the longest context that fits, or the breadcrumb of what does not fit in any case."""
    titles = _titles(case, chunk, context)
    breadcrumbs = [" > ".join(titles[dropped:]) for dropped in range(len(titles))]
    longest = next((text for text in breadcrumbs if _is_short(case, text)), "")
    if chunk.oversize_reason:
        return longest
    is_introduced = context.introduction and case.document.traits.has_headings
    found = case.introductions.before(chunk.span) if is_introduced else ""
    introduced = "\n\n".join(filter(None, (longest, found)))
    choices = [introduced] if found and _is_short(case, introduced) else []
    choices += breadcrumbs[breadcrumbs.index(longest) :] if longest else []
    return next((text for text in choices if _fits_before(case, text, chunk.content)), "")


def _titles(case: Case, chunk: Chunk, context: Context) -> list[str]:
    """Return label, document title and path, none of them repeated at the start of the next."""
    path = [title for title in _named_path(case, chunk) if title] if context.breadcrumb else []
    title = case.result.title if context.breadcrumb else ""
    titles = [title, *path] if title and path[:1] != [title] else path
    label = " ".join((context.label or "").split())
    return [label, *titles] if label and titles[:1] != [label] else titles


def _named_path(case: Case, chunk: Chunk) -> Path:
    """Return the path of the outermost section in a chunk, that of the chunk if it has none."""
    document, path = case.document, chunk.section.path
    held = [
        section.path
        for section in document.sections[1:]
        if section.has_body or section.index != document.folded
        if document.top[section.first].start >= chunk.span.start
        and document.trimmed_run(section.first, section.stop).end <= chunk.span.end
    ]
    return min((other for other in held if path[: len(other)] == other), key=len, default=path)


def _is_short(case: Case, context: str) -> bool:
    """Tell whether what is before a content leaves it half of the limit."""
    before = case.size(case.reserved + f"{context}\n\n") - case.size("")
    return before <= case.config.max_chunk_size // 2


def _fits_before(case: Case, context: str, content: str) -> bool:
    whole = case.size(f"{case.reserved}{context}\n\n{content}")
    return whole <= case.config.max_chunk_size


# L4


def no_dangling_heading(case: Case) -> None:
    """L4: no leaf but the last ends with a heading, where its body can be brought to it."""
    own = top(case.blocks)
    if all(block.kind in {"heading", "link_definition", "front_matter"} for block in own):
        return
    for chunk in case.leaves[:-1]:
        touched = [n for n, block in enumerate(own) if block.start < chunk.span.end]
        number = touched[-1] if touched else 0
        if own[number].kind == "heading":
            _may_end_so(case, chunk, own[number:])
        else:
            _no_heading_without_text(case, chunk, own[: number + 1], own[number + 1 :])


def _no_heading_without_text(
    case: Case, chunk: Chunk, before: list[StockBlock], after: list[StockBlock]
) -> None:
    """Assert that definitions, comments and anchors do not part a heading from its own text."""
    held = [block for block in before if block.end > chunk.span.start]
    number = len(held) - len([*takewhile(lambda b: _is_unseen(case, b), reversed(held))]) - 1
    body = next((block for block in after if not _is_unseen(case, block)), None)
    if number < 0 or held[number].kind != "heading" or body is None or body.kind == "heading":
        return
    start = min(held[number].start, chunk.span.start) if not number else held[number].start
    run = case.text[start : body.start]
    first = next(b for b in _leaves_among(case.blocks) if b.start >= body.start)
    atom = case.size(case.reserved + case.text[first.start : _last_text(case, first)])
    fits = atom <= case.least_room or case.config.atomic_blocks == "keep"
    if first.kind in ATOMS and fits:
        assert case.size(run) + atom > case.least_room, f"{run!r} could be with its atom"
    else:
        _cannot_begin(case, run, body)


def _is_unseen(case: Case, block: StockBlock) -> bool:
    text = case.text[block.start : block.end].strip()
    return block.kind == "link_definition" or _UNSEEN.fullmatch(text) is not None


def _may_end_so(case: Case, chunk: Chunk, rest: list[StockBlock]) -> None:
    """Accept a heading without a body, and one that its body cannot be brought to."""
    heading, *after = (block for block in rest if block.kind != "link_definition")
    section = list(takewhile(lambda b: b.kind != "heading" or b.level > heading.level, after))
    if not section:
        return  # the last heading of a section that is empty to its end
    if section[0].kind != "heading":
        before = case.text[chunk.span.start : heading.start].strip()
        is_first = not before.strip(BOM)  # then the chunk has what white space is before it, too
        start = min(heading.start, chunk.span.start) if is_first else heading.start
        _cannot_begin(case, case.text[start : section[0].start], section[0])
        return
    body = next((block for block in after if block.kind != "heading"), None)
    inner = after[: after.index(body)] if body else after
    limit = case.least_room
    run = case.text[heading.start : inner[-1].start].rstrip()  # the last one is the receiver's own
    under = takewhile(lambda b: b.kind != "heading" or b.level > heading.level, rest[1:])
    end = body.start if body else max(block.end for block in under)
    least = _least_room(case, body) if body else LEAST_ROOM
    is_excess = case.size(case.text[heading.start : end]) + least > limit
    if len(inner) > 1 or any(block.kind == "link_definition" for block in rest):
        largest = case.config.max_chunk_size // LARGEST_SHARE
        is_excess |= case.size(run) > largest  # else the innermost stays attached
    if body not in section:  # one of the headings of an empty section
        joined = case.text[chunk.span.start : _last_text(case, section[0])]
        is_excess |= case.size(joined) > limit
    assert is_excess, f"{run!r} could have been carried"


def _cannot_begin(case: Case, run: str, body: StockBlock) -> None:
    """Accept a heading after which nothing of its body fits."""
    limit = case.least_room
    if case.size(run) > limit or limited_blocks(case.text) is None:
        return
    first = next(b for b in _leaves_among(case.blocks) if b.start >= body.start)
    atom = case.text[first.start : _last_text(case, first)]
    if first.kind in ATOMS and case.config.atomic_blocks == "keep":
        is_oversize = case.size(case.reserved + atom) > case.config.max_chunk_size
        assert not is_oversize, f"{atom!r} is oversize, but without its heading"
        fits = case.size(run + atom) <= limit and case.size(run) + LEAST_ROOM <= limit
        assert not fits, "an atom without its heading"
        return
    least = case.size(run) + _least_room(case, body)
    assert least > limit, f"something fits after {run!r}, but it dangles"


def _least_room(case: Case, body: StockBlock) -> int:
    """Return the size of what may follow a heading at least."""
    first = next(b for b in _leaves_among(case.blocks) if b.start >= body.start)
    indent = case.size(case.text[first.start : _first_text(case, first)])
    is_fence = first.kind in {"fenced_code", "math"}
    return LEAST_ROOM + (case.size(_smallest_cut(case, first)) if is_fence else indent)


# L5


def one_tree(case: Case) -> None:
    """L5: one root, links that agree, siblings in order, spans inside spans, all reachable."""
    result = case.result
    if not case.text.strip():
        assert (result.chunks, result.root_id) == ((), "")
        return
    by_id = {chunk.chunk_id: chunk for chunk in result.chunks}
    assert len(by_id) == len(result.chunks)
    assert all(re.fullmatch(r"[0-9a-f]{8}", chunk_id) for chunk_id in by_id)
    assert [c.chunk_id for c in result.chunks if c.links.parent_id is None] == [result.root_id]
    assert [c.chunk_id for c in result.chunks if c.is_root] == [result.root_id]
    for chunk in result.chunks:
        _linked(chunk, by_id)
    assert list(_pre_order(result.root_id, by_id)) == list(result.chunks)
    indices = [chunk.chunk_index for chunk in case.leaves]
    assert indices == list(range(len(indices)))


def _linked(chunk: Chunk, by_id: dict[str, Chunk]) -> None:
    links = chunk.links
    assert chunk.is_leaf is (not links.children_ids)
    children = [by_id[child] for child in links.children_ids]
    assert [c.links.parent_id for c in children] == [chunk.chunk_id] * len(children)
    before, after = [None, *links.children_ids][:-1], [*links.children_ids, None][1:]
    if children:
        assert [c.links.prev_sibling_id for c in children] == before
        assert [c.links.next_sibling_id for c in children] == after
        spans = [c.span for c in children]
        assert all(a.end <= b.start for a, b in pairwise(spans)), "siblings are out of order"
        assert (chunk.span.start, chunk.span.end) == (spans[0].start, spans[-1].end)
        assert not chunk.indexable
    if chunk.is_root:
        assert (links.prev_sibling_id, links.next_sibling_id) == (None, None)


def _pre_order(root_id: str, by_id: dict[str, Chunk]) -> Iterator[Chunk]:
    waiting = [root_id]
    while waiting:
        chunk = by_id[waiting.pop()]
        yield chunk
        waiting.extend(reversed(chunk.links.children_ids))


# L6


def same_again(case: Case) -> None:
    """L6: the same text and configuration give the same, and neither is changed."""
    assert case.chunked() == case.result
    assert case.config == ChunkConfig.from_dict(case.config.to_dict(), case.config.length_function)


# L7


def fences_closed(case: Case) -> None:
    """L7: no content opens a fence that it does not close, unless the source leaves it open."""
    for chunk in case.result.chunks:
        if "```" not in chunk.content and "~~~" not in chunk.content:
            continue
        fences = open_fences(chunk.content)
        if fences and open_fences(chunk.content.replace(BOM, "x")):  # no BOM further down
            is_so = _left_open(case, chunk) or _cannot_be_closed(case, chunk, fences[0])
            assert is_so, f"a fence is left open in {chunk.content!r}"


def _cannot_be_closed(case: Case, chunk: Chunk, fence: Token) -> bool:
    """Accept what is a fence there only because it was cut out, and fills its chunk."""
    first = chunk.content.splitlines()[fence.map[0] if fence.map else 0]
    before = first[: first.find(fence.markup)]
    is_fence = any(b.kind == "fenced_code" and not b.depth for b in _leaf_blocks(case, chunk))
    closed = f"{chunk.content}\n{before}{fence.markup}"
    return not is_fence and case.size(case.reserved + closed) > case.config.max_chunk_size


def _left_open(case: Case, chunk: Chunk) -> bool:
    return any(
        block.kind == "fenced_code"
        and not block.is_closed
        and block.start < chunk.span.end
        and not case.text[chunk.span.end : block.end].replace(">", "").strip()
        for block in case.blocks
    )


# Of formats other than Markdown, whose blocks no other parser finds


def validated(case: Case) -> None:
    """L2 to L4 as the validator sees them, which knows the format of what it is given."""
    assert case.format
    validator = InvariantValidator(case.config, formats=[case.format])
    if case.result.chunks or case.file is None:  # chunks tell what is given
        assert validator.validate(case.result.chunks, case.given).errors == ()
    assert validate_tree(case.result).valid
    assert case.result.format == case.document.traits.name


def built_again(case: Case) -> None:
    """SPEC 6: the tree that is built from the chunks is theirs."""
    assert case.format
    config = case.config
    builder = HierarchyBuilder(config.include_document_summary, config, formats=[case.format])
    assert builder.build(case.result.chunks, case.given).chunks == case.result.chunks


def brackets_not_alone(case: Case) -> None:
    """SPEC 11: what is only brackets is with what is before it, where both may fit together."""
    document, top = case.document, case.document.top
    for chunk in case.leaves:
        touched = document.positions(chunk.span)
        first = touched[0]
        if any(top[position].kind is not BlockKind.BRACKET for position in touched) or not first:
            continue
        while first > 0 and top[first].kind is BlockKind.BRACKET:
            first -= 1
        is_long = case.size(document.text[top[first].end : chunk.span.end]) > case.least_room // 4
        assert top[first].kind is BlockKind.HEADING or is_long


def paths_merged(case: Case) -> None:
    """SPEC 5: the level is the lowest of all lines but brackets; the path is merged from bodies.

    The title of a document without a body of its own does not count.
    """
    document = case.document
    for chunk in case.leaves:
        touched = document.positions(chunk.span)
        lines = [p for p in touched if document.top[p].kind is not BlockKind.BRACKET]
        bodies = [position for position in lines if document.top[position].is_content] or lines
        sections = [document.section_at(position) for position in lines]
        counted = [s for s in sections if s.has_body or s.index != document.folded] or sections
        if lines:
            assert chunk.section.level == min(section.level for section in counted)
            merged = merge_sections([document.section_at(p).section_path for p in bodies])
            assert chunk.section.path == merged.path


def signatures_repeated(case: Case) -> None:
    """SPEC 11: what continues a section, also after a subsection, begins with its signature.

    Brackets alone are no signature.
    """
    document, limit = case.document, case.config.max_chunk_size
    for chunk in case.leaves:
        position = document.positions(chunk.span)[0]
        section = document.section_at(position)
        has_heading = document.section_at(section.first) == section
        opening, first = document.top[section.first], document.top[position]
        is_own_text = not first.level and first.kind is not BlockKind.BRACKET
        if not (is_own_text and has_heading and opening.level):
            continue
        span = document.heading_span(section.first)
        signature = document.text[span.start : span.end]
        is_long = case.size(signature) > limit // LARGEST_SHARE
        is_bracket = not signature.strip("{[( \r\n\t")
        whole = (
            case.reserved + signature + 2 * document.source.line_ending(span.end) + chunk.content
        )
        is_repeated = signature in chunk.content[: chunk.text_offset]
        assert is_repeated or is_bracket or is_long or case.size(whole) > limit


# The metadata, whose keys are part of the contract


def metadata_sound(case: Case) -> None:
    """Metadata: the same keys for every chunk, JSON-able, and in agreement with the fields."""
    for chunk in case.result.chunks:
        metadata = chunk.metadata
        assert metadata.keys() == METADATA_KEYS
        assert json.loads(json.dumps(metadata)) == metadata
        assert chunk.metadata is not metadata
        assert metadata["content_type"] in CONTENT_TYPES
        assert metadata["path"] == list(chunk.section.path)
        assert metadata["header_level"] == chunk.section.level
        assert metadata["dangling_header_fixed"] is (chunk.header_moved_from_id is not None)
        assert metadata["continued_from_header"] is bool(chunk.split_index)
        moved = chunk.header_moved_from_id
        if moved is not None:
            section = case.result.get_chunk(moved)
            assert section
            assert not section.is_leaf
        assert case.result.get_section(chunk.section_id)
        around = chunk.parent_section_id
        assert around != chunk.section_id
        assert (around is None) is (chunk.section_id == case.result.root_id)
        assert around is None or not case.result.get_section(around)[0].is_leaf
        if chunk.is_leaf and chunk.header_path != "/__preamble__":
            assert chunk.header_path == format_header_path(chunk.section.path)
    _parts_numbered(case)


def _parts_numbered(case: Case) -> None:
    previous: Chunk | None = None
    for chunk in case.leaves:
        index = chunk.split_index
        if index is None:
            assert chunk.original_section_size is None
        elif index:
            assert previous
            assert previous.split_index == index - 1
            assert previous.original_section_size == chunk.original_section_size
        previous = chunk


OF_FORMATS = (
    exact_source,
    nothing_lost,
    size_within_limit,
    contexts_sound,
    one_tree,
    same_again,
    metadata_sound,
    validated,
    built_again,
    brackets_not_alone,
    paths_merged,
    signatures_repeated,
)
ALL = (
    exact_source,
    nothing_lost,
    size_within_limit,
    atoms_whole,
    contexts_sound,
    no_dangling_heading,
    one_tree,
    same_again,
    fences_closed,
    metadata_sound,
)


def require_laws(case: Case) -> Case:
    """Assert every law of a case, and return it; what fails says of which."""
    for law in ALL if case.format is None else OF_FORMATS:
        require(law, case)
    if case.format is not None:
        sound(case.result, case.config, None, 3)
    return case


def require(law: Callable[[Case], None], case: Case) -> None:
    """Assert a law of a case; what fails says of which."""
    try:
        law(case)
    except Exception as error:
        about = case.name or repr(case.text)
        error.add_note(f"{law.__name__} of {about} with {case.config}, {case.context}")
        raise


def lawful(text: str, context: Context | None = None, **options: object) -> Case:
    """Return a Markdown text chunked with some options, of which all laws hold."""
    return require_laws(Case(text, ChunkConfig.from_dict(options), context=context))
