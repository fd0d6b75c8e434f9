"""What other processes do with an index, as functions of JSON's values."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from tests.conformance.frameworks import framework_of
from tests.conformance.models import Model, Vectors
from tests.conformance.processes import say

PLAIN = framework_of("plain")


def answer(name: str, folder: str, questions: list[str]) -> object:
    """Return the answers of an index in a folder."""
    framework = framework_of(name)
    made = framework.load(Path(folder), Model())
    return [framework.ask(made, question) for question in questions]


def write(folder: str, writer: str, rounds: int) -> object:
    """Write documents of one's own and one that all write, again and again, once all are ready."""
    made = PLAIN.load(Path(folder), Model())
    say("ready")
    sys.stdin.readline()
    for number in range(rounds):
        own = {f"{writer}{number % 3}.md": f"# Own\n\nOf {writer}, round{number}.\n"}
        ours = {"shared.md": f"# Shared\n\nLast by {writer}, round{number}.\n"}
        made.update(PLAIN.documents({**own, **ours}))
    return "done"


def read(folder: str, question: str, word: str) -> object:
    """Ask until an answer has a word; return all texts that were found until then."""
    made = PLAIN.load(Path(folder), Model())
    say("ready")
    seen, found = set[str](), list[str]()
    while not any(word in text for text in found):
        found = [one.text for one in PLAIN.ask(made, question)]
        seen |= {*found}
    return sorted(seen)


def update_read_only(folder: str, texts: dict[str, str], question: str) -> object:
    """Ask an index that cannot be written, and try to update it; return answers and the error."""
    if os.access(folder, os.W_OK):
        return None
    model = Model()
    made = PLAIN.load(Path(folder), model)
    before = PLAIN.ask(made, question)
    try:
        PLAIN.update(made, texts)
    except OSError as error:
        return before, str(error), model.texts, PLAIN.ask(made, question)
    raise AssertionError


def fork(folder: str | None, before: dict[str, str], after: dict[str, str]) -> object:
    """Update an index in a fork, and return what child, parent and a second fork find."""
    model = Model()
    made = PLAIN.make(before, model, folder=folder)

    def ask() -> object:
        return PLAIN.ask(made, "75 or 80 degrees")

    def change() -> object:
        model.clear()
        PLAIN.update(made, after)
        return [ask(), model.texts]

    first = ask()
    return [first, _in_fork(change), ask(), _in_fork(ask), change(), ask()]


def fork_during_update(folder: str | None, texts: dict[str, str], after: dict[str, str]) -> object:
    """Fork while a thread updates an index; return the documents that the fork finds.

    A fork of an index in memory updates it, too. One in a folder cannot: SQLite remembers locks by
    process.
    """
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
            made.update(PLAIN.documents({"forks.md": "# Forks\n\nOf the fork.\n"}))
        return sorted({one.document_id for one in PLAIN.ask(made, "of water")})

    made = PLAIN.make(texts, model, folder=folder)
    model.fault = wait
    thread = Thread(target=PLAIN.update, args=(made, after))
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
