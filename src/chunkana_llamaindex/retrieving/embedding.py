"""Texts embedded once, as long as a leaf has them."""

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
    """Embeds texts, and keeps the vectors of those that leaves have.

    So a text that moved, or whose document has another name, is not embedded again. A model's own
    `embeddings_cache` is asked as well.
    """

    def __init__(self, model: BaseEmbedding | None) -> None:
        self._given = model
        self._vectors: dict[bytes, array[float]] = {}  # by the digests of texts
        self._digests: dict[str, bytes] = {}  # by the ids of leaves
        self._counts: Counter[bytes] = Counter()  # how many leaves have a text

    def embed(self, texts: Mapping[str, str]) -> Procedure[list[list[float]]]:
        """Return the vectors of leaves' texts, which are given by the leaves' ids."""
        digests = {leaf_id: _digest(text) for leaf_id, text in texts.items()}
        by_digest = dict(zip(digests.values(), texts.values(), strict=True))
        missing = {key: text for key, text in by_digest.items() if key not in self._vectors}
        if missing:
            now, later = self._model.get_text_embedding_batch, self._model.aget_text_embedding_batch
            vectors = yield from call(now, later, [*missing.values()])
            for digest, vector in zip(missing, vectors, strict=True):
                self._vectors[digest] = array("d", vector)
        for leaf_id, digest in digests.items():
            if leaf_id not in self._digests:
                self._digests[leaf_id] = digest
                self._counts[digest] += 1
        return [self._vectors[digest].tolist() for digest in digests.values()]

    def embed_query(self, query: QueryBundle) -> Procedure[list[float]]:
        """Return the vector of a question."""
        if query.embedding is not None:
            return query.embedding
        now, later = (
            self._model.get_agg_embedding_from_queries,
            self._model.aget_agg_embedding_from_queries,
        )
        return (yield from call(now, later, query.embedding_strs))

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep the vectors of texts that are known."""
        self._vectors |= {_digest(text): array("d", vector) for text, vector in vectors.items()}

    def forget(self, leaf_ids: Iterable[str]) -> None:
        """Drop the vectors of texts that no other leaves have."""
        for leaf_id in leaf_ids:
            digest = self._digests.pop(leaf_id, None)
            if digest is None:
                continue
            self._counts[digest] -= 1
            if not self._counts[digest]:
                del self._counts[digest], self._vectors[digest]

    @property
    def _model(self) -> BaseEmbedding:
        """The model; an index that is searched by words alone needs one for changes."""
        if self._given is None:
            allowed = "the embedding that the folder's vectors were made with"
            raise ConfigurationError("embedding", None, allowed)
        return self._given


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
