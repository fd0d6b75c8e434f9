"""The options of the retriever: fields that can be set, and given for one question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from langchain_core.documents import BaseDocumentCompressor
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, SkipValidation

from chunkana_core import ConfigurationError
from chunkana_core.extending import require_known_arguments, require_type
from chunkana_langchain.text_splitter import ChunkanaSplitter
from chunkana_retrieval import Index, adapting

OTHER_NAMES = {**adapting.OTHER_NAMES, "reranker": "compressor"}
_QUESTION = frozenset(adapting.QuestionOptions.__annotations__)
_OPTIONS = _QUESTION | {"filter", "search_kwargs", "compressor"}
_PARTS: Mapping[str, type] = {
    "embedding": Embeddings,
    "splitter": ChunkanaSplitter,
    "vectorstore": VectorStore,
    "compressor": BaseDocumentCompressor,
}
_NEEDS_EMBEDDING = "an Embeddings, or a `vectorstore` that has one, or search='lexical'"
_NO_EMBEDDING = "None with a `vectorstore`, which embeds by its own"
_NO_STORE = "{} without a `vectorstore`"


class RetrieverOptions(adapting.QuestionOptions, BaseRetriever):
    """The fields of `ChunkanaRetriever`: its parts, and options that may differ by question."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid", protected_namespaces=())

    index: Index = Field(repr=False, exclude=True)
    """The index of the documents, which `from_documents` and `load` open."""
    embedding: Embeddings | None = Field(default=None, repr=False, exclude=True)
    """The embedding of the vectors in the index; None for vectors in a `vectorstore`, or none."""
    vectorstore: VectorStore | None = Field(default=None, repr=False, exclude=True)
    """The vector store of the chunks, which has its own embedding."""
    splitter: ChunkanaSplitter = Field(default_factory=ChunkanaSplitter, repr=False, exclude=True)
    """The splitter of documents."""
    model_name: str = ""
    """The name of the embedding model; by default that of the `embedding`, or its class."""
    filter: Any = None
    """The filter of chunks by their metadata. A dict of values, all of which a chunk must have, or
    a function of a Document with the metadata; with a `vectorstore`, a filter of that store. With a
    filter of a store, the lexical search ranks the chunks that the store finds, and adds none."""
    search_kwargs: SkipValidation[dict[str, Any]] = Field(default={})
    """Further arguments of the vector store's search."""
    compressor: SkipValidation[BaseDocumentCompressor | None] = None
    """The reranker of the found chunks, before passages are assembled from them."""

    def __init__(self, **values: Any) -> None:
        """Set the fields; the options of questions are checked by `QuestionOptions`, not Pydantic.

        Raises:
            ConfigurationError: naming the first invalid field.
        """
        super().__init__(**{name: one for name, one in values.items() if name not in _QUESTION})
        options = {name: value for name, value in values.items() if name in _QUESTION}
        vars(self).update(options)
        self.model_fields_set.update(options)
        self.require_valid()

    def require_valid(self) -> Self:
        """Return the retriever; raise a ConfigurationError that names the first invalid field."""
        super().require_valid()
        for name, part in _PARTS.items():
            require_type(name, getattr(self, name), part | None)
        if self.vectorstore is not None and self.embedding is not None:
            raise ConfigurationError("embedding", self.embedding, _NO_EMBEDDING)
        if self.search != "lexical" and self.vectorstore is None and self.embedding is None:
            raise ConfigurationError("embedding", None, _NEEDS_EMBEDDING)
        if self.search_kwargs and self.vectorstore is None:
            raise ConfigurationError("search_kwargs", self.search_kwargs, _NO_STORE)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; raise a ConfigurationError for an invalid option."""
        if name in _OPTIONS:
            self.model_copy(update={name: value}).require_valid()
        super().__setattr__(name, value)

    def for_question(self, options: dict[str, Any]) -> Self:
        """Return a copy with the options of one question."""
        require_known_arguments(options, _OPTIONS | {"verbose"}, OTHER_NAMES)
        options.pop("verbose", None)  # LangChain's
        return self.model_copy(update=options).require_valid()
