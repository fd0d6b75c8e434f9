"""Chunks to LlamaIndex nodes: a pure function of a result and of the document it is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
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
)
from chunkana_llamaindex import keys
from chunkana_llamaindex.embedded import AFTER_TEXT, Embedded, HeaderContext

_NO_INDEX = -1  # of a parent, which is no chunk


def to_nodes(
    result: HierarchicalChunkingResult,
    document: BaseNode,
    *,
    header_context: HeaderContext = "metadata",
    include_metadata: bool = True,
    include_parents: bool = True,
    include_document_node: bool = False,
    include_prev_next_rel: bool = True,
    max_parent_size: int | None = None,
    embedded: Embedded | None = None,
) -> list[TextNode]:
    """Return the nodes of a document: each parent before what is under it, leaves in order.

    Args:
        result: what the core makes of the document's text.
        document: a Document, or a TextNode that is a part of one.
        header_context: where the path of headings goes for embedding.
        include_metadata: whether nodes have metadata, the document's and our own.
        include_parents: whether there are parents, or leaves alone.
        include_document_node: whether the root's title and summary are a node besides.
        include_prev_next_rel: whether leaves are linked to their neighbours.
        max_parent_size: of the merge tree, None for the core's default.
        embedded: writes breadcrumbs, as they were counted if they were; by default they are as
            long as they are, and `header_context` and `include_metadata` say where they go.

    Returns:
        Finished nodes: with ids, metadata, offsets in the source, and relationships.
    """
    if embedded is None:
        blank = blank_node(document, include_metadata=include_metadata)
        title = result.chunks[0].title if result.chunks else ""
        embedded = Embedded.of(
            header_context,
            title,
            (entry.title for entry in result.toc()),
            blank,
            has_metadata=include_metadata,
        )
    mapper = Mapper(result, document, embedded, max_parent_size)
    nodes = mapper.nodes(with_parents=include_parents)
    if include_prev_next_rel:
        mapper.chain(nodes)
    if include_document_node and result.root_id:
        nodes.append(mapper.document_node())
    return nodes


def blank_node(document: BaseNode, *, include_metadata: bool) -> TextNode:
    """Return a node without text that has a document's metadata, exclusions and templates."""
    metadata = document.metadata
    if metadata.keys() >= set(keys.OWN):  # a node of ours, to be parsed further
        metadata = {name: value for name, value in metadata.items() if name not in keys.OWN}
    hidden = [name for name in keys.OWN if name not in metadata]
    not_embedded = [name for name in hidden if name != keys.BREADCRUMB]
    not_read = [name for name in hidden if name != keys.HEADER_PATH]
    return TextNode(
        metadata=dict(metadata) if include_metadata else {},
        excluded_embed_metadata_keys=[*document.excluded_embed_metadata_keys, *not_embedded],
        excluded_llm_metadata_keys=[*document.excluded_llm_metadata_keys, *not_read],
        metadata_separator=document.metadata_separator,
        metadata_template=document.metadata_template,
        text_template=getattr(document, "text_template", TextNode().text_template),
    )


def node_id(document_id: str, chunk_id: str) -> str:
    """Return the id of a node: a UUID made of its document's id and its chunk's."""
    name = f"{document_id}\0{chunk_id}".encode("utf-8", "surrogatepass")
    return str(UUID(sha256(name).hexdigest()[:32]))


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps the chunks of one document.

    Attributes:
        result: its chunks and tree.
        document: what they are made of.
        embedded: writes breadcrumbs, and knows the metadata that all nodes share.
        max_parent_size: of the merge tree.
    """

    result: HierarchicalChunkingResult
    document: BaseNode
    embedded: Embedded
    max_parent_size: int | None
    _tree: MergeTree = field(init=False)
    _source: RelatedNodeInfo = field(init=False)

    def __post_init__(self) -> None:
        """Build the merge tree and what all nodes share."""
        object.__setattr__(self, "_tree", self.result.merge_tree(self.max_parent_size))
        object.__setattr__(self, "_source", _source_of(self.document))

    def nodes(self, *, with_parents: bool) -> list[TextNode]:
        """Return the nodes of the merge tree, or its leaves alone."""
        found = [node for node in self._tree.nodes if with_parents or node.is_leaf]
        made = {node.node_id: self._node(node) for node in found}
        infos = {i: _info(node) for i, node in made.items()} if with_parents else {}
        for node in found if with_parents else ():
            if node.parent_id is not None:
                made[node.node_id].relationships[NodeRelationship.PARENT] = infos[node.parent_id]
            if node.children_ids:
                children = [infos[child] for child in node.children_ids]
                made[node.node_id].relationships[NodeRelationship.CHILD] = children
        return list(made.values())

    @staticmethod
    def chain(nodes: list[TextNode]) -> None:
        """Link leaves to their neighbours, in document order."""
        leaves = [node for node in nodes if NodeRelationship.CHILD not in node.relationships]
        infos = [_info(leaf) for leaf in leaves]
        for number, leaf in enumerate(leaves):
            if number:
                leaf.relationships[NodeRelationship.PREVIOUS] = infos[number - 1]
            if number + 1 < len(leaves):
                leaf.relationships[NodeRelationship.NEXT] = infos[number + 1]

    def document_node(self) -> TextNode:
        """Return the root's title and summary; it is no part of the tree."""
        root = self.result.chunks[0]
        text = root.content
        return self._made(root.chunk_id, text, root.section, self._of_chunk(root))

    def _node(self, node: MergeNode) -> TextNode:
        chunk = node.chunk
        if node.is_leaf and chunk is not None:
            own, section, content = self._of_chunk(chunk), chunk.section, chunk.content
        else:
            section = self._section(node)
            own, content = self._of_parent(node, section), node.text
        made = self._made(node.node_id, content, section, own)
        shift = getattr(self.document, "start_char_idx", None) or 0
        made.start_char_idx = shift + node.span.start
        made.end_char_idx = shift + node.span.end
        return made

    def _made(
        self, chunk_id: str, content: str, section: SectionPath, own: dict[str, Any]
    ) -> TextNode:
        embedded, blank = self.embedded, self.embedded.blank
        crumb = embedded.shown(section, self.result.prefix_of(section))
        is_in_text = embedded.context == "text" and crumb and own[keys.CHUNK_INDEX] != _NO_INDEX
        text = f"{crumb}{AFTER_TEXT}{content}" if is_in_text else content
        own = {keys.BREADCRUMB: crumb, **own}
        new = {name: own[name] for name in keys.OWN if name not in blank.metadata}
        hidden = [] if embedded.context == "metadata" else [keys.BREADCRUMB]
        return TextNode(
            id_=node_id(self.document.node_id, chunk_id),
            text=text,
            metadata={**blank.metadata, **new} if embedded.has_metadata else {},
            excluded_embed_metadata_keys=[*blank.excluded_embed_metadata_keys, *hidden],
            excluded_llm_metadata_keys=list(blank.excluded_llm_metadata_keys),
            metadata_separator=blank.metadata_separator,
            metadata_template=blank.metadata_template,
            text_template=blank.text_template,
            relationships={NodeRelationship.SOURCE: self._source},
        )

    def _of_chunk(self, chunk: Chunk) -> dict[str, Any]:
        return {
            **self._of_section(chunk.section_id, chunk.section),
            keys.CONTENT_TYPE: chunk.content_type,
            keys.ANCHOR: chunk.anchor,
            keys.CHUNK_ID: chunk.chunk_id,
            keys.CHUNK_INDEX: _NO_INDEX if chunk.chunk_index is None else chunk.chunk_index,
            keys.START_LINE: chunk.text_start_line,
            keys.END_LINE: chunk.text_end_line,
            keys.CONTINUED: bool(chunk.split_index),
            keys.ALLOW_OVERSIZE: chunk.oversize_reason is not None,
            keys.OVERSIZE_REASON: chunk.oversize_reason or "",
        }

    def _of_parent(self, node: MergeNode, section: SectionPath) -> dict[str, Any]:
        line_at = node.source.line_at
        return {
            **self._of_section(node.section_id, section),
            keys.CONTENT_TYPE: "section",
            keys.ANCHOR: node.chunk.anchor if node.chunk else "",
            keys.CHUNK_ID: node.node_id,
            keys.CHUNK_INDEX: _NO_INDEX,
            keys.START_LINE: line_at(node.span.start),
            keys.END_LINE: line_at(node.span.end - 1),
            keys.CONTINUED: False,
            keys.ALLOW_OVERSIZE: False,
            keys.OVERSIZE_REASON: "",
        }

    def _of_section(self, section_id: str, section: SectionPath) -> dict[str, Any]:
        above = self.result.get_parent(self.result.get_section(section_id)[0].chunk_id)
        slashed = (title.replace("/", r"\/") for title in section.path)
        return {
            keys.HEADER_PATH: "/" + "/".join(slashed),
            keys.HEADER_LEVEL: section.level,
            keys.SECTION_ID: section_id,
            keys.PARENT_SECTION_ID: above.section_id if above else "",
        }

    def _section(self, node: MergeNode) -> SectionPath:
        """Return level and path of a parent: of the section that it is, or is a part of."""
        chunk = node.chunk or self.result.get_section(node.section_id)[0]
        return chunk.section


def _info(node: BaseNode) -> RelatedNodeInfo:
    """Return what others keep of a node: without its metadata, which would double the storage."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=ObjectType.TEXT, hash=node.hash)


def _source_of(document: BaseNode) -> RelatedNodeInfo:
    source = document.source_node
    if source is not None:
        return source.model_copy(update={"metadata": {}})
    return RelatedNodeInfo(
        node_id=document.node_id, node_type=document.get_type(), hash=document.hash
    )
