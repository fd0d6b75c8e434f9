"""A plain node parser over public names of the core gives the same nodes as ours."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

from chunkana_core import ChunkConfig, MarkdownChunker, MergeNode
from chunkana_llamaindex import MarkdownHierarchyNodeParser
from tests import corpora
from tests.llamaindex.parts import related

PARENT, CHILD = NodeRelationship.PARENT, NodeRelationship.CHILD
PREVIOUS, NEXT = NodeRelationship.PREVIOUS, NodeRelationship.NEXT


class PlainNodeParser(NodeParser):
    """What an adapter needs at least; ours adds metadata, sizes with them, checks and formats."""

    def _parse_nodes(
        self,
        nodes: Any,  # noqa: ANN401
        show_progress: bool = False,  # noqa: ARG002, FBT001, FBT002
        **_: Any,  # noqa: ANN401
    ) -> list[BaseNode]:
        chunker = MarkdownChunker(ChunkConfig(max_chunk_size=1000, atomic_blocks="split"))
        return [node for document in nodes for node in self._nodes(document, chunker)]

    def _nodes(self, document: Document, chunker: MarkdownChunker) -> list[TextNode]:
        tree = chunker.chunk_hierarchical(document.text).merge_tree()
        by_id = {node.node_id: self._node(node, document) for node in tree.nodes}
        infos = {name: RelatedNodeInfo(node_id=node.node_id) for name, node in by_id.items()}
        for node in tree.nodes:
            for child in node.children_ids:
                by_id[child].relationships[PARENT] = infos[node.node_id]
            if node.children_ids:
                children = [infos[child] for child in node.children_ids]
                by_id[node.node_id].relationships[CHILD] = children
        for before, after in pairwise(leaf.node_id for leaf in tree.leaves):
            by_id[before].relationships[NEXT] = infos[after]
            by_id[after].relationships[PREVIOUS] = infos[before]
        return [*by_id.values()]

    def _node(self, node: MergeNode, document: Document) -> TextNode:
        text = node.chunk.content if node.is_leaf else node.text
        start, end = node.span.start, node.span.end
        source = {NodeRelationship.SOURCE: document.as_related_node_info()}
        return TextNode(text=text, start_char_idx=start, end_char_idx=end, relationships=source)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], _: object) -> list[BaseNode]:
        return nodes


def compared(nodes: list[BaseNode]) -> list[tuple[object, ...]]:
    """Return texts, offsets, and relationships by the positions of nodes."""
    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    return [
        (
            node.text,
            node.start_char_idx,
            node.end_char_idx,
            node.ref_doc_id,
            *([numbers[i.node_id] for i in related(node, k)] for k in (PARENT, CHILD)),
            *([numbers[i.node_id] for i in related(node, k)] for k in (PREVIOUS, NEXT)),
        )
        for node in nodes
        if isinstance(node, TextNode)
    ]


def same(samples: list[corpora.Sample]) -> None:
    documents = [Document(text=sample.text, id_=sample.name) for sample in samples]
    ours = MarkdownHierarchyNodeParser(header_context="none")(documents)
    plain = PlainNodeParser()(documents)
    assert len(ours) >= len(documents)
    assert compared(ours) == compared(plain)


def test_own_documents() -> None:
    same([*corpora.own_documents()])


@pytest.mark.slow
def test_the_corpus() -> None:
    if not (samples := [*corpora.corpus()]):
        pytest.skip(f"no corpus in {corpora.SHARED}")
    same(samples)
