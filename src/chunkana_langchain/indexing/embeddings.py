"""A cache of embeddings, so that each text is embedded only once."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore

from chunkana_core import ConfigurationError
from chunkana_retrieval.indexing import Procedure, call, run, run_async

_DIGEST = 16  # bytes of the digest before each stored vector, to detect damage


class CachedEmbeddings(Embeddings):
    r"""Embeddings that embed each text once and cache the vectors in memory or in a store.

    Wrap the embedding of a vector store in this class, so that an update does not embed a text
    again when only its position or metadata changed. All new texts are embedded in one call.
    Vectors of queries are not cached.

    Args:
        embedding: the embedding of new texts.
        store: the store of vectors, such as LangChain's `LocalFileStore`; None for memory. Damaged
            vectors are embedded again.
        namespace: the name of the model in the store; required with a store, so that vectors of
            different models are not mixed up.

    Raises:
        ConfigurationError: for a store without a namespace.

    >>> from langchain_core.embeddings import DeterministicFakeEmbedding
    >>> embedding = CachedEmbeddings(DeterministicFakeEmbedding(size=2))
    >>> first, second = embedding.embed_documents(["Tea.", "Tea."])
    >>> first == second
    True
    """

    def __init__(
        self,
        embedding: Embeddings,
        store: BaseStore[str, bytes] | None = None,
        *,
        namespace: str = "",
    ) -> None:
        if store is not None and not namespace:
            allowed = "the name of the embedding model if vectors are kept in a store"
            raise ConfigurationError("namespace", namespace, allowed)
        self._embedding = embedding
        self._store = store
        self._namespace = namespace
        self._vectors: dict[str, list[float]] = {}  # by key, if there is no store

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts; only new texts are embedded."""
        return run(self._embed(texts))

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts asynchronously; only new texts are embedded."""
        return await run_async(self._embed(texts))

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._embedding.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of a query asynchronously."""
        return await self._embedding.aembed_query(text)

    def remember(self, vectors: Mapping[str, list[float]]) -> None:
        """Add vectors by text to the cache in memory."""
        self._vectors |= {self._key(text): vector for text, vector in vectors.items()}

    def _embed(self, texts: Sequence[str]) -> Procedure[list[list[float]]]:
        """Embed new texts, and return the vectors of all texts."""
        keys = [self._key(text) for text in texts]
        distinct = dict(zip(keys, texts, strict=True))
        cached = yield from self._cached([*distinct])
        missing = {key: text for key, text in distinct.items() if key not in cached}
        if missing:
            model = self._embedding
            vectors = yield from call(
                model.embed_documents, model.aembed_documents, [*missing.values()]
            )
            new = dict(zip(missing, vectors, strict=True))
            if self._store is None:
                self._vectors |= new
            else:
                yield from call(self._store.mset, self._store.amset, [*_to_bytes(new)])
            cached |= new
        return [cached[key] for key in keys]

    def _cached(self, keys: Sequence[str]) -> Procedure[dict[str, list[float]]]:
        """Return the cached vectors by key."""
        if self._store is None:
            return {key: self._vectors[key] for key in keys if key in self._vectors}
        stored = yield from call(self._store.mget, self._store.amget, keys)
        found = zip(keys, map(_from_bytes, stored), strict=True)
        return {key: vector for key, vector in found if vector is not None}

    def _key(self, text: str) -> str:
        named = f"{self._namespace}\0{text}".encode("utf-8", "surrogatepass")
        return sha256(named).hexdigest()


def _to_bytes(vectors: Mapping[str, Sequence[float]]) -> Iterable[tuple[str, bytes]]:
    """Yield keys and stored vectors: a digest, then doubles in little-endian order."""
    for key, vector in vectors.items():
        numbers = array("d", vector)
        if sys.byteorder == "big":
            numbers.byteswap()
        data = numbers.tobytes()
        yield key, sha256(data).digest()[:_DIGEST] + data


def _from_bytes(stored: bytes | None) -> list[float] | None:
    """Return a stored vector, None if it is missing or damaged."""
    if stored is None or sha256(stored[_DIGEST:]).digest()[:_DIGEST] != stored[:_DIGEST]:
        return None
    numbers = array("d", stored[_DIGEST:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
