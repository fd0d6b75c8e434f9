"""Leaves with their vectors, in any vector store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from chunkana_core.extending import format_header_path
from chunkana_langchain import keys
from chunkana_langchain.indexing.embeddings import CachedEmbeddings
from chunkana_langchain.splitting.mapping import copied
from chunkana_retrieval.indexing import DocumentRecord, LeafRecord, Proposal

Leaf = tuple[DocumentRecord, LeafRecord]
_BATCH = 1000  # leaves that are added or deleted at a time: some stores take no more than 5,000
_Found = Iterable[tuple[Document, float | None]]


class LeafStore:
    """Leaves in a vector store, under the ids that their records have.

    Attributes:
        vectorstore: that store.
    """

    def __init__(self, vectorstore: VectorStore) -> None:
        self.vectorstore = vectorstore

    def add(self, leaves: Sequence[Leaf]) -> None:
        """Embed leaves, and store them."""
        for batch in _batches(leaves):
            ids = [leaf.leaf_id for _, leaf in batch]
            self.vectorstore.add_documents([*map(_document, batch)], ids=ids)

    async def aadd(self, leaves: Sequence[Leaf]) -> None:
        """Embed leaves, and store them."""
        for batch in _batches(leaves):
            ids = [leaf.leaf_id for _, leaf in batch]
            await self.vectorstore.aadd_documents([*map(_document, batch)], ids=ids)

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, of which some may not be there; some stores raise an error for these."""
        for batch in _batches(leaf_ids):
            try:
                self.vectorstore.delete([*batch])
            except (LookupError, ValueError):
                self.delete_known(batch)

    async def adelete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves, of which some may not be there; some stores raise an error for these."""
        for batch in _batches(leaf_ids):
            try:
                await self.vectorstore.adelete([*batch])
            except (LookupError, ValueError):
                await self.adelete_known(batch)

    def delete_known(self, leaf_ids: Sequence[str]) -> None:
        """Delete those leaves that are there; none where the store cannot be asked for them."""
        for batch in _batches(leaf_ids):
            with suppress(NotImplementedError):
                if there := _ids(self.vectorstore.get_by_ids([*batch])):
                    self.vectorstore.delete(there)

    async def adelete_known(self, leaf_ids: Sequence[str]) -> None:
        """Delete those leaves that are there; none where the store cannot be asked for them."""
        for batch in _batches(leaf_ids):
            with suppress(NotImplementedError):
                if there := _ids(await self.vectorstore.aget_by_ids([*batch])):
                    await self.vectorstore.adelete(there)

    def search(self, query: str, options: Mapping[str, Any]) -> list[Proposal]:
        """Return what the store finds, the best first."""
        options = search_arguments(self.vectorstore, options)
        try:
            found: _Found = self.vectorstore.similarity_search_with_score(query, **options)
        except NotImplementedError:  # it counts no scores
            found = [(one, None) for one in self.vectorstore.similarity_search(query, **options)]
        return [*map(_proposal, found)]

    async def asearch(self, query: str, options: Mapping[str, Any]) -> list[Proposal]:
        """Return what the store finds, the best first."""
        store = self.vectorstore
        options = search_arguments(store, options)
        try:
            found: _Found = await store.asimilarity_search_with_score(query, **options)
        except NotImplementedError:  # it counts no scores
            found = [(one, None) for one in await store.asimilarity_search(query, **options)]
        return [*map(_proposal, found)]


class MemoryLeaves(LeafStore):
    """Leaves in memory; texts that were embedded once are not embedded again."""

    def __init__(self, embedding: CachedEmbeddings) -> None:
        self._store, self._embedding = InMemoryVectorStore(embedding), embedding
        super().__init__(self._store)

    def __contains__(self, leaf_id: str) -> bool:
        """Tell whether a leaf is here."""
        return leaf_id in self._store.store

    def vectors(self) -> dict[str, list[float]]:
        """Return all vectors by the ids of their leaves."""
        return {name: stored["vector"] for name, stored in self._store.store.items()}

    def restore(self, leaf: Leaf, vector: Sequence[float]) -> None:
        """Store a leaf with the vector that it was saved with."""
        document, number = _document(leaf), [*vector]
        self._embedding.remember({document.page_content: number})
        self._store.store[leaf[1].leaf_id] = {
            "id": leaf[1].leaf_id,
            "vector": number,
            "text": document.page_content,
            "metadata": document.metadata,
        }


def search_arguments(store: VectorStore, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a search as a store takes them.

    LangChain's store in memory takes a function as a filter, where most others take a dict.
    """
    wanted = arguments.get("filter")
    if not (isinstance(store, InMemoryVectorStore) and isinstance(wanted, dict)):
        return dict(arguments)

    def has_values(document: Document) -> bool:
        return all(document.metadata.get(key) == value for key, value in wanted.items())

    return {**arguments, "filter": has_values}


def _batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))


def _document(leaf: Leaf) -> Document:
    """Return a leaf as it is stored: nothing that changes when the text above it does.

    Of keys that both use, the caller's value stays, but for those by which leaves are known.
    """
    record, one = leaf
    own = {
        keys.SECTION_ID: one.section_id,
        keys.PARENT_SECTION_ID: one.parent_section_id,
        keys.HEADER_PATH: format_header_path(one.path),
        keys.CONTENT_TYPE: one.content_type,
        keys.CONTAINER: one.container,
        keys.FORMAT: one.format,
        keys.KIND: one.kind,
        keys.NAME: one.name,
    }
    known = {keys.DOCUMENT_ID: record.document_id, keys.LEAF_ID: one.leaf_id}
    # No filter finds what is empty, and some stores do not take it.
    theirs = {name: value for name, value in record.metadata.items() if value not in ([], {})}
    metadata = own | copied(theirs) | known
    return Document(page_content=record.embedded(one), metadata=metadata, id=one.leaf_id)


def _proposal(found: tuple[Document, float | None]) -> Proposal:
    """Return what a store found; of what is not from here, one that no record has."""
    metadata, score = found[0].metadata, found[1]
    leaf_id = metadata.get(keys.LEAF_ID, found[0].id)
    number = None if score is None else float(score)  # numpy's, of some stores
    return Proposal(str(metadata.get(keys.DOCUMENT_ID, "")), str(leaf_id), number)


def _ids(documents: Iterable[Document]) -> list[str]:
    """Return the ids of leaves; some stores leave out those of documents."""
    return [str(document.metadata.get(keys.LEAF_ID, document.id)) for document in documents]
