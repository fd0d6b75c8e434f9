"""Store nodes in a document store, and check that store and index are consistent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, NodeRelationship
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.nodes import leaves_of

_RELATIONSHIPS = (
    NodeRelationship.PARENT,
    NodeRelationship.CHILD,
    NodeRelationship.PREVIOUS,
    NodeRelationship.NEXT,
)
_NOT_STORED = (
    "which is not stored: parents are not in vector stores; give all documents, or all nodes of "
    "the parser, or storage_context=StorageContext.from_defaults(docstore=…) that has them"
)
_IS_PARENT = (
    "which is a parent; index only leaves, which are merged into their parent if enough of them "
    "are found: VectorStoreIndex(LeafNodes()(nodes))"
)
_NO_NODES = (
    "there are no nodes, neither given nor stored; give documents_or_nodes, or "
    "storage_context=StorageContext.from_defaults(docstore=…) that has them"
)


def store_nodes(
    docstore: BaseDocumentStore,
    nodes: Sequence[BaseNode],
    documents: Iterable[BaseNode],
    index: BaseIndex[Any] | None,
) -> None:
    """Store nodes in place of the stored nodes of their documents and of `documents`.

    Raises:
        ValueError: if the index lacks leaves of the nodes, before anything is stored; if there are
            no nodes, or a node is linked to a node that is not stored.
    """
    if index is not None:
        _require_indexed(index, leaves_of([*nodes]))
    names = {node.ref_doc_id or node.node_id for node in nodes}
    for name in names.union(document.node_id for document in documents):
        docstore.delete_ref_doc(name, raise_error=False)
    docstore.add_documents(nodes)
    _require_linked_nodes(docstore, nodes or [*docstore.docs.values()])


def _require_linked_nodes(docstore: BaseDocumentStore, nodes: Sequence[BaseNode]) -> None:
    """Raise a ValueError if there are no nodes, or one is linked to a node that is not stored."""
    if not nodes:
        raise ValueError(_NO_NODES)
    names = {node.node_id for node in nodes}
    for node in nodes:
        for kind in _RELATIONSHIPS:
            related = node.relationships.get(kind, [])
            for link in related if isinstance(related, list) else [related]:
                if link.node_id not in names and not docstore.document_exists(link.node_id):
                    raise ValueError(
                        f"node {node.node_id} is linked to {link.node_id}, {_NOT_STORED}"
                    )


def _require_indexed(index: BaseIndex[Any], leaves: Sequence[BaseNode]) -> None:
    """Raise a ValueError if an index is known to lack one of the leaves."""
    indexed = indexed_ids(index)
    for leaf in leaves:
        if indexed is not None and leaf.node_id not in indexed:
            raise ValueError(
                f"the index lacks {leaf.node_id} of document {leaf.ref_doc_id}; give no index, or "
                "insert its leaves: index.insert_nodes(LeafNodes()(nodes))"
            )


def require_leaves(index: BaseIndex[Any], docstore: BaseDocumentStore) -> None:
    """Raise a ValueError if an index is known to contain a node that is not a stored leaf."""
    for name in indexed_ids(index) or ():
        stored = docstore.get_document(name, raise_error=False)
        if stored is None:
            raise ValueError(f"the index finds {name}, {_NOT_STORED}")
        if stored.child_nodes:
            raise ValueError(f"the index finds {name}, {_IS_PARENT}")


def indexed_ids(index: BaseIndex[Any]) -> set[str] | None:
    """Return the ids of the nodes in an index, None if only its vector store knows them."""
    if getattr(getattr(index, "vector_store", None), "stores_text", True):
        return None
    return set(getattr(index.index_struct, "nodes_dict", {}).values())
