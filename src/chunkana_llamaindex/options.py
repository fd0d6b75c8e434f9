"""The options of the retriever: their defaults, and their checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, Literal, TypeVar, get_args

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core.extending import require_choice, require_each, require_type
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.vector_store import Filters, require_filters, require_usable
from chunkana_retrieval import MergingOptions, ReadingOptions, SearchOptions
from chunkana_retrieval.index import Order, Relation, SearchKind

_Kind = TypeVar("_Kind", SearchOptions, ReadingOptions, MergingOptions)
Returns = Literal["passages", "parents"]
_COUNTS: Final = "k, the number of results, or fetch_k, the number of leaves of each search"
SIMILAR_NAMES: Final[Mapping[str, str]] = {
    "chunk_size": "node_parser=ChunkanaNodeParser(max_chunk_size=…)",
    "embedding": "embed_model",
    "score_threshold": "min_score",
    "similarity_cutoff": "min_score",
    "similarity_top_k": _COUNTS,
    "simple_ratio_thresh": "ratio",
    "top_k": _COUNTS,
    "transformations": "node_parser",
}


class QuestionOptions:
    """The options of a question, as attributes with their defaults."""

    search: SearchKind = SearchOptions().search
    """The kind of search: "dense" (by embeddings), "lexical" (by words) or "hybrid" (by both)."""
    filters: Filters | None = None
    """Filters of metadata, or a dict of values that must be equal. With those of a vector store,
    words only rank the leaves that the store finds."""
    fetch_k: int = SearchOptions().fetch_k
    """The number of leaves that each search finds."""
    lexical_weight: float = SearchOptions().lexical_weight
    """The weight of the lexical scores in a hybrid search, from 0 to 1."""
    section_weight: float = SearchOptions().section_weight
    """The weight of the best score in the section of a leaf."""
    document_weight: float = SearchOptions().document_weight
    """The weight of the best score in the document of a leaf."""
    min_score: float | None = None
    """The least cosine similarity of a leaf to the question; None for any."""
    node_postprocessors: Sequence[BaseNodePostprocessor] = ()
    """Postprocessors, such as a reranker, of the leaves that were found."""
    returns: Returns = "passages"
    """What is returned: passages within the budget, or "parents" in place of their leaves."""
    k: int | None = None
    """The largest number of results, the best first; None for any number, or for 4 parents."""
    budget: float = ReadingOptions().budget
    """The size limit of all passages together."""
    length_function: Callable[[str], float] = len
    """Returns the size of a text; by default in characters."""
    around: Collection[Relation] = ()
    """Leaves to add if there is room, after all hits: "parent", "siblings" and "children"."""
    order: Order = ReadingOptions().order
    """The order of passages: by "document" and position, or by "score"."""
    ratio: float = MergingOptions().ratio
    """A parent replaces its children if more than this ratio of them was found."""
    max_parent_size: int | None = None
    """The size limit of parents, in characters; None for no limit."""

    def options_of(self, kind: type[_Kind]) -> _Kind:
        """Return the attributes that are options of a kind; None is the default of the kind."""
        values = {one.name: getattr(self, one.name) for one in fields(kind)}
        return kind(**{name: value for name, value in values.items() if value is not None})

    def set_options(self, options: Mapping[str, Any]) -> None:
        """Set attributes, and check all of them.

        Raises:
            ConfigurationError: naming the attribute.
        """
        vars(self).update(options)
        self.options_of(SearchOptions)
        self.options_of(ReadingOptions)
        self.options_of(MergingOptions)
        require_choice("returns", self.returns, get_args(Returns))
        require_filters(self.filters)
        for number, one in enumerate(self.node_postprocessors):
            name = f"node_postprocessors[{number}]"
            require_type(name, one, BaseNodePostprocessor, "a postprocessor of LlamaIndex's")


class RetrieverOptions(QuestionOptions):
    """The options of a retriever, as attributes with their defaults."""

    embed_model: BaseEmbedding | None = None
    """The embedding model; by default that of `Settings`, where vectors are needed."""
    model_name: str = ""
    """The name of the embedding model, if the model does not have one."""
    node_parser: ChunkanaNodeParser | None = None
    """The parser of the documents; None for one with default options."""
    vector_store: BasePydanticVectorStore | None = None
    """The store of the leaves; None to keep their vectors in the index."""
    embedded_metadata_keys: Sequence[str] = ()
    """The keys of the documents' metadata that are embedded with each chunk."""
    show_progress: bool = False
    """Whether updates show their progress."""

    def set_options(self, options: Mapping[str, Any]) -> None:
        """Set attributes, and check all of them."""
        super().set_options(options)
        model, parser = self.embed_model, self.node_parser
        if model is not None:
            require_type("embed_model", model, BaseEmbedding, "an embedding model of LlamaIndex's")
        if parser is not None:
            require_type("node_parser", parser, ChunkanaNodeParser, "a ChunkanaNodeParser(…)")
        if self.vector_store is not None:
            require_usable(self.vector_store)
        require_each("embedded_metadata_keys", self.embedded_metadata_keys, str, "a list of str")


QUESTION_OPTIONS: Final = frozenset(QuestionOptions.__annotations__)
RETRIEVER_OPTIONS: Final = QUESTION_OPTIONS.union(
    RetrieverOptions.__annotations__,
    ("folder", "must_exist", "tokenize", "timeout", "callback_manager"),
)
