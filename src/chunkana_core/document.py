"""A parsed document: text, blocks, outline and analysis; what every stage works on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from chunkana_core.analysis import ContentAnalysis, analyze
from chunkana_core.blocks import Block, BlockKind
from chunkana_core.outline import ROOT, Section, build_outline
from chunkana_core.parsing import parse
from chunkana_core.source import BOM, Source, Span

_START = attrgetter("start")
_FIRST = attrgetter("first")


@dataclass(frozen=True, slots=True)
class Document:
    """A document and what the parser says of it; made by `Document.parse`.

    Attributes:
        source: the text and its lines.
        blocks: all blocks, each before what it contains.
        top: the document's own blocks; block positions elsewhere are places in this.
        sections: the outline; section 0 is the document itself.
        front_title: the `title` of the front matter, or "".
        analysis: counts of the whole.
    """

    source: Source
    blocks: tuple[Block, ...] = field(repr=False)
    top: tuple[Block, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)
    front_title: str
    analysis: ContentAnalysis

    @classmethod
    def parse(cls, text: str) -> Document:
        """Parse a text."""
        parsed = parse(text)
        top = tuple(block for block in parsed.blocks if not block.depth)
        sections = build_outline(top)
        analysis = analyze(parsed.source, parsed.blocks, sections)
        return cls(parsed.source, parsed.blocks, top, sections, parsed.front_title, analysis)

    @property
    def text(self) -> str:
        """The unmodified text."""
        return self.source.text

    def start_of(self, position: int) -> int:
        """Return where a block's tile starts: 0 for the first one, so that nothing is left out."""
        if position <= 0:
            return 0
        return self.top[position].start if position < len(self.top) else len(self.text)

    def trimmed_block(self, position: int) -> Span:
        """Return a block's span, without white space around it and without a BOM."""
        start = self.top[position].start
        span = self.source.trim(
            start + self.text.startswith(BOM, start), self.start_of(position + 1)
        )
        return span or Span(start, start)

    def positions(self, span: Span) -> range:
        """Return the positions of the blocks whose tiles a span touches."""
        first = max(0, bisect_right(self.top, span.start, key=_START) - 1)
        return range(first, max(first + 1, bisect_left(self.top, span.end, key=_START)))

    def block_at(self, offset: int) -> Block:
        """Return the last block, in containers too, that starts at an offset or before it."""
        return self.blocks[max(0, bisect_right(self.blocks, offset, key=_START) - 1)]

    def section_at(self, position: int) -> Section:
        """Return the innermost section that a block belongs to."""
        return self.sections[bisect_right(self.sections, position, lo=1, key=_FIRST) - 1]

    def children(self, block: Block) -> Iterator[Block]:
        """Yield the blocks directly inside a container."""
        index = block.index + 1
        while index < block.after:
            yield self.blocks[index]
            index = self.blocks[index].after

    @property
    def folded(self) -> int:
        """The index of the sole H1 that is the document's title, or 0 where there is none."""
        if len(self.sections) == 1:
            return ROOT
        first = self.sections[1]
        return 1 if first.level == 1 and first.end == len(self.top) else ROOT

    def node_above(self, section: int) -> int:
        """Return the section whose node a section's node hangs under."""
        parent = self.sections[section].parent
        return ROOT if parent == self.folded else parent

    @property
    def title(self) -> str:
        """The first H1, else the front matter's title, else "Document"."""
        first = next((s.title for s in self.sections if s.level == 1 and s.title), "")
        return first or self.front_title or "Document"

    @property
    def front_matter_end(self) -> int:
        """The position after the front matter: 1 or, where there is none, 0."""
        return int(bool(self.top) and self.top[0].kind is BlockKind.FRONT_MATTER)

    @property
    def is_only_headings(self) -> bool:
        """Whether there are headings and nothing else to read."""
        return len(self.sections) > 1 and not any(s.has_body for s in self.sections)


def is_bare(blocks: Sequence[Block]) -> bool:
    """Tell whether blocks give no body to a section: only headings and link definitions."""
    return not any(block.is_content for block in blocks)
