"""Nodes in document stores and indices: kept in step, and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, NodeRelationship
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.parsing.metadata import leaves_of

_LINKS = (
    NodeRelationship.PARENT,
    NodeRelationship.CHILD,
    NodeRelationship.PREVIOUS,
    NodeRelationship.NEXT,
)
_WHAT_TO_DO = (
    "which is not stored: parents are in no vector store; give all documents or nodes of the "
    "parser, or storage_context=StorageContext.from_defaults(docstore=…) that has them"
)
_LEAVES_ALONE = (
    "which is a parent, and returned where enough of its leaves are found; index leaves alone: "
    "VectorStoreIndex(LeafNodes()(nodes))"
)
_NO_NODES = (
    "there are no nodes, neither given nor stored; give documents_or_nodes, or "
    "storage_context=StorageContext.from_defaults(docstore=…) that has them"
)


def update(
    docstore: BaseDocumentStore,
    nodes: Sequence[BaseNode],
    documents: Iterable[BaseNode],
    index: BaseIndex[Any] | None,
) -> None:
    """Store nodes in place of what is stored of their documents, and of others without nodes.

    Raises:
        ValueError: if the index lacks leaves among them, before anything is stored; if there are
            no nodes, or some are linked to what is not stored.
    """
    if index is not None:
        _require_indexed(index, leaves_of([*nodes]))
    names = {node.ref_doc_id or node.node_id for node in nodes}
    for name in names.union(document.node_id for document in documents):
        docstore.delete_ref_doc(name, raise_error=False)
    docstore.add_documents(nodes)
    _require_whole(docstore, nodes or [*docstore.docs.values()])


def _require_whole(docstore: BaseDocumentStore, nodes: Sequence[BaseNode]) -> None:
    """Raise a ValueError unless there are nodes, and all that they are linked to is stored."""
    if not nodes:
        raise ValueError(_NO_NODES)
    names = {node.node_id for node in nodes}
    for node in nodes:
        for kind in _LINKS:
            related = node.relationships.get(kind, [])
            for link in related if isinstance(related, list) else [related]:
                if link.node_id not in names and not docstore.document_exists(link.node_id):
                    raise ValueError(
                        f"node {node.node_id} is linked to {link.node_id}, {_WHAT_TO_DO}"
                    )


def _require_indexed(index: BaseIndex[Any], leaves: Sequence[BaseNode]) -> None:
    """Raise a ValueError unless an index has leaves, as far as it knows what it has."""
    indexed = indexed_ids(index)
    for leaf in leaves:
        if indexed is not None and leaf.node_id not in indexed:
            raise ValueError(
                f"the index lacks {leaf.node_id} of document {leaf.ref_doc_id}; give no index, or "
                "insert its leaves: index.insert_nodes(LeafNodes()(nodes))"
            )


def require_leaves(index: BaseIndex[Any], docstore: BaseDocumentStore) -> None:
    """Raise a ValueError unless all that an index finds are stored leaves, as far as it knows."""
    for name in indexed_ids(index) or ():
        stored = docstore.get_document(name, raise_error=False)
        if stored is None:
            raise ValueError(f"the index finds {name}, {_WHAT_TO_DO}")
        if stored.child_nodes:
            raise ValueError(f"the index finds {name}, {_LEAVES_ALONE}")


def indexed_ids(index: BaseIndex[Any]) -> set[str] | None:
    """Return the ids that an index has, None where its vector store keeps texts and alone knows."""
    if getattr(getattr(index, "vector_store", None), "stores_text", True):
        return None
    return set(getattr(index.index_struct, "nodes_dict", {}).values())
