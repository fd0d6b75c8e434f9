"""Embeddings that are asked for once for each text."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore

from chunkana_core import ConfigurationError
from chunkana_retrieval.indexing import Procedure, call, run, run_async

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
        return run(self._embedded(texts))

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts, of which only those are embedded that are new."""
        return await run_async(self._embedded(texts))

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return self._embedding.embed_query(text)

    async def aembed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        return await self._embedding.aembed_query(text)

    def remember(self, vectors: Mapping[str, list[float]]) -> None:
        """Keep the vectors of texts that were embedded elsewhere, in memory."""
        self._vectors |= {self._key(text): vector for text, vector in vectors.items()}

    def _embedded(self, texts: Sequence[str]) -> Procedure[list[list[float]]]:
        """Embed what is new, and return the vectors of all texts."""
        named = [self._key(text) for text in texts]
        distinct = dict(zip(named, texts, strict=True))
        known = yield from self._known([*distinct])
        missing = {key: text for key, text in distinct.items() if key not in known}
        if missing:
            model = self._embedding
            vectors = yield from call(
                model.embed_documents, model.aembed_documents, [*missing.values()]
            )
            new = dict(zip(missing, vectors, strict=True))
            if self._store is None:
                self._vectors |= new
            else:
                yield from call(self._store.mset, self._store.amset, [*_written(new)])
            known |= new
        return [known[key] for key in named]

    def _known(self, keys: Sequence[str]) -> Procedure[dict[str, list[float]]]:
        """Return the vectors that are kept."""
        if self._store is None:
            return {key: self._vectors[key] for key in keys if key in self._vectors}
        stored = yield from call(self._store.mget, self._store.amget, keys)
        found = zip(keys, map(_read, stored), strict=True)
        return {key: vector for key, vector in found if vector is not None}

    def _key(self, text: str) -> str:
        named = f"{self._namespace}\0{text}".encode("utf-8", "surrogatepass")
        return sha256(named).hexdigest()


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
