"""BM25 scores on three levels: leaves, sections and documents."""

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
# Relative to a leaf's own score; values from 0.25 to 1 give similar results.
_SECTION_WEIGHT = _DOCUMENT_WEIGHT = 0.5
_ARRAYS = ("data", "indices", "indptr")  # the arrays of a sparse matrix with a column per token


@dataclass(frozen=True, slots=True)
class Matrices:
    """The scores of all tokens in all texts.

    Attributes:
        levels: the BM25 model of each level; None if no text has a token.
        section_of: the section number of each leaf.
        document_of: the document number of each leaf.
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
        """Compute the scores of all tokens in all leaves, sections and documents.

        Args:
            leaves: the tokens of each leaf, as numbers.
            sections: the id of each leaf's section.
            documents: the id of each leaf's document.
            token_count: the number of distinct tokens.
        """
        section_of, document_of = _to_numbers(sections), _to_numbers(documents)
        texts = (leaves, _join(leaves, section_of), _join(leaves, document_of))
        levels = tuple(_model(text, token_count) for text in texts)
        return cls(levels, section_of, document_of)

    def scores(self, tokens: Sequence[int]) -> Scores:
        """Return the score of each leaf: its own plus half of those of its section and document."""
        leaf, section, document = (
            None if level is None else level.get_scores_from_ids(tokens) for level in self.levels
        )
        if leaf is None or section is None or document is None:
            return np.zeros(len(self.section_of), np.float32)
        scores: Scores = leaf + _SECTION_WEIGHT * section[self.section_of]
        scores += _DOCUMENT_WEIGHT * document[self.document_of]
        return scores

    def best(self, tokens: Sequence[int], count: int) -> list[tuple[int, float]]:
        """Return the numbers and positive scores of the best leaves; of equal ones, the first."""
        scores = self.scores(tokens)
        order = np.argsort(-scores, kind="stable")[:count]
        return [(int(n), float(scores[n])) for n in order if scores[n] > 0]

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the scores and numbers as named arrays; see `from_arrays`."""
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
        """Build the matrices from the arrays that `to_arrays` returned."""
        section_of = np.asarray(arrays["section_of"], np.int32)
        document_of = np.asarray(arrays["document_of"], np.int32)
        counts = (len(section_of), _count(section_of), _count(document_of))
        levels = (_loaded(name, count, arrays) for name, count in zip(_LEVELS, counts, strict=True))
        return cls(tuple(levels), section_of, document_of)


def _to_numbers(names: Sequence[Hashable]) -> Numbers:
    """Return a number for each name, the same for equal names, from 0 in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.asarray([numbers.setdefault(name, len(numbers)) for name in names], np.int32)


def _count(numbers: Numbers) -> int:
    return int(numbers.max(initial=-1)) + 1


def _join(leaves: Sequence[Sequence[int]], numbers: Numbers) -> list[list[int]]:
    """Return the joined tokens of the leaves with each section or document number."""
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
    model.nonoccurrence_array = None  # only other variants of BM25 use it
    model.scores = {part: arrays[f"{name}_{part}"] for part in _ARRAYS} | {"num_docs": count}
    return model
