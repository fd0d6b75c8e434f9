"""A retriever over an index: how it is made, loaded and brought up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, model_validator

from chunkana_core import ConfigurationError
from chunkana_langchain.indexing.index import DocumentIndex
from chunkana_langchain.indexing.opening import IndexParts
from chunkana_langchain.splitting.splitter import ChunkanaSplitter, splitter_arguments
from chunkana_retrieval.checks import names_of, require_known
from chunkana_retrieval.indexing import UpdateReport

_MADE = "one over an index: make the retriever with `from_documents` or `load`"


class IndexedRetriever(BaseRetriever):
    """What retrievers have in common that `from_documents` and `load` make."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    with_parents: ClassVar[bool] = False
    other_names: ClassVar[Mapping[str, str]] = {}
    """What arguments are called here that are called otherwise in LangChain."""

    index: DocumentIndex | None = Field(default=None, repr=False, exclude=True)
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
        parts = cls._parts(embedding, splitter, vectorstore, docstore, folder, options)
        index = parts.open()
        made = cls._over(index, parts, options)
        index.update(documents, is_new=True)
        return made

    @classmethod
    async def afrom_documents(
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
        """Index documents as `from_documents` does, asynchronously."""
        parts = cls._parts(embedding, splitter, vectorstore, docstore, folder, options)
        index = await parts.aopen()
        made = cls._over(index, parts, options)
        await index.aupdate(documents, is_new=True)
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
        parts = cls._parts(embedding, splitter, vectorstore, docstore, folder, options)
        return cls._over(parts.load(), parts, options)

    @classmethod
    async def aload(
        cls,
        folder: str | Path,
        embedding: Embeddings | None = None,
        *,
        splitter: ChunkanaSplitter | None = None,
        vectorstore: VectorStore | None = None,
        docstore: BaseStore[str, Document] | None = None,
        **options: Any,
    ) -> Self:
        """Return what `load` returns, asynchronously."""
        parts = cls._parts(embedding, splitter, vectorstore, docstore, folder, options)
        return cls._over(await parts.aload(), parts, options)

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
        return self._known_index().update(documents, delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[Document], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Do what `update` does, asynchronously."""
        return await self._known_index().aupdate(documents, delete_missing=delete_missing)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; what is not in the index is no error."""
        return self._known_index().update([], _names(document_ids))

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; what is not in the index is no error."""
        return await self._known_index().aupdate([], _names(document_ids))

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index, by which they are deleted."""
        return self._known_index().stores.records.names()

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `document_ids` does."""
        return await self._known_index().stores.records.anames()

    @classmethod
    def _over(cls, index: DocumentIndex, parts: IndexParts, options: Mapping[str, Any]) -> Self:
        """Return a retriever over an index."""
        del parts
        return cls(index=index, **options)

    @classmethod
    def _search_kind(cls, options: Mapping[str, Any]) -> str:
        """Return which searches the index is for."""
        raise NotImplementedError

    @classmethod
    def _parts(
        cls,
        embedding: Embeddings | None,
        splitter: ChunkanaSplitter | None,
        vectorstore: VectorStore | None,
        docstore: BaseStore[str, Document] | None,
        folder: str | Path | None,
        options: Mapping[str, Any],
    ) -> IndexParts:
        allowed = {*names_of(cls.from_documents), *cls.model_fields} - {"index", "documents"}
        of_splitter = {
            name: f"splitter=ChunkanaSplitter({name}=…)" for name in splitter_arguments()
        }
        require_known(options, allowed, {**of_splitter, **cls.other_names})
        search = cls._search_kind(options)
        return IndexParts(
            embedding, splitter, vectorstore, docstore, folder, search, cls.with_parents
        )

    def _known_index(self) -> DocumentIndex:
        """Return the index.

        Raises:
            ConfigurationError: if the retriever is over other stores.
        """
        if self.index is None:
            raise ConfigurationError("index", None, _MADE)
        return self.index


def _names(document_ids: Iterable[str]) -> list[str]:
    """Return ids as a list; a str is a mistake, and no list of its letters."""
    names = [*document_ids]
    if isinstance(document_ids, str) or not all(isinstance(name, str) for name in names):
        raise ConfigurationError("document_ids", document_ids, "a list of str")
    return names
