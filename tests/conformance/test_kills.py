"""An update that ends anywhere: an index is as before or as after, and the next update goes on."""

from __future__ import annotations

import ast
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
from tests.conformance.processes import run
from tests.conformance.texts import (
    COOLER,
    OVEN,
    TEA,
    TEXTS,
    assert_of_either,
    sorted_texts,
)
from tests.conformance.worker import PLAIN

AFTER = {**COOLER, "new.md": "# New\n\nGreen paint waits.\n"}
del AFTER["oven.md"]
ASKED = "green degrees bread"


def state(framework: Framework, made: Native) -> list[tuple[str, str]]:
    """Return what an index answers."""
    return sorted_texts(framework.ask(made, ASKED))


def expected(framework: Framework, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what an index of documents answers."""
    return state(framework, framework.make(texts, Model()))


@pytest.mark.slow
@pytest.mark.parametrize("is_build", [False, True])
def test_a_process_killed_at_any_statement_leaves_the_index_before_or_after(
    tmp_path: Path, *, is_build: bool
) -> None:
    """Of the index alone. The next update goes on: what a call embedded is not embedded again."""
    base, copies = tmp_path / "base", tmp_path / "copies"
    old, new = ({}, many_leaves(300)) if is_build else (TEXTS, AFTER)
    base.mkdir()
    if not is_build:
        PLAIN.make(old, Model(), folder=base / "index").close()
    killed = run(killing.kill, "plain", "", str(base), str(copies), new)
    before, after = expected(PLAIN, old), expected(PLAIN, new)
    seen = []
    for number in [*range(1, killed + 1), 0]:  # the last process was not killed
        folder, model = copies / str(number), Model()
        made = PLAIN.retriever(folder / "index", model=model, chunker=PLAIN.chunking())
        seen.append(state(PLAIN, made))
        PLAIN.update(made, new)
        assert state(PLAIN, made) == after
        log = folder / "log"
        calls = log.read_text("utf-8").splitlines() if log.exists() else []
        committed = {text for call in calls[:-1] for text in ast.literal_eval(call)}
        assert not committed & {*model.texts}
        assert seen[-1] == before or model.texts == []
        made.close()
    assert killed > 10
    assert seen == sorted(seen, key=[before, after].index)
    assert (seen[0], seen[-1]) == (before, after)


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
    leaves, after = adapter.leaf_count(adapter.documents(AFTER)), expected(adapter, AFTER)
    for number in range(killed + 1):
        folder, model = copies / str(number), Model()
        opened = adapter.store("qdrant", folder / "store", model)
        made = adapter.load(folder / "index", model, store=opened)
        assert_of_either(adapter.ask(made, ASKED), TEXTS, AFTER)
        adapter.update(made, AFTER)
        assert state(adapter, made) == after
        assert len(opened.ids()) == leaves
        made.close()
        opened.close()


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the retriever that was updated, and in one that is loaded then."""
    PLAIN.make(TEXTS, Model(), folder=tmp_path / "0").close()
    before, after = expected(PLAIN, TEXTS), expected(PLAIN, AFTER)
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=Failing)
    )
    monkeypatch.setattr(Failing, "left", 10**9)
    for number in count(1, 3):
        folder, model = tmp_path / str(number), Model()
        copytree(tmp_path / "0", folder)
        made = PLAIN.load(folder, model)
        state(PLAIN, made)
        Failing.left = number - 1
        try:
            PLAIN.update(made, AFTER)
        except (IndexFileError, OSError) as error:
            assert str(folder) in str(error)  # noqa: PT017
        is_done, Failing.left = Failing.left >= 0, 10**9
        known, embedded = state(PLAIN, made), {*model.texts}
        assert known in (before, after)
        loaded = PLAIN.load(folder, Model())
        assert state(PLAIN, loaded) == known
        model.clear()
        PLAIN.update(made, AFTER)
        assert state(PLAIN, made) == state(PLAIN, loaded) == after
        assert known == before or not model.texts
        assert len(model.texts) <= len(embedded) or not embedded
        loaded.close()
        made.close()
        if is_done:
            break
    assert number > 10


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_model_that_fails_at_any_call_loses_nothing(at: int, tmp_path: Path) -> None:
    texts = many_leaves(300 * max(at, 1))
    model = Model(fault=raise_error, fault_at=at)
    with pytest.raises(UnreachableError):
        PLAIN.make(texts, model, folder=tmp_path)
    known = {*model.texts}
    assert len(model.calls) == at
    model.fault = None
    model.clear()
    made = PLAIN.make(texts, model, folder=tmp_path)
    assert not known & {*model.texts}
    assert len(known) + len(model.texts) == 300 * max(at, 1)
    assert state(PLAIN, made) == expected(PLAIN, texts)


@pytest.mark.parametrize(
    ("fault", "at", "is_new"),
    [
        *((fault, 0, False) for fault in WRONG),
        *((fault, 0, True) for fault in WRONG if fault != "all shorter"),
        ("not a number", 1, False),
    ],
)
def test_a_wrong_vector_never_gets_in(
    framework: Framework, fault: str, at: int, tmp_path: Path, *, is_new: bool
) -> None:
    """Neither into an index with vectors nor into a new one."""
    texts = {"tea.md": TEA.replace("80", "75"), "oven.md": OVEN, **many_leaves(300 * at)}
    before = [] if is_new else expected(framework, TEXTS)
    made = framework.make({} if is_new else TEXTS, Model(), folder=tmp_path)
    broken = framework.load(tmp_path, Model(fault=WRONG[fault], fault_at=at))
    with pytest.raises(ValueError, match=framework.names["embedding"]):
        framework.update(broken, texts)
    assert state(framework, broken) == state(framework, made) == before
    again = framework.load(tmp_path, Model())
    framework.update(again, texts)
    assert state(framework, made) == expected(framework, texts)
