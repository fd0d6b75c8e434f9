"""Processes that end in the middle of an update, as functions of JSON's values."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from shutil import copytree

from tests.conformance.frameworks import Framework, Native, framework_of
from tests.conformance.models import Model
from tests.conformance.processes import say

_KILLED = 9
_MOST_KILLS = 40


def write_on(name: str, folder: str) -> object:
    """Update an index again and again; print the number of each update after it."""
    framework = framework_of(name)
    made = framework.load(Path(folder), Model())
    say("0")
    for number in count(1):
        text = f"# Rounds\n\nRound{number} is done.\n"
        made.update(framework.documents({"rounds.md": text}))
        say(str(number))
    raise AssertionError


def kill(name: str, kind: str, folder: str, work: str, texts: dict[str, str]) -> object:
    """Update copies of an index, each in a process that ends at a later statement of SQLite.

    Return how many processes were killed; the copies are in `work`, by number from 1. Of many
    statements, at most `_MOST_KILLS` are taken, from the first to the last.

    Args:
        name: the name of the framework.
        kind: the kind of the caller's vector store; "" for none.
        folder: the folder of the index, with `index` and `store` in it.
        work: the folder of the copies.
        texts: the documents after the update.
    """
    return _kill_copies(name, kind, folder, work, texts, is_build=False)


def kill_build(name: str, folder: str, work: str, texts: dict[str, str]) -> object:
    """Do what `kill` does with an index that is made by `from_documents`."""
    return _kill_copies(name, "", folder, work, texts, is_build=True)


def _kill_copies(
    name: str, kind: str, folder: str, work: str, texts: dict[str, str], *, is_build: bool
) -> int:
    framework = framework_of(name)

    def update(number: int, last: int) -> tuple[int, int]:
        copy = Path(work, str(number))
        copytree(folder, copy)
        return _count_in_fork(
            lambda: _update(framework, kind, copy, texts, last, is_build=is_build)
        )

    code, statements = update(0, 10**9)
    assert code == 0
    step = max(1, statements / _MOST_KILLS)
    numbers = sorted({round(1 + n * step) for n in range(int(statements / step))} | {statements})
    for number, last in enumerate(numbers, 1):
        assert update(number, last)[0] == _KILLED
    return len(numbers)


def _count_in_fork(function: Callable[[], int]) -> tuple[int, int]:
    """Return the exit code of a fork, and the number that a function returned there, else 0."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, str(function()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        written = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(written or 0)


def _update(
    framework: Framework,
    kind: str,
    folder: Path,
    texts: dict[str, str],
    last: int,
    *,
    is_build: bool,
) -> int:
    """Update an index, and end this process at a statement; else return how many there were."""
    statements, model = Statements(), Model(log=folder / "log")
    store = framework.store(kind, folder / "store", model) if kind else None
    if is_build:
        statements.last = last
        made = framework.make(texts, model, store=store, folder=folder / "index")
    else:
        made = framework.load(folder / "index", model, store=store)
        statements.last = last
        made.update(framework.documents(texts), delete_missing=True)
    made.close()
    return statements.count


class Statements:
    """Counts the statements of all connections that are opened from now on.

    Attributes:
        last: the number of the statement at which this process ends; 0 to count none.
        count: the number of statements so far.
    """

    def __init__(self) -> None:
        self.last, self.count, self._connect = 0, 0, sqlite3.connect
        sqlite3.connect = self._connect_traced  # type: ignore[assignment]

    def _connect_traced(self, *arguments: Native, **options: Native) -> sqlite3.Connection:
        connection = self._connect(*arguments, **options)
        connection.set_trace_callback(self._count)
        return connection

    def _count(self, _: str) -> None:
        self.count += bool(self.last)
        if self.last and self.count == self.last:
            os._exit(_KILLED)
