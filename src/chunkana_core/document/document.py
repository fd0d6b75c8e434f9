"""A parsed document: text, blocks, outline and analysis; the input of all later stages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter

from msgspec import Struct

from chunkana_core.document.analysis import ContentAnalysis, analyze
from chunkana_core.document.blocks import TRAITS, Block, BlockKind, content_counts
from chunkana_core.document.cells import NO_CELLS, Cells
from chunkana_core.document.outline import ROOT, Run, Section, SectionRange, outline_of
from chunkana_core.document.traits import FormatTraits
from chunkana_core.errors import ExtensionError
from chunkana_core.text.markup import has_text, starts_with_text
from chunkana_core.text.source import BOM, NON_SPACE, Source, Span

UNTITLED = "Document"  # the title of a document without a title or an H1
_UNREADABLE_KINDS = frozenset(
    {
        BlockKind.BRACKET,
        BlockKind.FRONT_MATTER,
        BlockKind.LINK_DEFINITION,
        BlockKind.THEMATIC_BREAK,
    }
)
_MARKUP_KINDS = frozenset({BlockKind.HTML, BlockKind.PARAGRAPH})


class DocumentInfo(Struct, frozen=True, gc=False):
    """The properties of a whole document that are not known from one window of it.

    Attributes:
        title: the title of the document, "" for none.
        is_folded: whether the first heading is the only H1, so that it is the document's title.
        has_earlier_content: whether there is content before the window.
    """

    title: str
    is_folded: bool
    has_earlier_content: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its blocks, sections and counts, as parsed by a format.

    A position is the index of a top-level block. Each top-level block has a tile: the text from its
    start to the start of the next one. The tiles together are the whole text.

    Attributes:
        text: the unmodified text.
        blocks: all blocks, in pre-order.
        top: the top-level blocks, which are in no container.
        code: the outermost code blocks.
        sections: the outline; section 0 is the document itself.
        traits: the traits of the format.
        title: the title that the document has, else its first H1, else "Document".
        is_titled: whether the document has a title.
        folded: the index of the section of the only H1, which is the document's title; 0 if none.
        front_matter_stop: the position after the front matter: 1, or 0 if there is none.
        preamble_stop: the position of the first heading, 0 if there is none.
        is_only_headings: whether the document consists of headings without a body.
        cells: the cells of a notebook, empty for other documents.
    """

    source: Source
    text: str = field(repr=False, compare=False)
    blocks: tuple[Block, ...] = field(repr=False)
    top: tuple[Block, ...] = field(repr=False)
    code: tuple[Block, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)
    traits: FormatTraits
    analysis: ContentAnalysis
    title: str
    is_titled: bool
    folded: int
    front_matter_stop: int
    preamble_stop: int
    is_only_headings: bool
    _tiles: list[int] = field(repr=False, compare=False)  # starts of tiles, end of text
    _runs: list[Run] = field(repr=False, compare=False)  # by position, the run that contains it
    _contents: list[int] = field(repr=False, compare=False)  # see `content_counts`
    cells: Cells = field(default=NO_CELLS, repr=False)
    _readable: dict[int, bool] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_sections(
        cls,
        source: Source,
        blocks: Sequence[Block],
        sections: Sequence[SectionRange],
        traits: FormatTraits,
    ) -> Document:
        """Return the document of a text's blocks and sections, without a title.

        Args:
            source: the text.
            blocks: in pre-order; those of depth 0 contain all text that is not white space.
            sections: ranges of the blocks of depth 0, in pre-order.
            traits: the traits of the format.

        Raises:
            ExtensionError: unless the blocks are in order, and the sections nest.
        """
        _require_order(source.text, blocks)
        return cls.of(source, tuple(blocks), sections, traits)

    @classmethod
    def of(
        cls,
        source: Source,
        blocks: tuple[Block, ...],
        ranges: Sequence[SectionRange],
        traits: FormatTraits,
        title: str | DocumentInfo = "",
    ) -> Document:
        """Return the document of blocks that are known to be in order; see `of_sections`.

        In formats with headings, the only H1 is the title; several H1 are sections like others.

        Args:
            source: the text.
            blocks: in pre-order.
            ranges: the ranges of the sections.
            traits: the traits of the format.
            title: the title that is not a heading, such as from front matter, "" for none; for a
                window, the properties of the whole document.
        """
        top = tuple([block for block in blocks if not block.depth])
        contents, code = content_counts(top), _outermost_code(blocks)
        front_matter_stop = int(bool(top) and top[0].kind is BlockKind.FRONT_MATTER)
        sections, runs = outline_of(ranges, contents, front_matter_stop)
        headings = [s for s in sections[1:] if traits.has_headings and not s.kind]
        info = _info_of(headings, len(top), title) if isinstance(title, str) else title
        is_bare = contents[-1] == front_matter_stop and not info.has_earlier_content
        return cls(
            source=source,
            text=source.text,
            blocks=blocks,
            top=top,
            code=code,
            sections=sections,
            traits=traits,
            analysis=analyze(source, blocks, code, sections),
            title=info.title or _first_title(headings),
            is_titled=bool(info.title),
            folded=1 if info.is_folded else ROOT,
            front_matter_stop=front_matter_stop,
            preamble_stop=headings[0].first if headings else 0,
            is_only_headings=len(sections) > 1 and is_bare,
            _tiles=[0, *[block.start for block in top[1:]], len(source.text)],
            _runs=runs,
            _contents=contents,
        )

    def start_of(self, position: int) -> int:
        """Return the offset at which a block's tile starts, 0 for the first block."""
        return self._tiles[position]

    def trimmed_block(self, position: int) -> Span:
        """Return the span of a top-level block, without surrounding white space and BOM."""
        start = self.top[position].start
        has_bom = self.text.startswith(BOM, start)
        return self.source.trim(start + has_bom, self._tiles[position + 1]) or Span(start, start)

    def heading_span(self, position: int) -> Span:
        """Return the span of a heading without the anchors and comments before it."""
        span, heading = self.trimmed_block(position), self.top[position]
        return Span(heading.start + heading.lead, span.end) if heading.lead else span

    def trimmed_run(self, first: int, stop: int) -> Span:
        """Return the span of a run of blocks, without surrounding white space."""
        start = self._tiles[first]
        return self.source.trim(start, self._tiles[stop]) or Span(start, start)

    def positions(self, span: Span) -> range:
        """Return the positions of the blocks whose tiles a span touches."""
        tiles, last = self._tiles, len(self._tiles) - 1
        first = bisect_right(tiles, span.start, 1, last) - 1
        return range(first, bisect_left(tiles, span.end, first + 1, last))

    def block_at(self, offset: int) -> Block:
        """Return the last block, nested or not, that starts at or before an offset."""
        index = bisect_right(self.blocks, offset, key=attrgetter("start"))
        return self.blocks[max(0, index - 1)]

    def is_heading(self, position: int) -> bool:
        """Return whether a block is a heading as in Markdown, not the start of a definition."""
        is_titling = self.top[position].kind is BlockKind.HEADING
        return is_titling and self.traits.has_headings and not self.section_at(position).kind

    def section_at(self, position: int) -> Section:
        """Return the innermost section that contains a block."""
        return self._runs[position].section

    def run_at(self, position: int) -> Run:
        """Return the run of its section's own blocks that contains a block."""
        return self._runs[position]

    def runs(self, first: int, stop: int) -> Iterator[Run]:
        """Yield the runs of sections' own blocks that overlap a range of positions, in order."""
        while first < stop:
            run = self._runs[first]
            yield run
            first = run.stop

    def has_content(self, first: int, stop: int) -> bool:
        """Return whether a run of blocks has content, which gives its section a body."""
        return self._contents[stop] > self._contents[first]

    def is_readable(self, position: int) -> bool:
        """Return whether a block has visible text, unlike comments, anchors and definitions.

        A heading directly above link definitions has none to be found by.
        """
        block = self.top[position]
        if block.kind is BlockKind.HEADING:
            below = self.top[position + 1] if position + 1 < len(self.top) else block
            return below.kind is not BlockKind.LINK_DEFINITION
        if block.kind not in _MARKUP_KINDS:
            return block.kind not in _UNREADABLE_KINDS
        if starts_with_text(self.text, block.start) or not self.is_markup(position):
            return True
        if position not in self._readable:
            span = self.trimmed_block(position)
            self._readable[position] = has_text(self.text[span.start : span.end])
        return self._readable[position]

    def is_markup(self, first: int, stop: int = 0) -> bool:
        """Return whether a block, or a run of blocks, is written in markup."""
        return self.traits.is_markup and self.cells.are_markup(first, max(stop, first + 1))

    def children(self, block: Block) -> Iterator[Block]:
        """Yield the blocks directly inside a container."""
        index = block.index + 1
        while index < block.after:
            yield self.blocks[index]
            index = self.blocks[index].after

    def node_above(self, section: int) -> int:
        """Return the index of the section whose tree node is the parent of a section's node."""
        parent = self.sections[section].parent
        return ROOT if parent == self.folded else parent


def _info_of(headings: Sequence[Section], stop: int, title: str) -> DocumentInfo:
    """Return the properties of a whole document of so many blocks by its headings and its title."""
    tops = [heading.title for heading in headings if heading.level == 1]
    first = headings[0] if headings else None
    is_folded = first is not None and first.index == first.level == 1 and first.stop == stop
    own_title = (tops[0] if len(tops) == 1 else "") or title
    return DocumentInfo(own_title, is_folded, has_earlier_content=False)


def _first_title(headings: Sequence[Section]) -> str:
    """Return the title of the first H1 with a title, "Document" if there is none."""
    return next((s.title for s in headings if s.level == 1 and s.title), UNTITLED)


def _outermost_code(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the code blocks that are in no other code block."""
    code = [block for block in blocks if TRAITS[block.kind].is_code]
    afters = accumulate([block.after for block in code], max, initial=0)
    return tuple([b for b, after in zip(code, afters, strict=False) if b.index >= after])


def _require_order(text: str, blocks: Sequence[Block]) -> None:
    """Raise an ExtensionError unless blocks are in order, not blank, and contain all text."""
    start = 0
    for index, block in enumerate(blocks):
        is_inside = start <= block.start < block.end <= len(text)
        is_placed = block.index == index < block.after <= len(blocks)
        if not (is_placed and is_inside and NON_SPACE.search(text, block.start, block.end)):
            raise ExtensionError(f"{block} is blank or out of order")
        start = block.start
    if NON_SPACE.search(text, 0, blocks[0].start if blocks else len(text)):
        raise ExtensionError("there is text before the first block")
