"""Windows of a stream: each is chunked as a document, with the state of the windows before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from itertools import chain

from msgspec.structs import replace

from chunkana_batch.streams.cutting import Cut, single_line_end
from chunkana_batch.streams.registers import Registers
from chunkana_batch.streams.state import NO_SENTENCE, OpenSection, StreamState
from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import Context, ContextWriter
from chunkana_core.context.introductions import FirstSentence
from chunkana_core.document.blocks import Block
from chunkana_core.document.document import Document, DocumentInfo
from chunkana_core.document.outline import ROOT, SectionRange
from chunkana_core.document.traits import FormatTraits
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.formats.markdown.titles import heading_sections
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.splitter import Part
from chunkana_core.stages import run_stages
from chunkana_core.text.source import Source, SourcePart, Span
from chunkana_core.tree.builder import Children, TreeBuilder
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import SectionIds
from chunkana_core.tree.leaves import LeafMaker, first_words, last_words

_NO_ANCHOR = "\n"  # never a slug; marks headings whose anchors another window makes


@dataclass(frozen=True, slots=True)
class Window:
    """A window of a stream, parsed as a document.

    The text of the document is a prefix (headings of the open sections, the lines that reopen a cut
    block), then the text of the window itself, then the heading at the cut, if there is one.

    Attributes:
        document: the parsed text.
        state: the state before the window.
        cut: the end of the window, None at the end of the stream.
        start: the offset after the prefix.
        first_lines: the line in the stream of each line of the prefix.
    """

    document: Document
    state: StreamState
    cut: Cut | None
    start: int
    first_lines: Sequence[int]

    @property
    def own_blocks(self) -> range:
        """The positions of the blocks without the prefix and without the heading at the cut."""
        has_heading = self.cut is not None and self.cut.heading is not None
        return range(len(self.state.sections), len(self.document.top) - has_heading)

    @property
    def stop(self) -> int:
        """The offset at which the text of the window itself ends."""
        return self.cut.offset if self.cut else len(self.document.text)

    @property
    def ends_in_section(self) -> bool:
        """Whether the window ends inside the text of a section."""
        return self.cut is not None and self.cut.heading is None

    def line(self, offset: int) -> int:
        """Return the line in the stream of an offset in the document."""
        return self.line_of(self.document.source.line_at(offset))

    def line_of(self, number: int) -> int:
        """Return the line in the stream of a line of the document."""
        count = len(self.first_lines)
        return self.first_lines[number - 1] if number <= count else number + self.line_shift

    @property
    def line_shift(self) -> int:
        """The difference between a line number in the stream and in the document."""
        return self.state.line_count - len(self.first_lines)

    def own_parts(self, rows: Sequence[Sequence[Part]]) -> list[Part]:
        """Return the parts of the window itself.

        The numbering of parts continues over windows if a text is cut between windows.
        """
        trimmed = [[p for p in map(self._trim, row) if p is not None] for row in rows]
        own = [row for row in trimmed if row]
        continues = not self.document.top[self.own_blocks.start].level
        if own and self.state.part_count and continues:
            own[0] = _number_parts(own[0], self.state.part_count)
        if own and self.ends_in_section:
            own[-1] = _number_parts(own[-1], own[-1][0].split_index or 0)
        return [*chain(*own)]

    def _trim(self, part: Part) -> Part | None:
        """Return a part without the prefix and the heading at the cut, None if nothing is left."""
        start, stop = self.start, self.stop
        last = part.content.end  # after `stop` if the closing line is that of the cut
        if start <= part.span.start and max(part.span.end, last) <= stop:
            return part
        span = self.document.source.trim(max(part.span.start, start), min(part.span.end, stop))
        if span is None:
            return None
        first = max(part.location.first, self.own_blocks.start)
        offset = part.content.text_offset + span.start - part.span.start
        return replace(
            part,
            span=span,
            location=replace(part.location, first=first),
            content=replace(
                part.content, end=last if last <= stop else span.end, text_offset=offset
            ),
        )

    def shift_leaf(self, leaf: Chunk) -> Chunk:
        """Return a leaf with offsets, lines and index of the stream in place of the document's."""
        source, shift = self.document.source, self.state.offset - self.start
        lines = (leaf.start_line, leaf.end_line, leaf.text_start_line, leaf.text_end_line)
        start_line, end_line, text_start_line, text_end_line = map(self.line_of, lines)
        return replace(
            leaf,
            source=SourcePart(source.text, source.line_starts, shift, self.line_shift),
            span=Span(leaf.span.start + shift, leaf.span.end + shift),
            start_line=start_line,
            end_line=end_line,
            text_start_line=text_start_line,
            text_end_line=text_end_line,
            chunk_index=(leaf.chunk_index or 0) + self.state.leaf_count,
        )

    def open_sections(self) -> list[int]:
        """Return the indexes of the sections that continue after the window, outermost first."""
        section = self.document.section_at(self.own_blocks.stop - self.ends_in_section)
        if not self.ends_in_section:
            section = self.document.sections[section.parent]
        indexes: list[int] = []
        while section.index != ROOT:
            indexes.append(section.index)
            section = self.document.sections[section.parent]
        return indexes[::-1]


def _number_parts(row: Sequence[Part], first: int) -> list[Part]:
    """Return the parts of one text with split indexes that start at `first`."""
    return [
        replace(part, split_index=number, original_size=part.original_size or part.context.size)
        for number, part in enumerate(row, first)
    ]


@dataclass(frozen=True, slots=True)
class WindowChunker:
    """Chunks the windows of a stream, one after the other.

    Attributes:
        config: the chunking options.
        context: the context that is embedded before each content.
        strategy: the strategy that makes drafts.
        traits: the traits of the format.
        registers: the ids, anchors and link definitions of all windows.
    """

    config: ChunkConfig
    context: Context | None
    strategy: BaseStrategy
    traits: FormatTraits
    registers: Registers = field(default_factory=Registers)

    def window(
        self,
        text: str,
        blocks: Sequence[Block],
        state: StreamState,
        cut: Cut | None,
        info: DocumentInfo,
    ) -> Window:
        """Return a window as a document with its sections.

        Args:
            text: the prefix, the text of the window, and the heading at the cut.
            blocks: the blocks of the text.
            state: the state before the window.
            cut: the end of the window, None at the end of the stream.
            info: the known properties of the whole document.
        """
        prefix, first_lines = state.prefix(self.traits)
        marked, sections, ranges = [*blocks], state.sections, list[SectionRange]()
        for index in [*range(len(sections)), *([-1] if cut and cut.heading else [])]:
            marked[index] = replace(marked[index], anchor=_NO_ANCHOR)
        if self.traits.has_headings:
            top = [block for block in marked if not block.depth]
            ranges = heading_sections(top, self.registers.anchors)
        for index, section in enumerate(sections):
            ranges[index] = replace(ranges[index], title=section.title, anchor=section.anchor)
        document = Document.of(Source.of(text), tuple(marked), ranges, self.traits, info)
        return Window(document, state, cut, len(prefix), first_lines)

    def chunk(self, window: Window) -> tuple[list[Chunk], StreamState]:
        """Chunk a window; return the complete leaves and the state for the next window.

        The last leaf is complete only when the next leaf is known, so it is kept in the state.
        """
        document, state, sizer = window.document, window.state, Sizer.of(self.config)
        contexts = ContextWriter(document, sizer, self.context)
        known = enumerate((state.first_sentence, *(section.sentence for section in state.sections)))
        contexts.introductions.found.update({n: sentence for n, sentence in known if sentence.text})
        stages = run_stages(document, self.strategy, self.config, contexts, window.own_blocks)
        parts = window.own_parts(stages.parts)
        locations = [part.location for part in parts]

        register = self.registers.ids
        ids = [state.root_id, *(s.section_id for s in state.sections)] if state.root_id else []
        sections, name = SectionIds(document, register, ids), self.strategy.name
        leaves = LeafMaker(document, self.config, name, sections, register).leaves(parts, sizer)
        ids = [*sections.up_to(window.own_blocks.stop)]
        ids += [""] * (len(document.sections) - len(ids))  # for the heading at the cut
        tree = TreeBuilder(document, self.config, name, ids)
        children = tree.children(leaves, locations)
        linked = tree.link_leaves(leaves, locations, children)
        stream_leaves = self._link_last_leaf(state, [*map(window.shift_leaf, linked)], children)
        return stream_leaves[:-1], self._next_state(window, contexts, ids, children, stream_leaves)

    def _link_last_leaf(
        self, state: StreamState, leaves: Sequence[Chunk], children: Children
    ) -> list[Chunk]:
        """Return the last leaf before a window and the leaves of the window, linked as siblings."""
        last = state.last_leaf
        if last is None or not leaves:
            return [*([last] if last else []), *leaves]
        first, *rest = leaves
        parents = [chunk.links.parent_id or "" for chunk in (last, first)]
        following = children.get(parents[0], [None])[0]
        last = replace(last, links=replace(last.links, next_sibling_id=following))
        previous = state.last_children.get(parents[1])
        first = replace(first, links=replace(first.links, prev_sibling_id=previous))
        if self.config.overlap_size and parents[0] == parents[1]:
            sizer, size = Sizer.of(self.config), self.config.overlap_size
            texts = last.text, first.text
            spans = [Span(0, len(text)) for text in texts]
            last = replace(last, next_content=first_words(texts[1], spans[1], sizer, size))
            first = replace(first, previous_content=last_words(texts[0], spans[0], sizer, size))
        return [last, first, *rest]

    def _next_state(
        self,
        window: Window,
        contexts: ContextWriter,
        ids: Sequence[str],
        children: Children,
        leaves: Sequence[Chunk],
    ) -> StreamState:
        """Return the state after a window."""
        document, state, cut = window.document, window.state, window.cut
        if cut is None:
            return replace_fields(state, last_leaf=leaves[-1] if leaves else None)
        opened = window.open_sections()
        sections = tuple(self._open_section(window, contexts, ids, n) for n in opened)
        nodes = {ids[ROOT], *(section.section_id for section in sections)}
        last = {**state.last_children, **{node: c[-1] for node, c in children.items() if c}}
        last_leaf = leaves[-1] if leaves else None
        count = 1 + (last_leaf.split_index or 0) if last_leaf else 0
        return StreamState(
            offset=state.offset + cut.offset - window.start,
            line_count=document.source.line_at(cut.offset) - 1 + window.line_shift,
            leaf_count=state.leaf_count + len(leaves) - (state.last_leaf is not None),
            sections=sections,
            opening=cut.opening,
            opening_line=window.line(cut.block_start) if cut.opening else 0,
            part_count=count if window.ends_in_section else 0,
            root_id=ids[ROOT],
            first_sentence=_first_sentence(contexts, ROOT),
            last_children={node: child for node, child in last.items() if node in nodes},
            has_content=state.has_content
            or document.has_content(window.own_blocks.start, window.own_blocks.stop),
            last_leaf=last_leaf,
        )

    def _open_section(
        self, window: Window, contexts: ContextWriter, ids: Sequence[str], index: int
    ) -> OpenSection:
        """Return a section that continues after a window."""
        sentence = _first_sentence(contexts, index)
        if index <= len(window.state.sections):
            return replace(window.state.sections[index - 1], sentence=sentence)
        document = window.document
        section = document.sections[index]
        span = document.heading_span(section.first)
        heading = document.source.slice(span) + 2 * single_line_end(document.source, span.end)
        names = (section.level, section.title, section.anchor, ids[index])
        return OpenSection(*names, heading, window.line(span.start), sentence)


def _first_sentence(contexts: ContextWriter, section: int) -> FirstSentence:
    """Return the first sentence of a section, at offset -1: before the next window."""
    if not (contexts.context and contexts.context.introduction):
        return NO_SENTENCE
    found = contexts.introductions.first_sentence(section)
    return FirstSentence(found.text, -1, found.is_lead_in)
