"""The tree over leaves, from the heading outline: who is under whom, and what nodes say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chunkana_core.chunks import Chunk, ChunkLevel, Links, new_chunk, new_links
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.errors import ConfigurationError, require_str
from chunkana_core.facts import display_path
from chunkana_core.fast_init import fast_init, maker
from chunkana_core.ids import IdRegister, section_ids
from chunkana_core.outline import ROOT
from chunkana_core.placing import Place, place
from chunkana_core.result import HierarchicalChunkingResult
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span
from chunkana_core.summaries import document_summary, section_summary

_PARAGRAPH = ChunkLevel.PARAGRAPH
_Child = int  # the index of a leaf, or ~index for a section's node


@fast_init
@dataclass(frozen=True, slots=True)
class Leaf:
    """What the tree needs to know of a leaf before it is made."""

    chunk_id: str
    span: Span
    place: Place


new_leaf = maker(Leaf)


def hang(document: Document, leaves: Sequence[Leaf]) -> dict[int, list[_Child]]:
    """Hang leaves under the nodes of their places; return what is directly under each node.

    Keys are section indices; a section has a node where leaves are under it.
    """
    children: dict[int, list[_Child]] = {ROOT: []}
    for index, leaf in enumerate(leaves):
        child, node = index, leaf.place.node
        while node not in children:
            children[node] = [child]
            child, node = ~node, document.node_above(node)
        children[node].append(child)
    return children


@dataclass(frozen=True, slots=True)
class TreeMaker:
    """Makes nodes, and leaves with their links.

    Attributes:
        document: the document.
        config: how it is chunked.
        strategy: the name of the strategy that did.
        section_ids: by section, its id, which is that of its node too.
        leaves: in document order.
        children: see `hang`.
        make_leaf: makes a leaf of its index and links.
    """

    document: Document
    config: ChunkConfig
    strategy: str
    section_ids: Sequence[str]
    leaves: Sequence[Leaf]
    children: dict[int, list[_Child]]
    make_leaf: Callable[[int, Links], Chunk]

    def chunks(self) -> tuple[Chunk, ...]:
        """Return all nodes and leaves, each node before what is under it."""
        if not self.leaves:
            return ()
        order = _pre_order(self.children)
        spans = self._spans(order)
        links, sizer = self._links(), Sizer.of(self.config)
        return tuple(
            [
                self.make_leaf(child, links[child])
                if child >= 0
                else self._node(~child, links[child], spans[child], sizer)
                for child in order
            ]
        )

    def _spans(self, order: list[_Child]) -> dict[_Child, Span]:
        spans: dict[_Child, Span] = {}
        for child in reversed(order):
            if child >= 0:
                spans[child] = self.leaves[child].span
            else:
                under = [spans[c] for c in self.children[~child]]
                spans[child] = Span(min([s.start for s in under]), max([s.end for s in under]))
        return spans

    def _links(self) -> dict[_Child, Links]:
        ids = {node: self._ids(under) for node, under in self.children.items()}
        links = {~ROOT: Links(ChunkLevel.DOCUMENT, children_ids=ids[ROOT])}
        for node, under in self.children.items():
            parent = self.section_ids[node]
            befores, afters = (None, *ids[node]), (*ids[node][1:], None)
            for child, before, after in zip(under, befores, afters, strict=False):
                below = () if child >= 0 else ids[~child]
                links[child] = new_links(self._level(child), parent, below, before, after)
        return links

    def _ids(self, children: list[_Child]) -> tuple[str, ...]:
        return tuple(
            [
                self.leaves[child].chunk_id if child >= 0 else self.section_ids[~child]
                for child in children
            ]
        )

    def _level(self, child: _Child) -> ChunkLevel:
        if child < 0:
            return ChunkLevel.of_heading(self.document.sections[~child].level)
        spot = self.leaves[child].place
        if spot.common in (self.document.folded, spot.node) and not spot.is_several:
            return _PARAGRAPH  # a section's own text, below its node
        return ChunkLevel.of_heading(spot.level)

    def _node(self, index: int, links: Links, span: Span, sizer: Sizer) -> Chunk:
        document, source = self.document, self.document.source
        section = document.sections[index]
        if index == ROOT:
            title = document.title
            with_text = self.config.include_document_summary
            content, lines = document_summary(document, sizer, with_text=with_text)
        else:
            title = section.title
            content, lines = section_summary(document, index, sizer)
        start, end = (lines.start, max(lines.start, lines.end - 1))
        return new_chunk(
            source=source,
            span=span,
            content=content,
            start_line=source.line_at(start),
            end_line=source.line_at(end),
            text_start_line=source.line_at(span.start),
            text_end_line=source.line_at(span.end - 1),
            chunk_id=self.section_ids[index],
            section_id=self.section_ids[index],
            section=section.section_path,
            links=links,
            is_leaf=False,
            indexable=False,
            strategy=self.strategy,
            content_type="section" if index else "document",
            title=title,
            anchor=section.anchor,
            header_path=display_path(section.path or (title,)),
            size=self.config.length_function(content),
        )


def _pre_order(children: dict[int, list[_Child]]) -> list[_Child]:
    found: list[_Child] = []
    waiting = [~ROOT]
    while waiting:
        child = waiting.pop()
        found.append(child)
        if child < 0:
            waiting.extend(reversed(children[~child]))
    return found


@dataclass(frozen=True, slots=True)
class HierarchyBuilder:
    r"""Builds the tree over chunks that have spans, by the outline of their document.

    Attributes:
        include_document_summary: whether the root's content has a summary below the title.
        config: gives the limit for what nodes say; the default configuration if None.

    >>> from chunkana_core import chunk_markdown
    >>> text = "# Guide\n\n## Install\n\nRun pip.\n\n## Use\n\nImport it.\n"
    >>> [c.title for c in HierarchyBuilder().build(chunk_markdown(text), text).chunks]
    ['Guide', 'Guide', 'Use']
    """

    include_document_summary: bool = True
    config: ChunkConfig | None = None

    def build(self, chunks: Sequence[Chunk], original_text: str) -> HierarchicalChunkingResult:
        """Return the tree over the leaves among some chunks, in linear time.

        Nodes among the chunks are made anew, so that building again changes nothing.

        Raises:
            ConfigurationError: if a span is not in the text, or two leaves have one id.
        """
        require_str("original_text", original_text)
        document = Document.parse(original_text)
        given = [chunk for chunk in chunks if chunk.is_leaf]
        leaves = sorted(given, key=lambda chunk: (chunk.span.start, chunk.span.end))
        _require_proper(leaves, original_text)
        strategy = leaves[0].strategy if leaves else ""
        summary = self.include_document_summary
        config = replace(self.config or ChunkConfig(), include_document_summary=summary)
        placed = [Leaf(c.chunk_id, c.span, place(document, c.span)) for c in leaves]
        tree = TreeMaker(
            document,
            config,
            strategy,
            section_ids(document, IdRegister({chunk.chunk_id for chunk in leaves})),
            placed,
            hang(document, placed),
            lambda index, links: replace(leaves[index], links=links),
        )
        return HierarchicalChunkingResult.of(document, tree.chunks(), strategy, Sizer.of(config))


def _require_proper(leaves: Sequence[Chunk], text: str) -> None:
    ids = {chunk.chunk_id for chunk in leaves}
    if len(ids) != len(leaves):
        raise ConfigurationError("chunks", f"{len(leaves)} leaves", "leaves with different ids")
    for chunk in leaves:
        span = chunk.span
        if not 0 <= span.start < span.end <= len(text):
            raise ConfigurationError("chunks", span, f"spans within 0 and {len(text)}")
