"""An update that ends anywhere: an index is as before or as after, and the next update goes on."""

from __future__ import annotations

import ast
import signal
import sqlite3
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from shutil import copytree

import pytest

from chunkana_retrieval import IndexFileError
from tests.conformance import killed as killing
from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import WRONG, Model, UnreachableError, raise_error
from tests.conformance.processes import run, start
from tests.conformance.texts import COOLER, OVEN, TEA, TEXTS, read, sorted_texts

AFTER = {**COOLER, "new.md": "# New\n\nGreen paint waits.\n"}
del AFTER["oven.md"]
ASKED = "green degrees bread"


def state(framework: Framework, made: Native) -> list[tuple[str, str]]:
    """Return what an index answers."""
    return sorted_texts(framework.ask(made, ASKED))


def expected(framework: Framework, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what an index of documents answers."""
    return state(framework, framework.make(texts, Model()))


def logged(folder: Path) -> list[list[str]]:
    """Return the texts of each call of the model in a process that was killed."""
    log = folder / "log"
    return [*map(ast.literal_eval, log.read_text("utf-8").splitlines())] if log.exists() else []


@pytest.mark.slow
def test_a_process_killed_at_any_statement_leaves_the_index_before_or_after(
    framework: Framework, tmp_path: Path
) -> None:
    base, copies = tmp_path / "base", tmp_path / "copies"
    framework.make(TEXTS, Model(), folder=base / "index").close()
    killed = run(killing.kill, framework.name, "", str(base), str(copies), AFTER)
    before, after = expected(framework, TEXTS), expected(framework, AFTER)
    seen = []
    for number in [*range(1, killed + 1), 0]:  # the last process was not killed
        folder, model = copies / str(number), Model()
        made = framework.load(folder / "index", model)
        seen.append(state(framework, made))
        assert seen[-1] in (before, after)
        framework.update(made, AFTER)
        assert state(framework, made) == after
        calls = logged(folder)
        committed = {text for call in calls[:-1] for text in call}
        assert not committed & {*model.texts}
        assert seen[-1] == before or model.texts == []
        made.close()
    assert killed > 10
    assert seen == sorted(seen, key=[before, after].index)
    assert (seen[0], seen[-1]) == (before, after)


@pytest.mark.slow
def test_a_build_killed_at_any_statement_goes_on_where_it_was(
    framework: Framework, tmp_path: Path
) -> None:
    texts = many_leaves(500)
    base, copies = tmp_path / "base", tmp_path / "copies"
    base.mkdir()
    killed = run(killing.kill_build, framework.name, str(base), str(copies), texts)
    after = expected(framework, texts)
    for number in range(1, killed + 1):
        folder, model = copies / str(number), Model()
        made = framework.make(texts, model, folder=folder / "index")
        assert state(framework, made) == after
        committed = {text for call in logged(folder)[:-1] for text in call}
        assert not committed & {*model.texts}
        made.close()
    assert killed > 10


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")
def test_a_process_killed_while_a_store_changes_leaves_answers_of_before_or_after(
    adapter: Framework, tmp_path: Path
) -> None:
    """Of each document; and nothing is left in the store after the next update."""
    pytest.importorskip("qdrant_client")
    base, copies = tmp_path / "base", tmp_path / "copies"
    base.mkdir()
    store = adapter.store("qdrant", base / "store", Model())
    adapter.make(TEXTS, Model(), store=store, folder=base / "index").close()
    store.close()
    killed = run(killing.kill, adapter.name, "qdrant", str(base), str(copies), AFTER)
    assert killed > 10
    leaves = adapter.leaf_count(adapter.documents(AFTER))
    for number in range(killed + 1):
        folder, model = copies / str(number), Model()
        opened = adapter.store("qdrant", folder / "store", model)
        made = adapter.load(folder / "index", model, store=opened)
        for answer in adapter.ask(made, ASKED):
            known = [texts[answer.document_id] for texts in (TEXTS, AFTER)
                     if answer.document_id in texts]  # fmt: skip
            spans = answer.metadata["spans"]
            assert any(all(text[a:b] in answer.text for a, b in spans) for text in known)
        adapter.update(made, AFTER)
        assert state(adapter, made) == expected(adapter, AFTER)
        assert len(opened.ids()) == leaves
        made.close()
        opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [0, 1, 7])
def test_a_process_killed_at_any_time_leaves_its_last_update(
    framework: Framework, rounds: int, tmp_path: Path
) -> None:
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    process = start(killing.write_on, framework.name, str(tmp_path))
    assert process.stdout is not None
    done = [process.stdout.readline() for _ in range(rounds + 1)]
    process.send_signal(signal.SIGKILL)
    out = process.stdout.read()  # with what was read ahead, which `communicate` would lose
    process.communicate()
    last = int([*done, *out.splitlines()][-1])
    made = framework.load(tmp_path, Model())
    found = read(framework.ask(made, "round"))
    assert any(f"Round{n} " in found for n in (last, last + 1)) or last == 0
    assert framework.update(made, TEXTS).deleted in ([], ["rounds.md"])
    assert state(framework, made) == expected(framework, TEXTS)


# Errors in this process


def many_leaves(count: int) -> dict[str, str]:
    """Return documents of a hundred leaves each, none of which are equal."""
    parts = [f"# Tea {n}\n\nGreen cup{n} waits for {n} degrees.\n\n" for n in range(count)]
    return {f"{n}.md": "".join(parts[n : n + 100]) for n in range(0, count, 100)}


class Failing(sqlite3.Connection):
    """A connection of which one statement fails, as on a disk that breaks.

    Attributes:
        left: the statements before the one that fails.
    """

    left = 10**9

    def execute(self, *arguments: Native) -> sqlite3.Cursor:
        _use()
        return super().execute(*arguments)

    def executemany(self, *arguments: Native) -> sqlite3.Cursor:
        _use()
        return super().executemany(*arguments)

    def commit(self) -> None:
        _use()
        super().commit()


def _use() -> None:
    Failing.left -= 1
    if Failing.left == -1:
        raise sqlite3.OperationalError("disk I/O error")


def test_a_statement_that_fails_leaves_the_index_before_or_after(
    framework: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the retriever that was updated, and in one that is loaded then."""
    framework.make(TEXTS, Model(), folder=tmp_path / "0").close()
    before, after = expected(framework, TEXTS), expected(framework, AFTER)
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=Failing)
    )
    monkeypatch.setattr(Failing, "left", 10**9)
    for number in count(1, 3):
        folder, model = tmp_path / str(number), Model()
        copytree(tmp_path / "0", folder)
        made = framework.load(folder, model)
        state(framework, made)
        Failing.left = number - 1
        try:
            framework.update(made, AFTER)
        except (IndexFileError, OSError) as error:
            assert str(folder) in str(error)  # noqa: PT017
        is_done, Failing.left = Failing.left >= 0, 10**9
        known, model.fault = state(framework, made), None
        assert known in (before, after)
        loaded = framework.load(folder, Model())
        assert state(framework, loaded) == known
        embedded = {*model.texts}
        model.clear()
        framework.update(made, AFTER)
        assert state(framework, made) == state(framework, loaded) == after
        assert known == before or not model.texts
        assert len(model.texts) <= len(embedded) or not embedded
        loaded.close()
        made.close()
        if is_done:
            break
    assert number > 10


@pytest.mark.parametrize("at", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_model_that_fails_at_any_call_loses_nothing(
    framework: Framework, at: int, tmp_path: Path
) -> None:
    texts = many_leaves(300 * max(at, 1))
    model = Model(fault=raise_error, fault_at=at)
    with pytest.raises(UnreachableError):
        framework.make(texts, model, folder=tmp_path)
    known = {*model.texts}
    assert len(model.calls) == at
    model.fault = None
    model.clear()
    made = framework.make(texts, model, folder=tmp_path)
    assert not known & {*model.texts}
    assert len(known) + len(model.texts) == 300 * max(at, 1)
    assert state(framework, made) == expected(framework, texts)


@pytest.mark.parametrize(
    ("fault", "at"),
    [
        *((fault, 0) for fault in WRONG),
        ("not a number", 1),
        *(pytest.param(fault, 1, marks=pytest.mark.slow) for fault in WRONG),
    ],
)
def test_a_wrong_vector_never_gets_in(
    framework: Framework, fault: str, at: int, tmp_path: Path
) -> None:
    made = framework.make(TEXTS, Model(), folder=tmp_path)
    before = state(framework, made)
    texts = {"tea.md": TEA.replace("80", "75"), "oven.md": OVEN, **many_leaves(300 * at)}
    model = Model(fault=WRONG[fault], fault_at=at)
    broken = framework.load(tmp_path, model)
    with pytest.raises(ValueError, match=framework.names["embedding"]):
        framework.update(broken, texts)
    assert state(framework, broken) == state(framework, made) == before
    again = framework.load(tmp_path, Model())
    framework.update(again, texts)
    assert state(framework, made) == expected(framework, texts)


@pytest.mark.parametrize("fault", [one for one in WRONG if one != "all shorter"])
def test_a_wrong_vector_never_gets_into_a_new_index(
    framework: Framework, fault: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=framework.names["embedding"]):
        framework.make(TEXTS, Model(fault=WRONG[fault]), folder=tmp_path)
    made = framework.make(TEXTS, Model(), folder=tmp_path)
    assert state(framework, made) == expected(framework, TEXTS)
