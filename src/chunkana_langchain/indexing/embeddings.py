"""Embeddings that are asked for once for each text."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore

from chunkana_core import ConfigurationError

_DIGEST = 16  # bytes before a vector in a store, which tell whether it is whole


class CachedEmbeddings(Embeddings):
    r"""Embeds each text once, and keeps the vectors: in memory, or in a store.

    Put it around the embedding that you give a vector store, so that an update embeds no text that
    was embedded before, whatever became of its place and metadata. Texts that are new are embedded
    in one call for all, each once. Queries are not kept.

    Args:
        embedding: what embeds texts that are new.
        store: where vectors are kept, such as LangChain's `LocalFileStore`; None for in memory.
            What is damaged there is embedded anew.
        namespace: names the model in the store; needed with a store, because vectors of another
            model would be taken for its own.

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
            allowed = "the name of the embedding model, where vectors are kept in a store"
            raise ConfigurationError("namespace", namespace, allowed)
        self._embedding = embedding
        self._store = store
        self._namespace = namespace
        self._vectors: dict[str, list[float]] = {}  # by key, where there is no store

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts, of which only those are embedded that are new."""
        keys = self._keys(texts)
        known = self._known([*keys], self._store.mget([*keys]) if self._store else None)
        missing = {key: text for key, text in keys.items() if key not in known}
        if missing:
            vectors = self._embedding.embed_documents([*missing.values()])
            new = dict(zip(missing, vectors, strict=True))
            if self._store is None:
                self._vectors |= new
            else:
                self._store.mset([*_written(new)])
            known |= new
        return self._in_order(texts, known)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts, of which only those are embedded that are new."""
        keys = self._keys(texts)
        known = self._known([*keys], await self._store.amget([*keys]) if self._store else None)
        missing = {key: text for key, text in keys.items() if key not in known}
        if missing:
            vectors = await self._embedding.aembed_documents([*missing.values()])
            new = dict(zip(missing, vectors, strict=True))
            if self._store is None:
                self._vectors |= new
            else:
                await self._store.amset([*_written(new)])
            known |= new
        return self._in_order(texts, known)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._embedding.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return await self._embedding.aembed_query(text)

    def remember(self, vectors: Mapping[str, list[float]]) -> None:
        """Keep the vectors of texts that were embedded elsewhere, in memory."""
        self._vectors |= {self._key(text): vector for text, vector in vectors.items()}

    def _key(self, text: str) -> str:
        named = f"{self._namespace}\0{text}".encode("utf-8", "surrogatepass")
        return sha256(named).hexdigest()

    def _keys(self, texts: Iterable[str]) -> dict[str, str]:
        """Return distinct texts by their keys."""
        return {self._key(text): text for text in texts}

    def _known(
        self, keys: Sequence[str], stored: Sequence[bytes | None] | None
    ) -> dict[str, list[float]]:
        """Return the vectors that are kept."""
        if stored is None:
            return {key: self._vectors[key] for key in keys if key in self._vectors}
        found = zip(keys, map(_read, stored), strict=True)
        return {key: vector for key, vector in found if vector is not None}

    def _in_order(
        self, texts: Sequence[str], vectors: Mapping[str, list[float]]
    ) -> list[list[float]]:
        return [vectors[self._key(text)] for text in texts]


def _written(vectors: Mapping[str, Sequence[float]]) -> Iterable[tuple[str, bytes]]:
    """Yield vectors as bytes, in little-endian order, with their digests before them."""
    for key, vector in vectors.items():
        numbers = array("d", vector)
        if sys.byteorder == "big":
            numbers.byteswap()
        data = numbers.tobytes()
        yield key, sha256(data).digest()[:_DIGEST] + data


def _read(stored: bytes | None) -> list[float] | None:
    """Return the vector that was written, None for none and for what is damaged."""
    if stored is None or sha256(stored[_DIGEST:]).digest()[:_DIGEST] != stored[:_DIGEST]:
        return None
    numbers = array("d", stored[_DIGEST:])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
