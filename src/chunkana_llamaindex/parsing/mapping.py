"""Convert the chunks of a document to LlamaIndex nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from llama_index.core.schema import (
    BaseNode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)

from chunkana_core import Chunk, HierarchicalChunkingResult, MergeNode, Span
from chunkana_core.extending import derive_uuid, format_header_path
from chunkana_llamaindex.parsing.metadata import (
    NO_INDEX,
    UNKNOWN_LINE,
    MetadataKeys,
    NodeMetadata,
    keys_of,
)
from chunkana_llamaindex.parsing.node_template import HeaderContext, NodeTemplate
from chunkana_llamaindex.parsing.origin import Origin

_SUMMARY = "summary"  # differs from all chunk ids


def to_nodes(
    result: HierarchicalChunkingResult,
    document: BaseNode,
    *,
    header_context: HeaderContext = "metadata",
    metadata: MetadataKeys = "short",
    include_metadata: bool = True,
    include_parents: bool = True,
    include_document_node: bool = False,
    include_prev_next_rel: bool = True,
    max_parent_size: int | None = None,
) -> list[TextNode]:
    """Return the nodes of a document: each parent before its children, leaves in document order.

    The contexts are those of the chunks; there are none unless the core was given a `Context`.
    The document's own metadata is embedded too; its size counts only if `Context.reserved` has it.

    Args:
        result: the core's result for the document's text.
        document: a Document, or a TextNode that contains a part of one.
        header_context: where the context of a leaf is stored for embedding: "metadata", "text" or
            "none".
        metadata: which keys are added to the document's: "short" for those that filters, citations
            and retrievers use, "full" for all.
        include_metadata: whether nodes have metadata: the document's and the added keys.
        include_parents: whether to return parents in addition to leaves.
        include_document_node: whether to return an additional node with the document's title and
            summary.
        include_prev_next_rel: whether leaves are linked to their neighbours.
        max_parent_size: the size limit of parents; None for the core's default.

    Returns:
        Nodes with ids, metadata, offsets in the source, and relationships.
    """
    keys = keys_of(metadata, result.format) if include_metadata else ()
    return NodeMapper(
        result,
        Origin.of(document),
        NodeTemplate.of(document, header_context, keys),
        include_parents=include_parents,
        include_document_node=include_document_node,
        include_prev_next_rel=include_prev_next_rel,
        max_parent_size=max_parent_size,
    ).nodes()


@dataclass(frozen=True, slots=True)
class NodeMapper:
    """Converts the chunks of one document to nodes; the options are those of `to_nodes`.

    Attributes:
        result: the chunks of the document and their tree.
        origin: the origin of the text.
        template: the properties shared by all nodes.
        id_func: returns the id of a node for its number in the document; None for ids that are the
            same in every run.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    template: NodeTemplate
    id_func: Callable[[int], str] | None = None
    include_parents: bool = True
    include_document_node: bool = False
    include_prev_next_rel: bool = True
    max_parent_size: int | None = None
    _paths: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)

    def nodes(self) -> list[TextNode]:
        """Return the nodes: each parent before its children, leaves in document order."""
        mapped = self._merge_nodes()
        anchors = _anchors(mapped)
        nodes: dict[str, TextNode] = {}
        for number, node in enumerate(mapped):
            metadata = self._metadata(node, anchors[node.node_id])
            nodes[node.node_id] = self._node(number, self._text(node), metadata, node.span)
        infos = {node_id: _link_to(node) for node_id, node in nodes.items()}
        if self.include_parents:
            _link_parents(mapped, nodes, infos)
        if self.include_prev_next_rel:
            _link_neighbours([node for node in mapped if node.is_leaf], nodes, infos)
        if self.include_document_node and self.result.root_id:
            nodes[_SUMMARY] = self._summary(len(nodes))
        return list(nodes.values())

    def _merge_nodes(self) -> Sequence[MergeNode]:
        """Return the nodes to convert; the merge tree is built only for parents."""
        if self.include_parents:
            return self.result.merge_tree(self.max_parent_size).nodes
        return [*map(MergeNode, self.result.get_flat_chunks())]

    def _text(self, node: MergeNode) -> str:
        """Return the text of a node: of a parent, an exact slice of the source."""
        if not node.is_leaf:
            return node.text
        chunk = node.chunk
        return chunk.embedded if self.template.header_context == "text" else chunk.content

    def _metadata(self, node: MergeNode, anchor: str) -> NodeMetadata:
        """Return the metadata of a leaf or a parent."""
        chunk, line_at = node.chunk, node.chunk.source.line_at
        leaf = chunk if node.is_leaf else None
        index = leaf.chunk_index if leaf else None
        oversize_reason = leaf.oversize_reason if leaf else None
        path, header_path = self._format_paths(chunk.section.path)
        return {
            "context": leaf.context if leaf else "",
            "path": path,
            "header_path": header_path,
            "header_level": chunk.section.level,
            "content_type": leaf.content_type if leaf else "section",
            "format": self.result.format,
            "kind": chunk.kind,
            "name": chunk.name,
            "container": leaf.container if leaf else "",
            "anchor": anchor,
            "chunk_id": node.node_id,
            "chunk_index": NO_INDEX if index is None else index,
            "section_id": chunk.section_id,
            "parent_section_id": chunk.parent_section_id or "",
            "start_line": self.origin.line(line_at(node.span.start)),
            "end_line": self.origin.line(line_at(node.span.end - 1)),
            "prefix_chars": self._prefix_size(leaf) if leaf else 0,
            "continued_from_header": bool(leaf and leaf.split_index),
            "allow_oversize": oversize_reason is not None,
            "oversize_reason": oversize_reason or "",
            "cell": (leaf and leaf.cell) or UNKNOWN_LINE,
            "cell_start_line": (leaf and leaf.cell_start_line) or UNKNOWN_LINE,
            "cell_end": (leaf and leaf.cell_end) or UNKNOWN_LINE,
            "cell_end_line": (leaf and leaf.cell_end_line) or UNKNOWN_LINE,
        }

    def _prefix_size(self, leaf: Chunk) -> int:
        """Return the number of characters in a leaf's text before its slice of the source."""
        has_context = self.template.header_context == "text"
        return leaf.text_offset + (len(leaf.embedded) - len(leaf.content) if has_context else 0)

    def _format_paths(self, path: tuple[str, ...]) -> tuple[str, str]:
        """Return a path as JSON and as a header path; all nodes of a section share the strings."""
        if path not in self._paths:
            as_json = json.dumps(path, ensure_ascii=False)
            self._paths[path] = as_json, format_header_path(path)
        return self._paths[path]

    def _summary(self, number: int) -> TextNode:
        """Return a node with the document's title and summary, outside the tree."""
        root = self.result.chunks[0]
        metadata = self._metadata(MergeNode(root), root.anchor)
        return self._node(number, root.content, metadata, None)

    def _node(self, number: int, text: str, metadata: NodeMetadata, span: Span | None) -> TextNode:
        """Return a node without links to other nodes."""
        template, origin, context = self.template, self.origin, metadata["context"]
        # The summary needs an id of its own, because a parent may have the root's chunk id.
        chunk_id = metadata["chunk_id"] if span else _SUMMARY
        node_id = self.id_func(number) if self.id_func else derive_uuid(origin.node_id, chunk_id)
        start, end = origin.offsets(span)
        return _copy_with(
            template.node,
            id_=node_id,
            text=text,
            start_char_idx=start,
            end_char_idx=end,
            metadata=template.metadata(metadata),
            excluded_embed_metadata_keys=template.excluded_from_embedding(context),
            excluded_llm_metadata_keys=template.excluded_from_llm(context),
            relationships={NodeRelationship.SOURCE: origin.source},
        )


def _copy_with(node: TextNode, **values: object) -> TextNode:
    """Return a copy of a node with changed values, like `node.model_copy(update=values)`.

    This takes half of that method's time, which matters for tens of thousands of nodes.
    """
    copy = TextNode.__new__(TextNode)
    object.__setattr__(copy, "__dict__", node.__dict__ | values)
    object.__setattr__(copy, "__pydantic_fields_set__", node.model_fields_set | values.keys())
    object.__setattr__(copy, "__pydantic_extra__", None)
    object.__setattr__(copy, "__pydantic_private__", None)
    return copy


def _anchors(nodes: Sequence[MergeNode]) -> dict[str, str]:
    """Return the anchor of each node by id."""
    return {node.node_id: node.chunk.anchor for node in nodes}


def _link_parents(
    mapped: Sequence[MergeNode],
    nodes: Mapping[str, TextNode],
    infos: Mapping[str, RelatedNodeInfo],
) -> None:
    """Link parents and their children to each other."""
    for node in mapped:
        links = nodes[node.node_id].relationships
        if node.parent_id is not None:
            links[NodeRelationship.PARENT] = infos[node.parent_id]
        if node.children_ids:
            links[NodeRelationship.CHILD] = [infos[child] for child in node.children_ids]


def _link_neighbours(
    leaves: Sequence[MergeNode],
    nodes: Mapping[str, TextNode],
    infos: Mapping[str, RelatedNodeInfo],
) -> None:
    """Link each leaf to the previous and the next leaf in document order."""
    for before, after in pairwise(leaf.node_id for leaf in leaves):
        nodes[before].relationships[NodeRelationship.NEXT] = infos[after]
        nodes[after].relationships[NodeRelationship.PREVIOUS] = infos[before]


def _link_to(node: TextNode) -> RelatedNodeInfo:
    """Return the link to a node, without its metadata, which would double the storage."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=ObjectType.TEXT, hash=node.hash)
