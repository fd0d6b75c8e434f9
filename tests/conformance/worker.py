"""What other processes do with an index: each task is a function of JSON's values.

`python -m tests.conformance.worker TASK ARGUMENTS` prints what the task returns as JSON.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from shutil import copytree
from threading import Event, Thread
from typing import TypeVar

from tests import corpora
from tests.conformance.frameworks import Framework, Native, framework_of
from tests.conformance.models import Model, Vectors
from tests.rights import DROP_AND_RUN

Task = Callable[..., object]
_TASKS: dict[str, Task] = {}
_T = TypeVar("_T", bound=Task)
_KILLED = 9
_MOST_KILLS = 40


def start(task: str, *arguments: object, has_rights: bool = True) -> subprocess.Popen[str]:
    """Start a task in another process; without rights, files have to allow what it does."""
    command = [sys.executable, "-m", __name__, task, json.dumps(arguments)]
    if not has_rights:
        command = [sys.executable, "-c", DROP_AND_RUN, *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=corpora.REPOSITORY, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def result(process: subprocess.Popen[str], sent: str = "") -> Native:
    """Return what a task returned."""
    out, err = process.communicate(sent, timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def run(task: str, *arguments: object, has_rights: bool = True) -> Native:
    """Run a task in another process, and return what it returned."""
    return result(start(task, *arguments, has_rights=has_rights))


def say(line: str) -> None:
    """Write a line for the process that started this one."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def task(function: _T) -> _T:
    """Make a function a task."""
    _TASKS[function.__name__] = function
    return function


@task
def answer(name: str, folder: str, questions: list[str], options: Mapping[str, object]) -> object:
    """Return the answers of an index in a folder."""
    framework = framework_of(name)
    made = framework.load(Path(folder), Model(), **options)
    return [framework.ask(made, question) for question in questions]


@task
def write(name: str, folder: str, writer: str, rounds: int) -> object:
    """Write documents of one's own and one that all write, again and again, once all are ready."""
    framework = framework_of(name)
    made = framework.load(Path(folder), Model())
    say("ready")
    sys.stdin.readline()
    for number in range(rounds):
        own = {f"{writer}{number % 3}.md": f"# Own\n\nOf {writer}, round{number}.\n"}
        ours = {"shared.md": f"# Shared\n\nLast by {writer}, round{number}.\n"}
        made.update(framework.documents({**own, **ours}))
    return "done"


@task
def read(name: str, folder: str, question: str, word: str) -> object:
    """Ask until an answer has a word; return all texts that were found until then."""
    framework = framework_of(name)
    made = framework.load(Path(folder), Model())
    say("ready")
    seen, found = set[str](), list[str]()
    while not any(word in text for text in found):
        found = [one.text for one in framework.ask(made, question)]
        seen |= {*found}
    return sorted(seen)


@task
def update_read_only(name: str, folder: str, texts: dict[str, str], question: str) -> object:
    """Ask an index that cannot be written, and try to update it; return answers and the error."""
    framework, path = framework_of(name), Path(folder)
    if os.access(path, os.W_OK):
        return None
    model = Model()
    made = framework.load(path, model)
    before = framework.ask(made, question)
    try:
        framework.update(made, texts)
    except OSError as error:
        return before, type(error).__name__, str(error), model.texts, framework.ask(made, question)
    raise AssertionError


@task
def fork(name: str, folders: list[str], before: dict[str, str], after: dict[str, str]) -> object:
    """Do what `_fork` does with an index in each folder, "" for one in memory."""
    return [_fork(framework_of(name), folder, before, after) for folder in folders]


def _fork(
    framework: Framework, folder: str, before: dict[str, str], after: dict[str, str]
) -> object:
    """Update an index in a fork, and return what child, parent and a second fork find."""
    model = Model()
    made = framework.make(before, model, folder=Path(folder) if folder else None)

    def ask() -> object:
        return framework.ask(made, "75 or 80 degrees")

    def change() -> object:
        model.clear()
        framework.update(made, after)
        return [ask(), model.texts]

    first = ask()
    return [first, _in_fork(change), ask(), _in_fork(ask), change(), ask()]


@task
def fork_during_update(
    name: str, folders: list[str], texts: dict[str, str], after: dict[str, str]
) -> object:
    """Fork while a thread updates an index; return the documents that the fork finds.

    A fork of an index in memory updates it, too. One in a folder cannot: SQLite remembers locks by
    process.
    """
    return [_fork_during_update(framework_of(name), folder, texts, after) for folder in folders]


def _fork_during_update(
    framework: Framework, folder: str, texts: dict[str, str], after: dict[str, str]
) -> object:
    begun, go_on, model = Event(), Event(), Model()
    reading, writing = os.pipe()

    def wait(vectors: Vectors) -> Vectors:
        begun.set()
        assert go_on.wait(60)
        return vectors

    def update() -> object:
        model.fault = None
        assert os.read(reading, 1)
        if not folder:
            made.update(framework.documents({"forks.md": "# Forks\n\nOf the fork.\n"}))
        return sorted({one.document_id for one in framework.ask(made, "of water")})

    made = framework.make(texts, model, folder=Path(folder) if folder else None)
    model.fault = wait
    thread = Thread(target=framework.update, args=(made, after))
    thread.start()
    assert begun.wait(60)

    def finish() -> None:
        go_on.set()
        thread.join()
        os.write(writing, b"!")

    return _in_fork(update, finish)


def _in_fork(function: Callable[[], object], meanwhile: Callable[[], object] = bool) -> object:
    reading, writing = os.pipe()
    if child := os.fork():
        os.close(writing)
        meanwhile()
        with os.fdopen(reading, encoding="utf-8") as pipe:
            written = pipe.read()
        assert os.waitpid(child, 0)[1] == 0
        return json.loads(written)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        json.dump(function(), pipe)
    os._exit(0)


@task
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


@task
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


@task
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


if __name__ == "__main__":
    say(json.dumps(_TASKS[sys.argv[1]](*json.loads(sys.argv[2]))))
