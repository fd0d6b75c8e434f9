"""Leaves in LlamaIndex's vector stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from llama_index.core.schema import (
    NodeRelationship,
    ObjectType,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores import (
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.simple import SimpleVectorStoreData
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.collections import has_collection
from chunkana_llamaindex.retrieving.embedding import TextVectors
from chunkana_retrieval.errors import warn
from chunkana_retrieval.indexing import Leaf, Procedure, Proposal, call

LEAF_ID: Final = "chunkana_leaf_id"  # a key of metadata, for stores that give nodes other ids
_FLAT: Final = (str, int, float, type(None))


class Search(NamedTuple):
    """What a vector store is asked: a question, how many leaves, and filters."""

    query: QueryBundle
    limit: int
    filters: MetadataFilters | None


class LeafStore:
    """The leaves of an index, in a vector store of the caller's or in memory.

    Attributes:
        store: the vector store; where it is in memory, another one after each change, so that
            searches go on in the one that they began in.
        is_in_memory: whether it is not the caller's.
    """

    def __init__(self, store: BasePydanticVectorStore | None, vectors: TextVectors) -> None:
        self.store = store or SimpleVectorStore()
        self.is_in_memory = store is None
        self._embedded = vectors

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        """Embed leaves and store them."""
        texts = {leaf.leaf_id: record.embedded(leaf) for record, leaf in leaves}
        nodes = self._nodes(leaves, (yield from self._embedded.embed(texts)))
        store = self._changing()
        yield from call(store.add, store.async_add, nodes)

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        """Delete leaves, some of which may not be there."""
        self._embedded.forget(leaf_ids)
        if (yield from has_collection(self.store)):
            store = self._changing()
            yield from call(store.delete_nodes, store.adelete_nodes, [*leaf_ids])

    def find(self, asked: Search) -> Procedure[list[Proposal]]:
        """Return the nearest leaves, the best first."""
        store = self.store
        if not (yield from has_collection(store)):
            return []
        vector = self._comparable((yield from self._embedded.embed_query(asked.query)))
        query = VectorStoreQuery(
            query_embedding=vector,
            similarity_top_k=asked.limit,
            query_str=asked.query.query_str,
            filters=asked.filters,
        )
        return _proposals((yield from call(store.query, store.aquery, query)), store)

    def vectors(self) -> Mapping[str, Sequence[float]]:
        """Return the vectors of a store in memory, by the ids of leaves."""
        return _data(self.store).embedding_dict

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep the vectors of texts, which are not embedded when leaves have them."""
        self._embedded.remember(vectors)

    def _changing(self) -> BasePydanticVectorStore:
        """Return the store to change, which is a copy where it is in memory."""
        if self.is_in_memory:
            data = _data(self.store)
            self.store = SimpleVectorStore(
                SimpleVectorStoreData(
                    dict(data.embedding_dict),
                    dict(data.text_id_to_ref_doc_id),
                    dict(data.metadata_dict),
                )
            )
        return self.store

    def _nodes(self, leaves: Sequence[Leaf], vectors: Sequence[list[float]]) -> list[TextNode]:
        is_flat = bool(getattr(self.store, "flat_metadata", False))
        has_text = self.store.stores_text
        return [
            _node(leaf, vector, is_flat=is_flat, has_text=has_text)
            for leaf, vector in zip(leaves, map(self._comparable, vectors), strict=True)
        ]

    def _comparable(self, vector: list[float]) -> list[float]:
        """Return a vector; a ConfigurationError if it is of another model than those in memory."""
        known = next(iter(self.vectors().values()), vector)
        if len(known) != len(vector):
            allowed = (
                f"the model that this index was made with: its vectors have {len(known)} numbers"
            )
            raise ConfigurationError("embedding", f"a model of {len(vector)} numbers", allowed)
        return vector


def require_usable(store: BasePydanticVectorStore) -> None:
    """Raise a ConfigurationError for a vector store that cannot be kept up to date."""
    allowed = "a vector store that keeps nodes and deletes them by their ids, like Qdrant or Chroma"
    is_ours = isinstance(store, BasePydanticVectorStore)
    if not is_ours or type(store).delete_nodes is BasePydanticVectorStore.delete_nodes:
        raise ConfigurationError("vectorstore", store, allowed)
    if not (store.stores_text or isinstance(store, SimpleVectorStore)):
        raise ConfigurationError("vectorstore", store, allowed)


def _node(leaf: Leaf, vector: list[float], *, is_flat: bool, has_text: bool) -> TextNode:
    """Return a leaf as it is stored: with nothing that changes where text above it does."""
    record, one = leaf
    own = {key: _written(value) for key, value in one.metadata().items()}
    theirs = record.metadata.items()
    known = {key: value for key, value in theirs if not is_flat or isinstance(value, _FLAT)}
    metadata: dict[str, Any] = {**own, **known, LEAF_ID: one.leaf_id}
    source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
    return TextNode(
        id_=one.leaf_id,
        text=_written(record.embedded(one)) if has_text else "",
        embedding=vector,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: source},
    )


def _written(text: str) -> str:
    """Return a text without what UTF-8 cannot write, which stores refuse."""
    return text.encode("utf-8", "replace").decode()


def _proposals(result: VectorStoreQueryResult, store: BasePydanticVectorStore) -> list[Proposal]:
    """Return what a vector store found; what cannot be a leaf of ours is left out."""
    names: list[tuple[object, object]]
    if result.nodes is None:
        sources = _data(store).text_id_to_ref_doc_id
        ranked = zip(result.similarities or [], result.ids or [], strict=False)
        # Leaves alike stand as they were added, which is not the same after loading.
        best = sorted(ranked, key=lambda pair: (-pair[0], pair[1]))
        names = [(sources.get(leaf_id), leaf_id) for _, leaf_id in best]
        scores: Sequence[float | None] = [score for score, _ in best]
    else:
        names = [(n.ref_doc_id, n.metadata.get(LEAF_ID, n.node_id)) for n in result.nodes]
        scores = result.similarities or [None] * len(names)
    proposals = [
        Proposal(document_id, leaf_id, score)
        for (document_id, leaf_id), score in zip(names, scores, strict=False)
        if isinstance(document_id, str) and isinstance(leaf_id, str)
    ]
    if len(proposals) < len(names):
        warn("the vector store has nodes without a document or id, which are left out")
    return proposals


def _data(store: BasePydanticVectorStore) -> SimpleVectorStoreData:
    """Return what a vector store has in memory, nothing where it keeps nodes itself."""
    return store.data if isinstance(store, SimpleVectorStore) else SimpleVectorStoreData()
