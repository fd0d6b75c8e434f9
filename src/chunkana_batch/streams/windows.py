"""Windows of a stream: each is a document of its own, with what is known of all before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from itertools import chain

from msgspec.structs import replace

from chunkana_batch.streams.before import NO_SENTENCE, Before, OpenSection
from chunkana_batch.streams.cutting import Cut, single_line_end
from chunkana_batch.streams.registers import Registers
from chunkana_core.chunker import split_parts
from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import Context, ContextWriter
from chunkana_core.context.introductions import FirstSentence
from chunkana_core.document.blocks import Block
from chunkana_core.document.document import Document, Whole
from chunkana_core.document.outline import ROOT, SectionRange
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.document.traits import FormatTraits
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.formats.markdown.titles import heading_sections
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.contents import Content
from chunkana_core.splitting.splitter import Part
from chunkana_core.text.source import Source, SourcePart, Span
from chunkana_core.tree.builder import Children, TreeBuilder
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import SectionIds
from chunkana_core.tree.leaves import LeafMaker, end_of, start_of

_NO_ANCHOR = "\n"  # no slug: of headings that get theirs elsewhere


@dataclass(frozen=True, slots=True)
class Window:
    """A window of a stream.

    Attributes:
        document: its text, with the headings before it and the one that it is cut at.
        before: what is known of all before it.
        cut: where it ends; None at the end of the stream.
        start: the offset, in the document's text, at which its own text starts.
        first_lines: the lines of what is before that.
    """

    document: Document
    before: Before
    cut: Cut | None
    start: int
    first_lines: Sequence[int]

    @property
    def own(self) -> range:
        """The positions of its own blocks."""
        has_heading = self.cut is not None and self.cut.heading is not None
        return range(len(self.before.sections), len(self.document.top) - has_heading)

    @property
    def stop(self) -> int:
        """The offset, in the document's text, at which its own text ends."""
        return self.cut.offset if self.cut else len(self.document.text)

    @property
    def is_parting(self) -> bool:
        """Whether it ends inside a section's text."""
        return self.cut is not None and self.cut.heading is None

    def line(self, offset: int) -> int:
        """Return the line of the stream that holds an offset of the document's text."""
        return self.line_of(self.document.source.line_at(offset))

    def line_of(self, number: int) -> int:
        """Return the line of the stream that a line of the document's text is."""
        count = len(self.first_lines)
        return self.first_lines[number - 1] if number <= count else number + self.shift_of_lines

    @property
    def shift_of_lines(self) -> int:
        """By how much the numbers of its lines are larger in the stream."""
        return self.before.lines - len(self.first_lines)

    def own_parts(self, rows: Sequence[Sequence[Part]]) -> list[Part]:
        """Return the parts of its own text; those of a text that is parted here are numbered on."""
        trimmed = [[p for p in map(self._trimmed, row) if p is not None] for row in rows]
        own = [row for row in trimmed if row]
        goes_on = not self.document.top[self.own.start].level
        if own and self.before.part_count and goes_on:
            own[0] = _numbered(own[0], self.before.part_count)
        if own and self.is_parting:
            own[-1] = _numbered(own[-1], own[-1][0].split_index or 0)
        return [*chain(*own)]

    def _trimmed(self, part: Part) -> Part | None:
        """Return a part without the text that is not the window's own, None if nothing is left."""
        start, stop = self.start, self.stop
        if start <= part.span.start and part.span.end <= stop:
            return part
        found = self.document.source.trim(max(part.span.start, start), min(part.span.end, stop))
        if found is None:
            return None
        content, first = part.content, max(part.location.first, self.own.start)
        offset = content.text_offset + found.start - part.span.start
        return replace(
            part,
            span=found,
            location=replace(part.location, first=first),
            content=Content(content.text, content.start, offset),
        )

    def in_stream(self, leaf: Chunk) -> Chunk:
        """Return a leaf of its document as one of the stream."""
        source, shift = self.document.source, self.before.offset - self.start
        lines = (leaf.start_line, leaf.end_line, leaf.text_start_line, leaf.text_end_line)
        start_line, end_line, text_start_line, text_end_line = map(self.line_of, lines)
        return replace(
            leaf,
            source=SourcePart(source.text, source.line_starts, shift, self.shift_of_lines),
            span=Span(leaf.span.start + shift, leaf.span.end + shift),
            start_line=start_line,
            end_line=end_line,
            text_start_line=text_start_line,
            text_end_line=text_end_line,
            chunk_index=(leaf.chunk_index or 0) + self.before.leaves,
        )

    def open_sections(self) -> list[int]:
        """Return the indexes of the sections that go on after it, the outermost first."""
        section = self.document.section_at(self.own.stop - self.is_parting)
        if not self.is_parting:
            section = self.document.sections[section.parent]
        found: list[int] = []
        while section.index != ROOT:
            found.append(section.index)
            section = self.document.sections[section.parent]
        return found[::-1]


def _numbered(row: Sequence[Part], first: int) -> list[Part]:
    """Return parts of one text, numbered from a number on."""
    return [
        replace(part, split_index=number, original_size=part.original_size or part.context.size)
        for number, part in enumerate(row, first)
    ]


@dataclass(frozen=True, slots=True)
class WindowChunker:
    """Chunks the windows of a stream, one after the other.

    Attributes:
        config: how to chunk.
        context: what is embedded before each leaf's content.
        strategy: makes drafts.
        traits: of the format.
        registers: what is remembered of all windows.
    """

    config: ChunkConfig
    context: Context | None
    strategy: BaseStrategy
    traits: FormatTraits
    registers: Registers = field(default_factory=Registers)

    def window(
        self, text: str, blocks: Sequence[Block], before: Before, cut: Cut | None, whole: Whole
    ) -> Window:
        """Return a window.

        Args:
            text: with what it is below, and the heading that it is cut at.
            blocks: of the text.
            before: what is known of all before it.
            cut: where it ends, None at the end of the stream.
            whole: what is known of the document.
        """
        prefix, first_lines = before.prefix(self.traits)
        marked, sections, ranges = [*blocks], before.sections, list[SectionRange]()
        for index in [*range(len(sections)), *([-1] if cut and cut.heading else [])]:
            marked[index] = replace(marked[index], anchor=_NO_ANCHOR)
        if self.traits.has_headings:
            top = [block for block in marked if not block.depth]
            ranges = heading_sections(top, self.registers.anchors)
        for index, section in enumerate(sections):
            ranges[index] = replace(ranges[index], title=section.title, anchor=section.anchor)
        document = Document.of(Source.of(text), tuple(marked), ranges, self.traits, whole)
        return Window(document, before, cut, len(prefix), first_lines)

    def chunk(self, window: Window) -> tuple[list[Chunk], Before]:
        """Return the leaves that are complete with a window, and what the next one has to know.

        The last leaf is kept until the one after it is known.
        """
        document, before, sizer = window.document, window.before, Sizer.of(self.config)
        contexts = ContextWriter(document, sizer, self.context)
        known = enumerate((before.sentence, *(section.sentence for section in before.sections)))
        contexts.introductions.found.update({n: found for n, found in known if found.text})
        sizes = DocumentSizes(document, sizer)
        rows = split_parts(sizes, contexts, self.config, self.strategy, window.own)
        parts = window.own_parts(rows)
        locations = [part.location for part in parts]

        register = self.registers.ids
        ids = [before.root_id, *(s.section_id for s in before.sections)] if before.root_id else []
        sections, name = SectionIds(document, register, ids), self.strategy.name
        made = LeafMaker(document, self.config, name, sections, register).leaves(parts)
        ids = [*sections.up_to(window.own.stop)]
        ids += [""] * (len(document.sections) - len(ids))  # of the heading at the cut
        tree = TreeBuilder(document, self.config, name, ids)
        children = tree.children(made, locations)
        linked = tree.linked(made, locations, children)
        leaves = self._joined(before, [*map(window.in_stream, linked)], children)
        return leaves[:-1], self._after(window, contexts, ids, children, leaves)

    def _joined(self, before: Before, leaves: Sequence[Chunk], children: Children) -> list[Chunk]:
        """Return the leaf before a window and those of it, linked to each other."""
        held = before.leaf
        if held is None or not leaves:
            return [*([held] if held else []), *leaves]
        first, *others = leaves
        parents = [chunk.links.parent_id or "" for chunk in (held, first)]
        following = children.get(parents[0], [None])[0]
        held = replace(held, links=replace(held.links, next_sibling_id=following))
        previous = before.last_children.get(parents[1])
        first = replace(first, links=replace(first.links, prev_sibling_id=previous))
        if self.config.overlap_size and parents[0] == parents[1]:
            sizer, size = Sizer.of(self.config), self.config.overlap_size
            texts = held.text, first.text
            spans = [Span(0, len(text)) for text in texts]
            held = replace(held, next_content=start_of(texts[1], spans[1], sizer, size))
            first = replace(first, previous_content=end_of(texts[0], spans[0], sizer, size))
        return [held, first, *others]

    def _after(
        self,
        window: Window,
        contexts: ContextWriter,
        ids: Sequence[str],
        children: Children,
        leaves: Sequence[Chunk],
    ) -> Before:
        """Return what the next window has to know."""
        document, before, cut = window.document, window.before, window.cut
        if cut is None:
            return replace_fields(before, leaf=leaves[-1] if leaves else None)
        opened = window.open_sections()
        sections = tuple(self._open_section(window, contexts, ids, n) for n in opened)
        nodes = {ids[ROOT], *(section.section_id for section in sections)}
        last = {**before.last_children, **{node: c[-1] for node, c in children.items() if c}}
        last_leaf = leaves[-1] if leaves else None
        count = 1 + (last_leaf.split_index or 0) if last_leaf else 0
        return Before(
            offset=before.offset + cut.offset - window.start,
            lines=document.source.line_at(cut.offset) - 1 + window.shift_of_lines,
            leaves=before.leaves + len(leaves) - (before.leaf is not None),
            sections=sections,
            opening=cut.opening,
            opening_line=window.line(cut.opened) if cut.opening else 0,
            part_count=count if window.is_parting else 0,
            root_id=ids[ROOT],
            sentence=_sentence(contexts, ROOT),
            last_children={node: child for node, child in last.items() if node in nodes},
            has_content=before.has_content
            or document.has_content(window.own.start, window.own.stop),
            leaf=last_leaf,
        )

    def _open_section(
        self, window: Window, contexts: ContextWriter, ids: Sequence[str], index: int
    ) -> OpenSection:
        """Return a section that goes on after a window."""
        sentence = _sentence(contexts, index)
        if index <= len(window.before.sections):
            return replace(window.before.sections[index - 1], sentence=sentence)
        document = window.document
        section = document.sections[index]
        span = document.heading_span(section.first)
        heading = document.source.slice(span) + 2 * single_line_end(document.source, span.end)
        names = (section.level, section.title, section.anchor, ids[index])
        return OpenSection(*names, heading, window.line(span.start), sentence)


def _sentence(contexts: ContextWriter, section: int) -> FirstSentence:
    """Return the first sentence of a section, as one before the next window."""
    if contexts.context is None or not contexts.context.introduction:
        return NO_SENTENCE
    found = contexts.introductions.first_sentence(section)
    return FirstSentence(found.text, -1, found.is_lead_in)
