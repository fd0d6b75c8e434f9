"""A LlamaIndex vector store as the store of an index's leaves, its search, and filters."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from llama_index.core.schema import (
    MetadataMode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_retrieval.errors import warn
from chunkana_retrieval.index import Leaf, Proposal, RunOnLoop

Embed = Callable[[list[str]], Sequence[Sequence[float]]]
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
        embed: returns the vectors of texts.
        run: runs coroutines on the caller's event loop; None to call synchronous methods.
    """

    store: BasePydanticVectorStore
    embed: Embed
    run: RunOnLoop | None = None

    def add(self, leaves: Sequence[Leaf]) -> None:
        """Embed leaves, each text once, and store them."""
        texts = dict.fromkeys(record.embedded(leaf) for record, leaf in leaves)
        vectors = dict(zip(texts, self.embed([*texts]), strict=True))
        nodes = [self._node(leaf, vectors[leaf[0].embedded(leaf[1])]) for leaf in leaves]
        self._call("add", "async_add", nodes)

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves by their ids; unknown ids are ignored."""
        if self._has_collection():
            self._call("delete_nodes", "adelete_nodes", [*leaf_ids])

    def missing(self, leaf_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids that the store lacks; none if it cannot tell."""
        if isinstance(self.store, SimpleVectorStore):
            return [name for name in leaf_ids if name not in self.store.data.embedding_dict]
        if not self._has_collection():
            return leaf_ids
        try:
            nodes = self._call("get_nodes", "aget_nodes", [*leaf_ids])
        except NotImplementedError:
            return ()
        known = {node.metadata.get(LEAF_ID, node.node_id) for node in nodes}
        return [name for name in leaf_ids if name not in known]

    def _has_collection(self) -> bool:
        """Return whether the store has a collection, without which Qdrant raises an error."""
        return self.run(ahas_collection, self.store) if self.run else has_collection(self.store)

    def _call(self, name: str, later: str, *arguments: object) -> Any:
        """Call a method of the store, or its asynchronous form on the caller's event loop."""
        if self.run is None or not is_overridden(self.store, later, BasePydanticVectorStore):
            return getattr(self.store, name)(*arguments)
        return self.run(getattr(self.store, later), *arguments)

    def _node(self, leaf: Leaf, vector: Sequence[float]) -> TextNode:
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
            text=_encodable(document.embedded(record)) if self.store.stores_text else "",
            embedding=[*vector],
            metadata={**metadata, LEAF_ID: record.leaf_id},
            relationships={NodeRelationship.SOURCE: source},
        )


def find_leaves(store: BasePydanticVectorStore, query: VectorStoreQuery) -> list[Proposal]:
    """Return the leaves that a vector store finds, the best first."""
    return _proposals(store.query(query), store) if has_collection(store) else []


async def afind_leaves(store: BasePydanticVectorStore, query: VectorStoreQuery) -> list[Proposal]:
    """Return the leaves that a vector store finds, see `find_leaves`."""
    if not is_overridden(store, "aquery", BasePydanticVectorStore):
        return await asyncio.to_thread(find_leaves, store, query)
    return _proposals(await store.aquery(query), store) if await ahas_collection(store) else []


def _proposals(result: VectorStoreQueryResult, store: BasePydanticVectorStore) -> list[Proposal]:
    """Return the leaves of a result; nodes without a document or id are left out."""
    names: list[tuple[object, object]]
    if result.nodes is None and isinstance(store, SimpleVectorStore):
        sources = store.data.text_id_to_ref_doc_id
        names = [(sources.get(leaf_id), leaf_id) for leaf_id in result.ids or []]
    else:
        nodes = result.nodes or []
        names = [(node.ref_doc_id, node.metadata.get(LEAF_ID, node.node_id)) for node in nodes]
    scores: Sequence[float | None] = result.similarities or [None] * len(names)
    proposals = [
        Proposal(document_id, leaf_id, score)
        for (document_id, leaf_id), score in zip(names, scores, strict=False)
        if isinstance(document_id, str) and isinstance(leaf_id, str)
    ]
    if len(proposals) < len(names):
        warn("the vector store has nodes without a document or id, which are left out")
    return proposals


def has_collection(store: Any) -> bool:
    """Return whether a vector store has a collection, True if it cannot tell.

    Qdrant's is made when the first nodes are added; before that, queries raise an error.
    """
    # Without a synchronous client the next call of the store raises its own error.
    client = store.client if _is_qdrant(store) else None
    return client is None or bool(client.collection_exists(store.collection_name))


async def ahas_collection(store: Any) -> bool:
    """Return whether a vector store has a collection, see `has_collection`."""
    exists = getattr(store, "_acollection_exists", None)  # there is no public equivalent
    if exists is None or not _is_qdrant(store):
        return True
    return bool(await exists(store.collection_name))


def _is_qdrant(store: Any) -> bool:
    return getattr(store, "class_name", str)() == "QdrantVectorStore"


def is_overridden(instance: object, name: str, base: type) -> bool:
    """Return whether a class overrides a method of LlamaIndex's base class.

    The asynchronous methods of the base classes call the synchronous ones, and so block the loop.
    """
    return getattr(type(instance), name) is not getattr(base, name)


def require_usable(store: object) -> None:
    """Raise a ConfigurationError for a store that cannot store or delete nodes by their ids."""
    is_usable = isinstance(store, BasePydanticVectorStore) and (
        store.stores_text or isinstance(store, SimpleVectorStore)
    )
    if not is_usable or not is_overridden(store, "delete_nodes", BasePydanticVectorStore):
        raise ConfigurationError("vector_store", store, _USABLE)


def _encodable(text: str) -> str:
    """Return a text with each lone surrogate, which vector stores reject, replaced by "?"."""
    return text.encode("utf-8", "replace").decode()


_TESTS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda found, wanted: found in wanted,
    "nin": lambda found, wanted: found not in wanted,
    "any": lambda found, wanted: any(value in found for value in wanted),
    "all": lambda found, wanted: all(value in found for value in wanted),
    "contains": operator.contains,
    "text_match": operator.contains,
    "text_match_insensitive": lambda found, wanted: wanted.lower() in found.lower(),
}
_CONDITIONS: Final[Mapping[str, Callable[[list[bool]], bool]]] = {
    "and": all,
    "or": lambda results: any(results) or not results,
    "not": lambda results: not any(results),
}


@dataclass(frozen=True, slots=True)
class LeafFilter:
    """Tests metadata as LlamaIndex's `SimpleVectorStore` does; filters may be nested.

    Attributes:
        filters: the filters.
        key: the filters as text, by which equal filters are found.
    """

    filters: MetadataFilters = field(compare=False)
    key: str

    @classmethod
    def of(cls, filters: MetadataFilters) -> LeafFilter:
        """Return the test of some filters."""
        return cls(filters, filters.model_dump_json())

    def __call__(self, metadata: Mapping[str, object]) -> bool:
        """Return whether the metadata of a leaf fit the filters."""
        return _fit(self.filters, metadata)


def _fit(filters: MetadataFilters | MetadataFilter, metadata: Mapping[str, object]) -> bool:
    if isinstance(filters, MetadataFilters):
        condition = filters.condition.value if filters.condition else "and"
        return _CONDITIONS[condition]([_fit(one, metadata) for one in filters.filters])
    found, test = metadata.get(filters.key), filters.operator.value
    if test == "is_empty":
        return found in (None, "", [])
    if found is None:
        return test in {"!=", "nin"}
    return _TESTS[test](found, filters.value)


def require_filters(filters: object) -> MetadataFilters | None:
    """Return filters as `MetadataFilters`; the values of a mapping must all be equal."""
    if filters is None or isinstance(filters, MetadataFilters):
        return filters
    if not isinstance(filters, Mapping) or not all(map(_is_equality, filters.items())):
        raise InputTypeError("filters", filters, _FILTERS)
    equal = [MetadataFilter(key=key, value=value) for key, value in filters.items()]
    return MetadataFilters(filters=equal) if equal else None


def _is_equality(item: tuple[object, object]) -> bool:
    key, value = item
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return isinstance(key, str) and is_plain
