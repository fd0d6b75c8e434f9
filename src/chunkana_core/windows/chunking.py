"""Chunk a document in windows, each as a document, given the state of the windows before it.

Where a window may end without changing chunks is up to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import Context, ContextWriter
from chunkana_core.context.introductions import FirstSentence
from chunkana_core.document.document import Document, DocumentInfo
from chunkana_core.document.outline import ROOT, SectionRange
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.formats import plain
from chunkana_core.formats.markdown import parser as markdown
from chunkana_core.formats.markdown.parser import ParsedWindow, parse_blocks, parse_window
from chunkana_core.formats.markdown.titles import AnchorCounts, Definitions, heading_sections
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.splitter import Part
from chunkana_core.stages import run_stages
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.builder import Children, TreeBuilder
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import IdRegister, Ids, SectionIds
from chunkana_core.tree.leaves import LeafMaker, overlap
from chunkana_core.windows.window import OpenSection, Window, WindowEnd, WindowState

_NO_ANCHOR = "\n"  # never a slug; marks headings whose anchors another window makes
_LONGEST_HEADING = 1000  # characters; a longer heading is not repeated after a cut in its section


@dataclass(frozen=True, slots=True)
class WindowChunker:
    r"""Chunks the windows of a document in order; holds the ids and anchors of them all.

    Attributes:
        config: the options.
        context: the context that is embedded before each content.
        strategy: makes the first drafts.
        format: "markdown" or "text".
        title: the title of the whole document, "" for none.
        ids: the set of the ids so far; empty at first.
        anchors: the mapping of the anchors so far; empty at first.

    >>> from chunkana_core import analyze_markdown
    >>> from chunkana_core.extending import StrategySelector
    >>> config = ChunkConfig(strategy="structural")
    >>> strategy = StrategySelector().select(analyze_markdown(""), config)
    >>> chunker = WindowChunker(config, None, strategy, "markdown", title="")
    >>> window = chunker.parse("## A\n\nText.\n\n## B\n", WindowState())
    >>> leaves, state = chunker.chunk(window, WindowEnd(offset=13))
    >>> others, state = chunker.chunk(chunker.parse("## B\n\nMore.\n", state), None)
    >>> [leaf.text for leaf in (*leaves, *others, state.last_leaf)]
    ['## A\n\nText.', '## B\n\nMore.']
    """

    config: ChunkConfig
    context: Context | None
    strategy: BaseStrategy
    format: str
    title: str
    ids: Ids = field(default_factory=set[str])
    anchors: AnchorCounts = field(default_factory=dict[str, int])
    _definitions: Definitions = field(default_factory=Definitions, repr=False)
    _register: IdRegister = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the register of ids."""
        object.__setattr__(self, "_register", IdRegister(self.ids))

    def parse(self, text: str, state: WindowState) -> Window:
        """Parse the text of a window, below the prefix that the state before it has.

        Args:
            text: the text, up to and including the heading before which the window ends, if any.
            state: the state before the window.
        """
        prefix, lines = state.prefix()
        source = Source.of(prefix + text)
        if self._is_markdown:
            parsed = parse_window(source, self._definitions)
        else:
            parsed = ParsedWindow(plain.parse_text(source.text).blocks, "", {}, ())
        return Window(state, source, len(prefix), lines, parsed)

    def chunk(
        self, window: Window, end: WindowEnd | None, *, is_folded: bool = False
    ) -> tuple[list[Chunk], WindowState]:
        """Return the complete leaves of a window, and the state before the next one.

        The last leaf is complete only when the next leaf is known, so it is kept in the state. The
        offsets, lines and links of leaves are those in the whole document.

        Args:
            window: the parsed window, up to its end.
            end: where the window ends; None at the end of the document.
            is_folded: whether the first heading of the document is its only H1.
        """
        document = self._document(window, end, is_folded=is_folded)
        part = _DocumentPart.of(window, document, end)
        contexts = self._contexts(document, window.state)
        stages = run_stages(document, self.strategy, self.config, contexts, part.own)
        made = self._leaves(part, part.own_parts(stages.parts), contexts.sizer)
        leaves = self._link_last_leaf(window.state, made, contexts.sizer)
        last_leaf = leaves[-1] if leaves else None
        if end is None:
            return leaves[:-1], replace(window.state, last_leaf=last_leaf)
        sections = tuple(part.open_sections(contexts, made))
        for heading in window.headings(end.offset):
            text = window.source.text[heading.start : heading.end]
            if "[" in text:
                self._definitions.expect(text, window.line_at(heading.start))
        return leaves[:-1], part.next_state(end, sections, last_leaf)

    @property
    def _is_markdown(self) -> bool:
        return self.format == markdown.TRAITS.name

    def _document(self, window: Window, end: WindowEnd | None, *, is_folded: bool) -> Document:
        """Return a window as a document with its sections."""
        state, blocks = window.state, [*window.parsed.blocks]
        outer, ranges = state.sections[1:], list[SectionRange]()
        at_heading = end is not None and window.ends_before_heading(end)
        for index in [*range(len(outer)), *([-1] if at_heading else [])]:
            blocks[index] = replace(blocks[index], anchor=_NO_ANCHOR)
        if self._is_markdown:
            ranges = heading_sections([b for b in blocks if not b.depth], self.anchors)
        for index, section in enumerate(outer):
            ranges[index] = replace(ranges[index], title=section.title, anchor=section.anchor)
        traits = markdown.TRAITS if self._is_markdown else plain.TRAITS
        info = DocumentInfo(self.title, is_folded, state.has_content)
        return Document.of(window.source, tuple(blocks), ranges, traits, info)

    def _contexts(self, document: Document, state: WindowState) -> ContextWriter:
        """Return the writer of contexts, which knows the first sentences of the open sections."""
        contexts = ContextWriter(document, Sizer.of(self.config), self.context)
        known = enumerate(section.sentence for section in state.sections)
        contexts.introductions.found.update({n: sentence for n, sentence in known if sentence.text})
        return contexts

    def _leaves(self, part: _DocumentPart, parts: Sequence[Part], sizer: Sizer) -> _WindowLeaves:
        """Return the leaves of parts, linked with each other."""
        document, name = part.document, self.strategy.name
        locations = [own.location for own in parts]
        known = [s.section_id for s in part.window.state.sections if s.section_id]
        sections = SectionIds(document, self._register, known)
        maker = LeafMaker(document, self.config, name, sections, self._register)
        leaves = maker.leaves(parts, sizer)
        ids = [*sections.up_to(part.own.stop)]
        ids += [""] * (len(document.sections) - len(ids))  # for the heading at the cut
        tree = TreeBuilder(document, self.config, name, ids)
        children = tree.children(leaves, locations)
        links = tree.links(leaves, locations, children)
        linked = tree.link_leaves(leaves, locations, children, links)
        return _WindowLeaves([*part.shifted(linked)], ids, children)

    def _link_last_leaf(self, state: WindowState, made: _WindowLeaves, sizer: Sizer) -> list[Chunk]:
        """Return the last leaf before a window and the leaves of the window, linked as siblings."""
        last, leaves = state.last_leaf, made.leaves
        if last is None or not leaves:
            return [*([last] if last else []), *leaves]
        first, *rest = leaves
        parents = [leaf.links.parent_id or "" for leaf in (last, first)]
        following = made.children.get(parents[0], [None])[0]
        last = replace(last, links=replace(last.links, next_sibling_id=following))
        above = (s.last_child for s in state.sections if s.section_id == parents[1])
        first = replace(first, links=replace(first.links, prev_sibling_id=next(above, None)))
        if (size := self.config.overlap_size) and parents[0] == parents[1]:
            last, first = overlap(last, first, sizer, size)
        return [last, first, *rest]


class _WindowLeaves(Struct, frozen=True):
    """The leaves of a window, the ids of all sections, and the children of nodes."""

    leaves: Sequence[Chunk]
    section_ids: Sequence[str]
    children: Children


class _DocumentPart(Struct, frozen=True):
    """A window up to its end, as a document.

    Attributes:
        window: the window.
        document: its text, blocks and sections.
        stop: the offset at which the text of the window itself ends.
        own: the positions of the blocks without the prefix and the heading at the end.
        ends_in_section: whether the window ends inside the text of a section.
    """

    window: Window
    document: Document
    stop: int
    own: range
    ends_in_section: bool

    @classmethod
    def of(cls, window: Window, document: Document, end: WindowEnd | None) -> _DocumentPart:
        """Return a window with its end."""
        at_heading = end is not None and window.ends_before_heading(end)
        own = range(len(window.state.sections) - 1, len(document.top) - at_heading)
        stop = len(document.text) if end is None else end.offset
        return cls(window, document, stop, own, end is not None and not at_heading)

    def own_parts(self, rows: Sequence[Sequence[Part]]) -> list[Part]:
        """Return the parts of the window itself.

        The numbering of parts continues over windows if a text is cut between windows.
        """
        trimmed = [[part for part in map(self._trimmed, row) if part] for row in rows]
        own, state = [row for row in trimmed if row], self.window.state
        if own and state.part_count and not self.document.top[self.own.start].level:
            own[0] = _number_parts(own[0], state.part_count)
        if own and self.ends_in_section:
            own[-1] = _number_parts(own[-1], own[-1][0].split_index or 0)
        return [*chain(*own)]

    def _trimmed(self, part: Part) -> Part | None:
        """Return a part without the prefix and the heading at the end, None if nothing is left."""
        start, stop, content = self.window.start, self.stop, part.content
        if start <= part.span.start and max(part.span.end, content.end) <= stop:
            return part
        span = self.document.source.trim(max(part.span.start, start), min(part.span.end, stop))
        if span is None:
            return None
        # The content may end in a line that closes the cut block, after the end of the window.
        end = content.end if content.end <= stop else span.end
        offset = content.text_offset + span.start - part.span.start
        location = replace(part.location, first=max(part.location.first, self.own.start))
        content = replace(content, end=end, text_offset=offset)
        return replace(part, span=span, location=location, content=content)

    def shifted(self, leaves: Sequence[Chunk]) -> Iterator[Chunk]:
        """Yield leaves with the offsets, lines and indexes of the whole document."""
        window, source = self.window, self.window.source
        state, shift = window.state, window.state.offset - window.start
        part = Source(source.text, source.line_starts, shift, window.line_shift)
        leaf_count = 1 + (state.last_leaf.chunk_index or 0) if state.last_leaf else 0
        for leaf in leaves:
            yield replace(
                leaf,
                source=part,
                span=Span(leaf.span.start + shift, leaf.span.end + shift),
                start_line=window.document_line(leaf.start_line),
                end_line=window.document_line(leaf.end_line),
                text_start_line=window.document_line(leaf.text_start_line),
                text_end_line=window.document_line(leaf.text_end_line),
                chunk_index=(leaf.chunk_index or 0) + leaf_count,
            )

    def next_state(
        self, end: WindowEnd, sections: tuple[OpenSection, ...], last_leaf: Chunk | None
    ) -> WindowState:
        """Return the state after the window."""
        window, own = self.window, self.own
        return WindowState(
            offset=window.state.offset + end.offset - window.start,
            line_count=window.line_at(end.offset) - 1,
            sections=sections,
            is_inside_section=self.ends_in_section,
            opening=end.opening,
            opening_line=window.line_at(end.opening_start) if end.opening else 0,
            has_content=window.state.has_content or self.document.has_content(own.start, own.stop),
            last_leaf=last_leaf,
        )

    def open_sections(self, contexts: ContextWriter, made: _WindowLeaves) -> Iterator[OpenSection]:
        """Yield the document and the sections that continue after the window, outermost first."""
        for index in self._open_indexes():
            section = self._open_section(index)
            children = made.children.get(made.section_ids[index])
            yield replace(
                section,
                section_id=made.section_ids[index],
                sentence=_first_sentence(contexts, index),
                last_child=children[-1] if children else section.last_child,
            )

    def _open_indexes(self) -> list[int]:
        """Return the indexes of the document and the sections that continue after the window."""
        sections = self.document.sections
        index = self.document.section_at(self.own.stop - self.ends_in_section).index
        indexes = [index] if self.ends_in_section else []
        while index > ROOT:
            index = sections[index].parent
            indexes.append(index)
        return indexes[::-1]

    def _open_section(self, index: int) -> OpenSection:
        """Return a section at the end of the window, as it was before the window if it was open."""
        window, document = self.window, self.document
        if index < len(window.state.sections):
            return window.state.sections[index]
        section = document.sections[index]
        span = document.heading_span(section.first)
        heading = document.source.slice(span) + 2 * window.line_end(span.end)
        blocks = parse_blocks(heading) if len(heading) <= _LONGEST_HEADING else ()
        if [block.level for block in blocks] != [section.level]:
            heading = ""
        line = window.line_at(span.start)
        return OpenSection(section.level, section.title, section.anchor, "", heading, line)


def _number_parts(row: Sequence[Part], first: int) -> list[Part]:
    """Return the parts of one text with split indexes that start at `first`."""
    return [
        replace(part, split_index=number, original_size=part.original_size or part.context.size)
        for number, part in enumerate(row, first)
    ]


def _first_sentence(contexts: ContextWriter, section: int) -> FirstSentence:
    """Return the first sentence of a section, at offset -1: before the next window."""
    if not (contexts.context and contexts.context.introduction):
        return FirstSentence()
    return replace(contexts.introductions.first_sentence(section), start=-1)
