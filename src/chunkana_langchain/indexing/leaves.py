"""Leaves with their vectors, in any vector store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from chunkana_langchain import keys
from chunkana_langchain.indexing.embeddings import CachedEmbeddings
from chunkana_langchain.splitting.mapping import copied
from chunkana_retrieval.indexing import Leaf, Procedure, Proposal, call

_BATCH = 1000  # leaves that are added or deleted at a time: some stores take no more than 5,000
_NO_FILTERS = frozenset({"k", "fetch_k"})  # search arguments that leave no leaf out
_Item = TypeVar("_Item")
Found = tuple[Document, float | None]


class Search(NamedTuple):
    """What a vector store is asked: a question, and further arguments of its search."""

    query: str
    arguments: Mapping[str, Any]

    @property
    def is_filtered(self) -> bool:
        """Whether the arguments leave leaves out."""
        return not _NO_FILTERS.issuperset(self.arguments)


class LeafStore:
    """Leaves in a vector store, under the ids that their records have.

    Attributes:
        vectorstore: that store.
    """

    is_in_memory = False

    def __init__(self, vectorstore: VectorStore) -> None:
        self.vectorstore = vectorstore

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them, in place of those that are there without a record."""
        store = self.vectorstore
        for batch in _batches(leaves):
            ids = [leaf.leaf_id for _, leaf in batch]
            yield from self._delete_known(ids)
            documents = [*map(_document, batch)]
            yield from call(store.add_documents, store.aadd_documents, documents, ids=ids)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves, of which some may not be there; some stores raise an error for these."""
        store, expected = self.vectorstore, (LookupError, ValueError)
        for batch in _batches(leaf_ids):
            try:
                yield from call(store.delete, store.adelete, [*batch], expected=expected)
            except expected:
                yield from self._delete_known(batch)

    def find(self, asked: Search) -> Procedure[list[Proposal]]:
        """Return what the store finds, the best first."""
        return [*map(_proposal, (yield from search(self.vectorstore, asked)))]

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return nothing: the store keeps them."""
        return {}

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep nothing: the store embeds by its own embedding."""

    def _delete_known(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete those leaves that are there; none where the store cannot be asked for them."""
        store, expected = self.vectorstore, (NotImplementedError,)
        with suppress(NotImplementedError):
            found = yield from call(
                store.get_by_ids, store.aget_by_ids, [*leaf_ids], expected=expected
            )
            # Some stores leave out the ids of documents.
            there = [str(one.metadata.get(keys.LEAF_ID, one.id)) for one in found]
            if there:
                yield from call(store.delete, store.adelete, there)


class MemoryLeaves(LeafStore):
    """Leaves in memory; texts that were embedded once are not embedded again."""

    is_in_memory = True

    def __init__(self, embedding: CachedEmbeddings) -> None:
        self._store, self._embedding = InMemoryVectorStore(embedding), embedding
        super().__init__(self._store)

    def vectors(self) -> dict[str, list[float]]:
        """Return all vectors by the ids of their leaves."""
        return {name: stored["vector"] for name, stored in self._store.store.items()}

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep the vectors of texts, which are not embedded when leaves have them."""
        self._embedding.remember({text: [*vector] for text, vector in vectors.items()})


def search(store: VectorStore, asked: Search) -> Procedure[list[Found]]:
    """Return what a vector store finds, the best first, with no scores where it counts none."""
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
    """Return arguments of a search as a store takes them.

    LangChain's store in memory takes a function as a filter, where most others take a dict.
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
    """Return a leaf as it is stored.

    Of keys that both use, the caller's value stays, but for those by which leaves are known.
    """
    record, one = leaf
    known = {keys.DOCUMENT_ID: record.document_id, keys.LEAF_ID: one.leaf_id}
    # No filter finds what is empty, and some stores do not take it.
    theirs = {name: value for name, value in record.metadata.items() if value not in ([], {})}
    metadata = one.metadata() | copied(theirs) | known
    return Document(page_content=record.embedded(one), metadata=metadata, id=one.leaf_id)


def _proposal(found: Found) -> Proposal:
    """Return what a store found; of what is not from here, one that no record has."""
    metadata, score = found[0].metadata, found[1]
    leaf_id = metadata.get(keys.LEAF_ID, found[0].id)
    number = None if score is None else float(score)  # numpy's, of some stores
    return Proposal(str(metadata.get(keys.DOCUMENT_ID, "")), str(leaf_id), number)
