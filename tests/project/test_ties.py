"""Tests of searches pass in any order of ties, of tests and of sets, and on an older processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module

import numpy as np
import pytest

from tests.corpora import REPOSITORY
from tests.ties import Ties

# Tests of what only splits, and of commands and processes, in which nothing is permuted.
_OTHERS = "not (context or docstrings or formats or parser or process or splitter)"
_SEARCHES = ("langchain", "llamaindex", "retrieval/test_index.py", "retrieval/test_index_words.py")
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "-k", _OTHERS)


def _without_features() -> Mapping[str, str]:
    """Return the environment variables that make numpy use no feature that is chosen at run time.

    Names that numpy does not know are errors, of which it only warns.
    """
    features = import_module("numpy._core._multiarray_umath").__cpu_dispatch__
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(features),
        "PYTHONWARNINGS": "error::ImportWarning",
    }


@pytest.mark.slow
def test_searches_do_not_depend_on_ties() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "3", **_without_features()}
    tests = [f"tests/{name}" for name in _SEARCHES]
    options = ["-m", "not slow and not hypothesis", "--permute-ties=3", "--shuffle=3"]
    run = subprocess.run(
        [*_PYTEST, *options, *tests],
        env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_only_equal_elements_are_permuted() -> None:
    scores = np.array([[0.0, 2.0, 1.0, 0.0, 0.0, 2.0, 0.0], [1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]])
    orders = set()
    for seed in range(10):
        ties = Ties(seed)
        argsort, argpartition = ties.argsort(np.argsort), ties.argpartition(np.argpartition)
        order = argsort(scores)
        assert np.take_along_axis(scores, order, -1).tolist() == np.sort(scores).tolist()
        assert order.tolist() == argsort(scores).tolist()
        assert argsort(scores, kind="stable").tolist() == scores.argsort(kind="stable").tolist()
        for kth in range(-7, 7):
            parted = np.take_along_axis(scores, argpartition(scores, kth), -1)
            assert parted[:, kth].tolist() == np.sort(scores)[:, kth].tolist()
            assert (parted[:, :kth].max(-1, initial=0) <= parted[:, kth]).all()
            assert (parted[:, kth:].min(-1) == parted[:, kth]).all()
        orders.add(str(order))
    assert len(orders) > 5
