"""A retriever that finds leaves and merges them, with all that it needs stored and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.base import BaseIndex
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, Document, NodeRelationship, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.parser import MarkdownHierarchyNodeParser

_LINKS = (
    NodeRelationship.PARENT,
    NodeRelationship.CHILD,
    NodeRelationship.PREVIOUS,
    NodeRelationship.NEXT,
)


def build_auto_merging(
    documents_or_nodes: Sequence[BaseNode] = (),
    parser: MarkdownHierarchyNodeParser | None = None,
    *,
    base_retriever: BaseRetriever | None = None,
    index: BaseIndex[Any] | None = None,
    storage_context: StorageContext | None = None,
    embed_model: BaseEmbedding | None = None,
    similarity_top_k: int = 6,
    ratio: float = 0.5,
) -> AutoMergingRetriever:
    """Return a retriever that finds leaves and puts parents in their place.

    Parents and leaves are kept in a document store, leaves alone are indexed. Documents that were
    given before are given again as they are now: what is unchanged is not embedded again, what
    has changed replaces what was stored of the same document.

    Args:
        documents_or_nodes: documents to parse, or all nodes that `MarkdownHierarchyNodeParser`
            made of some; none where everything is stored already.
        parser: parses documents; by default `MarkdownHierarchyNodeParser()`.
        base_retriever: finds leaves, in place of an index; what it looks through is up to you.
        index: finds leaves; by default a `VectorStoreIndex` is made. New leaves are added to it.
        storage_context: where nodes and vectors are stored; by default that of the index, else
            in memory.
        embed_model: of an index that is made; by default that of LlamaIndex's settings.
        similarity_top_k: how many leaves an index finds.
        ratio: the share of a parent's children, more than which have to be found.

    Raises:
        ValueError: if a node that others are linked to, or that the index finds, is neither
            given nor stored, or there is nothing to find leaves with.
    """
    nodes = _parsed(documents_or_nodes, parser)
    if base_retriever is None and index is None and not nodes:
        raise ValueError("give documents or nodes, an index, or a base_retriever")
    if storage_context is None:
        storage_context = index.storage_context if index else StorageContext.from_defaults()
    docstore = storage_context.docstore
    if base_retriever is None and index is None:
        index = VectorStoreIndex([], storage_context=storage_context, embed_model=embed_model)
    _update(storage_context, nodes, index)
    _require_whole(docstore, nodes or docstore.docs.values())
    if base_retriever is None and index is not None:
        _require_stored(docstore, _indexed(index), "the index finds {}")
        base_retriever = index.as_retriever(similarity_top_k=similarity_top_k)
    return _AutoMerging(
        base_retriever,  # type: ignore[arg-type]  # any retriever will do
        storage_context,
        simple_ratio_thresh=ratio,
    )


def delete_document(
    document_id: str,
    index: BaseIndex[Any] | None = None,
    storage_context: StorageContext | None = None,
) -> None:
    """Delete all nodes of a document, parents and leaves; nothing if there are none.

    An index's own `delete_ref_doc` takes every node that is stored of a document for one that it
    has itself, and so fails on parents.

    Args:
        document_id: the document's own id, its nodes' `ref_doc_id`.
        index: has leaves; None where a retriever of yours finds them.
        storage_context: where nodes are stored; by default that of the index.

    Raises:
        ValueError: if neither is given.
    """
    context = storage_context or (index.storage_context if index else None)
    if context is None:
        raise ValueError("give an index or a storage_context")
    docstore = context.docstore
    stored = docstore.get_ref_doc_info(document_id)
    for node_id in stored.node_ids.copy() if stored else ():
        node = docstore.get_document(node_id)
        if node is not None and node.child_nodes:
            docstore.delete_document(node_id)
    if index is not None:
        index.delete_ref_doc(document_id, delete_from_docstore=True)
    docstore.delete_ref_doc(document_id, raise_error=False)


class _AutoMerging(AutoMergingRetriever):
    """LlamaIndex's, but that nothing is returned twice.

    That one fills a gap also with what was found already, which then counts twice among the
    children of its parent. And it merges on all levels at once, so that a section may be left
    beside the parent that most of its siblings were merged into.
    """

    def _fill_in_nodes(self, nodes: list[NodeWithScore]) -> tuple[list[NodeWithScore], bool]:
        found = {node.node.node_id for node in nodes}
        given = set(map(id, nodes))
        filled, _ = super()._fill_in_nodes(nodes)
        filled = [n for n in filled if id(n) in given or n.node.node_id not in found]
        return filled, len(filled) > len(nodes)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = super()._retrieve(query_bundle)
        found = {node.node.node_id for node in nodes}
        return [node for node in nodes if not self._is_inside(node.node, found)]

    def _is_inside(self, node: BaseNode, found: AbstractSet[str]) -> bool:
        """Tell whether a node is under one of those found."""
        while parent := node.parent_node:
            if parent.node_id in found:
                return True
            node = self._storage_context.docstore.get_node(parent.node_id)
        return False


def _parsed(
    documents_or_nodes: Sequence[BaseNode], parser: MarkdownHierarchyNodeParser | None
) -> list[BaseNode]:
    """Return nodes, those of documents among them parsed."""
    documents = [node for node in documents_or_nodes if isinstance(node, Document)]
    nodes = [node for node in documents_or_nodes if not isinstance(node, Document)]
    parser = parser or MarkdownHierarchyNodeParser()
    return nodes + parser.get_nodes_from_documents(documents)


def _update(
    context: StorageContext, nodes: Sequence[BaseNode], index: BaseIndex[Any] | None
) -> None:
    """Bring a store and an index up to date with the nodes of documents."""
    by_document: dict[str, list[BaseNode]] = {}
    for node in nodes:
        by_document.setdefault(node.ref_doc_id or node.node_id, []).append(node)
    for document_id, of_document in by_document.items():
        if _is_stored(context.docstore, document_id, of_document):
            continue
        if context.docstore.get_ref_doc_info(document_id) is not None:
            delete_document(document_id, index, context)
        context.docstore.add_documents(of_document)
        if index is not None:
            index.insert_nodes(get_leaf_nodes(of_document))


def _is_stored(docstore: BaseDocumentStore, document_id: str, nodes: Iterable[BaseNode]) -> bool:
    """Tell whether just these nodes are stored of a document, as they are."""
    stored = docstore.get_ref_doc_info(document_id)
    hashes = {node.node_id: node.hash for node in nodes}
    return (
        stored is not None
        and set(stored.node_ids) == hashes.keys()
        and all(docstore.get_document_hash(name) == made for name, made in hashes.items())
    )


def _require_whole(docstore: BaseDocumentStore, nodes: Iterable[BaseNode]) -> None:
    """Raise a ValueError unless every node that is linked to is stored."""
    nodes = list(nodes)
    if not nodes:
        raise ValueError("there are no nodes, neither given nor stored: nothing could be merged")
    for node in nodes:
        related = (node.relationships.get(kind, []) for kind in _LINKS)
        links = [link for some in related for link in (some if isinstance(some, list) else [some])]
        names = [link.node_id for link in links]
        _require_stored(docstore, names, f"node {node.node_id} is linked to {{}}")


def _require_stored(docstore: BaseDocumentStore, names: Iterable[str], why: str) -> None:
    for name in names:
        if not docstore.document_exists(name):
            raise ValueError(
                f"{why.format(name)}, which is not stored; give all nodes of the parser, parents "
                "and leaves, or a storage_context that has them"
            )


def _indexed(index: BaseIndex[Any]) -> Iterable[str]:
    """Return the ids that an index knows of; where its vector store keeps texts, that does."""
    return list(getattr(index.index_struct, "nodes_dict", {}).values())
