"""Arguments of the retriever: their types, and checks before anything is done with them."""

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
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import Relation, SearchKind

Filters = MetadataFilters | Mapping[str, str | int | float]
"""What a vector store filters by; a mapping means that all values are equal."""

_COUNTS: Final = "budget, how much is read, or fetch_k, how many leaves each search finds"
OTHER_NAMES: Final[Mapping[str, str]] = {
    "embed_model": "embedding",
    "k": _COUNTS,
    "similarity_top_k": _COUNTS,
    "top_k": _COUNTS,
    "node_parser": "parser",
    "vector_store": "vectorstore",
    "transformations": "parser",
    "chunk_size": "parser=ChunkanaNodeParser(max_chunk_size=…)",
}
"""What `ChunkanaRetriever` calls what is called otherwise in LlamaIndex."""


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
    """Return an embedding model, if it is one; None where words alone are searched."""
    if embedding is None and search == "lexical":
        return None
    if not isinstance(embedding, BaseEmbedding):
        allowed = "an embedding model of LlamaIndex's; search='lexical' needs none"
        raise ConfigurationError("embedding", embedding, allowed)
    return embedding


def require_parser(parser: object, allowed: str = "") -> ChunkanaNodeParser:
    """Return a parser of this package, by default one with default options.

    Args:
        parser: None for the default.
        allowed: what else is said of what is none.
    """
    if parser is None:
        return ChunkanaNodeParser()
    if isinstance(parser, ChunkanaNodeParser):
        return parser
    if isinstance(parser, type) and issubclass(parser, ChunkanaNodeParser):
        made = f"None or an instance of the class, with parentheses: {parser.__name__}()"
        raise InputTypeError("parser", parser, made)
    raise InputTypeError("parser", _short(parser), f"None or a ChunkanaNodeParser{allowed}")


def _short(value: object) -> object:
    """Return what stands in an error for a value that may be long."""
    return value if isinstance(value, str | int | float) else type(value)


def require_filters(filters: object) -> MetadataFilters | None:
    """Return filters, those of a mapping as equalities that all hold."""
    if filters is None or isinstance(filters, MetadataFilters):
        return filters
    if filters == {}:
        return None
    if not isinstance(filters, Mapping) or not all(map(_is_equality, filters.items())):
        allowed = 'None, MetadataFilters, or a dict of equal values, such as {"format": "markdown"}'
        raise InputTypeError("filters", filters, allowed)
    equal = FilterOperator.EQ
    return MetadataFilters(
        filters=[
            MetadataFilter(key=key, value=value, operator=equal) for key, value in filters.items()
        ]
    )


def _is_equality(item: tuple[object, object]) -> bool:
    key, value = item
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return isinstance(key, str) and is_plain


def require_relations(around: Collection[Relation]) -> tuple[Relation, ...]:
    """Return relations as a tuple; their names are checked where they are used."""
    if isinstance(around, str):
        raise InputTypeError("around", around, f"a tuple: around=({around!r},)")
    return tuple(around)
