"""An index in a folder: saved, loaded elsewhere, and refused where there is none."""

from __future__ import annotations

import pickle
import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from chunkana_retrieval import IndexFileError
from tests.conformance import worker
from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.processes import run
from tests.conformance.test_edits import contents
from tests.conformance.texts import (
    COOLER,
    OVEN,
    QUESTION,
    TEA,
    TEXTS,
    assert_true,
    read,
    sorted_texts,
    sources,
)

FILE = "index.db"
PLAIN = worker.PLAIN


def test_another_process_gives_the_same_answers(framework: Framework, tmp_path: Path) -> None:
    made = framework.make(TEXTS, Model(), folder=tmp_path)
    questions = [QUESTION, "bread", "Heat fresh water"]
    answers = [[[*one] for one in framework.ask(made, question)] for question in questions]
    assert all(answers)
    assert run(worker.answer, framework.name, str(tmp_path), questions) == answers


async def test_a_loaded_index_goes_on_without_embedding_what_is_known(
    framework: Framework, tmp_path: Path
) -> None:
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    model, before = Model(), contents(tmp_path)
    loaded = await framework.aload(tmp_path, model)
    assert sorted(framework.update(loaded, TEXTS).unchanged) == sorted(TEXTS)
    loaded.close()
    assert contents(tmp_path) == before
    loaded = framework.load(tmp_path, model)
    moved = {"oven.md": OVEN, "/tea.md": TEA}
    framework.update(loaded, moved)
    assert model.texts == []
    again = framework.load(tmp_path, Model())
    assert framework.ask(again, QUESTION) == framework.ask(loaded, QUESTION)
    assert sources(framework.ask(again, QUESTION)) == {*moved}


def test_a_closed_index_is_one_file(framework: Framework, tmp_path: Path) -> None:
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    assert {path.name for path in tmp_path.iterdir()} - {"index.lock"} == {FILE}


def test_an_index_is_made_again_in_its_folder(framework: Framework, tmp_path: Path) -> None:
    """With today's documents alone, and without embedding what is known."""
    framework.make(TEXTS, Model(), folder=tmp_path)
    model = Model()
    made = framework.make({"tea.md": TEA}, model, folder=tmp_path)
    assert (model.texts, made.document_ids()) == ([], ["tea.md"])


@pytest.mark.parametrize("texts", [{}, {"a.md": "", "b.md": " \n\n"}], ids=["nothing", "blank"])
async def test_an_index_of_nothing_is_saved_and_grows(
    framework: Framework, texts: dict[str, str], tmp_path: Path
) -> None:
    for search in ("hybrid", "dense", "lexical"):
        folder = tmp_path / search
        framework.make(texts, Model(), folder=folder, search=search).close()
        made = framework.load(folder, Model(), search=search)
        assert sorted(made.document_ids()) == sorted(texts)
        for question in (QUESTION, "", " "):
            assert framework.ask(made, question) == await framework.aask(made, question) == []
        assert framework.ask(made, QUESTION, returns="parents") == []
        made.update(framework.documents(TEXTS))
        fresh = framework.make(TEXTS, Model(), search=search)
        found = framework.ask(framework.load(folder, Model(), search=search), QUESTION)
        assert sorted_texts(found) == sorted_texts(framework.ask(fresh, QUESTION)) != []
        assert framework.update(made, {**TEXTS, **texts}).changed == []
        assert sorted(framework.update(made, TEXTS).deleted) == sorted(texts)


def test_a_copy_is_saved_while_the_index_changes(framework: Framework, tmp_path: Path) -> None:
    in_memory = framework.make(TEXTS, Model())
    made = framework.make(TEXTS, Model(), folder=tmp_path / "first")
    for number, one in enumerate((in_memory, made)):
        copy = tmp_path / str(number)
        one.save(copy)
        framework.update(one, COOLER)
        model = Model()
        loaded = framework.load(copy, model)
        assert "80 degrees" in read(framework.ask(loaded, "degrees"))
        framework.update(loaded, TEXTS)
        assert model.texts == []
        assert "75 degrees" in read(framework.ask(one, "degrees"))


@pytest.mark.parametrize("has_folder", [False, True])
def test_a_retriever_is_pickled(framework: Framework, tmp_path: Path, *, has_folder: bool) -> None:
    folder = tmp_path if has_folder else None
    made = framework.make(TEXTS, Model(), folder=folder, budget=90)
    copy = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert framework.ask(copy, QUESTION) == framework.ask(made, QUESTION)
    framework.update(copy, COOLER)
    assert "75 degrees" in read(framework.ask(copy, "degrees"))
    today = "75 degrees" if has_folder else "80 degrees"
    assert today in read(framework.ask(made, "degrees"))


def test_a_retriever_says_what_it_is(adapter: Framework, tmp_path: Path) -> None:
    made = adapter.make(TEXTS, Model(), folder=tmp_path, search="lexical")
    shown = repr(made)
    assert "ChunkanaRetriever" in shown
    assert str(tmp_path) in shown
    assert "lexical" in shown
    assert "2" in shown.replace(str(tmp_path), "")
    assert len(shown) < 400 + len(str(tmp_path))
    assert "Boil" not in shown


def test_a_closed_retriever_is_an_error_and_not_an_answer(
    framework: Framework, tmp_path: Path
) -> None:
    for folder in (None, tmp_path):
        made = framework.make(TEXTS, Model(), folder=folder)
        made.close()
        made.close()
        with pytest.raises((ValueError, OSError), match="closed"):
            framework.ask(made, QUESTION)
        with pytest.raises((ValueError, OSError), match="closed"):
            framework.update(made, TEXTS)


# Folders that are none of an index


def test_a_folder_without_an_index_is_named(framework: Framework, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError, match=folder.name):
            framework.load(folder, Model())
    assert not [*tmp_path.iterdir()]


def test_a_file_instead_of_a_folder_is_an_error_before_anything_is_embedded(
    framework: Framework, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    model = Model()
    for call in (framework.load, lambda *given: framework.make(TEXTS, model, folder=given[0])):
        with pytest.raises(OSError, match="file"):
            call(tmp_path / "file", model)
    assert model.texts == []
    assert (tmp_path / "file").read_text() == "mine"


def _others(path: Path) -> None:
    path.unlink()
    _execute(path, "CREATE TABLE theirs(x)")


def _execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: _execute(path, "PRAGMA user_version = 99"), "format 99.*make a new index"),
        (lambda path: _execute(path, "PRAGMA application_id = 7"), "not an index"),
        (_others, "not an index"),
        (lambda path: path.write_bytes(b"chunkana index 1 0\n" + bytes(9000)), "not an index"),
        (lambda path: path.write_bytes(path.read_bytes()[:-8192]), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged|not an index"),
    ],
    ids=["version", "application", "tables", "file", "cut", "cut short"],
)
def test_a_file_of_another_kind_is_named_and_left_alone(
    change: Callable[[Path], object], reason: str, tmp_path: Path
) -> None:
    """Except that nobody knows of a file that was cut which of its documents are whole."""
    PLAIN.make(TEXTS, Model(), folder=tmp_path).close()
    path, model = tmp_path / FILE, Model()
    change(path)
    before = path.read_bytes()

    def load() -> None:
        made = PLAIN.load(tmp_path, model)
        PLAIN.ask(made, QUESTION)
        PLAIN.update(made, COOLER)

    for call in (load, lambda: PLAIN.make(COOLER, model, folder=tmp_path)):
        with pytest.raises(IndexFileError, match=reason) as raised:
            call()
        assert raised.value.path == str(path)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_written_answers_and_refuses_changes(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    made = PLAIN.make(TEXTS, Model(), folder=folder)
    answers = [[*one] for one in PLAIN.ask(made, QUESTION)]
    made.close()
    before = contents(folder)
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    done: Native = run(worker.update_read_only, str(folder), COOLER, QUESTION, has_rights=False)
    folder.chmod(0o755)
    if done is None:
        pytest.skip("whoever runs this may write everywhere")
    first, message, embedded, after = done
    assert first == after == answers
    assert str(folder) in message
    assert embedded == []
    assert contents(folder) == before


def test_a_full_disk_leaves_the_index_that_was_there(tmp_path: Path) -> None:
    made = PLAIN.make(TEXTS, Model(), folder=tmp_path)
    before = PLAIN.ask(made, QUESTION)
    texts = {**TEXTS, **{f"{n}.md": f"# Tea {n}\n\n" + f"Cup{n} waits. " * 60 for n in range(60)}}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(OSError, match=FILE):
            PLAIN.update(made, texts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert PLAIN.ask(made, QUESTION) == before
    assert PLAIN.ask(PLAIN.load(tmp_path, Model()), QUESTION) == before
    PLAIN.update(made, texts)
    assert_true(PLAIN.ask(made, QUESTION), texts)
    assert len(made.document_ids()) == len(texts)
