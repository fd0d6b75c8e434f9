"""Whether a vector store can be asked yet: the collection of Qdrant is made with the first leaves.

Before that, questions and deletions there are errors, which an index without leaves has no part in.
"""

from __future__ import annotations

from typing import Any


def has_collection(store: Any) -> bool:
    """Tell whether a vector store has a collection, as far as it knows."""
    # Without a synchronous client nothing is known, and it is said where the store is asked.
    if not _is_qdrant(store) or store.client is None:
        return True
    return bool(store.client.collection_exists(store.collection_name))


async def ahas_collection(store: Any) -> bool:
    """Tell whether a vector store has a collection, as far as it knows."""
    if not _is_qdrant(store):
        return True
    exists = getattr(store, "_acollection_exists", None)  # its client has no public name
    return exists is None or bool(await exists(store.collection_name))


def _is_qdrant(store: Any) -> bool:
    name = getattr(store, "class_name", str)()
    return bool(name == "QdrantVectorStore")
