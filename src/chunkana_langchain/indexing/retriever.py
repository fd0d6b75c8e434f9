"""The base class of retrievers over an index: creation, loading, updates and deletion."""

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
from chunkana_langchain.text_splitter import ChunkanaSplitter, splitter_arguments
from chunkana_retrieval.checks import names_of, require_known, require_names
from chunkana_retrieval.indexing import (
    RankingOptions,
    SearchKind,
    UpdateReport,
    run,
    run_async,
)

_NEEDS_INDEX = "one over an index: make the retriever with `from_documents` or `load`"
_NEEDS_EMBEDDING = "an Embeddings, or a `vectorstore` that has one, or search='lexical'"
_SAME_EMBEDDING = "the embedding that the folder's vectors were made with"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "embedding": (Embeddings,),
    "splitter": (ChunkanaSplitter,),
    "vectorstore": (VectorStore,),
    "docstore": (BaseStore,),
    "folder": (str, Path),
}


class IndexedRetriever(BaseRetriever):
    """The base class of retrievers over an index, which `from_documents` and `load` create."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    with_parents: ClassVar[bool] = False
    other_names: ClassVar[Mapping[str, str]] = {}
    """The arguments to use instead of names that other LangChain classes use."""

    index: SplitterIndex | None = Field(default=None, repr=False, exclude=True)
    """The index to search, which `from_documents` and `load` create."""

    @model_validator(mode="before")
    @classmethod
    def _require_known(cls, values: Any) -> Any:
        if isinstance(values, dict):
            fields = cls.model_fields.keys() - {"index"}
            arguments = names_of(cls.from_documents)
            others = {name: f"from_documents(…, {name}=…)" for name in arguments}
            require_known(values.keys() - {"index"}, fields, {**others, **cls.other_names})
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

        If the stores already contain an index, they are updated as by `update`.

        Args:
            documents: whole documents, as a loader returns them.
            embedding: the embedding of the vector store in memory; required unless `vectorstore` is
                given or the search is lexical.
            splitter: the splitter of the documents; by default `ChunkanaSplitter()`.
            vectorstore: the store of chunks, which uses its own embedding; by default a store in
                memory, which embeds no text twice.
            docstore: the store of the records of documents; by default in memory.
            folder: the folder in which everything in memory is saved for `load`, now and after each
                update, replacing an index there.
            options: options of the retriever.

        Raises:
            ConfigurationError: naming the argument, before anything is embedded.
        """
        parts = {"splitter": splitter, "vectorstore": vectorstore, "docstore": docstore}
        retriever, index = cls._create(embedding, folder, {**parts, **options})
        index.make(index.sources(documents))
        return retriever

    @classmethod
    async def afrom_documents(
        cls, documents: Iterable[Document], embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Index documents asynchronously; for the options see `from_documents`."""
        retriever, index = cls._create(embedding, options.pop("folder", None), options)
        await index.amake(index.sources(documents))
        return retriever

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
        """Return a retriever over the index saved in a folder; updates are saved there again.

        Args:
            folder: the folder that was passed to `from_documents`.
            embedding: the same embedding as for `from_documents`.
            splitter: the same splitter as for `from_documents`, for updates; with another splitter,
                an update indexes all documents again.
            vectorstore: the vector store that was passed to `from_documents`, with its content.
            docstore: the document store that was passed to `from_documents`, with its content.
            options: options of the retriever.

        Raises:
            IndexFileError: naming the file, if it is damaged or of another version.
            ConfigurationError: for a missing store or embedding.
            OSError: if the folder cannot be read.
        """
        parts = {"splitter": splitter, "vectorstore": vectorstore, "docstore": docstore}
        retriever, index = cls._create(embedding, folder, {**parts, **options})
        index.load()
        return retriever

    @classmethod
    async def aload(
        cls, folder: str | Path, embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Load the index in a folder asynchronously; for the options see `load`."""
        retriever, index = cls._create(embedding, folder, options)
        await index.aload()
        return retriever

    def update(
        self, documents: Iterable[Document], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Index new and changed documents; unchanged documents are skipped.

        Args:
            documents: whole documents, the changed ones and any others.
            delete_missing: whether to delete all documents of the index that are not in
                `documents`; an error if `documents` is empty.

        Returns:
            A report of the documents that were added, changed and deleted.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
            IndexFileError: if another writer has replaced the file in the folder since it was
                loaded, before anything is changed or embedded; `load` it again.
        """
        index = self._require_index()
        return index.update(index.sources(documents), delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[Document], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Index new and changed documents asynchronously, see `update`."""
        index = self._require_index()
        return await index.aupdate(index.sources(documents), delete_missing=delete_missing)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; unknown ids are ignored."""
        names = require_names("document_ids", document_ids)
        index = self._require_index()
        return index.update(index.sources([]), names)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids asynchronously; unknown ids are ignored."""
        names = require_names("document_ids", document_ids)
        index = self._require_index()
        return await index.aupdate(index.sources([]), names)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `delete` accepts them."""
        return run(self._require_index().stores.records.names())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index asynchronously."""
        return await run_async(self._require_index().stores.records.names())

    @classmethod
    def _create(
        cls, embedding: Embeddings | None, folder: str | Path | None, options: Mapping[str, Any]
    ) -> tuple[Self, SplitterIndex]:
        """Check all arguments; return a retriever and its index, which is still empty."""
        allowed = {*names_of(cls.from_documents), *cls.model_fields} - {"index", "documents"}
        others = {name: f"splitter=ChunkanaSplitter({name}=…)" for name in splitter_arguments()}
        require_known(options, allowed, {**others, **cls.other_names})
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
        """Return the kind of search that the index has to support."""
        return RankingOptions(options.get("search", "hybrid")).search

    def _require_index(self) -> SplitterIndex:
        """Return the index.

        Raises:
            ConfigurationError: if the retriever has no index.
        """
        if self.index is None:
            raise ConfigurationError("index", None, _NEEDS_INDEX)
        return self.index


def require_document_store(store: BaseStore[str, Document]) -> BaseStore[str, Document]:
    """Return a store; raise an InputTypeError if its class is declared as a store of bytes."""
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
        raise ConfigurationError("embedding", None, _NEEDS_EMBEDDING)
    return MemoryLeaves(CachedEmbeddings(embedding or _MissingEmbedding()))


class _MissingEmbedding(Embeddings):
    """A placeholder for an omitted embedding, which raises an error if it is used."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:  # noqa: ARG002
        raise ConfigurationError("embedding", None, _SAME_EMBEDDING)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
