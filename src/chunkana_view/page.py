"""The data of a page: the source as leaves and gaps, the details of leaves, trees, sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from chunkana_core import Chunk, HierarchicalChunkingResult, Span
from chunkana_view.colours import KINDS, marks_of
from chunkana_view.display_text import display, joined, on_one_line, title_of
from chunkana_view.histogram import Bin, histogram
from chunkana_view.labels import flags_of, level_of, lines_of, titles_of, type_of
from chunkana_view.trees import Row, merge_rows, outline

_SHADES = 4  # colours that leaves use in turn
_LARGE = 500  # leaves; in larger pages, a browser lays out only the leaves in sight
_SHEET = 25  # leaves that a browser lays out together
_LONGEST_PATH = 1000  # code points; longer paths would make the page of many chunks too large
_INDEX_DETAILS = {"id", "path", "lines", "context", "above", "below"}
_FILLS = 10  # steps of the gauge of a leaf


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf in a page.

    Attributes:
        chunk: the leaf.
        number: the number of the leaf, from 1.
        gap: the displayed source between the previous leaf and this leaf.
        text: the displayed source of the leaf.
        shade: the number of its colour.
        fill: its size in tenths of the limit, at most 10.
        flags: the flags of the leaf, each with its reason.
    """

    chunk: Chunk
    number: int
    gap: str
    text: str
    shade: int
    fill: int
    flags: dict[str, str]

    @property
    def is_cut_in_line(self) -> bool:
        """Whether the leaf starts in the line in which the previous leaf ends."""
        return self.number > 1 and "\n" not in self.gap

    @property
    def container(self) -> str:
        """The name of the container of the leaf on one line, "" for none."""
        return title_of(self.chunk.container or "")

    @property
    def notes(self) -> list[str]:
        """The container and flags of the leaf in a few words."""
        return [*([f"in {self.container}"] if self.container else []), *self.flags]

    @property
    def label(self) -> str:
        """The number, size and type of the leaf, for screen readers."""
        facts = [f"Chunk {self.number}", f"size {self.chunk.size:,}", self.chunk.content_type]
        return ", ".join([*facts, *self.notes])


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of the search: a flag, a type or a container, and the number of its chunks."""

    kind: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Page:
    """The data of a page.

    Attributes:
        name: the name of the document on one line.
        title: the title of the document on one line, "" if it has none.
        strategy: the name of the strategy.
        limit: the largest size of a chunk.
        unit: the unit of sizes.
        characters: the length of the source.
        middle: the median size of the leaves.
        leaves: all leaves, in document order.
        after: the displayed source after the last leaf.
        has_contexts: whether any leaf has a context.
        choices: the filters of the search.
        bins: the histogram of sizes.
        outline: the rows of the outline.
        merge: the rows of the merge tree.
    """

    name: str
    title: str
    strategy: str
    limit: int
    unit: str
    characters: int
    middle: int
    leaves: tuple[Leaf, ...]
    after: str
    has_contexts: bool
    choices: tuple[Choice, ...]
    bins: tuple[Bin, ...]
    outline: tuple[Row, ...]
    merge: tuple[Row, ...]

    @property
    def is_large(self) -> bool:
        """Whether the page is so large that browsers lay out only the sheets in sight."""
        return len(self.leaves) > _LARGE

    @property
    def sheets(self) -> list[tuple[Leaf, ...]]:
        """The leaves in groups that a browser lays out together."""
        starts = range(0, len(self.leaves), _SHEET)
        return [self.leaves[start : start + _SHEET] for start in starts]


def page_of(result: HierarchicalChunkingResult, name: str = "") -> Page:
    """Return the data of the page of a result."""
    chunks = result.get_leaves()
    spans = _spans(result, chunks)
    leaves = tuple(_leaves(result, chunks, spans))
    sizes = [chunk.size for chunk in chunks]
    title = on_one_line(result.title)
    return Page(
        name=on_one_line(name) or title or "Document",
        title=title,
        strategy=on_one_line(result.strategy_used),
        limit=result.max_chunk_size,
        unit="characters" if result.length_function is len else "units",
        characters=len(result.text),
        middle=round(median(sizes)) if sizes else 0,
        leaves=leaves,
        after=display(result.text[spans[-1].end if spans else 0 :]),
        has_contexts=any(chunk.context for chunk in chunks),
        choices=tuple(_choices(leaves)),
        bins=histogram(sizes, result.max_chunk_size),
        outline=outline(result) if chunks else (),
        merge=merge_rows(result),
    )


def _spans(result: HierarchicalChunkingResult, chunks: Sequence[Chunk]) -> list[Span]:
    """Return the span of each leaf, cut where leaves of another tool overlap."""
    spans: list[Span] = []
    start = 0
    following = [chunk.span.start for chunk in chunks[1:]]
    for chunk, next_start in zip(chunks, [*following, len(result.text)], strict=False):
        start = max(start, chunk.span.start)
        stop = max(start, next_start)
        spans.append(Span(start, min(max(start, chunk.span.end), stop)))
    return spans


def _leaves(
    result: HierarchicalChunkingResult, chunks: Sequence[Chunk], spans: Sequence[Span]
) -> Iterator[Leaf]:
    """Yield the leaves of a page."""
    ends = [0, *(span.end for span in spans)]
    for index, (chunk, span) in enumerate(zip(chunks, spans, strict=True)):
        yield Leaf(
            chunk=chunk,
            number=index + 1,
            gap=display(result.text[ends[index] : span.start]),
            text=display(result.text[span.start : span.end]),
            shade=index % _SHADES,
            fill=min(_FILLS, -(-chunk.size * _FILLS // result.max_chunk_size)),
            flags=flags_of(chunk),
        )


def _choices(leaves: Sequence[Leaf]) -> Iterator[Choice]:
    flags = Counter(flag for leaf in leaves for flag in leaf.flags)
    types = Counter(leaf.chunk.content_type for leaf in leaves)
    containers = Counter(leaf.container for leaf in leaves if leaf.container)
    yield from (Choice("flag", name, count) for name, count in flags.most_common())
    yield from (Choice("type", on_one_line(name), count) for name, count in types.most_common())
    yield from (Choice("container", name, count) for name, count in containers.most_common())


def details(result: HierarchicalChunkingResult, page: Page) -> dict[str, object]:
    """Return the data of a page for its script, as values for JSON."""
    title = result.title
    gaps = [*(leaf.gap for leaf in page.leaves[1:]), page.after]
    sections = _section_numbers([leaf.chunk for leaf in page.leaves])
    marks = marks_of(result.format, [leaf.text for leaf in page.leaves], gaps[: len(page.leaves)])
    return {
        "limit": page.limit,
        "unit": page.unit,
        "has_contexts": page.has_contexts,
        "outline": [_cells(row) for row in page.outline],
        "merge": [_cells(row) for row in page.merge],
        "colours": KINDS,
        "chunks": [
            _details(leaf, title) | {"section": section} | ({"marks": found} if found else {})
            for leaf, section, found in zip(page.leaves, sections, marks, strict=True)
        ],
    }


def searchable_leaves(result: HierarchicalChunkingResult) -> list[dict[str, object]]:
    """Return the data of the indexable leaves for an index's script, as values for JSON."""
    chunks = result.get_leaves()
    leaves = _leaves(result, chunks, _spans(result, chunks))
    sections = _section_numbers(chunks)
    return [
        {key: value for key, value in _details(leaf, result.title).items() if key in _INDEX_DETAILS}
        | {"text": leaf.text, "gap": leaf.gap, "section": section, "place": leaf.number}
        for leaf, section in zip(leaves, sections, strict=True)
        if leaf.chunk.indexable
    ]


def _cells(row: Row) -> list[object]:
    return [row.depth, row.title, row.first, row.last, row.size]


def _details(leaf: Leaf, title: str) -> dict[str, object]:
    """Return the details of a leaf for the script, without empty values."""
    chunk = leaf.chunk
    details: dict[str, object] = {
        "id": on_one_line(chunk.chunk_id),
        "path": display(joined(titles_of(chunk, title), " > ", _LONGEST_PATH)),
        "level": level_of(chunk),
        "size": chunk.size,
        "type": on_one_line(chunk.content_type),
        "kind": on_one_line(type_of(chunk)),
        "container": leaf.container,
        "lines": lines_of(chunk),
        "from": chunk.span.start,
        "to": chunk.span.end,
        "tags": [title_of(tag) for tag in chunk.section_tags],
        "flags": leaf.flags,
    }
    details |= _embedded(leaf)
    return {name: detail for name, detail in details.items() if detail not in ("", [], {})}


def _embedded(leaf: Leaf) -> dict[str, str]:
    """Return the embedded text before and after a leaf's text.

    The text itself is included only if it differs from the displayed source.
    """
    chunk = leaf.chunk
    context = chunk.embedded[: len(chunk.embedded) - len(chunk.content)]
    start, end = chunk.text_offset, chunk.text_offset + len(chunk.text)
    parts = (context, chunk.content[:start], chunk.content[start:end], chunk.content[end:])
    before, above, text, below = map(display, parts)
    shown = {} if text == leaf.text else {"text": text}
    return {"context": before, "above": above, "below": below} | shown


def _section_numbers(chunks: Sequence[Chunk]) -> list[int]:
    """Return the number of each chunk's section."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(chunk.section_id, len(numbers)) for chunk in chunks]
