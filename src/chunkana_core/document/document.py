"""A parsed document: text, blocks, outline and analysis; what every stage works on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from chunkana_core.document.analysis import ContentAnalysis, analyze
from chunkana_core.document.blocks import TRAITS, Block, BlockKind, content_counts
from chunkana_core.document.outline import ROOT, Section, build_outline
from chunkana_core.text.markup import has_text
from chunkana_core.text.source import BOM, Source, Span

_UNREAD_KINDS = frozenset(
    {BlockKind.FRONT_MATTER, BlockKind.LINK_DEFINITION, BlockKind.THEMATIC_BREAK}
)
_MARKUP_KINDS = frozenset({BlockKind.HTML, BlockKind.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its blocks, sections and counts; made by a format.

    Each of the document's own blocks has a tile: the text from its start to the start of the next
    block, so that the tiles hold the whole text. A position is the number of such a block.

    Attributes:
        text: the unmodified text.
        blocks: all blocks, each before what it contains.
        top: the document's own blocks, in no container; a position is an index of these.
        code: the blocks of code.
        sections: the outline; section 0 is the document itself.
        title: what the document calls itself; where it does not, its first H1, or "Document".
        is_titled: whether the document calls itself so.
        folded: the index of the sole H1 that is the document's title, 0 where there is none.
        front_matter_stop: the position after the front matter: 1 or, where there is none, 0.
        is_only_headings: whether there are headings and nothing else to read.
    """

    source: Source
    text: str = field(repr=False, compare=False)
    blocks: tuple[Block, ...] = field(repr=False)
    top: tuple[Block, ...] = field(repr=False)
    code: tuple[Block, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)
    analysis: ContentAnalysis
    title: str
    is_titled: bool
    folded: int
    front_matter_stop: int
    is_only_headings: bool
    _tiles: list[int] = field(repr=False, compare=False)  # starts of the tiles, then the text's end
    _owners: list[Section] = field(repr=False, compare=False)  # by position, the innermost section
    _contents: list[int] = field(repr=False, compare=False)  # see `content_counts`
    _is_read: dict[int, bool] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, source: Source, blocks: tuple[Block, ...], title: str = "") -> Document:
        """Return the document of a text's blocks, each before what it contains.

        Its title is its only H1; several are sections side by side, of which none is.

        Args:
            source: the text.
            blocks: of the document, those inside containers too.
            title: what the document calls itself where that is no heading, "" for nothing.
        """
        text = source.text
        top = tuple([block for block in blocks if not block.depth])
        code = tuple([block for block in blocks if TRAITS[block.kind].is_code])
        contents = content_counts(top)
        sections = build_outline(top, contents)
        owners = [section for section in sections for _ in range(section.first, section.own_stop)]
        tops = [section.title for section in sections if section.level == 1]
        own_title = (tops[0] if len(tops) == 1 else "") or title
        is_folded = len(sections) > 1 and sections[1].level == 1 and sections[1].stop == len(top)
        return cls(
            source,
            text,
            blocks,
            top,
            code,
            sections,
            analysis=analyze(source, blocks, code, sections),
            title=own_title or next(filter(None, tops), "Document"),
            is_titled=bool(own_title),
            folded=1 if is_folded else ROOT,
            front_matter_stop=int(bool(top) and top[0].kind is BlockKind.FRONT_MATTER),
            is_only_headings=len(sections) > 1 and not any(s.has_body for s in sections),
            _tiles=[0, *[block.start for block in top[1:]], len(text)],
            _owners=[*owners, sections[-1]],
            _contents=contents,
        )

    def start_of(self, position: int) -> int:
        """Return the offset at which a block's tile starts, 0 for the first block."""
        return self._tiles[position]

    def trimmed_block(self, position: int) -> Span:
        """Return a block's span, without white space around it and without a BOM."""
        start = self.top[position].start
        has_bom = self.text.startswith(BOM, start)
        return self.source.trim(start + has_bom, self._tiles[position + 1]) or Span(start, start)

    def heading_span(self, position: int) -> Span:
        """Return a heading's span alone, without the anchors and comments that belong to it."""
        span, heading = self.trimmed_block(position), self.top[position]
        return Span(heading.start + heading.lead, span.end) if heading.lead else span

    def trimmed_run(self, first: int, stop: int) -> Span:
        """Return the span of a run of blocks, without white space around it."""
        start = self._tiles[first]
        return self.source.trim(start, self._tiles[stop]) or Span(start, start)

    def positions(self, span: Span) -> range:
        """Return the positions of the blocks whose tiles a span touches."""
        tiles, last = self._tiles, len(self._tiles) - 1
        first = bisect_right(tiles, span.start, 1, last) - 1
        return range(first, bisect_left(tiles, span.end, first + 1, last))

    def block_at(self, offset: int) -> Block:
        """Return the last block, in containers too, that starts at an offset or before it."""
        index = bisect_right(self.blocks, offset, key=attrgetter("start"))
        return self.blocks[max(0, index - 1)]

    def section_at(self, position: int) -> Section:
        """Return the innermost section that a block belongs to."""
        return self._owners[position]

    def has_content(self, first: int, stop: int) -> bool:
        """Tell whether a run of blocks gives its section a body: more than headings."""
        return self._contents[stop] > self._contents[first]

    def is_read(self, position: int) -> bool:
        """Tell whether a reader sees text of a block: not of comments, anchors, definitions."""
        kind = self.top[position].kind
        if kind not in _MARKUP_KINDS:
            return kind not in _UNREAD_KINDS
        if position not in self._is_read:
            span = self.trimmed_block(position)
            self._is_read[position] = has_text(self.text[span.start : span.end])
        return self._is_read[position]

    def children(self, block: Block) -> Iterator[Block]:
        """Yield the blocks directly inside a container."""
        index = block.index + 1
        while index < block.after:
            yield self.blocks[index]
            index = self.blocks[index].after

    def node_above(self, section: int) -> int:
        """Return the section whose node a section's node hangs under."""
        parent = self.sections[section].parent
        return ROOT if parent == self.folded else parent
