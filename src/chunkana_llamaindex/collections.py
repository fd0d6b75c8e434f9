"""Check whether a vector store has a collection, without which it cannot be queried.

The Qdrant store creates its collection when the first nodes are added. Before that, a query or a
deletion raises an error, although it is valid for an empty index.
"""

from __future__ import annotations

from typing import Any

from chunkana_retrieval.indexing import Procedure, call


def has_collection(store: Any) -> Procedure[bool]:
    """Return whether a vector store has a collection; True if the store cannot tell."""
    if getattr(store, "class_name", str)() != "QdrantVectorStore":
        return True
    return (yield from call(_has_collection, _ahas_collection, store))


def _has_collection(store: Any) -> bool:
    # Without a synchronous client the next call of the store raises its own error.
    return store.client is None or bool(store.client.collection_exists(store.collection_name))


async def _ahas_collection(store: Any) -> bool:
    exists = getattr(store, "_acollection_exists", None)  # there is no public equivalent
    return exists is None or bool(await exists(store.collection_name))
