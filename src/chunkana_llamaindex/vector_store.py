"""A LlamaIndex vector store as the store of an index's leaves, its search, and filters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from llama_index.core.schema import NodeRelationship, ObjectType, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from pydantic import ValidationError

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_retrieval.adapting import LoopRunner
from chunkana_retrieval.index import DocumentLeaf, Embedder, StoreHit

try:
    from llama_index.core.vector_stores.utils import build_metadata_filter_fn
except ImportError:  # LlamaIndex 0.13
    from llama_index.core.vector_stores.simple import (  # type: ignore[attr-defined,no-redef]
        _build_metadata_filter_fn as build_metadata_filter_fn,
    )

Filters = MetadataFilters | Mapping[str, str | int | float]
"""Filters of metadata; a mapping contains the values that must be equal."""

LEAF_ID: Final = "chunkana_leaf_id"  # a metadata key, for stores that assign other ids to nodes
_SCALARS: Final = (str, int, float, type(None))
_USABLE: Final = "a vector store that keeps nodes and deletes them by their ids, as Qdrant does"
_FILTERS: Final = 'None, MetadataFilters, or a dict of equal values, such as {"format": "markdown"}'


@dataclass(frozen=True, slots=True)
class VectorStoreLeaves:
    """The leaves of an index in the caller's vector store, a `LeafStore`.

    Attributes:
        store: the vector store.
        embedder: the embedding model.
        run: runs coroutines on the caller's event loop; None to call synchronous methods.
    """

    store: BasePydanticVectorStore
    embedder: Embedder
    run: LoopRunner | None = None

    def add(self, leaves: Sequence[DocumentLeaf]) -> None:
        """Embed leaves, each text once, and store them."""
        texts = [_encodable(record.embedded(leaf)) for record, leaf in leaves]
        vectors = self.embedder.vectors({text.encode(): text for text in texts}, 0)
        nodes = [
            self._node(leaf, text, np.frombuffer(vectors[text.encode()], "<f4").tolist())
            for leaf, text in zip(leaves, texts, strict=True)
        ]
        self._call("add", "async_add", nodes)

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves by their ids; unknown ids are ignored."""
        if self._has_collection():
            self._call("delete_nodes", "adelete_nodes", [*leaf_ids])

    def missing(self, leaf_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids that the store lacks; none if it cannot tell."""
        if isinstance(self.store, SimpleVectorStore):
            return [name for name in leaf_ids if name not in self.store.data.embedding_dict]
        try:
            found = self._has_collection() and self._call("get_nodes", "aget_nodes", [*leaf_ids])
        except NotImplementedError:
            return ()
        known = {node.metadata.get(LEAF_ID, node.node_id) for node in found or ()}
        return [name for name in leaf_ids if name not in known]

    def _has_collection(self) -> bool:
        if self.run is None or not _is_async(self.store, "async_add"):
            return _has_collection(self.store)
        return self.run(_ahas_collection, self.store)

    def _call(self, name: str, async_name: str, nodes_or_ids: Sequence[object]) -> Any:
        """Call a method of the store, or its asynchronous form on the caller's event loop."""
        if self.run is None or not _is_async(self.store, async_name):
            return getattr(self.store, name)(nodes_or_ids)
        return self.run(getattr(self.store, async_name), nodes_or_ids)

    def _node(self, leaf: DocumentLeaf, text: str, vector: list[float]) -> TextNode:
        """Return the node of a leaf, without metadata that depend on the text above it."""
        document, record = leaf
        is_flat = bool(getattr(self.store, "flat_metadata", False))
        metadata = {
            key: _encodable(value) if isinstance(value, str) else value
            for key, value in {**record.metadata, **document.metadata}.items()
            if not is_flat or isinstance(value, _SCALARS)
        }
        source = RelatedNodeInfo(node_id=document.document_id, node_type=ObjectType.DOCUMENT)
        return TextNode(
            id_=record.leaf_id,
            text=text if self.store.stores_text else "",
            embedding=vector,
            metadata={**metadata, LEAF_ID: record.leaf_id},
            relationships={NodeRelationship.SOURCE: source},
        )


def find_leaves(store: BasePydanticVectorStore, query: VectorStoreQuery) -> list[StoreHit]:
    """Return the leaves that a vector store finds, the best first."""
    return _store_hits(store.query(query), store) if _has_collection(store) else []


async def afind_leaves(store: BasePydanticVectorStore, query: VectorStoreQuery) -> list[StoreHit]:
    """Return the leaves that a vector store finds, see `find_leaves`."""
    if not _is_async(store, "aquery"):
        return await asyncio.to_thread(find_leaves, store, query)
    return _store_hits(await store.aquery(query), store) if await _ahas_collection(store) else []


def _store_hits(result: VectorStoreQueryResult, store: Any) -> list[StoreHit]:
    if result.nodes is None:  # of a `SimpleVectorStore`
        sources = store.data.text_id_to_ref_doc_id
        names = [(sources.get(leaf_id, ""), leaf_id) for leaf_id in result.ids or []]
    else:
        nodes = result.nodes
        names = [(str(n.ref_doc_id), str(n.metadata.get(LEAF_ID, n.node_id))) for n in nodes]
    scores: Sequence[float | None] = result.similarities or [None] * len(names)
    return [StoreHit(*name, score) for name, score in zip(names, scores, strict=False)]


def _has_collection(store: Any) -> bool:
    """Return whether a store has a collection; Qdrant's is made when nodes are first added."""
    exists = getattr(store.client, "collection_exists", None)
    return exists is None or bool(exists(store.collection_name))


async def _ahas_collection(store: Any) -> bool:
    exists = getattr(store, "_acollection_exists", None)  # there is no public equivalent
    return exists is None or bool(await exists(store.collection_name))


def _is_async(store: BasePydanticVectorStore, name: str) -> bool:
    """Return whether a method of a store is asynchronous; Qdrant's needs a client that is."""
    has_client = getattr(store, "_aclient", store) is not None
    return has_client and is_overridden(store, name, BasePydanticVectorStore)


def is_overridden(instance: object, name: str, base: type) -> bool:
    """Return whether a class overrides a method of LlamaIndex's base class.

    The asynchronous methods of the base classes call the synchronous ones, and so block the loop.
    """
    return getattr(type(instance), name) is not getattr(base, name)


def require_usable(store: object) -> None:
    """Raise a ConfigurationError for a store that cannot store or delete nodes by their ids."""
    has_nodes = isinstance(store, SimpleVectorStore) or getattr(store, "stores_text", False)
    is_store = isinstance(store, BasePydanticVectorStore)
    if not (
        has_nodes and is_store and is_overridden(store, "delete_nodes", BasePydanticVectorStore)
    ):
        raise ConfigurationError("vector_store", store, _USABLE)


def _encodable(text: str) -> str:
    """Return a text with each lone surrogate, which vector stores reject, replaced by "?"."""
    return text.encode("utf-8", "replace").decode()


def require_filters(filters: Filters | None) -> MetadataFilters | None:
    """Return filters as `MetadataFilters`; the values of a mapping must all be equal."""
    if filters is None or isinstance(filters, MetadataFilters):
        return filters
    try:
        equal = MetadataFilters(
            filters=[MetadataFilter(key=key, value=value) for key, value in filters.items()]
        )
    except (AttributeError, ValidationError) as error:
        raise InputTypeError("filters", filters, _FILTERS) from error
    return equal if filters else None


@dataclass(frozen=True, slots=True)
class LeafFilter:
    """Tests the metadata of leaves as LlamaIndex's `SimpleVectorStore` does.

    Attributes:
        key: the filters as JSON, by which equal filters are known.
        filters: the filters.
    """

    key: str
    filters: MetadataFilters = field(compare=False)

    def __call__(self, metadata: Mapping[str, object]) -> bool:
        """Return whether the metadata of a leaf pass the filters."""
        return build_metadata_filter_fn(lambda _: metadata, self.filters)("")


def leaf_filter(filters: Filters | None) -> LeafFilter | None:
    """Return the test of filters, None without filters."""
    given = require_filters(filters)
    return None if given is None else LeafFilter(given.model_dump_json(), given)
