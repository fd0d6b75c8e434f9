"""A parsed document: text, blocks, outline and analysis; what every stage works on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from chunkana_core.analysis import ContentAnalysis, analyze
from chunkana_core.blocks import TRAITS, Block, BlockKind, content_counts
from chunkana_core.outline import ROOT, Section, build_outline
from chunkana_core.parsing import parse
from chunkana_core.source import BOM, Source, Span


@dataclass(frozen=True, slots=True)
class Document:
    """A document and what the parser says of it; made by `Document.parse`.

    Attributes:
        text: the unmodified text.
        blocks: all blocks, each before what it contains.
        top: the document's own blocks; block positions elsewhere are places in this.
        code: the blocks of code.
        sections: the outline; section 0 is the document itself.
        title: the first H1, else the front matter's title, else "Document".
        is_titled: whether it says so itself.
        folded: the index of the sole H1 that is the document's title, 0 where there is none.
        front_matter_end: the position after the front matter: 1 or, where there is none, 0.
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
    front_matter_end: int
    is_only_headings: bool
    _tiles: list[int] = field(repr=False, compare=False)  # where they start, and the text's end
    _owners: list[Section] = field(repr=False, compare=False)  # of each block, and the last one
    _contents: list[int] = field(repr=False, compare=False)  # see `content_counts`

    @classmethod
    def parse(cls, text: str) -> Document:
        """Parse a text."""
        parsed = parse(text)
        top = tuple([block for block in parsed.blocks if not block.depth])
        code = tuple([block for block in parsed.blocks if TRAITS[block.kind].is_code])
        contents = content_counts(top)
        sections = build_outline(top, contents)
        owners = [section for section in sections for _ in range(section.first, section.own_end)]
        title = next((s.title for s in sections if s.level == 1 and s.title), parsed.front_title)
        is_folded = len(sections) > 1 and sections[1].level == 1 and sections[1].end == len(top)
        return cls(
            parsed.source,
            text,
            parsed.blocks,
            top,
            code,
            sections,
            analysis=analyze(parsed.source, parsed.blocks, code, sections),
            title=title or "Document",
            is_titled=bool(title),
            folded=1 if is_folded else ROOT,
            front_matter_end=int(bool(top) and top[0].kind is BlockKind.FRONT_MATTER),
            is_only_headings=len(sections) > 1 and not any(s.has_body for s in sections),
            _tiles=[0, *[block.start for block in top[1:]], len(text)],
            _owners=[*owners, sections[-1]],
            _contents=contents,
        )

    def start_of(self, position: int) -> int:
        """Return where a block's tile starts: 0 for the first one, so that nothing is left out."""
        return self._tiles[position]

    def trimmed_block(self, position: int) -> Span:
        """Return a block's span, without white space around it and without a BOM."""
        start = self.top[position].start
        has_bom = self.text.startswith(BOM, start)
        return self.source.trim(start + has_bom, self._tiles[position + 1]) or Span(start, start)

    def positions(self, span: Span) -> range:
        """Return the positions of the blocks whose tiles a span touches."""
        tiles, last = self._tiles, len(self._tiles) - 1
        first = bisect_right(tiles, span.start, 1, last) - 1
        return range(first, bisect_left(tiles, span.end, first + 1, last))

    def block_at(self, offset: int) -> Block:
        """Return the last block, in containers too, that starts at an offset or before it."""
        place = bisect_right(self.blocks, offset, key=attrgetter("start"))
        return self.blocks[max(0, place - 1)]

    def section_at(self, position: int) -> Section:
        """Return the innermost section that a block belongs to."""
        return self._owners[position]

    def has_content(self, first: int, end: int) -> bool:
        """Tell whether blocks, by position, give a section a body: others than headings do."""
        return self._contents[end] > self._contents[first]

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
