"""The store of leaves over a LangChain vector store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from chunkana_langchain import keys
from chunkana_langchain.indexing.embeddings import CachedEmbeddings
from chunkana_langchain.keys import copied
from chunkana_retrieval.indexing import Leaf, Procedure, Proposal, call

_BATCH = 1000  # leaves that are added or deleted at a time: some stores accept at most 5,000
_NO_FILTERS = frozenset({"k", "fetch_k"})  # search arguments that are not filters
_Item = TypeVar("_Item")
Found = tuple[Document, float | None]


class Search(NamedTuple):
    """The query and the further arguments of a vector store's search."""

    query: str
    arguments: Mapping[str, Any]

    @property
    def is_filtered(self) -> bool:
        """Whether any argument may be a filter."""
        return not _NO_FILTERS.issuperset(self.arguments)


class LeafStore:
    """A store of leaves in the caller's vector store, under the leaf ids of their records.

    Attributes:
        vectorstore: the vector store.
    """

    is_in_memory = False

    def __init__(self, vectorstore: VectorStore) -> None:
        self.vectorstore = vectorstore

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed and store leaves, replacing leaves with the same ids, if there are any."""
        store = self.vectorstore
        for batch in _batches(leaves):
            ids = [leaf.leaf_id for _, leaf in batch]
            yield from self._delete_known(ids)
            documents = [*map(_document, batch)]
            yield from call(store.add_documents, store.aadd_documents, documents, ids=ids)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves by their ids; unknown ids are ignored, also by stores that reject them."""
        store, expected = self.vectorstore, (LookupError, ValueError)
        for batch in _batches(leaf_ids):
            try:
                yield from call(store.delete, store.adelete, [*batch], expected=expected)
            except expected:
                yield from self._delete_known(batch)

    def find(self, asked: Search) -> Procedure[list[Proposal]]:
        """Return the leaves that the vector store finds, the best first."""
        return [*map(_proposal, (yield from search(self.vectorstore, asked)))]

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return no vectors, because the vector store keeps them itself."""
        return {}

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Do nothing, because the vector store uses its own embedding."""

    def _delete_known(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete the leaves that the store contains; none if it does not support `get_by_ids`."""
        store, expected = self.vectorstore, (NotImplementedError,)
        with suppress(NotImplementedError):
            found = yield from call(
                store.get_by_ids, store.aget_by_ids, [*leaf_ids], expected=expected
            )
            # Some stores return documents without ids.
            known = [str(one.metadata.get(keys.LEAF_ID, one.id)) for one in found]
            if known:
                yield from call(store.delete, store.adelete, known)


class MemoryLeaves(LeafStore):
    """A store of leaves in memory, with cached embeddings."""

    is_in_memory = True

    def __init__(self, embedding: CachedEmbeddings) -> None:
        self._store, self._embedding = InMemoryVectorStore(embedding), embedding
        super().__init__(self._store)

    def vectors(self) -> dict[str, list[float]]:
        """Return all vectors by leaf id."""
        return {name: stored["vector"] for name, stored in self._store.store.items()}

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Cache vectors by text; a leaf with a cached text is added without embedding it."""
        self._embedding.remember({text: [*vector] for text, vector in vectors.items()})


def search(store: VectorStore, asked: Search) -> Procedure[list[Found]]:
    """Return the documents that a vector store finds, the best first, None for missing scores."""
    query, arguments = asked.query, _arguments(store, asked.arguments)
    expected = (NotImplementedError,)
    try:
        now, later = store.similarity_search_with_score, store.asimilarity_search_with_score
        return [*(yield from call(now, later, query, expected=expected, **arguments))]
    except NotImplementedError:
        found = yield from call(
            store.similarity_search, store.asimilarity_search, query, **arguments
        )
        return [(one, None) for one in found]


def _arguments(store: VectorStore, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a search in the form that a store accepts.

    For a filter, LangChain's in-memory store needs a function, while most other stores accept a
    dict.
    """
    wanted = arguments.get("filter")
    if not (isinstance(store, InMemoryVectorStore) and isinstance(wanted, dict)):
        return dict(arguments)

    def has_values(document: Document) -> bool:
        return all(document.metadata.get(key) == value for key, value in wanted.items())

    return {**arguments, "filter": has_values}


def _batches(values: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))


def _document(leaf: Leaf) -> Document:
    """Return the document to store for a leaf.

    If the caller's metadata have the same key, the caller's value is kept, except for the ids of
    document and leaf.
    """
    record, one = leaf
    ids = {keys.DOCUMENT_ID: record.document_id, keys.LEAF_ID: one.leaf_id}
    # No filter finds empty lists and dicts, and some stores reject them.
    callers = {name: value for name, value in record.metadata.items() if value not in ([], {})}
    metadata = one.metadata | copied(callers) | ids
    return Document(page_content=record.embedded(one), metadata=metadata, id=one.leaf_id)


def _proposal(found: Found) -> Proposal:
    """Return the proposal for a found document; for one not from Chunkana, ids without a record."""
    metadata, score = found[0].metadata, found[1]
    leaf_id = metadata.get(keys.LEAF_ID, found[0].id)
    number = None if score is None else float(score)  # some stores return numpy numbers
    return Proposal(str(metadata.get(keys.DOCUMENT_ID, "")), str(leaf_id), number)
