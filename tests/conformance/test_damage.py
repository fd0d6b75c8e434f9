"""A damaged index gives right answers or a named error, and never wrong answers silently."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest

from chunkana_retrieval import IndexFileError
from tests.conformance.frameworks import Framework, Native, framework_of
from tests.conformance.models import Model
from tests.conformance.texts import COOLER, QUESTION, TEXTS, assert_true, sorted_texts

MANY = {f"{n}.md": f"# Cup {n}\n\nCup{n} is blue.\n\n## Green\n\nGreen{n}.\n" for n in range(12)}
SAVED = {**TEXTS, **MANY}
ASKED = (QUESTION, "cup3 green5 bread", "blue degrees")
FILE = "index.db"


def answers(framework: Framework, made: Native) -> list[list[tuple[str, str]]]:
    """Return all that is read of an index, some of it by words or vectors alone."""
    options: list[dict[str, object]] = [
        {}, {"returns": "parents"}, {"search": "lexical"}, {"search": "dense"}
    ]  # fmt: skip
    return [sorted_texts(framework.ask(made, one, **given)) for one in ASKED for given in options]


@pytest.fixture(scope="module")
def saved() -> Iterator[Native]:
    """Yield a function that returns a closed index of each framework in a folder."""
    with TemporaryDirectory() as path:

        def of(framework: Framework) -> Path:
            folder = Path(path, framework.name)
            if not folder.exists():
                framework.make(SAVED, Model(), folder=folder).close()
            return folder

        yield of


def check(framework: Framework, folder: Path, expected: Native) -> bool:
    """Assert that an index answers as it did, or says that it is damaged; return whether it does.

    An update and a repair either say so too, or bring the index to today's documents.
    """
    with expect_damage(folder) as is_whole:
        made = framework.load(folder, Model())
        assert answers(framework, made) == expected
        is_whole.append(True)
    with expect_damage(folder):
        made = framework.make({**SAVED, **COOLER}, Model(), folder=folder)
        for question in ASKED:
            assert_true(framework.ask(made, question), {**SAVED, **COOLER})
    with expect_damage(folder):
        made = framework.load(folder, Model())
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the ids of .* deleted documents cannot be read")
            made.repair()
        framework.update(made, SAVED)
        assert answers(framework, made) == expected
    return bool(is_whole)


@contextmanager
def expect_damage(folder: Path) -> Iterator[list[bool]]:
    """Allow the error that says that an index is damaged."""
    try:
        yield []
    except IndexFileError as error:
        assert error.path == str(folder / FILE)  # noqa: PT017


def damage(framework: Framework, saved: Native, seed: int, size: int, tmp_path: Path) -> int:
    """Damage copies of an index in one place each; return how many are noticed."""
    random, folder = Random(seed), saved(framework)
    expected = answers(framework, framework.make(SAVED, Model()))
    content = (folder / FILE).read_bytes()
    found = 0
    for number in range(seed, seed + size):
        copy = tmp_path / str(number)
        copytree(folder, copy)
        changed = bytearray(content)
        if number % 4:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        else:
            start = random.randrange(len(changed) // 512) * 512
            changed[start : start + 512] = random.choice([bytes(512), random.randbytes(512)])
        (copy / FILE).write_bytes(changed)
        found += not check(framework, copy, expected)
    return found


def test_changed_bytes_are_noticed_or_change_no_answer(
    framework: Framework, saved: Native, tmp_path: Path
) -> None:
    assert damage(framework, saved, 1, 12, tmp_path) > 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1600, 200))
def test_many_changed_bytes_are_noticed_or_change_no_answer(
    seed: int, saved: Native, tmp_path: Path
) -> None:
    """Of the index alone, which is the same in each framework."""
    assert damage(framework_of("plain"), saved, seed, 200, tmp_path) > 20


def test_a_damaged_document_is_named_and_repaired(
    framework: Framework, saved: Native, tmp_path: Path
) -> None:
    """`repair` returns the ids of the documents to update; the others keep their vectors."""
    folder, model = tmp_path / "index", Model()
    copytree(saved(framework), folder)
    connection = sqlite3.connect(folder / FILE)
    with connection:
        ((number, record),) = connection.execute(
            "SELECT number, record FROM document ORDER BY number LIMIT 1"  # that of tea.md
        )
        changed = bytes([*record[:-1], record[-1] ^ 1])
        connection.execute("UPDATE document SET record = ? WHERE number = ?", [changed, number])
    connection.close()
    made = framework.load(folder, model)
    with pytest.raises(IndexFileError, match=r"'tea\.md'.*repair"):
        framework.ask(made, QUESTION)
    names = made.repair()
    assert names == ["tea.md"]
    made.update([one for one in framework.documents(SAVED) if one.metadata["source"] in names])
    assert answers(framework, made) == answers(framework, framework.make(SAVED, Model()))
    assert not any("Oven" in text for text in model.texts)
    assert made.repair() == []
