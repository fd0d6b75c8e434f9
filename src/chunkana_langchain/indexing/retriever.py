"""A retriever over an index: how it is made, loaded and brought up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, model_validator

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_langchain.indexing.documents import SplitterIndex
from chunkana_langchain.indexing.embeddings import CachedEmbeddings
from chunkana_langchain.indexing.leaves import LeafStore, MemoryLeaves
from chunkana_langchain.indexing.records import StoredRecords
from chunkana_langchain.splitting.splitter import ChunkanaSplitter, splitter_arguments
from chunkana_retrieval.checks import names_of, require_known, require_names
from chunkana_retrieval.indexing import (
    RankingOptions,
    SearchKind,
    UpdateReport,
    run,
    run_async,
)

_MADE = "one over an index: make the retriever with `from_documents` or `load`"
_EMBEDDING = "an Embeddings, or a `vectorstore` that has one, or search='lexical'"
_ITS_EMBEDDING = "the embedding that the folder's vectors were made with"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "embedding": (Embeddings,),
    "splitter": (ChunkanaSplitter,),
    "vectorstore": (VectorStore,),
    "docstore": (BaseStore,),
    "folder": (str, Path),
}


class IndexedRetriever(BaseRetriever):
    """What retrievers have in common that `from_documents` and `load` make."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    with_parents: ClassVar[bool] = False
    other_names: ClassVar[Mapping[str, str]] = {}
    """What arguments are called here that are called otherwise in LangChain."""

    index: SplitterIndex | None = Field(default=None, repr=False, exclude=True)
    """What is searched; `from_documents` and `load` make it."""

    @model_validator(mode="before")
    @classmethod
    def _require_known(cls, values: Any) -> Any:
        if isinstance(values, dict):
            fields = cls.model_fields.keys() - {"index"}
            opening = names_of(cls.from_documents)
            of_opening = {name: f"from_documents(…, {name}=…)" for name in opening}
            require_known(values.keys() - {"index"}, fields, {**of_opening, **cls.other_names})
        return values

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        embedding: Embeddings | None = None,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        docstore: BaseStore[str, Document] | None = None,
        folder: str | Path | None = None,
        **options: Any,
    ) -> Self:
        """Index documents, and return a retriever over them.

        Over stores that have documents of an index already, this is `update`.

        Args:
            documents: whole ones, as a loader returns them.
            embedding: of the vector store in memory; needed unless `vectorstore` is given or the
                search is lexical.
            splitter: how to split; by default `ChunkanaSplitter()`.
            vectorstore: where chunks go, embedded by its own embedding; by default it is in
                memory, and no text is embedded twice.
            docstore: where texts of documents and places of chunks go; by default in memory.
            folder: where what is in memory is saved now and after each update, in place of what
                is there, for `load`.
            options: of the retriever.

        Raises:
            ConfigurationError: naming the argument, before anything is embedded.
        """
        parts = {"splitter": splitter, "vectorstore": vectorstore, "docstore": docstore}
        made, index = cls._over(embedding, folder, {**parts, **options})
        index.make(index.sources(documents))
        return made

    @classmethod
    async def afrom_documents(
        cls, documents: Iterable[Document], embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Index documents as `from_documents` does, with its options, asynchronously."""
        made, index = cls._over(embedding, options.pop("folder", None), options)
        await index.amake(index.sources(documents))
        return made

    @classmethod
    def load(
        cls,
        folder: str | Path,
        embedding: Embeddings | None = None,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        docstore: BaseStore[str, Document] | None = None,
        **options: Any,
    ) -> Self:
        """Return a retriever over what was saved in a folder; updates are saved there again.

        Args:
            folder: that was given to `from_documents`.
            embedding: the same as then.
            splitter: the same as then, for updates; with another, these index all anew.
            vectorstore: the one that was given then, with what it had.
            docstore: the one that was given then, with what it had.
            options: of the retriever.

        Raises:
            IndexFileError: naming the file, if it is damaged or of another version.
            ConfigurationError: for a part that is missing.
            OSError: if the folder cannot be read.
        """
        parts = {"splitter": splitter, "vectorstore": vectorstore, "docstore": docstore}
        made, index = cls._over(embedding, folder, {**parts, **options})
        index.load()
        return made

    @classmethod
    async def aload(
        cls, folder: str | Path, embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Return what `load` returns, with its options, asynchronously."""
        made, index = cls._over(embedding, folder, options)
        await index.aload()
        return made

    def update(
        self, documents: Iterable[Document], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Bring the index to today's documents; what did not change costs nothing.

        Args:
            documents: whole ones, those that changed and any others.
            delete_missing: whether documents that are not among them are deleted; an error where
                no documents are given.

        Returns:
            Which documents were added, changed and deleted.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
            IndexFileError: if another has written the folder's file since it was loaded, before
                anything is changed or embedded; `load` it again.
        """
        index = self._known_index()
        return index.update(index.sources(documents), delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[Document], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Do what `update` does, asynchronously."""
        index = self._known_index()
        return await index.aupdate(index.sources(documents), delete_missing=delete_missing)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; what is not in the index is no error."""
        names = require_names("document_ids", document_ids)
        index = self._known_index()
        return index.update(index.sources([]), names)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; what is not in the index is no error."""
        names = require_names("document_ids", document_ids)
        index = self._known_index()
        return await index.aupdate(index.sources([]), names)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index, by which they are deleted."""
        return run(self._known_index().stores.records.names())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `document_ids` does."""
        return await run_async(self._known_index().stores.records.names())

    @classmethod
    def _over(
        cls, embedding: Embeddings | None, folder: str | Path | None, options: Mapping[str, Any]
    ) -> tuple[Self, SplitterIndex]:
        """Check all arguments; return a retriever over an index that is to be made or loaded."""
        allowed = {*names_of(cls.from_documents), *cls.model_fields} - {"index", "documents"}
        of_splitter = {
            name: f"splitter=ChunkanaSplitter({name}=…)" for name in splitter_arguments()
        }
        require_known(options, allowed, {**of_splitter, **cls.other_names})
        given = {"embedding": embedding, "folder": folder, **options}
        parts = {name: given.pop(name, None) for name in _KINDS}
        search = cls._search_kind(given)
        for name, value in parts.items():
            if value is not None and not isinstance(value, _KINDS[name]):
                names = " or ".join(kind.__name__ for kind in _KINDS[name])
                raise InputTypeError(name, value, f"None or {names}")
        docstore, splitter = parts["docstore"], parts["splitter"]
        records = None if docstore is None else StoredRecords(require_document_store(docstore))
        index = SplitterIndex(
            _leaf_store(parts["vectorstore"], embedding, search),
            records,
            folder,
            search,
            splitter or ChunkanaSplitter(),
            with_parents=cls.with_parents,
        )
        return cls(index=index, **given), index

    @classmethod
    def _search_kind(cls, options: Mapping[str, Any]) -> SearchKind:
        """Return which searches the index is for."""
        return RankingOptions(options.get("search", "hybrid")).search

    def _known_index(self) -> SplitterIndex:
        """Return the index.

        Raises:
            ConfigurationError: if the retriever is over other stores.
        """
        if self.index is None:
            raise ConfigurationError("index", None, _MADE)
        return self.index


def require_document_store(store: BaseStore[str, Document]) -> BaseStore[str, Document]:
    """Return a store; raise an InputTypeError for one that its class says keeps bytes."""
    bases = [base for kind in type(store).__mro__ for base in getattr(kind, "__orig_bases__", ())]
    if any(bytes in get_args(base) for base in bases):
        allowed = "a store of documents: `create_kv_docstore(store)` of langchain_classic.storage"
        raise InputTypeError("docstore", store, allowed)
    return store


def _leaf_store(
    vectorstore: VectorStore | None, embedding: Embeddings | None, search: SearchKind
) -> LeafStore:
    if vectorstore is not None and embedding is not None:
        allowed = "None with a `vectorstore`, which embeds by its own"
        raise ConfigurationError("embedding", embedding, allowed)
    if vectorstore is not None:
        return LeafStore(vectorstore)
    if embedding is None and search != "lexical":
        raise ConfigurationError("embedding", None, _EMBEDDING)
    return MemoryLeaves(CachedEmbeddings(embedding or _MissingEmbedding()))


class _MissingEmbedding(Embeddings):
    """In place of an embedding that is needed for changes alone."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:  # noqa: ARG002
        raise ConfigurationError("embedding", None, _ITS_EMBEDDING)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
