"""Processes that end in the middle of an update, as functions of JSON's values."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

from tests.conformance.frameworks import Framework, Native, framework_of
from tests.conformance.models import Model

_KILLED = 9
_KILLS, _FEW_KILLS = 40, 14  # few where each one takes seconds


def kill(name: str, kind: str, folder: str, work: str, texts: dict[str, str]) -> object:
    """Make or update copies of an index, each in a process that ends at a later SQLite statement.

    Return how many processes were killed; the copies are in `work`, by number from 1. Of all
    statements, some are taken from the first to the last.

    Args:
        name: the name of the framework.
        kind: the kind of the caller's vector store; "" for none.
        folder: the folder of the index, with `index` and `store` in it if they exist.
        work: the folder of the copies.
        texts: the documents after the update.
    """
    framework, is_slow = framework_of(name), bool(kind) or not Path(folder, "index").exists()

    def update(number: int, last: int) -> tuple[int, int]:
        copy = Path(work, str(number))
        copytree(folder, copy)
        return _count_in_fork(lambda: _update(framework, kind, copy, texts, last))

    code, statements = update(0, 10**9)
    assert code == 0
    step = max(1, statements / (_FEW_KILLS if is_slow else _KILLS))
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


def _update(framework: Framework, kind: str, folder: Path, texts: dict[str, str], last: int) -> int:
    """Update an index, and end this process at a statement; else return how many there were."""
    statements, model = Statements(last), Model(log=folder / "log")
    store = framework.store(kind, folder / "store", model) if kind else None
    framework.make(texts, model, store=store, folder=folder / "index").close()
    return statements.count


class Statements:
    """Counts the statements of all connections that are opened from now on.

    Attributes:
        last: the number of the statement at which this process ends.
        count: the number of statements so far.
    """

    def __init__(self, last: int) -> None:
        self.last, self.count, self._connect = last, 0, sqlite3.connect
        sqlite3.connect = self._connect_traced  # type: ignore[assignment]

    def _connect_traced(self, *arguments: Native, **options: Native) -> sqlite3.Connection:
        connection = self._connect(*arguments, **options)
        connection.set_trace_callback(self._count)
        return connection

    def _count(self, _: str) -> None:
        self.count += 1
        if self.count == self.last:
            os._exit(_KILLED)
