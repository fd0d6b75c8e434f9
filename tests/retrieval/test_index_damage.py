"""A damaged index gives right answers or an error, never wrong answers; `repair` mends it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import get_args

import pytest

from chunkana_retrieval import Index, IndexFileError, SearchOptions
from chunkana_retrieval.index import SearchKind
from tests.conformance.models import Model
from tests.conformance.texts import COOLER, TEXTS
from tests.retrieval.test_index import found, update
from tests.vectors import word_vector

Answer = set[tuple[str, str]]

MANY = {f"{n}.md": f"# Cup {n}\n\nCup{n} waits.\n\n## Green\n\nGreen{n} tea.\n" for n in range(9)}
SAVED = {**TEXTS, **MANY}
QUESTIONS = ("green tea", "wait", "cup3 green5 bread", "boil fresh water degrees")
# Rows of the tables, as the statements below name them.
_ROWS = {
    "POSTING": "word = CAST('green' AS BLOB) AND document = "
    "(SELECT min(document) FROM posting WHERE word = CAST('green' AS BLOB))",
    "VECTOR": "text = (SELECT min(text) FROM vector)",
    "DOCUMENT": "number = 3",
}
DAMAGES = {
    "leaves of a word": "UPDATE posting SET leaves = leaves || X'00000000' WHERE POSTING",
    "word": "UPDATE posting SET word = CAST('grefn' AS BLOB) WHERE POSTING",
    "word that is none": "UPDATE posting SET word = 'green' WHERE POSTING",
    "posting of no document": "UPDATE posting SET document = 1000 WHERE POSTING",
    "posting that moved": "UPDATE posting SET document = 4 WHERE word = CAST('bread' AS BLOB)",
    "posting that is lost": "DELETE FROM posting WHERE POSTING",
    "postings of a word": "DELETE FROM posting WHERE word = CAST('green' AS BLOB)",
    "all postings": "DELETE FROM posting",
    "seal of a word": "UPDATE word SET seal = seal + 1 WHERE word = CAST('green' AS BLOB)",
    "seal that is lost": "DELETE FROM word WHERE word = CAST('green' AS BLOB)",
    "all seals": "DELETE FROM word",
    "vector": "UPDATE vector SET numbers = CAST(substr(numbers, 5) || 'word' AS BLOB) WHERE VECTOR",
    "text of a vector": "UPDATE vector SET text = zeroblob(16) WHERE VECTOR",
    "text that is none": "UPDATE vector SET text = 'text' WHERE VECTOR",
    "vector that is lost": "DELETE FROM vector WHERE VECTOR",
    "all vectors": "DELETE FROM vector",
    "letter": "UPDATE document SET record = "
    "CAST(substr(record, 1, 9) || 'x' || substr(record, 11) AS BLOB) WHERE DOCUMENT",
    "record": "UPDATE document SET record = substr(record, 2) WHERE DOCUMENT",
    "leaves of a document": "UPDATE document SET leaves = substr(leaves, 5) WHERE DOCUMENT",
    "words of a document": "UPDATE document SET words = X'' WHERE DOCUMENT",
    "name": "UPDATE document SET name = CAST('other' AS BLOB) WHERE DOCUMENT",
    "name that is none": "UPDATE document SET name = 7 WHERE DOCUMENT",
    "fingerprint": "UPDATE document SET fingerprint = 'x' WHERE DOCUMENT",
    "number": "UPDATE document SET number = 1000 WHERE DOCUMENT",
    "document that is lost": "DELETE FROM document WHERE DOCUMENT",
}
HARMLESS = {"words of a document"}  # which only updates read


@pytest.fixture(scope="module")
def saved() -> Iterator[Path]:
    """Yield the folder of an index."""
    with TemporaryDirectory() as path:
        with Index(path) as index:
            update(index, SAVED, Model())
        yield Path(path)


@pytest.fixture(scope="module")
def expected() -> list[Answer]:
    """Return the answers of an index of the documents that is not damaged."""
    with Index() as index:
        update(index, SAVED, Model())
        return answers(index)


def answers(index: Index) -> list[Answer]:
    """Return the leaves and parents that an index finds with vectors and by words alone."""
    found: list[Answer] = []
    for question in QUESTIONS:
        for search in get_args(SearchKind):
            vector = None if search == "lexical" else word_vector(question, 128)
            result = index.search(question, SearchOptions(search), vector=vector)
            found.append({(hit.document_id, hit.text) for hit in result.hits})
            found.append({(one.document_id, one.text) for one in result.parents()})
    return found


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damage_is_noticed_or_changes_no_answer_and_is_repaired(
    damage: str, saved: Path, expected: list[Answer], tmp_path: Path
) -> None:
    folder, errors = tmp_path / "index", list[IndexFileError]()
    copytree(saved, folder)
    statement = DAMAGES[damage]
    for name, condition in _ROWS.items():
        statement = statement.replace(f"WHERE {name}", f"WHERE {condition}")
    with closing(sqlite3.connect(folder / "index.db")) as connection, connection:
        assert connection.execute(statement).rowcount > 0
    with Index.load(folder) as index:
        try:
            assert answers(index) == expected
        except IndexFileError as error:
            errors.append(error)  # with all frames of the search, whose cursors must be done
            assert "repair" in str(error)  # noqa: PT017
        if damage.startswith(("name", "document that is lost")):
            with pytest.warns(UserWarning, match="the ids of 1 deleted documents"):
                names = index.repair()
        else:
            names = index.repair()
        assert {*names} <= {*SAVED}
        update(index, SAVED, Model())
        assert answers(index) == expected
        assert index.repair() == []
    assert errors or damage in HARMLESS


@contextmanager
def damage_is_named(folder: Path) -> Iterator[None]:
    """Allow the error that says that an index is damaged."""
    try:
        yield
    except IndexFileError as error:
        assert error.path == str(folder / "index.db")  # noqa: PT017


@pytest.mark.filterwarnings("ignore:the ids of .* deleted documents cannot be read")
@pytest.mark.parametrize(("seed", "size"), [(1, 16), pytest.param(2, 150, marks=pytest.mark.slow)])
def test_changed_bytes_are_noticed_or_change_no_answer(
    seed: int, size: int, saved: Path, expected: list[Answer], tmp_path: Path
) -> None:
    """An update and a repair say so too, or bring the index to today's documents."""
    random, content, whole = Random(seed), (saved / "index.db").read_bytes(), 0
    with Index() as fresh:
        update(fresh, {**SAVED, **COOLER}, Model())
        cooler = answers(fresh)
    for number in range(size):
        folder, changed = tmp_path / str(number), bytearray(content)
        copytree(saved, folder)
        if number % 4:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        else:
            start = random.randrange(len(changed) // 512) * 512
            changed[start : start + 512] = random.choice([bytes(512), random.randbytes(512)])
        (folder / "index.db").write_bytes(changed)
        with damage_is_named(folder), Index.load(folder) as index:
            assert answers(index) == expected
            whole += 1
        with damage_is_named(folder), Index.load(folder) as index:
            update(index, {**SAVED, **COOLER}, Model())
            assert answers(index) == cooler
        with damage_is_named(folder), Index.load(folder) as index:
            index.repair()
            update(index, SAVED, Model())
            assert answers(index) == expected
    assert whole < size - size / 10


def test_documents_that_an_index_of_the_database_lacks_are_missed(
    saved: Path, tmp_path: Path
) -> None:
    """The count in a page of SQLite's is smaller, which SQLite does not notice."""
    copytree(saved, tmp_path / "index")
    path = tmp_path / "index" / "index.db"
    with closing(sqlite3.connect(path)) as connection:
        ((page,),) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'document_version'"
        )
        ((size,),) = connection.execute("PRAGMA page_size")
    content = bytearray(path.read_bytes())
    assert content[(page - 1) * size + 4] == len(SAVED)
    content[(page - 1) * size + 4] -= 2
    path.write_bytes(content)
    with Index.load(tmp_path / "index") as index, pytest.raises(IndexFileError, match="repair"):
        found(index, "green", has_vectors=True, options=SearchOptions("dense"))
