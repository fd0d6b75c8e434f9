"""Build the inputs of LlamaIndex's own retrievers over hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core import StorageContext, TreeIndex
from llama_index.core.data_structs.data_structs import IndexGraph
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.node_parser import get_root_nodes
from llama_index.core.schema import BaseNode, IndexNode, TextNode

from chunkana_llamaindex.nodes import is_summary, leaves_of


def recursive_retriever_inputs(
    nodes: Sequence[BaseNode],
) -> tuple[list[IndexNode], dict[str, BaseNode]]:
    """Return the inputs of a `RecursiveRetriever` that finds leaves and returns their parents.

    Returns:
        The nodes to index, each of which refers to its parent, or to itself if it has no parent;
        and all nodes that they refer to, by id, for `node_dict`.
    """
    by_id = {node.node_id: node for node in nodes}
    index_nodes = []
    for leaf in leaves_of(list(nodes)):
        parent = leaf.parent_node
        target = parent.node_id if parent and parent.node_id in by_id else leaf.node_id
        if isinstance(leaf, TextNode):
            index_nodes.append(IndexNode.from_text_node(leaf, target))
    return index_nodes, {node.index_id: by_id[node.index_id] for node in index_nodes}


def tree_index(
    nodes: Sequence[BaseNode],
    *,
    storage_context: StorageContext | None = None,
    llm: LLM | None = None,
    **options: Any,
) -> TreeIndex:
    """Return a `TreeIndex` over the existing hierarchy, without summaries by a language model.

    Its retriever modes "root", "all_leaf" and "select_leaf_embedding" need no language model.

    Args:
        nodes: nodes of `ChunkanaNodeParser`; with `include_document_node` the roots are the
            document nodes, otherwise all nodes without a parent.
        storage_context: the stores of the nodes; by default in memory.
        llm: the language model for modes that need one; by default a mock, because `TreeIndex`
            requires one.
        options: further arguments of `TreeIndex`.
    """
    context = storage_context or StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    children = {node.node_id: [child.node_id for child in node.child_nodes or []] for node in nodes}
    summaries = {node.ref_doc_id: node for node in nodes if is_summary(node)}
    roots = []
    for node in get_root_nodes(list(nodes)):
        summary = summaries.get(node.ref_doc_id, node)
        if summary is node:
            roots.append(node.node_id)
        else:
            children[summary.node_id].append(node.node_id)
    numbers = {node.node_id: number for number, node in enumerate(nodes)}
    graph = IndexGraph(
        all_nodes={number: name for name, number in numbers.items()},
        root_nodes={numbers[name]: name for name in roots},
        node_id_to_children_ids=children,
    )
    return TreeIndex(index_struct=graph, storage_context=context, llm=llm or MockLLM(), **options)
