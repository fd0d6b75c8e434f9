"""Vectors of texts for tests, without a model."""

from __future__ import annotations

import re
from hashlib import sha256
from math import sqrt

SIZE = 512
_WORD = re.compile(r"\w+")


def word_vector(text: str, size: int = SIZE) -> list[float]:
    """Return a vector of length 1 in which every word counts at a position of its own.

    Texts with common words are near to each other. The last number depends on the whole text: no
    two texts are equally near to a third, since the order of equal ones would be the store's.
    """
    vector = [0.0] * size
    for word in _WORD.findall(text.lower()):
        vector[_hash(word) % size] += 1.0
    vector[-1] += (1 + _hash(text) / 2**32) / 20 * (_length(vector) or 1.0)
    length = _length(vector)
    return [number / length for number in vector]


def _hash(text: str) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:4])


def _length(vector: list[float]) -> float:
    return sqrt(sum(number * number for number in vector))
