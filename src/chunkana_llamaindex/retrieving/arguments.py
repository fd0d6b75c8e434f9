"""Arguments of the retriever: their types, and checks before anything is done with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TypedDict

from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.vector_stores import MetadataFilters
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import IndexSnapshot, require_different
from chunkana_retrieval.indexing.searching import Relation, SearchKind


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
    filters: MetadataFilters | None
    embedded_metadata_keys: Sequence[str]
    callback_manager: CallbackManager | None


def require_embedding(embedding: object) -> BaseEmbedding:
    """Return an embedding model, if it is one."""
    if not isinstance(embedding, BaseEmbedding):
        allowed = "an embedding model of LlamaIndex's; search='lexical' needs none"
        raise ConfigurationError("embedding", embedding, allowed)
    return embedding


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
    given = [*documents]
    for document in given:
        if not isinstance(document, BaseNode):
            raise ConfigurationError("documents", document, "LlamaIndex's documents")
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
