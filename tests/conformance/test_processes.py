"""An index that several processes, forks and threads use at a time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest

from tests.conformance import worker
from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.processes import result, run, start
from tests.conformance.texts import (
    COOLER,
    QUESTION,
    TEA,
    TEXTS,
    assert_true,
    read,
    sorted_texts,
    sources,
)
from tests.conformance.worker import PLAIN


@pytest.mark.slow
def test_two_processes_update_one_folder_and_a_third_asks(tmp_path: Path) -> None:
    """All succeed; the last writer of each document wins, and none of theirs is lost."""
    rounds, folder = 12, str(tmp_path)
    made = PLAIN.make(TEXTS, Model(), folder=tmp_path)
    writers = [start(worker.write, folder, name, rounds) for name in "ab"]
    reader = start(worker.read, folder, "last round", f"round{rounds}")
    for process in (*writers, reader):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [result(process) for process in writers] == ["done", "done"]
    own = {name: [f"# Own\n\nOf {name}, round{n}.\n" for n in range(rounds)] for name in "ab"}
    texts = TEXTS | {f"{name}{n % 3}.md": own[name][n] for name in "ab" for n in range(rounds)}
    shared = [f"# Shared\n\nLast by {name}, round{n}.\n" for n in range(rounds) for name in "ab"]
    (last,) = (one for one in shared[-2:] if one.strip() in read(PLAIN.ask(made, "Shared", k=99)))
    texts["shared.md"] = last
    model = Model()
    again = PLAIN.load(tmp_path, model)
    assert sorted(PLAIN.update(again, texts).unchanged) == sorted(texts)
    assert model.texts == []
    fresh = PLAIN.make(texts, Model())
    for question in ("own round", QUESTION):
        assert sorted_texts(PLAIN.ask(made, question)) == sorted_texts(PLAIN.ask(fresh, question))
    PLAIN.update(made, {"done.md": f"# Last\n\nThe last round{rounds} is done.\n"})
    seen = [text for text in result(reader) if "# Own" in text or "# Shared" in text]
    assert seen
    versions = [one.strip() for one in (*own["a"], *own["b"], *shared)]
    assert all(any(version in text for version in versions) for text in seen)


def test_another_writers_documents_are_kept_and_found(framework: Framework, tmp_path: Path) -> None:
    """What another writer embedded is not embedded again."""
    first, model = framework.make(TEXTS, Model(), folder=tmp_path), Model()
    second = framework.load(tmp_path, model)
    framework.ask(second, QUESTION)
    new = {"iron.md": "# Iron\n\nGreen silk waits.\n"}
    first.update(framework.documents(new))
    assert sources(framework.ask(second, QUESTION)) == {*TEXTS, *new}
    texts = {**TEXTS, **new}
    assert sorted(framework.update(second, texts).unchanged) == sorted(texts)
    assert model.texts == []
    second.update(framework.documents({"oven.md": "# Oven\n\nMine is green.\n"}))
    texts["oven.md"] = "# Oven\n\nMine is green.\n"
    for made in (first, second):
        found = framework.ask(made, QUESTION)
        assert_true(found, texts)
        assert sources(found) == {*texts}
        assert "Mine is green." in read(found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
@pytest.mark.parametrize("has_folder", [False, True])
def test_a_fork_has_an_index_of_its_own_or_shares_its_folder(
    tmp_path: Path, *, has_folder: bool
) -> None:
    folder = str(tmp_path) if has_folder else None
    found = run(worker.fork, folder, TEXTS, COOLER)
    first, (changed, embedded), parent, again, (last, known), end = found
    assert "80 degrees" in str(first)
    assert "75 degrees" in str(changed)
    assert "80 degrees" not in str(changed)
    assert len(embedded) == 1
    assert parent == again == (changed if folder else first)
    assert last == end == changed
    assert len(known) == (0 if folder else 1)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_during_an_update_has_locks_of_its_own(tmp_path: Path) -> None:
    after = {"tea.md": COOLER["tea.md"]}
    in_memory, in_folder = (
        run(worker.fork_during_update, folder, TEXTS, after) for folder in (None, str(tmp_path))
    )
    assert in_memory == sorted([*TEXTS, "forks.md"])
    assert in_folder == ["tea.md"]


@pytest.mark.parametrize("has_folder", [False, True])
def test_threads_update_and_ask_one_retriever(
    framework: Framework, tmp_path: Path, *, has_folder: bool
) -> None:
    made = framework.make(TEXTS, Model(), folder=tmp_path if has_folder else None)
    barrier = Barrier(4)
    versions = [{"tea.md": TEA.replace("80", str(n))} for n in range(60, 72)]
    known = [*versions, TEXTS]

    def change(part: int) -> None:
        barrier.wait(30)
        for texts in versions[part::2]:
            made.update(framework.documents(texts))

    def ask(_: int) -> None:
        barrier.wait(30)
        for _ in range(20):
            found = framework.ask(made, QUESTION)
            assert "oven.md" in sources(found)
            tea = [one for one in found if one.document_id == "tea.md"]
            assert any(_is_true(tea, texts) for texts in known)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, n) for work in (change, ask) for n in range(2)]:
            done.result(120)
    last = [{**TEXTS, **texts} for texts in versions[-2:]]
    states = [sorted_texts(framework.ask(framework.make(one, Model()), QUESTION)) for one in last]
    assert sorted_texts(framework.ask(made, QUESTION)) in states


def _is_true(found: Native, texts: dict[str, str]) -> bool:
    try:
        assert_true(found, texts)
    except (AssertionError, ValueError):
        return False
    return True


def test_questions_are_answered_while_an_update_embeds(
    framework: Framework, tmp_path: Path
) -> None:
    """From the documents of before: an update appears as a whole."""
    for folder in (None, tmp_path):
        begun, asked, model = Event(), Event(), Model()

        def wait(vectors: list[list[float]], begun: Event = begun, asked: Event = asked) -> Native:
            begun.set()
            assert asked.wait(30)
            return vectors

        made = framework.make(TEXTS, model, folder=folder)
        before = framework.ask(made, QUESTION)
        model.fault = wait
        with ThreadPoolExecutor(1) as pool:
            update = pool.submit(framework.update, made, COOLER)
            assert begun.wait(30)
            assert framework.ask(made, QUESTION) == before
            asked.set()
            assert update.result(30).changed == ["tea.md"]
        assert "75 degrees" in read(framework.ask(made, "degrees"))
