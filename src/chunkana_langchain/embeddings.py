"""Embeddings that are cached by text, and embeddings as the embedder of an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import sha256

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore, InMemoryByteStore

from chunkana_core import ConfigurationError
from chunkana_retrieval.adapting import LoopRunner
from chunkana_retrieval.index import Embedder

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
        self.underlying_embeddings = embedding
        self._store = InMemoryByteStore() if store is None else store
        self._namespace = namespace

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts; only new texts are embedded."""
        by_key = self._by_key(texts)
        vectors = _vectors(by_key, self._store.mget([*by_key]))
        if missing := [key for key in by_key if key not in vectors]:
            new = self.underlying_embeddings.embed_documents([by_key[key] for key in missing])
            vectors |= zip(missing, new, strict=True)
            self._store.mset([(key, _to_bytes(vectors[key])) for key in missing])
        return [vectors[self._key(text)] for text in texts]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts asynchronously; only new texts are embedded."""
        by_key = self._by_key(texts)
        vectors = _vectors(by_key, await self._store.amget([*by_key]))
        if missing := [key for key in by_key if key not in vectors]:
            new = await self.underlying_embeddings.aembed_documents(
                [by_key[key] for key in missing]
            )
            vectors |= zip(missing, new, strict=True)
            await self._store.amset([(key, _to_bytes(vectors[key])) for key in missing])
        return [vectors[self._key(text)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self.underlying_embeddings.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of a query asynchronously."""
        return await self.underlying_embeddings.aembed_query(text)

    def _by_key(self, texts: Iterable[str]) -> dict[str, str]:
        return {self._key(text): text for text in texts}

    def _key(self, text: str) -> str:
        named = f"{self._namespace}\0{text}".encode("utf-8", "surrogatepass")
        return sha256(named).hexdigest()


def _vectors(keys: Iterable[str], stored: Sequence[bytes | None]) -> dict[str, list[float]]:
    """Return the stored vectors by key, without the missing and the damaged ones."""
    found = zip(keys, map(_from_bytes, stored), strict=True)
    return {key: vector for key, vector in found if vector is not None}


def _to_bytes(vector: Sequence[float]) -> bytes:
    """Return a vector as a digest, then doubles in little-endian order."""
    data = np.asarray(vector, "<f8").tobytes()
    return sha256(data).digest()[:_DIGEST] + data


def _from_bytes(stored: bytes | None) -> list[float] | None:
    """Return a stored vector, None if it is missing or damaged."""
    if stored is None or sha256(stored[_DIGEST:]).digest()[:_DIGEST] != stored[:_DIGEST]:
        return None
    vector: list[float] = np.frombuffer(stored[_DIGEST:], "<f8").tolist()
    return vector


def model_of(embedding: object) -> object:
    """Return the embedding around which a cache is, of this package or of LangChain."""
    return getattr(embedding, "underlying_embeddings", embedding)


def embedder_of(
    embedding: Embeddings | None, model_name: str, run: LoopRunner | None = None
) -> Embedder | None:
    """Return an embedding as the embedder of an index, None without one.

    Args:
        embedding: the embedding.
        model_name: the name of the model, "" for that of the embedding.
        run: runs the asynchronous method of the embedding on the caller's event loop; None to call
            the synchronous method.
    """
    if embedding is None:
        return None
    embed = embedding.embed_documents
    if run is not None:
        embed = partial(run, embedding.aembed_documents)
    return Embedder.of(model_of(embedding), embed, model_name)
