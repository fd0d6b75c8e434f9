"""Arguments of the retriever: their types, and checks before anything is done with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypedDict

from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_llamaindex.parsing.checks import as_list, require_nodes
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import IndexSnapshot, require_different
from chunkana_retrieval.indexing.searching import Relation, SearchKind

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


def require_embedding(embedding: object) -> BaseEmbedding:
    """Return an embedding model, if it is one."""
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


def require_none(**arguments: object) -> None:
    """Raise a ConfigurationError for what is of no use where words alone are searched."""
    for name, value in arguments.items():
        if value is not None:
            raise ConfigurationError(name, value, "None with search='lexical'; or another search")


def require_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """Return strings, if they are some and not one alone."""
    given = () if isinstance(names, str) else tuple(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise ConfigurationError(field, names, "a list of strings")
    return given


def require_documents(documents: Iterable[BaseNode]) -> list[BaseNode]:
    """Return documents, if they are LlamaIndex's and their ids differ."""
    given = as_list(documents)
    require_nodes(given)
    require_different(document.node_id for document in given)
    return given


def made_folder(folder: str | Path | None) -> Path | None:
    """Return a folder, which is made where it is missing: whether it can be is known early."""
    if folder is None:
        return None
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    return path


def saved_parts(folder: str | Path | None, options: RetrieverOptions) -> IndexSnapshot:
    """Return what a folder has of an index, if each part is there or given, and not both.

    Args:
        folder: None for an index that is in stores of the caller's alone.
        options: what is given.
    """
    saved = IndexSnapshot(None, None, None) if folder is None else IndexSnapshot.load(folder)
    has_search = options.get("search") != "lexical"
    _require_part("docstore", "records of its documents", options.get("docstore"), saved.records)
    if has_search or saved.vectors is not None:
        vectorstore = options.get("vectorstore")
        _require_part("vectorstore", "leaves", vectorstore, saved.vectors)
    return saved


def _require_part(name: str, kind: str, given: object, saved: object) -> None:
    if given is None and saved is None:
        where = "which are not in its folder"
        raise ConfigurationError(
            name, given, f"the {name} that has the {kind} of this index, {where}"
        )
    if given is not None and saved is not None:
        raise ConfigurationError(name, given, f"None: the {kind} of this index are in its folder")


def require_whole(changes: Sequence[object], *, is_partial: bool) -> None:
    """Raise a ConfigurationError where an index is to be changed whose vectors are not loaded."""
    if changes and is_partial:
        allowed = "'hybrid' or 'dense' to change this index, which has vectors: load it so"
        raise ConfigurationError("search", "lexical", allowed)
