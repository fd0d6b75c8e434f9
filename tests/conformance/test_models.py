"""Another embedding model, or an index of another kind: an error before anything changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from chunkana_core import ConfigurationError
from tests.conformance.frameworks import Framework
from tests.conformance.models import WRONG, Model
from tests.conformance.test_edits import contents
from tests.conformance.texts import COOLER, QUESTION, TEXTS, read, sorted_texts


def refused(framework: Framework, folder: Path, model: Model | None, **options: object) -> str:
    """Return the error of loading an index, and of making it again: the same in all forms."""
    before = contents(folder)
    messages = set[str]()
    calls: list[Callable[[], object]] = [
        lambda: framework.load(folder, model, **options),
        lambda: asyncio.run(framework.aload(folder, model, **options)),
        lambda: framework.make(COOLER, model, folder=folder, **options),
        lambda: asyncio.run(framework.amake(COOLER, model, folder=folder, **options)),
    ]
    for call in calls:
        with pytest.raises(ConfigurationError) as raised:
            call()
        messages.add(str(raised.value))
    assert contents(folder) == before
    assert model is None or model.texts == []
    assert len(messages) == 1
    return messages.pop()


def test_another_model_is_refused(framework: Framework, tmp_path: Path) -> None:
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    message = refused(framework, tmp_path, Model("others"))
    assert message.startswith(f"{framework.names['embedding']} is 'others'; allowed: ")
    assert "'words'" in message
    assert "folder" in message  # what to do instead


@pytest.mark.parametrize(
    ("name", "changed"),
    [("", {"size": 64}), ("", {"is_reversed": True}), ("words", {"size": 64})],
    ids=["size", "numbers", "size of a name"],
)
def test_a_model_with_other_vectors_changes_nothing(
    framework: Framework, changed: dict[str, int], name: str, tmp_path: Path
) -> None:
    """A model is known by its name, else by the vector of a text that is embedded again."""
    made = framework.make(TEXTS, Model(name), folder=tmp_path)
    before = framework.ask(made, QUESTION)
    model = Model(name, **changed)  # type: ignore[arg-type]
    for call in (
        lambda: framework.update(framework.load(tmp_path, model), COOLER),
        lambda: asyncio.run(framework.aupdate(framework.load(tmp_path, model), COOLER)),
        lambda: framework.make(COOLER, model, folder=tmp_path),
    ):
        with pytest.raises(ConfigurationError, match="folder") as raised:
            call()
        assert raised.value.field == framework.names["embedding"]
    assert framework.ask(made, QUESTION) == before
    model = Model(name)
    again = framework.load(tmp_path, model)
    assert framework.update(again, COOLER).changed == ["tea.md"]
    assert len(model.texts) == (1 if name else 2)
    assert "75 degrees" in read(framework.ask(again, "degrees"))


@pytest.mark.parametrize("fault", ["not a number", "infinite", "zero", "shorter", "empty"])
async def test_a_wrong_vector_of_a_question_is_an_error_and_no_answer(
    framework: Framework, fault: str
) -> None:
    model = Model()
    made = framework.make(TEXTS, model)
    model.question_fault = WRONG[fault]
    with pytest.raises(ConfigurationError, match="vector"):
        framework.ask(made, QUESTION)
    with pytest.raises(ConfigurationError, match="vector"):
        await framework.aask(made, QUESTION)
    assert framework.ask(made, QUESTION, search="lexical")
    model.question_fault = None
    assert framework.ask(made, QUESTION)


def test_an_index_without_vectors_refuses_a_model(framework: Framework, tmp_path: Path) -> None:
    framework.make(TEXTS, search="lexical", folder=tmp_path).close()
    for search in ("hybrid", "dense"):
        message = refused(framework, tmp_path, Model(), search=search)
        assert "words alone" in message
        assert "folder" in message


def test_an_index_with_vectors_is_searched_by_words_without_a_model(
    framework: Framework, tmp_path: Path
) -> None:
    """Documents may be deleted, but none may be added without vectors."""
    framework.make(TEXTS, Model(), folder=tmp_path).close()
    made = framework.load(tmp_path, search="lexical")
    fresh = framework.make(TEXTS, search="lexical")
    found = framework.ask(made, QUESTION)
    assert sorted_texts(found) == sorted_texts(framework.ask(fresh, QUESTION)) != []
    assert made.delete(["oven.md"]).deleted == ["oven.md"]
    with pytest.raises(ConfigurationError, match="embedding"):
        made.update(framework.documents(COOLER))
    assert made.document_ids() == ["tea.md"]
    assert "80 degrees" in read(framework.ask(made, "degrees"))
    made.close()
    dense = framework.load(tmp_path, Model(), search="dense")
    dense.update(framework.documents(COOLER))
    assert "75 degrees" in read(framework.ask(dense, "degrees"))


def test_a_store_is_not_where_vectors_are_in_the_folder(
    framework: Framework, tmp_path: Path
) -> None:
    model = Model()
    store = framework.store("memory", tmp_path, model)
    framework.make(TEXTS, model, folder=tmp_path / "vectors").close()
    framework.make(TEXTS, model, folder=tmp_path / "leaves", store=store).close()
    leaves = store.ids()
    model.clear()
    assert "folder" in refused(framework, tmp_path / "vectors", model, store=store)
    assert "vector store" in refused(framework, tmp_path / "leaves", model)
    assert store.ids() == leaves
    loaded = framework.load(tmp_path / "leaves", model, store=store)
    assert framework.ask(loaded, QUESTION)


def test_a_retriever_needs_a_model_or_words(adapter: Framework, tmp_path: Path) -> None:
    if adapter.name == "llamaindex":
        pytest.skip("its `Settings` have a model")
    with pytest.raises(ConfigurationError) as raised:
        adapter.make(TEXTS, folder=tmp_path / "new")
    assert raised.value.field == adapter.names["embedding"]
    assert "search='lexical'" in str(raised.value)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "options",
    [{"search": "words"}, {"fetch_k": 0}, {"budget": -1}, {"lexical_weight": 2}, {"folder": 7},
     {"chunking": 1000}, {"order": "up"}, {"returns": "nodes"}, {"min_score": "much"},
     {"k": 0}, {"around": ("uncles",)}, {"unknown": 1}],
    ids=str,
)  # fmt: skip
def test_arguments_are_checked_before_anything_is_embedded(
    adapter: Framework, options: dict[str, object], tmp_path: Path
) -> None:
    model, (name,) = Model(), options
    with pytest.raises(ConfigurationError, match=adapter.names.get(name, name)):
        adapter.make(TEXTS, model, **{"folder": tmp_path / "new", **options})
    assert model.texts == []
    assert not (tmp_path / "new").exists()
