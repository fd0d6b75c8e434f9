"""BM25 on three levels: of leaves, of sections and of documents."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import bm25s
import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
Numbers = NDArray[np.int32]
_LEVELS = ("leaves", "sections", "documents")
_SECTION_WEIGHT = _DOCUMENT_WEIGHT = 0.5  # beside a leaf's own; from 0.25 to 1 little changes
_ARRAYS = ("data", "indices", "indptr")  # of a sparse matrix, a column for each token


@dataclass(frozen=True, slots=True)
class Matrices:
    """The scores of all tokens in all texts.

    Attributes:
        levels: a model for each level; None where no text has a token.
        section_of: the number of each leaf's section.
        document_of: the number of each leaf's document.
    """

    levels: tuple[bm25s.BM25 | None, ...]
    section_of: Numbers
    document_of: Numbers

    @classmethod
    def of(
        cls,
        leaves: Sequence[Sequence[int]],
        sections: Sequence[Hashable],
        documents: Sequence[Hashable],
        token_count: int,
    ) -> Matrices:
        """Score tokens.

        Args:
            leaves: the tokens of each leaf, as numbers.
            sections: the name of each leaf's section.
            documents: the name of each leaf's document.
            token_count: the number of all tokens there are.
        """
        section_of, document_of = _numbered(sections), _numbered(documents)
        texts = (leaves, _joined(leaves, section_of), _joined(leaves, document_of))
        levels = tuple(_model(text, token_count) for text in texts)
        return cls(levels, section_of, document_of)

    def scores(self, tokens: Sequence[int]) -> Scores:
        """Return the score of each leaf: its own, and half of those of section and document."""
        leaf, section, document = (
            None if level is None else level.get_scores_from_ids(tokens) for level in self.levels
        )
        if leaf is None or section is None or document is None:
            return np.zeros(len(self.section_of), np.float32)
        scores: Scores = leaf + _SECTION_WEIGHT * section[self.section_of]
        scores += _DOCUMENT_WEIGHT * document[self.document_of]
        return scores

    def best(self, tokens: Sequence[int], count: int) -> list[tuple[int, float]]:
        """Return the numbers and scores of the best leaves; of equals, the first."""
        scores = self.scores(tokens)
        order = np.argsort(-scores, kind="stable")[:count]
        return [(int(n), float(scores[n])) for n in order if scores[n] > 0]

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all of it as arrays; see `from_arrays`."""
        arrays: dict[str, NDArray[np.generic]] = {
            "section_of": self.section_of,
            "document_of": self.document_of,
        }
        for name, level in zip(_LEVELS, self.levels, strict=True):
            if level is not None:
                arrays |= {f"{name}_{part}": level.scores[part] for part in _ARRAYS}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> Matrices:
        """Return what `to_arrays` was called of."""
        section_of = np.asarray(arrays["section_of"], np.int32)
        document_of = np.asarray(arrays["document_of"], np.int32)
        counts = (len(section_of), _count(section_of), _count(document_of))
        levels = (_loaded(name, count, arrays) for name, count in zip(_LEVELS, counts, strict=True))
        return cls(tuple(levels), section_of, document_of)


def _numbered(names: Sequence[Hashable]) -> Numbers:
    numbers: dict[Hashable, int] = {}
    return np.asarray([numbers.setdefault(name, len(numbers)) for name in names], np.int32)


def _count(numbers: Numbers) -> int:
    return int(numbers.max(initial=-1)) + 1


def _joined(leaves: Sequence[Sequence[int]], numbers: Numbers) -> list[list[int]]:
    """Return the tokens of all leaves of each number."""
    groups: list[list[Sequence[int]]] = [[] for _ in range(_count(numbers))]
    for leaf, number in zip(leaves, numbers.tolist(), strict=True):
        groups[number].append(leaf)
    return [[*chain.from_iterable(group)] for group in groups]


def _model(texts: Sequence[Sequence[int]], token_count: int) -> bm25s.BM25 | None:
    if not any(texts):
        return None
    model = bm25s.BM25()
    model.scores = model.build_index_from_ids(range(token_count), texts, show_progress=False)
    return model


def _loaded(name: str, count: int, arrays: Mapping[str, NDArray[np.generic]]) -> bm25s.BM25 | None:
    if f"{name}_data" not in arrays:
        return None
    model = bm25s.BM25()
    model.nonoccurrence_array = None  # of other kinds of BM25
    model.scores = {part: arrays[f"{name}_{part}"] for part in _ARRAYS} | {"num_docs": count}
    return model
