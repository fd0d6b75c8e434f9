"""Permutation of equal elements in sorts of dependencies, whose order there is undefined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[Any]
_Function = Callable[..., Any]


def permute_ties(seed: int) -> None:
    """Permute equal elements in unstable sorts and searches of dependencies, in this process.

    The permutation depends only on the seed and the number of elements, so that the same search has
    the same results. What is stable by its documentation stays stable: `sorted`,
    `heapq.nlargest`, and numpy's sorts with `kind="stable"`.

    Args:
        seed: the seed of the permutation.
    """
    ties = Ties(seed)
    _wrap(ties.argsort, "numpy", "argsort")
    _wrap(ties.argpartition, "numpy", "argpartition")
    _wrap(ties.partition, "numpy", "partition")
    _wrap(_with_numpy_argsort, "langchain_core.vectorstores.in_memory", "cosine_similarity")
    _wrap(ties.get_top_k, "llama_index.core.vector_stores.simple", "get_top_k_embeddings")
    _wrap(ties.faiss_search, "faiss", "search", "IndexFlat")


def _wrap(wrapper: Callable[[_Function], _Function], module: str, name: str, of: str = "") -> None:
    """Replace a function of a module, or a method of a class in it, if the module is installed."""
    if find_spec(module.partition(".")[0]) is not None:
        owner: Any = import_module(module)
        owner = getattr(owner, of) if of else owner
        setattr(owner, name, wrapper(getattr(owner, name)))


@dataclass(frozen=True)
class Ties:
    """Wrappers of functions that order elements.

    Attributes:
        seed: the seed of the permutation.
    """

    seed: int

    def order(self, values: ArrayLike) -> _Array:
        """Return the indices that sort the last axis, equal elements permuted."""
        values = np.asarray(values)
        random = np.random.default_rng(self.seed).random(values.shape)
        return np.lexsort((random, values), axis=-1)

    def argsort(self, original: _Function) -> _Function:
        """Wrap `numpy.argsort` for the last axis and unstable kinds."""

        def argsort(a: ArrayLike, axis: int = -1, kind: str | None = None) -> _Array:
            if kind in {"stable", "mergesort"} or axis != -1:
                return np.asarray(original(a, axis, kind))
            return self.order(a)

        return argsort

    def argpartition(self, _: _Function) -> _Function:
        """Wrap `numpy.argpartition` for the last axis; the order in both parts is random."""

        def argpartition(a: ArrayLike, kth: int) -> _Array:
            indices = self.order(a)
            for part in (indices[..., :kth], indices[..., kth:][..., 1:]):
                np.random.default_rng(self.seed).permuted(part, axis=-1, out=part)
            return indices

        return argpartition

    def partition(self, _: _Function) -> _Function:
        """Wrap `numpy.partition` for the last axis."""
        return lambda a, kth: np.take_along_axis(a, np.argpartition(a, kth), axis=-1)

    def get_top_k(self, original: _Function) -> _Function:
        """Wrap LlamaIndex's `get_top_k_embeddings`, which orders equal scores by random ids."""

        def get_top_k(*args: object, similarity_top_k: int, **named: object) -> tuple[_List, _List]:
            scores, ids = original(*args, **named)
            best = self.order([-score for score in scores])[:similarity_top_k]
            return [scores[n] for n in best], [ids[n] for n in best]

        return get_top_k

    def faiss_search(self, original: _Function) -> _Function:
        """Wrap the search of a FAISS index, which returns the best scores and their positions."""

        def search(index: Any, x: _Array, k: int) -> tuple[_Array, _Array]:  # noqa: ANN401
            scores, found = original(index, x, max(k, index.ntotal))
            changes = np.diff(scores, axis=-1, prepend=scores[:, :1]) != 0
            best = self.order(np.cumsum(changes, axis=-1))[:, :k]
            return np.take_along_axis(scores, best, -1), np.take_along_axis(found, best, -1)

        return search


_List = list[Any]


class _Similarities(np.ndarray[Any, Any]):
    """An array whose method `argsort` is the function of numpy."""

    def argsort(self, *args: Any, **named: Any) -> _Array:  # noqa: ANN401
        """Return the indices that sort the array."""
        return np.argsort(np.asarray(self), *args, **named)


def _with_numpy_argsort(original: _Function) -> _Function:
    """Wrap a function so that the method `argsort` of the array it returns is numpy's function."""
    return lambda *args: np.asarray(original(*args)).view(_Similarities)
