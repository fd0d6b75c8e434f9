"""Mistakes that users make at first: each error says what to do instead, before work is done."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from chunkana_core import ConfigurationError
from tests.conformance.adapters import Adapter, Native
from tests.conformance.frameworks import Framework
from tests.conformance.models import Model
from tests.conformance.texts import TEA

READERS = r"(TextLoader\(|SimpleDirectoryReader\().*"
NO_LISTS = [
    ("docs", rf"^documents is 'docs'; allowed: a list of documents: {READERS}"),
    (Path("docs"), rf"^documents is .*; allowed: a list of documents: {READERS}"),
    (None, rf"^documents is None; allowed: a list of documents: {READERS}"),
    (["README.md"], rf"^documents\[0\] is 'README.md'; allowed: a Document: {READERS}Document\("),
]


@pytest.mark.parametrize(("given", "message"), NO_LISTS, ids=str)
def test_what_is_no_list_of_documents_is_not_split(
    splitting: Adapter, given: Native, message: str
) -> None:
    made = splitting.make()
    for split in (
        (made.split_documents, made.split_hierarchical)
        if hasattr(made, "split_documents")
        else (made, made.get_nodes_from_documents)
    ):
        with pytest.raises(ConfigurationError, match=message):
            split(given)
        with pytest.raises(ConfigurationError, match=r"^documents is <class .*: \[document\]$"):
            split(splitting.document(TEA, {}))


@pytest.mark.parametrize(("given", "message"), NO_LISTS, ids=str)
def test_what_is_no_list_of_documents_is_not_indexed(
    adapter: Framework, given: Native, message: str
) -> None:
    model = Model()
    made = adapter.make({}, model)
    with pytest.raises(ConfigurationError, match=message):
        made.update(given)
    with pytest.raises(ConfigurationError, match=r"^documents is <class .*: \[document\]$"):
        made.update(adapter.document("tea.md", TEA, {}))
    assert model.texts == []


@pytest.mark.parametrize(
    ("name", "meant"), [("chunk_sizes", "max_parent_size"), ("overlap", "chunk_overlap")]
)
def test_arguments_of_other_splitters_are_errors_that_say_what_is_meant(
    splitting: Adapter, name: str, meant: str
) -> None:
    if (name == "overlap") is not (splitting.name == "langchain"):
        name, meant = "max_parents_size", "max_parent_size"
    with pytest.raises(
        (ValueError, TypeError), match=f"argument is '{name}'.*did you mean.*{meant}"
    ):
        splitting.make(**{name: 20})


# Examples


MODULES = [
    found.name
    for package in ("chunkana_langchain", "chunkana_llamaindex")
    if find_spec({"chunkana_langchain": "langchain_core"}.get(package, "llama_index"))
    for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
]
ENTRIES = {
    "chunkana_langchain": ("ChunkanaRetriever", "ChunkanaSplitter", "CachedEmbeddings"),
    "chunkana_llamaindex": ("ChunkanaRetriever", "ChunkanaNodeParser", "ScorePropagation"),
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_give_what_they_say(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("package", sorted({name.partition(".")[0] for name in MODULES}))
def test_entry_points_have_examples(package: str) -> None:
    for name in ENTRIES[package]:
        tests = doctest.DocTestFinder().find(getattr(import_module(package), name), name)
        assert any(test.examples for test in tests), name
