"""Whether a vector store can be asked yet: the collection of Qdrant is made with the first leaves.

Before that, questions and deletions there are errors, which an index without leaves has no part in.
"""

from __future__ import annotations

from typing import Any

from chunkana_retrieval.indexing import Procedure, call


def has_collection(store: Any) -> Procedure[bool]:
    """Return whether a vector store has a collection, as far as it knows."""
    if getattr(store, "class_name", str)() != "QdrantVectorStore":
        return True
    return (yield from call(_has_collection, _ahas_collection, store))


def _has_collection(store: Any) -> bool:
    # Without a synchronous client nothing is known, and it is said where the store is asked.
    return store.client is None or bool(store.client.collection_exists(store.collection_name))


async def _ahas_collection(store: Any) -> bool:
    exists = getattr(store, "_acollection_exists", None)  # its client has no public name
    return exists is None or bool(await exists(store.collection_name))
