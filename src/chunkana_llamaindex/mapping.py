"""Chunks to LlamaIndex nodes: a pure function of a result and of the document it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from types import NoneType
from uuid import UUID

from llama_index.core.schema import (
    BaseNode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)

from chunkana_core import (
    Chunk,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
    SectionPath,
    SourceLabel,
    Span,
    label_of,
)
from chunkana_llamaindex.embedded import Embedded, HeaderContext
from chunkana_llamaindex.metadata import KEYS, NO_INDEX, NodeMetadata
from chunkana_llamaindex.origin import Origin

_SUMMARY = "summary"  # what no chunk is called
_OURS = frozenset(KEYS)
_UNCHANGING = (str, int, float, bool, NoneType)


def to_nodes(
    result: HierarchicalChunkingResult,
    document: BaseNode,
    *,
    header_context: HeaderContext = "metadata",
    source_label: SourceLabel[BaseNode] = None,
    introductions: bool = True,
    include_metadata: bool = True,
    include_parents: bool = True,
    include_document_node: bool = False,
    include_prev_next_rel: bool = True,
    max_parent_size: int | None = None,
) -> list[TextNode]:
    """Return the nodes of a document: each parent before what is under it, leaves in order.

    Breadcrumbs are as long as they are: what is embedded was not measured with them.
    Introductions are there where they fit.

    Args:
        result: what the core makes of the document's text.
        document: a Document, or a TextNode that is a part of one.
        header_context: where the path of headings goes for embedding.
        source_label: what goes before the title in a breadcrumb: a key of the document's metadata
            or a function of the document.
        introductions: whether what introduces a leaf is embedded below the breadcrumb.
        include_metadata: whether nodes have metadata, the document's and our own.
        include_parents: whether there are parents, or leaves alone.
        include_document_node: whether the root's title and summary are a node besides.
        include_prev_next_rel: whether leaves are linked to their neighbours.
        max_parent_size: of the merge tree, None for the core's default.

    Returns:
        Finished nodes: with ids, metadata, offsets in the source, and relationships.
    """
    titles = (label_of(document, document.metadata, source_label), result.title)
    said = result.introductions if introductions else None
    embedded = Embedded.of(header_context, titles, document, said, has_metadata=include_metadata)
    return Mapper(
        result,
        Origin.of(document),
        embedded,
        has_metadata=include_metadata,
        has_parents=include_parents,
        has_summary=include_document_node,
        has_neighbours=include_prev_next_rel,
        max_parent_size=max_parent_size,
    ).nodes()


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps the chunks of one document.

    Attributes:
        result: its chunks and tree.
        origin: where its text comes from.
        embedded: writes breadcrumbs, and knows the metadata that all nodes share.
        has_metadata: whether nodes have metadata.
        has_parents: whether there are parents.
        has_summary: whether the root's title and summary are a node.
        has_neighbours: whether leaves are linked to their neighbours.
        max_parent_size: of the merge tree, None for the core's default.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    embedded: Embedded
    has_metadata: bool = True
    has_parents: bool = True
    has_summary: bool = False
    has_neighbours: bool = True
    max_parent_size: int | None = None

    def nodes(self) -> list[TextNode]:
        """Return the nodes: each parent before what is under it, leaves in document order."""
        tree = self.result.merge_tree(self.max_parent_size)
        found = [node for node in tree.nodes if self.has_parents or node.is_leaf]
        anchors = _anchors(tree)
        nodes = {node.node_id: self._node(node, anchors[node.node_id]) for node in found}
        infos = {node_id: _info(node) for node_id, node in nodes.items()}
        if self.has_parents:
            for node in found:
                _link_up_and_down(node, nodes[node.node_id], infos)
        if self.has_neighbours:
            _link_neighbours(tree.leaves, nodes, infos)
        summary = [self._summary()] if self.has_summary and self.result.root_id else []
        return [*nodes.values(), *summary]

    def _node(self, node: MergeNode, anchor: str) -> TextNode:
        """Return the node of a leaf or parent."""
        chunk = node.chunk
        if node.is_leaf and chunk is not None:
            own = self._of_chunk(chunk, self._introduction(chunk))
            text = self.embedded.text(own.breadcrumb, own.introduction, chunk.content)
            return self._made(own, text, chunk.span)
        line_at = node.source.line_at
        own = self._metadata(
            node.section,
            node.section_id,
            content_type="section",
            anchor=anchor,
            chunk_id=node.node_id,
            start_line=line_at(node.span.start),
            end_line=line_at(node.span.end - 1),
        )
        return self._made(own, node.text, node.span)

    def _introduction(self, chunk: Chunk) -> str:
        """Return what introduces a leaf, "" where it does not fit."""
        said, result = self.embedded.introduction(chunk.span), self.result
        breadcrumb = self.embedded.breadcrumb(chunk.section.path)
        written = self.embedded.written(breadcrumb, said, chunk.content)
        return said if result.length_function(written) <= result.max_chunk_size else ""

    def _summary(self) -> TextNode:
        """Return the root's title and summary, which is no part of the tree."""
        root = self.result.chunks[0]
        made = self._made(self._of_chunk(root), root.content, None)
        made.id_ = _node_id(self.origin.node_id, _SUMMARY)  # a parent may be the whole document
        return made

    def _of_chunk(self, chunk: Chunk, introduction: str = "") -> NodeMetadata:
        return self._metadata(
            chunk.section,
            chunk.section_id,
            introduction=introduction,
            content_type=chunk.content_type,
            anchor=chunk.anchor,
            chunk_id=chunk.chunk_id,
            start_line=chunk.text_start_line,
            end_line=chunk.text_end_line,
            chunk_index=NO_INDEX if chunk.chunk_index is None else chunk.chunk_index,
            continued_from_header=bool(chunk.split_index),
            oversize_reason=chunk.oversize_reason or "",
        )

    def _metadata(
        self,
        section: SectionPath,
        section_id: str,
        *,
        content_type: str,
        anchor: str,
        chunk_id: str,
        start_line: int,
        end_line: int,
        introduction: str = "",
        chunk_index: int = NO_INDEX,
        continued_from_header: bool = False,
        oversize_reason: str = "",
    ) -> NodeMetadata:
        result, line = self.result, self.origin.line
        around = result.get_parent(result.get_section(section_id)[0].chunk_id)
        return NodeMetadata(
            breadcrumb=self.embedded.breadcrumb(section.path),
            introduction=introduction,
            header_path="/" + "/".join(title.replace("/", r"\/") for title in section.path),
            header_level=section.level,
            content_type=content_type,
            anchor=anchor,
            chunk_id=chunk_id,
            chunk_index=chunk_index,
            section_id=section_id,
            parent_section_id=around.section_id if around else "",
            start_line=line(start_line),
            end_line=line(end_line),
            continued_from_header=continued_from_header,
            allow_oversize=bool(oversize_reason),
            oversize_reason=oversize_reason,
        )

    def _made(self, own: NodeMetadata, text: str, span: Span | None) -> TextNode:
        embedded, blank = self.embedded, self.embedded.blank
        start, end = self.origin.offsets(span)
        caller_s = {key: _copied(value) for key, value in blank.metadata.items()}
        return TextNode(
            id_=_node_id(self.origin.node_id, own.chunk_id),
            text=text,
            start_char_idx=start,
            end_char_idx=end,
            metadata=caller_s | own._asdict() | _kept(caller_s) if self.has_metadata else {},
            excluded_embed_metadata_keys=embedded.excluded(own.breadcrumb, own.introduction),
            excluded_llm_metadata_keys=list(blank.excluded_llm_metadata_keys),
            metadata_seperator=blank.metadata_separator,
            metadata_template=blank.metadata_template,
            text_template=blank.text_template,
            relationships={NodeRelationship.SOURCE: self.origin.source},
        )


def _kept(caller_s: dict[str, object]) -> dict[str, object]:
    """Return the caller's metadata that stay in place of ours."""
    return {key: caller_s[key] for key in caller_s.keys() & _OURS}


def _copied(value: object) -> object:
    """Return a value of the caller's metadata that nothing else holds."""
    return value if isinstance(value, _UNCHANGING) else deepcopy(value)


def _anchors(tree: MergeTree) -> dict[str, str]:
    """Return by node the anchor of its heading, else of what is first under it."""
    anchors: dict[str, str] = {}
    for node in reversed(tree.nodes):
        own = node.chunk.anchor if node.chunk else ""
        anchors[node.node_id] = own or "".join(anchors[child] for child in node.children_ids[:1])
    return anchors


def _link_up_and_down(
    node: MergeNode, made: TextNode, infos: Mapping[str, RelatedNodeInfo]
) -> None:
    """Link a node to its parent and its children."""
    if node.parent_id is not None:
        made.relationships[NodeRelationship.PARENT] = infos[node.parent_id]
    if node.children_ids:
        made.relationships[NodeRelationship.CHILD] = [infos[child] for child in node.children_ids]


def _link_neighbours(
    leaves: Sequence[MergeNode],
    nodes: Mapping[str, TextNode],
    infos: Mapping[str, RelatedNodeInfo],
) -> None:
    """Link leaves to those before and after them, in document order."""
    for before, after in pairwise(leaf.node_id for leaf in leaves):
        nodes[before].relationships[NodeRelationship.NEXT] = infos[after]
        nodes[after].relationships[NodeRelationship.PREVIOUS] = infos[before]


def _info(node: TextNode) -> RelatedNodeInfo:
    """Return what others keep of a node: without its metadata, which would double the storage."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=ObjectType.TEXT, hash=node.hash)


def _node_id(document_id: str, chunk_id: str) -> str:
    """Return the id of a node: a UUID made of its document's id and its chunk's."""
    name = f"{document_id}\0{chunk_id}".encode("utf-8", "surrogatepass")
    return str(UUID(sha256(name).hexdigest()[:32]))
