"""A LangChain vector store as the store of an index's leaves, and its search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, Self

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from chunkana_langchain import keys
from chunkana_langchain.keys import copied
from chunkana_retrieval.adapting import LoopRunner
from chunkana_retrieval.index import DocumentLeaf, DocumentRecord, LeafRecord, StoreHit

_FILTERED = 10_000  # chunks


class VectorStoreLeaves:
    """The leaves of an index in the caller's vector store, a `LeafStore`.

    Args:
        store: the vector store.
        run: runs the asynchronous methods of the store on the caller's event loop; None to call
            the synchronous methods.
    """

    def __init__(self, store: VectorStore, run: LoopRunner | None = None) -> None:
        self._store, self._run = store, run

    @classmethod
    def of(cls, store: VectorStore | None, run: LoopRunner | None = None) -> Self | None:
        """Return the leaves in a vector store, None without one."""
        return None if store is None else cls(store, run)

    def add(self, leaves: Sequence[DocumentLeaf]) -> None:
        """Embed and store leaves, replacing leaves with the same ids."""
        documents = [leaf_document(*leaf) for leaf in leaves]
        ids = [leaf.leaf_id for _, leaf in leaves]
        self._delete_known(ids)  # some stores refuse ids that they contain
        self._call("add_documents", documents, ids=ids)

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves by their ids; unknown ids are ignored, also by stores that refuse them."""
        try:
            self._call("delete", [*leaf_ids])
        except (LookupError, ValueError):
            self._delete_known(leaf_ids)

    def missing(self, leaf_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids that the store lacks; none if it does not support `get_by_ids`."""
        known = self._known(leaf_ids)
        return [] if known is None else [name for name in leaf_ids if name not in known]

    def _delete_known(self, leaf_ids: Sequence[str]) -> None:
        """Delete the leaves that the store contains, none if it does not support `get_by_ids`."""
        if known := self._known(leaf_ids):
            self._call("delete", [*known])

    def _known(self, leaf_ids: Sequence[str]) -> set[str] | None:
        """Return the ids that the store contains, None if it does not support `get_by_ids`."""
        try:
            found = self._call("get_by_ids", [*leaf_ids])
        except NotImplementedError:
            return None
        # Some stores return documents without ids.
        return {str(document.metadata.get(keys.LEAF_ID, document.id)) for document in found}

    def _call(self, name: str, *arguments: object, **options: object) -> Any:
        """Call a method of the store, or its asynchronous form on the caller's event loop."""
        if self._run is None:
            return getattr(self._store, name)(*arguments, **options)
        return self._run(getattr(self._store, f"a{name}"), *arguments, **options)


def search(store: VectorStore, query: str, arguments: Mapping[str, Any]) -> list[StoreHit]:
    """Return the leaves that a vector store finds, the best first, None for missing scores."""
    arguments = _arguments(store, arguments)
    try:
        return [*map(_store_hit, store.similarity_search_with_score(query, **arguments))]
    except NotImplementedError:
        return _unscored(store.similarity_search(query, **arguments))


async def asearch(store: VectorStore, query: str, arguments: Mapping[str, Any]) -> list[StoreHit]:
    """Return the leaves that a vector store finds, see `search`."""
    arguments = _arguments(store, arguments)
    try:
        return [*map(_store_hit, await store.asimilarity_search_with_score(query, **arguments))]
    except NotImplementedError:
        return _unscored(await store.asimilarity_search(query, **arguments))


def leaf_document(record: DocumentRecord, leaf: LeafRecord) -> Document:
    """Return a leaf as a document for a vector store or a reranker.

    If the caller's metadata have the same key as the leaf's, the caller's value is kept, except for
    the ids of document and leaf.
    """
    ids = {keys.DOCUMENT_ID: record.document_id, keys.LEAF_ID: leaf.leaf_id}
    # No filter finds empty lists and dicts, and some stores reject them.
    callers = {name: value for name, value in record.metadata.items() if value not in ([], {})}
    metadata = dict(leaf.metadata) | copied(callers) | ids
    return Document(page_content=record.embedded(leaf), metadata=metadata, id=leaf.leaf_id)


def _arguments(store: VectorStore, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a search; FAISS filters only the `fetch_k` nearest, 20 by default."""
    takes_fetch_k = "fetch_k" in signature(store.similarity_search_with_score).parameters
    return (
        {"fetch_k": _FILTERED, **arguments}
        if takes_fetch_k and "filter" in arguments
        else {**arguments}
    )


def _unscored(found: Iterable[Document]) -> list[StoreHit]:
    return [_store_hit((document, None)) for document in found]


def _store_hit(found: tuple[Document, float | None]) -> StoreHit:
    """Return the hit for a found document; for one not from Chunkana, ids without a record."""
    metadata, score = found[0].metadata, found[1]
    leaf_id = metadata.get(keys.LEAF_ID, found[0].id)
    number = None if score is None else float(score)  # some stores return numpy numbers
    return StoreHit(str(metadata.get(keys.DOCUMENT_ID, "")), str(leaf_id), number)
