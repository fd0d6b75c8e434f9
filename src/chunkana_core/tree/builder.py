"""Build the tree over leaves from the outline: nodes, and the links of nodes and leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from chunkana_core.arguments import require_each, require_type
from chunkana_core.config import ChunkConfig
from chunkana_core.document.document import Document
from chunkana_core.document.location import Location, locate
from chunkana_core.document.outline import ROOT
from chunkana_core.document.paths import format_header_path
from chunkana_core.errors import ConfigurationError
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.registry import MARKDOWN, Format, parse_document
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Span
from chunkana_core.tree.chunks import Chunk, ChunkLevel, Links
from chunkana_core.tree.ids import IdRegister, section_ids
from chunkana_core.tree.result import HierarchicalChunkingResult
from chunkana_core.tree.summaries import document_summary, section_summary

Children = dict[str, list[str]]  # by the id of a node, the ids of its children


@dataclass(frozen=True, slots=True)
class TreeBuilder:
    """Builds the tree over the leaves of a document.

    Attributes:
        document: the document.
        config: says whether the root's content has a summary.
        strategy: the name of the strategy used.
        section_ids: by the index of a section, its id, which is also the id of its node.
    """

    document: Document
    config: ChunkConfig
    strategy: str
    section_ids: Sequence[str]

    def chunks(
        self, leaves: Sequence[Chunk], locations: Sequence[Location], sizer: Sizer
    ) -> tuple[Chunk, ...]:
        """Return all nodes and leaves in pre-order.

        Args:
            leaves: in document order.
            locations: the locations of the leaves.
            sizer: the length function and the limit for the contents of nodes.
        """
        if not leaves:
            return ()
        children = self.children(leaves, locations)
        links = self.links(leaves, locations, children)
        order = _pre_order(self.section_ids[ROOT], children)
        spans = _spans(leaves, children, order)
        sections = {node: i for i, node in reversed([*enumerate(self.section_ids)])}
        linked_leaves = self.link_leaves(leaves, locations, children, links)
        linked = {leaf.chunk_id: leaf for leaf in linked_leaves}
        return tuple(
            [
                linked.get(chunk_id)
                or self._node(sections[chunk_id], links[chunk_id], spans[chunk_id], sizer)
                for chunk_id in order
            ]
        )

    def link_leaves(
        self,
        leaves: Sequence[Chunk],
        locations: Sequence[Location],
        children: Children,
        links: Mapping[str, Links],
    ) -> list[Chunk]:
        """Return leaves with their links."""
        return [
            structs.replace(
                leaf,
                links=links[leaf.chunk_id],
                parent_section_id=_parent_section_id(leaf, links),
                header_moved_from_id=self._moved_from(location, children),
            )
            for leaf, location in zip(leaves, locations, strict=True)
        ]

    def children(self, leaves: Sequence[Chunk], locations: Sequence[Location]) -> Children:
        """Return the children of the nodes; a section has a node if it contains leaves."""
        children: Children = {self.section_ids[ROOT]: []}
        for leaf, location in zip(leaves, locations, strict=True):
            child, section = leaf.chunk_id, location.parent_section
            while (node := self.section_ids[section]) not in children:
                children[node] = [child]
                child, section = node, self.document.node_above(section)
            children[node].append(child)
        return children

    def links(
        self, leaves: Sequence[Chunk], locations: Sequence[Location], children: Children
    ) -> dict[str, Links]:
        """Return the links of all nodes and leaves by id."""
        levels = {
            node: ChunkLevel.of_heading(section.level)
            for node, section in zip(self.section_ids, self.document.sections, strict=True)
            if node in children
        }
        levels |= zip([leaf.chunk_id for leaf in leaves], map(self._level, locations), strict=True)
        root = self.section_ids[ROOT]
        links = {root: Links(ChunkLevel.DOCUMENT, children_ids=tuple(children[root]))}
        for parent, ids in children.items():
            befores, afters = (None, *ids), (*ids[1:], None)
            for child, before, after in zip(ids, befores, afters, strict=False):
                below = tuple(children.get(child, ()))
                links[child] = Links(levels[child], parent, below, before, after)
        return links

    def _level(self, location: Location) -> ChunkLevel:
        """Return the level of a leaf: PARAGRAPH if it is own text of its parent node's section."""
        own_nodes = (self.document.folded, location.parent_section)
        if location.common_section in own_nodes and not location.has_several_bodies:
            return ChunkLevel.PARAGRAPH
        return ChunkLevel.of_heading(location.section_path.level)

    def _moved_from(self, location: Location, children: Children) -> str | None:
        """Return the id of the innermost node around the section of a moved heading, or None."""
        section = location.moved_section
        if section is None:
            return None
        while self.section_ids[section] not in children:
            section = self.document.node_above(section)
        return self.section_ids[section]

    def _node(self, index: int, links: Links, span: Span, sizer: Sizer) -> Chunk:
        """Return the node of a section or of the document."""
        document, source = self.document, self.document.source
        section = document.sections[index]
        title = section.title if index else document.title
        cells = document.cells.lines(source, span)
        if index:
            summary = section_summary(document, index, sizer)
        else:
            with_text = self.config.include_document_summary
            summary = document_summary(document, sizer, with_text=with_text)
        lines = summary.span
        return Chunk(
            source=source,
            span=span,
            content=summary.text,
            start_line=source.line_at(lines.start),
            end_line=source.line_at(max(lines.start, lines.end - 1)),
            text_start_line=source.line_at(span.start),
            text_end_line=source.line_at(span.end - 1),
            chunk_id=self.section_ids[index],
            section_id=self.section_ids[index],
            parent_section_id=links.parent_id,
            section=section.section_path,
            links=links,
            is_leaf=False,
            indexable=False,
            strategy=self.strategy,
            format=document.traits.name,
            content_type="section" if index else "document",
            cell=cells.cell,
            cell_start_line=cells.cell_start_line,
            cell_end=cells.cell_end,
            cell_end_line=cells.cell_end_line,
            kind=section.kind,
            title=title,
            anchor=section.anchor,
            header_path=format_header_path(section.path or (title,)),
            size=summary.size,
        )


def _parent_section_id(leaf: Chunk, links: Mapping[str, Links]) -> str | None:
    """Return the id of the section around a leaf's section, None for the document.

    The ids of nodes are those of their sections.
    """
    parent = links[leaf.chunk_id].parent_id
    return links[parent].parent_id if parent == leaf.section_id else parent


def _pre_order(root: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ids of all nodes and leaves in pre-order."""
    order: list[str] = []
    stack = [root]
    while stack:
        chunk_id = stack.pop()
        order.append(chunk_id)
        stack.extend(reversed(children.get(chunk_id, ())))
    return order


def _spans(
    leaves: Sequence[Chunk], children: Mapping[str, Sequence[str]], order: Sequence[str]
) -> dict[str, Span]:
    """Return the spans of leaves and nodes by id; a node spans all its leaves."""
    spans = {leaf.chunk_id: leaf.span for leaf in leaves}
    for chunk_id in reversed(order):
        if chunk_id in children:
            below = [spans[child] for child in children[chunk_id]]
            spans[chunk_id] = Span(min([s.start for s in below]), max([s.end for s in below]))
    return spans


@dataclass(frozen=True, slots=True)
class HierarchyBuilder:
    r"""Builds the tree over existing chunks from the outline of their document.

    Attributes:
        include_document_summary: whether the root's content has a summary below the title.
        config: gives the limit for the contents of nodes; the default configuration if None.
        formats: the user's formats that chunks may have.
        plugins: the user's block rules with which the chunks were made.

    >>> from chunkana_core import chunk_markdown
    >>> text = "# Guide\n\n## Install\n\nRun pip.\n\n## Use\n\nImport it.\n"
    >>> [c.title for c in HierarchyBuilder().build(chunk_markdown(text), text).chunks]
    ['Guide', 'Guide', 'Use']
    """

    include_document_summary: bool = True
    config: ChunkConfig | None = None
    formats: Iterable[Format] = field(default=(), kw_only=True)
    plugins: Iterable[BlockRule] = field(default=(), kw_only=True)

    def build(self, chunks: Sequence[Chunk], original_text: str) -> HierarchicalChunkingResult:
        """Return the tree over the leaves among some chunks, in linear time.

        Nodes among the chunks are replaced, so that building again changes nothing.

        Args:
            chunks: chunks of one document.
            original_text: the text that was chunked; of a notebook, the text of the file.

        Raises:
            ConfigurationError: if a span is not in the text, or two leaves have one id.
            InputTypeError: if `original_text` is not a str, or a chunk is not a `Chunk`.
        """
        chunks = require_each("chunks", chunks, Chunk)
        require_type("original_text", original_text, str)
        document = parse_chunked(chunks, original_text, self.formats, self.plugins)
        unsorted = [chunk for chunk in chunks if chunk.is_leaf]
        leaves = sorted(unsorted, key=lambda chunk: (chunk.span.start, chunk.span.end))
        _require_valid_leaves(leaves, document.text)
        strategy = leaves[0].strategy if leaves else ""
        summary = self.include_document_summary
        config = replace(self.config or ChunkConfig(), include_document_summary=summary)
        ids = section_ids(document, IdRegister({chunk.chunk_id for chunk in leaves}))
        tree = TreeBuilder(document, config, strategy, ids)
        ranges = [document.positions(leaf.span) for leaf in leaves]
        locations = [
            locate(document, leaf.span, positions.start, positions.stop)
            for leaf, positions in zip(leaves, ranges, strict=True)
        ]
        sizer = Sizer.of(config)
        built = tree.chunks(leaves, locations, sizer)
        return HierarchicalChunkingResult.of(document, built, ids, strategy, sizer)


def parse_chunked(
    chunks: Sequence[Chunk], text: str, formats: Iterable[Format], plugins: Iterable[BlockRule]
) -> Document:
    """Return the document of a text, parsed in the format of its chunks.

    Raises:
        ConfigurationError: if the format is unknown.
    """
    name = chunks[0].format if chunks else MARKDOWN.name
    return parse_document(text, name, formats=formats, plugins=plugins)


def _require_valid_leaves(leaves: Sequence[Chunk], text: str) -> None:
    """Raise a ConfigurationError unless ids are unique and spans are within the text."""
    ids = {chunk.chunk_id for chunk in leaves}
    if len(ids) != len(leaves):
        raise ConfigurationError("chunks", f"{len(leaves)} leaves", "leaves with different ids")
    for chunk in leaves:
        span = chunk.span
        if not 0 <= span.start < span.end <= len(text):
            raise ConfigurationError("chunks", span, f"spans within 0 and {len(text)}")
