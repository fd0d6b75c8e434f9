"""An index over a vector store of the caller's: its life, filters, and a store that lost leaves."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.frameworks import Framework, MakeStore, Native
from tests.conformance.models import Model, UnreachableError, raise_error
from tests.conformance.texts import (
    COOLER,
    DOCUMENTS,
    OVEN,
    QUESTION,
    TEA,
    TEXTS,
    assert_of_either,
    assert_true,
    read,
    sorted_texts,
    sources,
)

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")
MANY = {f"{n}.md": f"# Tea {n}\n\nCup{n} waits.\n" for n in range(30)}


async def test_a_store_lives_as_the_index_does(
    framework: Framework, kind: str, make_store: MakeStore, tmp_path: Path
) -> None:
    """Edits in several processes, as it were, sync and async; nothing is left of what was."""
    model = Model()
    store = make_store(model)
    framework.make(TEXTS, model, store=store, folder=tmp_path / "index").close()
    assert len(store.ids()) == framework.leaf_count(framework.documents(TEXTS))
    store.close()
    store.open()
    again = framework.load(tmp_path / "index", model, store=store)
    before = framework.ask(again, QUESTION)
    assert_true(before, TEXTS)
    assert sorted_texts(await framework.aask(again, QUESTION)) == sorted_texts(before)
    model.clear()
    edited = {"/tea.md": COOLER["tea.md"], "oven.md": OVEN}
    await framework.aupdate(again, edited)
    assert any("75 degrees" in text for text in model.texts)
    assert not any("Heat it first" in text for text in model.texts)
    again.close()
    store.close()
    store.open()
    third = await framework.aload(tmp_path / "index", model, store=store)
    fresh = framework.make(edited, Model(), store=framework.store("memory", tmp_path, Model()))
    for options in ({}, {"returns": "parents"}):
        found = await framework.aask(third, QUESTION, **options)
        assert_true(found, edited)
        assert sorted_texts(found) == sorted_texts(framework.ask(fresh, QUESTION, **options))
    assert len(store.ids()) == framework.leaf_count(framework.documents(edited))
    model.clear()
    report = framework.update(third, edited)
    assert (report.leaves_added, report.leaves_deleted, model.texts) == (0, 0, []), kind
    third.delete(["/tea.md"])
    assert sources(framework.ask(third, QUESTION)) == {"oven.md"}
    await third.adelete(["oven.md"])
    assert store.ids() == set()
    assert framework.ask(third, QUESTION) == await framework.aask(third, QUESTION) == []


@settings(max_examples=4)
@given(states=st.lists(DOCUMENTS, min_size=2, max_size=4))
def test_a_store_has_the_leaves_of_todays_documents_alone(
    framework: Framework, kind: str, states: list[dict[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        model = Model()
        store = framework.store(kind, Path(folder), model)
        made = framework.make({}, model, store=store)
        for texts in states:
            model.clear()
            assert len(model.texts) <= framework.update(made, texts).leaves_added
            assert len(store.ids()) == framework.leaf_count(framework.documents(texts))
            assert_true(framework.ask(made, "green tea"), texts)
        store.close()


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_filters_are_those_of_the_store(
    framework: Framework, kind: str, search: str, make_store: MakeStore
) -> None:
    """Words rank what the store leaves, and add nothing."""
    model = Model()
    store = make_store(model)
    made = framework.make({**TEXTS, **MANY}, model, store=store, search=search)
    for key, value in (("source", "oven.md"), ("topic", "ove"), ("header_path", "/Oven/Bread")):
        wanted = {"filter": store.filter(key, value), "lexical_weight": 1.0}
        for found in (
            framework.ask(made, QUESTION, **wanted),
            await framework.aask(made, QUESTION, **wanted),
        ):
            assert sources(found) == {"oven.md"}, kind
    assert "Heat it first" not in read(found)
    assert framework.ask(made, QUESTION, filter=store.filter("source", "none.md")) == []


async def test_what_others_put_into_a_store_is_in_no_answer(
    framework: Framework, kind: str, make_store: MakeStore
) -> None:
    assert kind
    model = Model()
    store = make_store(model)
    made = framework.make(TEXTS, model, store=store)
    before = framework.ask(made, QUESTION)
    store.add_foreign("How long does green tea wait? Of others.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [framework.ask(made, QUESTION), await framework.aask(made, QUESTION)]
    for answers in found:
        assert sorted_texts(answers) == sorted_texts(before)
    assert made.repair() == []
    framework.update(made, {"tea.md": TEA})
    leaves = framework.leaf_count(framework.documents({"tea.md": TEA}))
    assert len(store.ids()) == leaves + 1


@pytest.mark.parametrize("part", [0.5, 1.0], ids=["partly", "wholly"])
async def test_a_store_that_lost_leaves_is_named_and_repaired(
    framework: Framework, kind: str, part: float, make_store: MakeStore, tmp_path: Path
) -> None:
    assert kind
    texts, model = {**TEXTS, **{name: MANY[name] for name in [*MANY][:9]}}, Model()
    store = make_store(model)
    made = framework.make(texts, model, store=store, folder=tmp_path / "index")
    leaves = store.ids()
    before = [sorted_texts(framework.ask(made, question)) for question in (QUESTION, "cup7")]
    made.close()
    lost = sorted(leaves)[: int(len(leaves) * part)]
    store.drop(lost)
    with pytest.warns(UserWarning, match="repair"):
        loaded = framework.load(tmp_path / "index", model, store=store)
    with pytest.warns(UserWarning, match="repair"):
        await framework.aload(tmp_path / "index", model, store=store)
    model.clear()
    names = loaded.repair()
    loaded.update([one for one in framework.documents(texts) if one_id(one) in {*names}])
    assert store.ids() == leaves
    assert len(lost) <= len(model.texts) <= len(leaves)
    assert framework.update(loaded, texts).leaves_added == 0
    after = [sorted_texts(framework.ask(loaded, question)) for question in (QUESTION, "cup7")]
    assert after == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert framework.load(tmp_path / "index", model, store=store).repair() == []


def one_id(document: Native) -> str:
    """Return the id of a framework's document."""
    return str(document.metadata["source"])


def test_a_lost_store_answers_by_words_until_it_is_repaired(
    framework: Framework, kind: str, make_store: MakeStore
) -> None:
    """Also without being loaded again: a search that finds no leaf of the index warns."""
    assert kind
    model = Model()
    store = make_store(model)
    made = framework.make(TEXTS, model, store=store)
    store.drop(store.ids())
    with pytest.warns(UserWarning, match="no leaf of this index|repair"):
        found = framework.ask(made, "degrees")
    assert "80 degrees" in read(found)
    assert_true(found, TEXTS)


def test_an_update_that_a_model_ended_is_done_by_the_next(
    framework: Framework, kind: str, make_store: MakeStore, tmp_path: Path
) -> None:
    model = Model()
    store = make_store(model)
    options = {"store": store, "folder": tmp_path / "index"}
    made = framework.make(TEXTS, model, **options)
    before = framework.ask(made, QUESTION)
    model.clear()
    model.fault = raise_error
    with pytest.raises(UnreachableError):
        framework.update(made, {**COOLER, **MANY})
    model.fault = None
    assert sorted_texts(framework.ask(made, QUESTION)) == sorted_texts(before), kind
    loaded = framework.load(tmp_path / "index", model, store=store)
    assert sorted_texts(framework.ask(loaded, QUESTION)) == sorted_texts(before)
    texts = {**COOLER, **MANY}
    framework.update(loaded, texts)
    assert "75 degrees" in read(framework.ask(loaded, "degrees"))
    assert len(store.ids()) == framework.leaf_count(framework.documents(texts))


class PowerCutError(Exception):
    """The process ends here."""


class Power:
    """Lets a store carry out so many changes, and no more.

    Attributes:
        left: the number of changes, of which nobody hears that the last one was carried out.
    """

    def __init__(self, store: Native, methods: tuple[str, ...]) -> None:
        self.left = 10**9
        for name in methods:
            if hasattr(store, name):
                object.__setattr__(store, name, self._limited(getattr(store, name)))

    def _limited(self, method: Callable[..., Native]) -> Callable[..., Native]:
        def call(*arguments: Native, **options: Native) -> Native:
            if self.left <= 0:
                raise PowerCutError
            self.left -= 1
            done = method(*arguments, **options)
            if not self.left:
                raise PowerCutError
            return done

        return call


@settings(max_examples=12)
@given(st.tuples(DOCUMENTS, DOCUMENTS, DOCUMENTS), st.integers(0, 5), st.booleans())
def test_an_update_that_a_store_ended_is_before_or_after_and_the_next_leaves_nothing_of_it(
    framework: Framework, states: tuple[dict[str, str], ...], steps: int, is_loaded: object
) -> None:
    before, after, last = states
    with TemporaryDirectory() as path:
        folder, model = Path(path), Model()
        store = framework.store("memory", folder, model)
        made = framework.make(before, model, store=store, folder=folder)
        power = Power(store.native, ("add_documents", "add", "delete", "delete_nodes"))
        power.left = steps
        with suppress(PowerCutError):
            framework.update(made, after)
        power.left = 10**9
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of leaves that the store lacks
            if is_loaded:
                made = framework.load(folder, model, store=store)
            assert_of_either(framework.ask(made, "water, green tea or a cup?"), before, after)
            framework.update(made, last)
        fresh = framework.store("memory", folder, Model())
        expected = framework.make(last, Model(), store=fresh)
        assert store.ids() == fresh.ids()
        for question in ("water", "green tea"):
            assert sorted_texts(framework.ask(made, question)) == sorted_texts(
                framework.ask(expected, question)
            )
        made.close()
