"""`chunkana index` that is killed or runs twice at once, and folders that are no such index."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from chunkana_retrieval import Index
from tests.cli.command import call, error_of, output_of, run, start
from tests.cli.indexes import OLD, Work, index, texts_of, work, write
from tests.cli.rights import run_without_rights

__all__ = ["work"]  # a fixture

FILES = {f"docs/{number:03}.md": f"# Tea {number}\n\nCup {number}.\n" for number in range(300)}
BATCH = 128  # documents that appear together

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="patches a copy of this process")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kill_after_updates(number: int) -> Callable[[], None]:
    """Return what lets the command kill itself after a number of updates of the index."""

    def prepare() -> None:
        update, numbers = Index.update_sources, count(1)

        def update_sources(self: Index, *arguments: object, **options: object) -> object:
            report = update(self, *arguments, **options)  # type: ignore[arg-type]
            if next(numbers) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return report

        Index.update_sources = update_sources  # type: ignore[method-assign,assignment]

    return prepare


def run_killed(*arguments: str, updates: int) -> None:
    done = run("index", "docs", "--jobs=1", *arguments, prepare=kill_after_updates(updates))
    assert done.returncode == -signal.SIGKILL


@needs_fork
def test_a_build_that_was_killed_is_continued(work: Work) -> None:
    for name, text in FILES.items():
        write(name, text)
    names = [*FILES]
    for updates in (1, 2):
        run_killed(updates=1)
        assert [*texts_of(".chunkana")] == names[: updates * BATCH]
    done = index("docs")
    assert done.counts == {"document": 300, "added": 44, "unchanged": 256}
    assert work.chunked == names[256:]
    assert texts_of(".chunkana") == FILES
    work.clear()
    index("docs")
    assert work == Work([], [])


@needs_fork
def test_an_update_that_was_killed_is_continued(work: Work) -> None:
    for name, text in FILES.items():
        write(name, text)
    index("docs")
    work.clear()
    for name, text in FILES.items():
        write(name, text.replace("Cup", "Pot"), OLD + 1)
    run_killed(updates=1)
    changed = [name for name, text in texts_of(".chunkana").items() if "Pot" in text]
    assert changed == [*FILES][:BATCH]
    index("docs")
    assert work.chunked == [*FILES][BATCH:]
    assert all("Pot" in text for text in texts_of(".chunkana").values())


@needs_fork
def test_a_file_that_is_again_as_before_a_run_that_was_killed_is_read() -> None:
    write("docs/tea.md", "# Tea 1\n")
    index("docs")
    write("docs/tea.md", "# Tea 2\n", OLD + 1)
    run_killed(updates=1)
    assert texts_of(".chunkana") == {"docs/tea.md": "# Tea 2\n"}
    write("docs/tea.md", "# Tea 1\n")
    assert index("docs").counts == {"document": 1, "changed": 1}


@needs_fork
def test_other_options_are_of_all_documents_or_of_none() -> None:
    """The run is killed while it writes, and then after it wrote."""
    for name, text in FILES.items():
        write(name, text)
    index("docs")

    def kill_at_once() -> None:
        def update_sources(*_arguments: object, **_options: object) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        Index.update_sources = update_sources  # type: ignore[method-assign,assignment]

    run("index", "docs", "--jobs=1", "--from=text", prepare=kill_at_once)
    assert index("docs").counts == {"document": 300, "unchanged": 300}
    run_killed("--from=text", updates=1)
    assert index("docs", "--from=text").counts == {"document": 300, "unchanged": 300}


@needs_fork
def test_two_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one runs to its end when this one is about to write."""
    for name, text in FILES.items():
        write(name, text)
    update, others = Index.update_sources, list[int]()

    def update_sources(self: Index, *arguments: object, **options: object) -> object:
        if not others:
            others.append(run("index", "docs", "--jobs=1", prepare=monkeypatch.undo).returncode)
        return update(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "update_sources", update_sources)
    assert (index("docs").code, others) == (0, [0])
    assert texts_of(".chunkana") == FILES
    monkeypatch.undo()


@needs_fork
def test_two_runs_from_the_same_moment(folder: Path) -> None:
    for name, text in FILES.items():
        write(name, text)
    runs = [start("index", "docs", "--jobs=1", folder=folder) for _ in range(2)]
    assert [one.wait(60) for one in runs] == [0, 0]
    assert texts_of(".chunkana") == FILES
    assert index("docs").counts == {"document": 300, "unchanged": 300}


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    write("docs/tea.md", "# Tea\n")
    Path("locked").mkdir(mode=0o500)
    done = run_without_rights("index", "docs", "-o", "locked/index", folder=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"chunkana: locked/index: Permission denied\n"
    index("docs", "-o", "made")
    write("docs/oven.md", "# Oven\n")
    Path("made").chmod(0o500)
    done = run_without_rights("index", "docs", "-o", "made", folder=folder)
    asked = run_without_rights("ask", "made", "-q", "tea", folder=folder)
    Path("made").chmod(0o700)
    assert done.returncode == 1
    assert done.stderr.startswith(b"chunkana: made/index.db: ")
    assert (asked.returncode, asked.stdout) == (0, "── docs/tea.md:1-1\n\n# Tea\n".encode())


# Folders that are no index, or of another version


def make_other_version() -> None:
    index("docs", "-o", "made")
    with sqlite3.connect("made/index.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def damage() -> None:
    index("docs", "-o", "made")
    path = Path("made/index.db")
    path.write_bytes(path.read_bytes()[:100] + b"tea" * 10_000)


def make_foreign_database() -> None:
    Path("made").mkdir()
    with sqlite3.connect("made/index.db") as connection:
        connection.execute("CREATE TABLE tea(green)")
    connection.close()


def make_foreign_file() -> None:
    write("made/index.db", "An index of tea.\n" * 100)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_other_version, "is of format 99, not 1; make a new index in another folder"),
        (damage, "is damaged ("),
        (make_foreign_database, "is not an index of Chunkana"),
        (make_foreign_file, "is not an index of Chunkana"),
    ],
)
def test_a_file_that_is_no_such_index(make: Callable[[], None], reason: str) -> None:
    write("docs/tea.md", "# Tea\n")
    make()
    before = Path("made/index.db").read_bytes()
    is_foreign = "not an index" in reason
    for words in (
        ["index", "docs", "-o", "made"],
        ["outline", "made"],
        ["read", "made", "docs/tea.md"],
        *([] if is_foreign else [["ask", "made", "-q", "tea"]]),
    ):
        error = error_of(*words, code=1)
        assert error.startswith(f"{Path('made/index.db')}: {reason}")
    assert Path("made/index.db").read_bytes() == before


@pytest.mark.parametrize("make", [make_foreign_database, make_foreign_file])
def test_a_folder_with_a_foreign_index_file_is_a_folder_of_files(make: Callable[[], None]) -> None:
    make()
    write("made/tea.md", "# Tea\n")
    assert output_of("ask", "made", "-q", "tea") == "── made/tea.md:1-1\n\n# Tea\n"


@pytest.mark.parametrize("words", [["ask", "-q", "tea"], ["outline", ".chunkana"]])
def test_a_folder_without_an_index(words: list[str]) -> None:
    message = ".chunkana: has no index; make one: chunkana index FOLDER -o .chunkana"
    assert error_of(*words, code=1) == message
    assert not Path(".chunkana").exists()


def test_an_index_without_documents() -> None:
    write("docs/tea.md", b"\xff")
    assert index("docs").counts == {"error": 1}
    assert output_of("ask", "-q", "tea") == "Nothing found for “tea”\n"
    assert output_of("outline", ".chunkana") == ""
    assert call("outline", ".chunkana", "tea.md")[0] == 1
