"""The options of the retriever: fields that can be set, and given for one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, TypeVar, get_args

from langchain_core.documents import BaseDocumentCompressor
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, SkipValidation

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_core.extending import require_choice, require_known
from chunkana_langchain.text_splitter import ChunkanaSplitter
from chunkana_retrieval import Index, MergingOptions, ReadingOptions, SearchOptions
from chunkana_retrieval.checks import names_of
from chunkana_retrieval.index import Order, Relation, SearchKind

T = TypeVar("T")
Returns = Literal["passages", "parents"]
OTHER_NAMES = {"reranker": "compressor", "top_k": "k"}  # names that other retrievers use
_SEARCHING, _READING = SearchOptions(), ReadingOptions()
_FIELDS: Mapping[type, list[str]] = {
    kind: names_of(kind) for kind in (SearchOptions, ReadingOptions, MergingOptions)
}
_OPTIONS = {"returns", "filter", "search_kwargs", "compressor"}.union(*_FIELDS.values())
_PARTS: Mapping[str, type] = {
    "embedding": Embeddings,
    "splitter": ChunkanaSplitter,
    "vectorstore": VectorStore,
    "compressor": BaseDocumentCompressor,
}
_NEEDS_EMBEDDING = "an Embeddings, or a `vectorstore` that has one, or search='lexical'"
_NO_EMBEDDING = "None with a `vectorstore`, which embeds by its own"
_NO_STORE = "{} without a `vectorstore`"


class RetrieverOptions(BaseRetriever):
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
    search: SkipValidation[SearchKind] = _SEARCHING.search
    """The kind of search: "dense" (by vectors), "lexical" (by words) or "hybrid" (by both)."""
    fetch_k: SkipValidation[int] = _SEARCHING.fetch_k
    """The number of chunks that each search finds."""
    lexical_weight: SkipValidation[float] = _SEARCHING.lexical_weight
    """The weight of the lexical scores in a hybrid search."""
    section_weight: SkipValidation[float] = _SEARCHING.section_weight
    """The weight of the best score of a chunk's section, relative to its own; 0 to ignore it."""
    document_weight: SkipValidation[float] = _SEARCHING.document_weight
    """The weight of the best score of a chunk's document, relative to its own; 0 to ignore it."""
    min_score: SkipValidation[float | None] = None
    """The least cosine similarity of a chunk to the question; None for any."""
    filter: Any = None
    """The filter of chunks by their metadata. A dict of values, all of which a chunk must have, or
    a function of a Document with the metadata; with a `vectorstore`, a filter of that store. With a
    filter of a store, the lexical search ranks the chunks that the store finds, and adds none."""
    search_kwargs: SkipValidation[dict[str, Any]] = Field(default={})
    """Further arguments of the vector store's search."""
    compressor: SkipValidation[BaseDocumentCompressor | None] = None
    """The reranker of the found chunks, before passages are assembled from them."""
    returns: SkipValidation[Returns] = "passages"
    """What is returned: "passages" within the budget, or "parents": chunks, which are replaced by
    their parent if enough of its children were found."""
    k: SkipValidation[int | None] = None
    """The largest number of passages, the best first; None for no limit, and for 4 parents."""
    budget: SkipValidation[float] = _READING.budget
    """The largest size of all page contents, joined by blank lines; parents have no budget."""
    length_function: SkipValidation[Callable[[str], float]] = len
    """The function that returns the size of a text, by default in characters."""
    around: SkipValidation[tuple[Relation, ...]] = ()
    """The relations by which further chunks are added after all found chunks, the nearest first:
    "parent" for those directly in the section around a chunk's section, "siblings" for those of its
    own and of sibling sections, "children" for those of its direct subsections."""
    order: SkipValidation[Order] = _READING.order
    """The order of passages: "score" for the best first, or "document" for that in documents."""
    ratio: SkipValidation[float] = 0.5
    """The ratio of found children above which a parent replaces its children."""
    max_parent_size: SkipValidation[int | None] = None
    """The size limit of parents, in characters of their text; None for no limit."""

    def model_post_init(self, context: Any, /) -> None:
        """Check all fields when an object is made."""
        super().model_post_init(context)
        self.require_valid()

    def require_valid(self) -> Self:
        """Return the retriever; raise a ConfigurationError that names the first invalid field."""
        for kind in _FIELDS:
            self.options_of(kind)
        require_choice("returns", self.returns, get_args(Returns))
        for name, part in _PARTS.items():
            if not isinstance(given := getattr(self, name), part | None):
                raise InputTypeError(name, given, f"None or {part.__name__}")
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

    def options_of(self, kind: type[T]) -> T:
        """Return options of an index with the values of the fields of the same names."""
        values = {name: getattr(self, name) for name in _FIELDS[kind]}
        return kind(**{name: one for name, one in values.items() if (name, one) != ("k", None)})

    def for_question(self, options: dict[str, Any]) -> Self:
        """Return a copy with the options of one question."""
        require_known(options, _OPTIONS | {"verbose"}, OTHER_NAMES)
        options.pop("verbose", None)  # LangChain's
        return self.model_copy(update=options).require_valid()
