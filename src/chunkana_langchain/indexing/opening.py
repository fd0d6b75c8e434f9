"""An index opened over what the caller gives, and over what a folder has."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, get_args

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_langchain.indexing.embeddings import CachedEmbeddings
from chunkana_langchain.indexing.index import DocumentIndex
from chunkana_langchain.indexing.leaves import LeafStore, MemoryLeaves
from chunkana_langchain.indexing.records import StoredRecords, aall_records, all_records
from chunkana_langchain.indexing.stores import IndexStores
from chunkana_langchain.splitting.splitter import ChunkanaSplitter
from chunkana_retrieval import LexicalIndex
from chunkana_retrieval.indexing import (
    DocumentRecord,
    IndexFile,
    IndexSnapshot,
    MemoryRecords,
    RankingOptions,
    RecordStore,
)

_NO_VECTORS: Mapping[str, Sequence[float]] = {}
_EMBEDDING = "an Embeddings, or a `vectorstore` that has one, or search='lexical'"
_ITS_EMBEDDING = "the embedding that the folder's vectors were made with"


@dataclass(frozen=True, slots=True)
class IndexParts:
    """What the caller makes or loads an index with.

    Attributes:
        embedding: of the vector store in memory.
        splitter: makes chunks of documents; None for one with default options.
        vectorstore: where leaves are; None for in memory.
        docstore: where records are; None for in memory.
        folder: where what is in memory is saved; None for nowhere.
        search: which searches there are.
        with_parents: whether records have the parents of chunks too.
    """

    embedding: Embeddings | None
    splitter: ChunkanaSplitter | None
    vectorstore: VectorStore | None
    docstore: BaseStore[str, Document] | None
    folder: str | Path | None
    search: str
    with_parents: bool = False

    def __post_init__(self) -> None:
        """Check types: what is given in another's place would be seen late."""
        RankingOptions(self.search)  # type: ignore[arg-type]  # it checks the name
        for name, kind in (
            ("embedding", Embeddings),
            ("splitter", ChunkanaSplitter),
            ("vectorstore", VectorStore),
            ("docstore", BaseStore),
            ("folder", (str, Path)),
        ):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                kinds = kind if isinstance(kind, tuple) else (kind,)
                allowed = " or ".join(one.__name__ for one in kinds)
                raise InputTypeError(name, value, f"None or {allowed}")
        if self.docstore is not None:
            require_document_store(self.docstore)
        if self.vectorstore is not None and self.embedding is not None:
            allowed = "None with a `vectorstore`, which embeds by its own"
            raise ConfigurationError("embedding", self.embedding, allowed)

    def open(self) -> DocumentIndex:
        """Return an index over stores that may have documents already."""
        opening = self._begin()
        for record in all_records(opening.records):
            opening.add(record)
        return self._index(opening)

    async def aopen(self) -> DocumentIndex:
        """Return an index over stores that may have documents already."""
        opening = self._begin()
        async for record in aall_records(opening.records):
            opening.add(record)
        return self._index(opening)

    def load(self) -> DocumentIndex:
        """Return the index of a folder; warn once of updates that were not finished."""
        opening = self._resume(IndexSnapshot.load(str(self.folder)))
        for record in all_records(opening.records):
            opening.add(record)
        opening.warn(self.folder)
        return self._index(opening)

    async def aload(self) -> DocumentIndex:
        """Return the index of a folder; warn once of updates that were not finished."""
        opening = self._resume(IndexSnapshot.load(str(self.folder)))
        async for record in aall_records(opening.records):
            opening.add(record)
        opening.warn(self.folder)
        return self._index(opening)

    def _begin(self) -> _Opening:
        """Return what an index of stores is made of; its folder is made where it is missing."""
        if self.folder is not None:
            Path(self.folder).mkdir(parents=True, exist_ok=True)
        leaves: LeafStore | None = None
        if self.search == "lexical":
            if self.vectorstore is not None:
                allowed = "None with search='lexical', which looks for words alone"
                raise ConfigurationError("vectorstore", self.vectorstore, allowed)
        elif self.vectorstore is not None:
            leaves = LeafStore(self.vectorstore)
        elif self.embedding is None:
            raise ConfigurationError("embedding", None, _EMBEDDING)
        else:
            leaves = MemoryLeaves(CachedEmbeddings(self.embedding))
        if self.docstore is not None:
            return _Opening(StoredRecords(self.docstore), leaves, self._new_lexical())
        saved = self._saved_elsewhere()
        records = MemoryRecords(saved.records or ())
        return _Opening(records, leaves, self._new_lexical(), digest=saved.digest)

    def _saved_elsewhere(self) -> IndexSnapshot:
        """Return what a folder has of the leaves in a vector store of the caller's, if any."""
        nothing = IndexSnapshot(None, None, None)
        if self.vectorstore is None or self.folder is None:
            return nothing
        try:
            saved = IndexSnapshot.load(self.folder)
        except FileNotFoundError:
            return nothing
        # Where the folder has vectors itself, its leaves are in no other store.
        return saved if saved.vectors is None else nothing

    def _resume(self, saved: IndexSnapshot) -> _Opening:
        """Return what the index of a folder is made of."""
        self._require_place("docstore", self.docstore, saved.records, "records")
        self._require_place("vectorstore", self.vectorstore, saved.vectors, "vectors")
        records: RecordStore = MemoryRecords(saved.records or ())
        if self.docstore is not None:
            records = StoredRecords(self.docstore)
        if saved.vectors == _NO_VECTORS and saved.records and self.search != "lexical":
            allowed = "'lexical': the folder has no vectors, with which it has to be made anew"
            raise ConfigurationError("search", self.search, allowed)
        has_words = saved.lexical is not None
        lexical = saved.lexical if has_words else self._new_lexical()
        leaves = self._saved_leaves(saved)
        vectors = saved.vectors or {}
        return _Opening(records, leaves, lexical, vectors, has_words, digest=saved.digest)

    def _saved_leaves(self, saved: IndexSnapshot) -> LeafStore | None:
        if self.vectorstore is not None:
            return LeafStore(self.vectorstore)
        if saved.vectors == _NO_VECTORS and self.search == "lexical":
            return None
        if self.embedding is None and self.search != "lexical":
            raise ConfigurationError("embedding", None, _ITS_EMBEDDING)
        return MemoryLeaves(CachedEmbeddings(self.embedding or _MissingEmbedding()))

    def _require_place(self, name: str, given: object, saved: object, what: str) -> None:
        """Raise an error unless a part is either in the folder or given."""
        if given is None and saved is None:
            allowed = f"the one that the index was made with: {self.folder} has no {what}"
            raise ConfigurationError(name, given, allowed)
        if given is not None and saved is not None:
            raise ConfigurationError(name, given, f"None: {self.folder} has the {what}")

    def _new_lexical(self) -> LexicalIndex | None:
        return None if self.search == "dense" else LexicalIndex()

    def _index(self, opening: _Opening) -> DocumentIndex:
        file = None if self.folder is None else IndexFile(self.folder, opening.digest)
        stores = IndexStores(opening.records, opening.leaves, opening.lexical, file)
        splitter = self.splitter or ChunkanaSplitter()
        return DocumentIndex(stores, splitter, with_parents=self.with_parents)


@dataclass(slots=True)
class _Opening:
    """What an index is made of, while its records are read.

    Attributes:
        records: of the documents.
        leaves: with their vectors.
        lexical: their words.
        vectors: those that were saved, by the ids of leaves.
        has_words: whether the words are those of the records already.
        unfinished: the documents whose last update was not finished, by what the index has of them.
        digest: of the file that it was loaded from, "" for none.
    """

    records: RecordStore
    leaves: LeafStore | None
    lexical: LexicalIndex | None
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)
    has_words: bool = False
    unfinished: dict[str, list[str]] = field(default_factory=dict)
    digest: str = ""

    def add(self, record: DocumentRecord) -> None:
        """Take what is to be known of a record."""
        if record.unfinished:
            self.unfinished.setdefault(record.unfinished, []).append(record.document_id)
        if self.lexical is not None and not self.has_words:
            self.lexical.replace({record.document_id: record.entries()})
        if isinstance(self.leaves, MemoryLeaves):
            for leaf in record.leaves:
                if leaf.leaf_id in self.vectors:
                    self.leaves.restore((record, leaf), self.vectors[leaf.leaf_id])

    def warn(self, folder: object) -> None:
        """Warn of updates that were not finished."""
        if self.unfinished:
            states = ", ".join(
                f"as {state} it for {', '.join(map(repr, sorted(names)))}"
                for state, names in sorted(self.unfinished.items(), reverse=True)
            )
            message = (
                f"{folder}: an update was not finished, and the index answers {states}; "
                "give these documents to `update`"
            )
            warnings.warn(message, stacklevel=4)


def require_document_store(store: BaseStore[str, Document]) -> None:
    """Raise an InputTypeError for a store that its class says keeps bytes."""
    bases = [base for kind in type(store).__mro__ for base in getattr(kind, "__orig_bases__", ())]
    if any(bytes in get_args(base) for base in bases):
        allowed = "a store of documents: `create_kv_docstore(store)` of langchain_classic.storage"
        raise InputTypeError("docstore", store, allowed)


class _MissingEmbedding(Embeddings):
    """In place of an embedding that is needed for changes alone."""

    def embed_documents(self, texts: list[str]) -> NoReturn:  # noqa: ARG002
        raise ConfigurationError("embedding", None, _ITS_EMBEDDING)

    def embed_query(self, text: str) -> NoReturn:  # noqa: ARG002
        raise ConfigurationError("embedding", None, _ITS_EMBEDDING)
