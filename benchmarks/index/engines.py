"""What the measured indexes have in common: their interface, and a model for their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol
from zlib import crc32

import numpy as np

from benchmarks.index.documents import NamedText

SIZE = 384  # numbers of a vector
_NUMBERS = np.random.default_rng(0).standard_normal(100_000)


class FakeModel:
    """Embeds at nearly no cost: a vector is a part of some random numbers, chosen by the text.

    Attributes:
        count: the number of texts that were embedded.
    """

    model_name = "fake"

    def __init__(self) -> None:
        self.count = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        self.count += len(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        start = crc32(text.encode()) % (len(_NUMBERS) - SIZE)
        vector: list[float] = _NUMBERS[start : start + SIZE].tolist()
        return vector


class Engine(Protocol):
    """An index in a folder, with vectors and words or with words only."""

    model: FakeModel | None
    """The model of the vectors."""

    def prepared(self, documents: Sequence[NamedText]) -> Sequence[Any]:
        """Return documents as the other methods take them."""

    def build(self, documents: Sequence[Any]) -> None:
        """Make an index of documents, and keep it open."""

    def load(self) -> None:
        """Open the index."""

    def update(self, documents: Sequence[Any]) -> None:
        """Give documents to the open index."""

    def ask(self, question: str) -> object:
        """Return the passages for a question."""

    def close(self) -> None:
        """Close the index."""
