"""The types of the retriever's arguments, and the checks of their values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypedDict

from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import Relation, SearchKind

Filters = MetadataFilters | Mapping[str, str | int | float]
"""Filters of a vector store; a mapping contains the values that must be equal."""

_COUNTS: Final = "budget, the size of all passages, or fetch_k, the number of leaves of each search"
SIMILAR_NAMES: Final[Mapping[str, str]] = {
    "embed_model": "embedding",
    "k": _COUNTS,
    "similarity_top_k": _COUNTS,
    "top_k": _COUNTS,
    "node_parser": "parser",
    "vector_store": "vectorstore",
    "transformations": "parser",
    "chunk_size": "parser=ChunkanaNodeParser(max_chunk_size=…)",
}
"""The arguments of `ChunkanaRetriever` that correspond to other argument names of LlamaIndex."""


class RetrieverOptions(TypedDict, total=False):
    """The keyword arguments of `ChunkanaRetriever`."""

    parser: ChunkanaNodeParser | None
    vectorstore: BasePydanticVectorStore | None
    docstore: BaseDocumentStore | BaseKVStore | None
    search: SearchKind
    budget: float
    length_function: Callable[[str], float]
    around: Collection[Relation]
    fetch_k: int
    lexical_weight: float
    section_weight: float
    document_weight: float
    filters: Filters | None
    embedded_metadata_keys: Sequence[str]
    callback_manager: CallbackManager | None


def require_embedding(embedding: object, search: SearchKind) -> BaseEmbedding | None:
    """Return the embedding model; None is allowed only for a lexical search."""
    if embedding is None and search == "lexical":
        return None
    if not isinstance(embedding, BaseEmbedding):
        allowed = "an embedding model of LlamaIndex's; search='lexical' needs none"
        raise ConfigurationError("embedding", embedding, allowed)
    return embedding


def require_parser(parser: object, allowed: str = "") -> ChunkanaNodeParser:
    """Return the parser, by default a `ChunkanaNodeParser` with default options.

    Args:
        parser: the argument of the caller; None for the default.
        allowed: text to add to the message of the error for any other type.
    """
    if parser is None:
        return ChunkanaNodeParser()
    if isinstance(parser, ChunkanaNodeParser):
        return parser
    if isinstance(parser, type) and issubclass(parser, ChunkanaNodeParser):
        example = f"None or an instance of the class, with parentheses: {parser.__name__}()"
        raise InputTypeError("parser", parser, example)
    raise InputTypeError("parser", _abbreviate(parser), f"None or a ChunkanaNodeParser{allowed}")


def _abbreviate(value: object) -> object:
    """Return a value as an error shows it: its type if its representation may be long."""
    return value if isinstance(value, str | int | float) else type(value)


def require_filters(filters: object) -> MetadataFilters | None:
    """Return filters as `MetadataFilters`; the values of a mapping must all be equal."""
    if filters is None or isinstance(filters, MetadataFilters):
        return filters
    if filters == {}:
        return None
    if not isinstance(filters, Mapping) or not all(map(_is_equality, filters.items())):
        allowed = 'None, MetadataFilters, or a dict of equal values, such as {"format": "markdown"}'
        raise InputTypeError("filters", filters, allowed)
    return MetadataFilters(
        filters=[
            MetadataFilter(key=key, value=value, operator=FilterOperator.EQ)
            for key, value in filters.items()
        ]
    )


def _is_equality(item: tuple[object, object]) -> bool:
    key, value = item
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return isinstance(key, str) and is_plain


def require_relations(around: Collection[Relation]) -> tuple[Relation, ...]:
    """Return relations as a tuple; `ReadingOptions` checks their names."""
    if isinstance(around, str):
        raise InputTypeError("around", around, f"a tuple: around=({around!r},)")
    return tuple(around)
