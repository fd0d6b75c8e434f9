"""Each test of the suite runs over each framework that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conformance.adapters import adapters
from tests.conformance.frameworks import Framework, MakeStore, Store, frameworks
from tests.conformance.models import Model

FRAMEWORKS = frameworks()
SPLITTING = adapters()
_NEEDED = {"faiss": "faiss", "qdrant": "qdrant_client", "chroma": "chromadb"}
_STORES = [
    pytest.param(framework, kind, id=f"{framework}-{kind}")
    for framework in FRAMEWORKS
    for kind in framework.stores
    if kind not in _NEEDED or find_spec(_NEEDED[kind])
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over each framework, and over each kind of its stores if it uses one.

    A test of an `adapter` is of arguments of a retriever, which an index alone does not have; one
    of `splitting` is of splitters and assemblers.
    """
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize(("framework", "kind"), _STORES)
    elif "framework" in metafunc.fixturenames:
        metafunc.parametrize("framework", FRAMEWORKS, ids=repr)
    elif "adapter" in metafunc.fixturenames:
        retrievers = [framework for framework in FRAMEWORKS if framework.name != "plain"]
        metafunc.parametrize("adapter", retrievers, ids=repr)
    elif "splitting" in metafunc.fixturenames:
        metafunc.parametrize("splitting", SPLITTING, ids=repr)


@pytest.fixture
def make_store(framework: Framework, kind: str, tmp_path: Path) -> Iterator[MakeStore]:
    """Return a function that opens a vector store of the caller's."""
    opened: list[Store] = []

    def make(model: Model, name: str = "store") -> Store:
        opened.append(framework.store(kind, tmp_path / name, model))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
