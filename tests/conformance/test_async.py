"""Asynchronous forms: they block no event loop, and run what is asynchronous alone on it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from threading import Event, get_ident

import pytest

from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Meeting, Model, Vectors
from tests.conformance.texts import COOLER, QUESTION, TEXTS, assert_true, read, sources


async def test_each_asynchronous_form_does_what_the_other_does(
    framework: Framework, tmp_path: Path
) -> None:
    made = await framework.amake(TEXTS, Model(), folder=tmp_path)
    expected = framework.make(TEXTS, Model())
    assert await framework.aask(made, QUESTION) == framework.ask(expected, QUESTION)
    assert await made.adocument_ids() == made.document_ids()
    assert (await framework.aupdate(made, COOLER)).changed == ["tea.md"]
    loaded = await framework.aload(tmp_path, Model())
    for options in ({}, {"k": 1, "budget": 200}, {"returns": "parents"}):
        found = await framework.aask(loaded, QUESTION, **options)
        assert found == framework.ask(loaded, QUESTION, **options) != []
    assert (await loaded.adelete(["oven.md"])).deleted == ["oven.md"]
    assert await framework.aask(loaded, "bread") == framework.ask(loaded, "bread")
    assert sources(await framework.aask(loaded, "bread")) == {"tea.md"}


async def test_a_model_that_is_asynchronous_alone_runs_on_the_callers_loop(
    framework: Framework, tmp_path: Path
) -> None:
    model = Model(is_async_only=True)
    made = await framework.amake(TEXTS, model, folder=tmp_path)
    assert "75 degrees" not in read(await framework.aask(made, QUESTION))
    await framework.aupdate(made, COOLER)
    loaded = await framework.aload(tmp_path, model)
    assert "75 degrees" in read(await framework.aask(loaded, "degrees"))
    assert len(model.loops) == 4
    assert {*model.loops} == {asyncio.get_running_loop()}
    expected = framework.make(COOLER, Model())
    assert await framework.aask(loaded, QUESTION) == framework.ask(expected, QUESTION)
    with pytest.raises(NotImplementedError):
        framework.ask(loaded, QUESTION)
    with pytest.raises(NotImplementedError):
        framework.update(loaded, TEXTS)
    assert "75 degrees" in read(await framework.aask(loaded, "degrees"))


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_questions_are_asked_at_the_same_time(framework: Framework, search: str) -> None:
    """Each waits until all are asked."""
    model = Model(is_async_only=True)
    made = await framework.amake(TEXTS, model, search=search)
    model.meeting = Meeting(20)
    answers = await asyncio.gather(*(framework.aask(made, QUESTION) for _ in range(20)))
    assert answers == answers[:1] * 20
    assert answers[0]


async def test_a_store_that_is_asynchronous_alone_works_in_every_asynchronous_form(
    adapter: Framework, tmp_path: Path
) -> None:
    model = Model(is_async_only=True)
    store = adapter.async_store(model)
    made = await adapter.amake(TEXTS, model, store=store, folder=tmp_path)
    assert len(store.ids()) == adapter.leaf_count(adapter.documents(TEXTS))
    assert {*model.loops} == {asyncio.get_running_loop()}
    await adapter.aupdate(made, COOLER)
    loaded = await adapter.aload(tmp_path, model, store=store)
    found = await adapter.aask(loaded, QUESTION)
    assert_true(found, COOLER)
    wanted = store.filter("source", "oven.md")
    assert sources(await adapter.aask(loaded, QUESTION, filter=wanted)) == {"oven.md"}
    with pytest.raises(NotImplementedError):
        adapter.update(loaded, TEXTS)
    with pytest.raises(NotImplementedError):
        adapter.ask(loaded, QUESTION)
    model.meeting = Meeting(20)
    answers = await asyncio.gather(*(adapter.aask(loaded, QUESTION) for _ in range(20)))
    assert answers == [found] * 20
    await loaded.arepair()
    assert len(store.ids()) == adapter.leaf_count(adapter.documents(COOLER))
    await loaded.adelete(["tea.md", "oven.md"])
    assert store.ids() == set()


async def test_more_questions_and_updates_than_threads_do_not_wait_for_ever(
    framework: Framework,
) -> None:
    """LangChain runs a synchronous model in the threads of the loop, too."""
    made = await framework.amake(TEXTS, Model())
    calls = [framework.aask(made, QUESTION) for _ in range(40)]
    changes = [framework.aupdate(made, texts) for texts in (COOLER, TEXTS) for _ in range(10)]
    async with asyncio.timeout(60):
        answers, reports = await asyncio.gather(asyncio.gather(*calls), asyncio.gather(*changes))
    assert all(sources(answer) == {*TEXTS} for answer in answers)
    assert len(reports) == 20


@pytest.mark.filterwarnings("ignore:.*cannot be pickled:UserWarning")
async def test_an_update_blocks_no_loop(framework: Framework) -> None:
    """A model and a length function wait for the loop, and run in another thread."""
    begun, awaited, chunked, threads = Event(), Event(), Event(), list[int]()

    def wait(vectors: Vectors) -> Vectors:
        threads.append(get_ident())
        assert awaited.wait(30)
        return vectors

    def length(text: str) -> int:
        if begun.is_set():
            threads.append(get_ident())
            assert chunked.wait(30)
        return len(text)

    chunking = framework.chunking(length=length)
    model = Model(fault=wait)
    if framework.name == "llamaindex":  # whose own asynchronous forms run synchronous models
        model = Model(is_async_only=True)
    begun.set()
    update = asyncio.create_task(framework.amake(TEXTS, model, chunking=chunking))
    for event in (chunked, awaited):
        await asyncio.sleep(0)
        event.set()
    made = await update
    assert len(threads) > 2
    assert get_ident() not in threads
    assert await framework.aask(made, QUESTION)


async def test_a_cancelled_update_leaves_the_index_and_the_next_one_is_done(
    framework: Framework, tmp_path: Path
) -> None:
    model = Model(is_async_only=True)
    made = await framework.amake(TEXTS, model, folder=tmp_path)
    before = await framework.aask(made, QUESTION)
    embedding = asyncio.Event()
    original = Model.aembed

    async def never(self: Model, texts: list[str]) -> Vectors:
        del self, texts
        embedding.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "aembed", never)
        update: asyncio.Task[Native] = asyncio.create_task(framework.aupdate(made, COOLER))
        async with asyncio.timeout(30):
            await embedding.wait()
        update.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await update
    assert update.cancelled()
    assert Model.aembed is original
    assert await framework.aask(made, QUESTION) == before
    async with asyncio.timeout(30):
        assert (await framework.aupdate(made, COOLER)).changed == ["tea.md"]
    assert "75 degrees" in read(await framework.aask(made, "degrees"))


async def test_an_error_of_an_asynchronous_model_is_the_callers(framework: Framework) -> None:
    made = await framework.amake(TEXTS, Model(is_async_only=True))

    async def fail(*_: object) -> Native:
        raise ConnectionError("no route")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "aembed", fail)
        patch.setattr(Model, "aembed_question", fail)
        with pytest.raises(ConnectionError, match="no route"):
            await framework.aupdate(made, COOLER)
        with pytest.raises(ConnectionError, match="no route"):
            await framework.aask(made, QUESTION)
    assert "80 degrees" in read(await framework.aask(made, "degrees"))
