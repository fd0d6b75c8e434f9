"""A damaged document of an index is named; `repair` deletes it, so that it is indexed again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chunkana_retrieval import IndexFileError
from tests.conformance.frameworks import Framework
from tests.conformance.models import Model
from tests.conformance.texts import QUESTION, TEXTS, sorted_texts


def test_a_damaged_document_is_named_and_repaired(framework: Framework, tmp_path: Path) -> None:
    """`repair` returns the ids of the documents to update; the others keep their vectors."""
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection, connection:
        ((number, record),) = connection.execute(
            "SELECT number, record FROM document ORDER BY number LIMIT 1"  # that of tea.md
        )
        changed = bytes([*record[:-1], record[-1] ^ 1])
        connection.execute("UPDATE document SET record = ? WHERE number = ?", [changed, number])
    model = Model()
    made = framework.load(tmp_path, model)
    with pytest.raises(IndexFileError, match=r"'tea\.md'.*repair"):
        framework.ask(made, QUESTION)
    assert made.repair() == ["tea.md"]
    made.update(framework.documents({"tea.md": TEXTS["tea.md"]}))
    found = framework.ask(made, QUESTION)
    fresh = framework.make(TEXTS, Model())
    assert sorted_texts(found) == sorted_texts(framework.ask(fresh, QUESTION))
    assert not any("Oven" in text for text in model.texts)
    assert made.repair() == []
