"""An index that several processes, forks and threads use at a time."""

from __future__ import annotations

import asyncio
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


@pytest.mark.slow
def test_two_processes_update_one_folder_and_a_third_asks(
    framework: Framework, tmp_path: Path
) -> None:
    """All succeed; the last writer of each document wins, and none of theirs is lost."""
    rounds = 12
    made = framework.make(TEXTS, Model(), folder=tmp_path)
    writers = [start(worker.write, framework.name, str(tmp_path), name, rounds) for name in "ab"]
    reader = start(worker.read, framework.name, str(tmp_path), "last round", f"round{rounds}")
    for process in (*writers, reader):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [result(process) for process in writers] == ["done", "done"]
    texts = {
        **TEXTS,
        **{f"{name}{n % 3}.md": f"# Own\n\nOf {name}, round{n}.\n"
           for name in "ab" for n in range(rounds)},
    }  # fmt: skip
    shared = {f"# Shared\n\nLast by {name}, round{rounds - 1}.\n" for name in "ab"}
    assert sorted(made.document_ids()) == sorted([*texts, "shared.md"])
    model = Model()
    found = framework.ask(made, "Shared", filter={"topic": "sha"})
    assert any(text.strip() in read(found) for text in shared)
    (text,) = (text for text in shared if text.strip() in read(found))
    last = framework.load(tmp_path, model)
    texts["shared.md"] = text
    assert sorted(framework.update(last, texts).unchanged) == sorted(texts)
    assert model.texts == []
    fresh = framework.make(texts, Model())
    for question in ("own round", QUESTION):
        assert sorted_texts(framework.ask(made, question)) == sorted_texts(
            framework.ask(fresh, question)
        )
    framework.update(made, {"done.md": f"# Last\n\nThe last round{rounds} is done.\n"})
    versions = [f"# Own\n\nOf {name}, round{n}." for name in "ab" for n in range(rounds)]
    versions += [f"# Shared\n\nLast by {name}, round{n}." for name in "ab" for n in range(rounds)]
    seen = [text for text in result(reader) if "# Own" in text or "# Shared" in text]
    assert seen
    assert all(any(version in text for version in versions) for text in seen)


def test_another_writers_documents_are_kept_and_found(framework: Framework, tmp_path: Path) -> None:
    first = framework.make(TEXTS, Model(), folder=tmp_path)
    second = framework.load(tmp_path, Model())
    framework.ask(second, QUESTION)
    new = {"iron.md": "# Iron\n\nGreen silk waits.\n"}
    first.update(framework.documents(new))
    assert sources(framework.ask(second, QUESTION)) == {*TEXTS, *new}
    second.update(framework.documents({"oven.md": "# Oven\n\nMine is green.\n"}))
    texts = {**TEXTS, **new, "oven.md": "# Oven\n\nMine is green.\n"}
    for made in (first, second):
        found = framework.ask(made, QUESTION)
        assert_true(found, texts)
        assert sources(found) == {*texts}
        assert "Mine is green." in read(found)


def test_a_text_that_another_writer_embedded_is_not_embedded_again(
    framework: Framework, tmp_path: Path
) -> None:
    first = framework.make(TEXTS, Model(), folder=tmp_path)
    model = Model()
    second = framework.load(tmp_path, model)
    framework.update(first, COOLER)
    assert sorted(framework.update(second, COOLER).unchanged) == sorted(COOLER)
    assert model.texts == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_has_an_index_of_its_own_or_shares_its_folder(
    framework: Framework, tmp_path: Path
) -> None:
    folders = ["", str(tmp_path)]
    states = run(worker.fork, framework.name, folders, TEXTS, COOLER)
    for folder, found in zip(folders, states, strict=True):
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
def test_a_fork_during_an_update_has_locks_of_its_own(framework: Framework, tmp_path: Path) -> None:
    folders, after = ["", str(tmp_path)], {"tea.md": COOLER["tea.md"]}
    in_memory, in_folder = run(worker.fork_during_update, framework.name, folders, TEXTS, after)
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


async def test_updates_of_tasks_and_threads_wait_for_each_other(framework: Framework) -> None:
    made = framework.make(TEXTS, Model())
    versions = [{**TEXTS, "tea.md": TEA.replace("80", str(n))} for n in range(60, 70)]
    tasks = [framework.aupdate(made, texts) for texts in versions[::2]]
    threads = [asyncio.to_thread(framework.update, made, texts) for texts in versions[1::2]]
    reports = await asyncio.gather(*tasks, *threads)
    assert [report.changed for report in reports] == [["tea.md"]] * len(versions)
    assert {report.leaves_added for report in reports} == {1}
    found = sorted_texts(framework.ask(made, QUESTION))
    assert found in [
        sorted_texts(framework.ask(framework.make(texts, Model()), QUESTION)) for texts in versions
    ]


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
