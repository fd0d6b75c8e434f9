"""After any edits an index answers from today's documents, and embeds what is new alone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ConfigurationError
from tests.conformance.frameworks import Framework, Native, framework_of
from tests.conformance.models import Model
from tests.conformance.texts import (
    EDITS,
    OVEN,
    QUESTION,
    QUESTIONS,
    TEA,
    TEXTS,
    Edit,
    assert_true,
    sorted_texts,
    sources,
)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in the files of a folder, without SQLite's shared memory."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".db-shm"}
    return {name: content for name, content in files.items() if content}


def embedded(framework: Framework, texts: Mapping[str, str]) -> set[str]:
    """Return all that is embedded of documents."""
    model = Model()
    framework.make(texts, model)
    return {*model.texts}


class Life:
    """An index that is edited, and the documents that it should have."""

    def __init__(
        self, framework: Framework, folder: Path, *, has_store: bool, is_async: bool
    ) -> None:
        self.framework, self.folder, self.is_async = framework, folder, is_async
        self.model, self.texts = Model(), dict[str, str]()
        self.store = framework.store("memory", folder, self.model) if has_store else None
        self.made: Native = framework.make({}, self.model, store=self.store, folder=folder)

    def apply(self, edit: Edit) -> None:
        """Change a document, and bring the index to it."""
        old, before = self.texts, embedded(self.framework, self.texts)
        self.texts = edit.apply(self.texts)
        self.model.clear()
        report = self._update()
        assert sorted(report.added) == sorted(self.texts.keys() - old.keys())
        assert sorted(report.deleted) == sorted(old.keys() - self.texts.keys())
        new = embedded(self.framework, self.texts) - before
        assert self.store is not None or sorted(self.model.texts) == sorted(new)
        assert self.made.document_ids() == sorted(self.texts, key=self.made.document_ids().index)

    def check(self) -> None:
        """Assert that answers are those of a new index, and that another update does nothing."""
        framework, fresh = self.framework, self.framework.make(self.texts, Model())
        for question in QUESTIONS:
            for options in ({}, {"returns": "parents", "k": 9}):
                found = framework.ask(self.made, question, **options)
                assert_true(found, self.texts)
                assert sorted_texts(found) == sorted_texts(
                    framework.ask(fresh, question, **options)
                )
        if self.store is not None:
            documents = framework.documents(self.texts)
            assert len(self.store.ids()) == framework.leaf_count(documents)
        self.model.clear()
        before = contents(self.folder)
        report = self._update()
        assert sorted(report.unchanged) == sorted(self.texts)
        assert (report.added, report.changed, report.deleted) == ([], [], [])
        assert self.model.texts == []
        assert contents(self.folder) == before

    def _update(self) -> Native:
        if self.is_async:
            return asyncio.run(self.framework.aupdate(self.made, self.texts))
        return self.framework.update(self.made, self.texts)


def live(framework: Framework, edits: list[Edit], *, has_store: bool, is_async: bool) -> None:
    """Edit documents in any order, and check the index after each edit."""
    with TemporaryDirectory() as folder:
        life = Life(framework, Path(folder), has_store=has_store, is_async=is_async)
        for edit in edits:
            life.apply(edit)
            life.check()
        life.made.close()


@settings(max_examples=4)
@given(EDITS, st.booleans(), st.booleans())
def test_after_any_edits_all_that_is_found_is_in_todays_documents(
    framework: Framework, edits: list[Edit], has_store: object, is_async: object
) -> None:
    live(framework, edits, has_store=bool(has_store), is_async=bool(is_async))


@pytest.mark.slow
@settings(max_examples=100)
@given(EDITS, st.booleans())
def test_after_many_edits_all_that_is_found_is_in_todays_documents(
    edits: list[Edit], has_store: object
) -> None:
    live(framework_of("plain"), edits, has_store=bool(has_store), is_async=False)


SWAPPED = TEA[: TEA.index("## Green")] + TEA[TEA.index("## Black") :] + "\n" + (
    TEA[TEA.index("## Green") : TEA.index("## Black")]
)  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"/tea.md": TEA},  # a file in another folder; the names of files are embedded
        {"tea.md": TEA.replace("\n## Green", "\n\n\n## Green")},  # all below has other offsets
        {"tea.md": SWAPPED},
        {"tea.md": TEA, "/tea.md": TEA},
    ],
    ids=["renamed", "moved", "swapped", "copied"],
)
def test_known_texts_are_not_embedded_again(framework: Framework, changed: dict[str, str]) -> None:
    model, texts = Model(), {"oven.md": OVEN, **changed}
    made = framework.make(TEXTS, model)
    model.clear()
    framework.update(made, texts)
    assert model.texts == []
    found = framework.ask(made, QUESTION)
    assert_true(found, texts)
    assert sources(found) == {*texts}


def test_each_text_is_embedded_once_and_many_in_a_call(framework: Framework) -> None:
    model = Model()
    same = "# Tea\n\n" + "The same words are in all of these paragraphs.\n\n" * 9
    framework.make({"tea.md": same, "/tea.md": same}, model)
    assert len(model.texts) == 1
    other = Model()
    framework.make({f"{n}.md": f"# Tea {n}\n\nWords {n}.\n" for n in range(40)}, other)
    assert (len(other.texts), len(other.calls)) == (40, 1)


def test_changed_metadata_are_found_without_embedding(framework: Framework) -> None:
    model = Model()
    made = framework.make({}, model)
    made.update(framework.documents({"tea.md": TEA}, {"day": 1}))
    model.clear()
    assert made.update(framework.documents({"tea.md": TEA}, {"day": 2})).changed == ["tea.md"]
    assert model.texts == []
    (answer, *_) = framework.ask(made, "tea", filter={"day": 2})
    assert answer.metadata["day"] == 2
    assert framework.ask(made, "tea", filter={"day": 1}) == []


async def test_documents_are_deleted_by_their_ids(adapter: Framework) -> None:
    made = adapter.make(TEXTS, Model())
    assert made.delete(["tea.md", "tea.md", "unknown.md"]).deleted == ["tea.md"]
    assert sources(adapter.ask(made, QUESTION)) == {"oven.md"}
    assert (await made.adelete(["oven.md"])).deleted == ["oven.md"]
    assert await made.adocument_ids() == made.document_ids() == []
    assert adapter.ask(made, QUESTION) == await adapter.aask(made, QUESTION) == []
    with pytest.raises(ConfigurationError) as raised:
        made.delete("tea.md")
    assert raised.value.field == "document_ids"


def test_other_options_of_chunking_are_for_all_documents(
    framework: Framework, tmp_path: Path
) -> None:
    """Some documents alone are refused before anything changes; all of them are chunked anew."""
    model, long = Model(), "# Long\n\n" + "\n\n".join(f"Green cup {n} is big." for n in range(9))
    texts = {**TEXTS, "long.md": long}
    framework.make(texts, model, folder=tmp_path).close()
    model.clear()
    chunking = framework.chunking(400)
    made = framework.load(tmp_path, model, chunking=chunking)
    before = framework.ask(made, QUESTION)
    with pytest.raises(ConfigurationError, match="delete_missing=True"):
        made.update(framework.documents({"tea.md": TEA}))
    assert model.texts == []
    assert framework.ask(made, QUESTION) == before
    assert sorted(framework.update(made, texts).changed) == sorted(texts)
    assert 0 < len(model.texts) == len({*model.texts} - embedded(framework, texts))
    assert framework.update(made, texts).changed == []
    fresh = framework.make(texts, Model(), chunking=chunking)
    for question in QUESTIONS:
        assert sorted_texts(framework.ask(made, question)) == sorted_texts(
            framework.ask(fresh, question)
        )
