"""The table of names by which one suite runs over both adapters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from chunkana_retrieval import UpdateReport
from tests.conformance.models import Model

Native = Any  # an object of a framework's
CHUNK_SIZE = 100


class Answer(NamedTuple):
    """What is handed over of a document.

    Attributes:
        document_id: the id of the document.
        text: the text as a language model reads it.
        metadata: its metadata.
        score: its score, None for none.
    """

    document_id: str
    text: str
    metadata: Mapping[str, Native]
    score: float | None


class Store(ABC):
    """A vector store of the caller's, which may be opened, closed and opened again.

    Attributes:
        native: the framework's object.
    """

    native: Native

    @abstractmethod
    def open(self) -> Store:
        """Open the store with the content that it had."""

    @abstractmethod
    def close(self) -> None:
        """Leave the content where it is."""

    @abstractmethod
    def ids(self) -> set[str]:
        """Return the ids of all leaves in the store."""

    @abstractmethod
    def drop(self, ids: Iterable[str]) -> None:
        """Remove leaves behind the back of the index."""

    @abstractmethod
    def add_foreign(self, text: str) -> None:
        """Put a text into the store that is of no index."""

    @abstractmethod
    def filter(self, key: str, value: str) -> Native:
        """Return the store's own filter for equal values."""


MakeStore = Callable[..., Store]


class Framework(ABC):
    """A framework, and how the suite calls its retriever.

    Attributes:
        name: the name of the framework.
        names: the framework's names of arguments by the names of the suite.
        stores: the kinds of the caller's vector stores.
        reads_metadata: whether a language model reads the caller's metadata with each passage.
    """

    name: ClassVar[str]
    names: ClassVar[Mapping[str, str]]
    stores: ClassVar[tuple[str, ...]]
    reads_metadata: ClassVar[bool]

    def __repr__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def retriever(self) -> Native:
        """The class of the retriever."""

    @abstractmethod
    def document(self, name: str, text: str, metadata: Mapping[str, object]) -> Native:
        """Return a document of the framework."""

    @abstractmethod
    def chunking(self, size: int = CHUNK_SIZE, length: Native = None) -> Native:
        """Return what splits documents; `length` returns the size of a text."""

    @abstractmethod
    def embedding(self, model: Model) -> Native:
        """Return the framework's embedding of a model."""

    @abstractmethod
    def store(self, kind: str, folder: Path, model: Model) -> Store:
        """Return a vector store, open; what is on disk is in the folder."""

    @abstractmethod
    def async_store(self, model: Model) -> Store:
        """Return a vector store in memory with an asynchronous client alone.

        Its searches wait for each other in the meeting of the model, if there is one.
        """

    def reranker(self, rank: Callable[[str], float], seen: list[tuple[str, Native]]) -> Native:
        """Return what ranks leaves by a function of their texts, and notes them with metadata."""
        raise NotImplementedError

    @abstractmethod
    def leaf_count(self, documents: Iterable[Native]) -> int:
        """Return the number of leaves that documents have."""

    @abstractmethod
    def ask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        """Return the answers to a question, with options for it alone."""

    @abstractmethod
    async def aask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        """Return the answers to a question, asynchronously."""

    @abstractmethod
    def arguments_of_store(self, store: Store, model: Model) -> dict[str, Native]:
        """Return the arguments of a retriever over a vector store of the caller's."""

    def documents(
        self, texts: Mapping[str, str], metadata: Mapping[str, object] | None = None
    ) -> list[Native]:
        """Return documents, with their names among their metadata."""
        return [
            self.document(name, text, {"source": name, "topic": name[:3], **(metadata or {})})
            for name, text in texts.items()
        ]

    def renamed(self, options: Mapping[str, object]) -> dict[str, Native]:
        """Return arguments under the framework's names."""
        return {self.names.get(name, name): value for name, value in options.items()}

    def arguments(
        self, model: Model | None, store: Store | None, options: Mapping[str, object]
    ) -> dict[str, Native]:
        """Return the arguments of `from_documents` and `load`."""
        given: dict[str, Native] = {self.names["chunking"]: self.chunking()}
        if store is not None:
            given |= self.arguments_of_store(store, model or Model())
        elif model is not None:
            given[self.names["embedding"]] = self.embedding(model)
        return given | self.renamed(options)

    def make(
        self,
        texts: Mapping[str, str],
        model: Model | None = None,
        *,
        store: Native = None,
        **options: object,
    ) -> Native:
        """Return a retriever over an index of documents."""
        given = self.arguments(model, store, options)
        return self.retriever.from_documents(self.documents(texts), **given)

    async def amake(
        self,
        texts: Mapping[str, str],
        model: Model | None = None,
        *,
        store: Native = None,
        **options: object,
    ) -> Native:
        """Do what `make` does, asynchronously."""
        given = self.arguments(model, store, options)
        return await self.retriever.afrom_documents(self.documents(texts), **given)

    def load(
        self,
        folder: Path,
        model: Model | None = None,
        *,
        store: Native = None,
        **options: object,
    ) -> Native:
        """Return a retriever over an index that exists."""
        return self.retriever.load(folder, **self.arguments(model, store, options))

    async def aload(
        self,
        folder: Path,
        model: Model | None = None,
        *,
        store: Native = None,
        **options: object,
    ) -> Native:
        """Do what `load` does, asynchronously."""
        return await self.retriever.aload(folder, **self.arguments(model, store, options))

    def update(self, retriever: Native, texts: Mapping[str, str]) -> UpdateReport:
        """Bring an index to these documents alone, also to none."""
        report: UpdateReport = (
            retriever.update(self.documents(texts), delete_missing=True)
            if texts
            else retriever.delete(retriever.document_ids())
        )
        return report

    async def aupdate(self, retriever: Native, texts: Mapping[str, str]) -> UpdateReport:
        """Do what `update` does, asynchronously."""
        report: UpdateReport = (
            await retriever.aupdate(self.documents(texts), delete_missing=True)
            if texts
            else await retriever.adelete(await retriever.adocument_ids())
        )
        return report


_FRAMEWORKS = {  # by name, the module and class, and the packages that it needs
    "plain": ("over_index", "PlainIndex", ()),
    "langchain": ("over_langchain", "LangChain", ("langchain_core", "langchain_text_splitters")),
    "llamaindex": ("over_llamaindex", "LlamaIndex", ("llama_index", "llama_index.core")),
}


def framework_of(name: str) -> Framework:
    """Return a framework by its name."""
    module, kind, _ = _FRAMEWORKS[name]
    made: Framework = getattr(import_module(f"tests.conformance.{module}"), kind)()
    return made


def frameworks() -> list[Framework]:
    """Return the frameworks that are installed, and the index without one."""
    needed = {name: packages for name, (_, _, packages) in _FRAMEWORKS.items()}
    return [
        framework_of(name) for name, packages in needed.items() if all(map(find_spec, packages))
    ]
