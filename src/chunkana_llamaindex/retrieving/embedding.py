"""Embed each text once, and cache its vector as long as a leaf has the text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import QueryBundle

from chunkana_core import ConfigurationError
from chunkana_retrieval.indexing import Procedure, call


class TextVectors:
    """Embeds texts, and caches the vectors of the texts of leaves.

    A text is not embedded again if it moves or its document is renamed. The model's own
    `embeddings_cache` is used too.
    """

    def __init__(self, model: BaseEmbedding | None) -> None:
        self._optional_model = model
        self._vectors: dict[bytes, array[float]] = {}  # by text digest
        self._digests: dict[str, bytes] = {}  # by leaf id
        self._counts: Counter[bytes] = Counter()  # the number of leaves with a text

    def embed(self, texts: Mapping[str, str]) -> Procedure[list[list[float]]]:
        """Return the vectors of the texts of leaves, which are given by leaf id."""
        digests = {leaf_id: _digest(text) for leaf_id, text in texts.items()}
        by_digest = dict(zip(digests.values(), texts.values(), strict=True))
        missing = {key: text for key, text in by_digest.items() if key not in self._vectors}
        if missing:
            embed, aembed = (
                self._model.get_text_embedding_batch,
                self._model.aget_text_embedding_batch,
            )
            vectors = yield from call(embed, aembed, [*missing.values()])
            for digest, vector in zip(missing, vectors, strict=True):
                self._vectors[digest] = array("d", vector)
        for leaf_id, digest in digests.items():
            if leaf_id not in self._digests:
                self._digests[leaf_id] = digest
                self._counts[digest] += 1
        return [self._vectors[digest].tolist() for digest in digests.values()]

    def embed_query(self, query: QueryBundle) -> Procedure[list[float]]:
        """Return the vector of a query."""
        if query.embedding is not None:
            return query.embedding
        embed, aembed = (
            self._model.get_agg_embedding_from_queries,
            self._model.aget_agg_embedding_from_queries,
        )
        return (yield from call(embed, aembed, query.embedding_strs))

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Add vectors to the cache, by text."""
        self._vectors |= {_digest(text): array("d", vector) for text, vector in vectors.items()}

    def forget(self, leaf_ids: Iterable[str]) -> None:
        """Remove leaves, and the vectors of texts that no other leaf has."""
        for leaf_id in leaf_ids:
            digest = self._digests.pop(leaf_id, None)
            if digest is None:
                continue
            self._counts[digest] -= 1
            if not self._counts[digest]:
                del self._counts[digest], self._vectors[digest]

    @property
    def _model(self) -> BaseEmbedding:
        """The embedding model.

        Raises:
            ConfigurationError: if there is no model. A lexical search needs none, but an update of
                an index with vectors does.
        """
        if self._optional_model is None:
            allowed = "the embedding that the folder's vectors were made with"
            raise ConfigurationError("embedding", None, allowed)
        return self._optional_model


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
