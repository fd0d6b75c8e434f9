"""Whether a vector store can be asked yet: the collection of Qdrant is made with the first leaves.

Before that, questions and deletions there are errors, which an index without leaves has no part in.
"""

from __future__ import annotations

from typing import Any


def has_collection(store: Any) -> bool:
    """Tell whether a vector store has a collection, as far as it knows."""
    check = getattr(store, "_collection_exists", None)
    # Without a synchronous client nothing is known, and it is said where the store is asked.
    return check is None or store.client is None or bool(check(store.collection_name))


async def ahas_collection(store: Any) -> bool:
    """Tell whether a vector store has a collection, as far as it knows."""
    check = getattr(store, "_acollection_exists", None)
    return check is None or bool(await check(store.collection_name))
