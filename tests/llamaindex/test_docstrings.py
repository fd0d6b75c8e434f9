"""Every example in a docstring gives what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import chunkana_llamaindex

_PREFIX = f"{chunkana_llamaindex.__name__}."
MODULES = [found.name for found in pkgutil.walk_packages(chunkana_llamaindex.__path__, _PREFIX)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_entry_points_have_examples() -> None:
    finder = doctest.DocTestFinder()
    for name in ("ChunkanaNodeParser", "ChunkanaRetriever", "ScorePropagation"):
        tests = finder.find(getattr(chunkana_llamaindex, name), name)
        assert any(test.examples for test in tests), name
