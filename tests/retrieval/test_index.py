"""`Index` without a framework: what the common suite of the retrievers does not ask for."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context
from chunkana_retrieval import Excerpt, Index, IndexDocument, SearchOptions, UnknownNameError
from chunkana_retrieval.index import UpdateReport
from tests.conformance.models import Model
from tests.conformance.texts import COOLER, TEA, TEXTS
from tests.vectors import word_vector

CHUNKER = Chunker(ChunkConfig(max_chunk_size=80, min_chunk_size=0), Context())


def documents(texts: Mapping[str, str]) -> list[IndexDocument]:
    return [IndexDocument(name, text, {"topic": name[:3]}) for name, text in texts.items()]


def update(
    index: Index, texts: Mapping[str, str], model: Model | None = None, **options: object
) -> UpdateReport:
    """Bring an index to these documents alone."""
    embed = None if model is None else model.embed
    given = {"chunker": CHUNKER, "embed": embed, "model_name": "words", **options}
    return index.update(documents(texts), delete_missing=True, **given)  # type: ignore[arg-type]


def found(
    index: Index, question: str, *, has_vectors: bool = False, **options: object
) -> set[tuple[str, str]]:
    """Return the documents and texts of all leaves that a question finds."""
    vector = word_vector(question, 128) if has_vectors and question else None
    hits = index.search(question, vector=vector, **options).hits  # type: ignore[arg-type]
    return {(hit.document_id, hit.text) for hit in hits}


# Updates


def test_a_report_prints_counts_and_a_few_ids() -> None:
    with Index() as index:
        texts = {f"{n}.md": f"Text {n}." for n in range(30)}
        assert repr(update(index, texts)) == (
            "<UpdateReport: 30 added ('0.md', '1.md', '2.md', …); leaves: 30 added>"
        )
        del texts["7.md"]
        assert str(update(index, texts | {"8.md": "Another."})) == (
            "<UpdateReport: 1 changed ('8.md'), 1 deleted ('7.md'), "
            "28 unchanged ('0.md', '1.md', '2.md', …); leaves: 1 added, 2 deleted>"
        )


def test_progress_counts_documents_and_shows_nothing_of_the_update(tmp_path: Path) -> None:
    """Also not to another index of the same folder."""
    seen: list[tuple[int, int, set[tuple[str, str]]]] = []
    with Index(tmp_path) as index, Index.load(tmp_path) as other:
        update(index, TEXTS)
        before = found(other, "degrees heat wait")
        changed = {"tea.md": TEA.replace("80", "75"), "oven.md": "# Oven\n\nWarm it first.\n"}
        update(
            index,
            changed,
            progress=lambda done, count: seen.append((done, count, found(other, "degrees heat"))),
        )
        assert [one[:2] for one in seen] == [(1, 2), (2, 2)]
        assert all(one[2] <= before for one in seen)
        assert any("75 degrees" in text for _, text in found(other, "degrees heat wait"))


def test_an_error_of_the_callers_is_the_callers(tmp_path: Path) -> None:
    """Also one of SQLite's, from a model that caches in a database."""
    for error in (sqlite3.OperationalError("theirs"), KeyboardInterrupt(), ZeroDivisionError()):
        with Index(tmp_path) as index:

            def fail(*_: object, error: BaseException = error) -> Sequence[Sequence[float]]:
                raise error

            for options in ({"embed": fail}, {"progress": fail}):
                with pytest.raises(type(error)) as raised:
                    index.update(documents(TEXTS), **options)  # type: ignore[arg-type]
                assert raised.value is error
                assert index.document_ids() == []
            assert update(index, {"a.md": "Text."}).added == ["a.md"]
            index.update([], deleted=["a.md"])


def test_a_second_writer_waits_and_gives_up_in_time(tmp_path: Path) -> None:
    begun, done = threading.Event(), threading.Event()
    model = Model()

    def wait(vectors: list[list[float]]) -> list[list[float]]:
        begun.set()
        assert done.wait(30)
        return vectors

    model.fault = wait
    with Index(tmp_path) as first, Index(tmp_path, timeout=0.01) as second:
        thread = threading.Thread(target=update, args=(first, TEXTS, model))
        thread.start()
        assert begun.wait(30)
        try:
            with pytest.raises(TimeoutError):
                update(second, COOLER, Model())
            assert found(second, "degrees") == set()
        finally:
            done.set()
            thread.join(30)
        assert update(second, COOLER, Model()).changed == ["tea.md"]


def test_an_update_and_the_next_question_cost_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In instructions of SQLite: ten times as many documents cost at most twice as many."""
    connect, done = sqlite3.connect, [0]

    def count() -> int:
        done[0] += 1
        return 0

    def connect_counted(*arguments: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_progress_handler(count, 10)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_counted)
    costs = []
    for size in (40, 400):
        many = {f"{n}.md": f"# Tea {n}\n\nCup{n} is blue.\n" for n in range(size)}
        with Index(tmp_path / str(size)) as index:
            update(index, many | TEXTS, Model())
            found(index, "cup7 degrees", has_vectors=True)
            done[0] = 0
            index.update(
                documents({"tea.md": COOLER["tea.md"]}),
                chunker=CHUNKER, embed=Model().embed, model_name="words",
            )  # fmt: skip
            found(index, "cup7 degrees", has_vectors=True)
            costs.append(done[0])
    assert 10 < costs[1] <= 2 * costs[0], costs


def test_a_copy_replaces_the_index_that_is_there(tmp_path: Path) -> None:
    with Index(tmp_path) as old, Index() as new:
        update(old, {"old.md": "Old tea."})
        found(old, "tea")
        update(new, TEXTS, Model())
        new.save(tmp_path)
        assert sorted(old.document_ids()) == sorted(TEXTS)
        assert found(old, "water degrees") == found(new, "water degrees")


# Searches


def test_similarities_are_cosines_and_cut_off() -> None:
    model = Model()
    with Index() as index:
        update(index, TEXTS, model)
        question = word_vector("Wait for 80 degrees", 128)
        every = index.search("", SearchOptions("dense", fetch_k=99), vector=question).hits
        expected = sorted(
            (sum(map(float.__mul__, question, word_vector(text, 128))) for text in model.texts),
            reverse=True,
        )
        similarities = sorted((hit.similarity or 0 for hit in every), reverse=True)
        assert similarities == pytest.approx(expected, abs=1e-6)
        for least in (-1.0, expected[1] - 1e-4, expected[0] - 1e-4, 1.0):
            for search in ("dense", "hybrid"):
                options = SearchOptions(search, min_score=least, fetch_k=99)
                hits = index.search("water", options, vector=question).hits
                assert len(hits) == sum(one >= least for one in expected)
                scaled = [100 * number for number in question]
                assert index.search("water", options, vector=scaled).hits == hits


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"topic": "tea"}, {"tea.md"}),
        ({"topic": "none"}, set()),
        ({"topic": "tea", "header_path": "/Oven"}, set()),
        ({"header_path": "/Oven/Bread"}, {"oven.md"}),
        ({"format": "markdown"}, {"tea.md", "oven.md"}),
        ({"unknown": None}, set()),
        (lambda metadata: metadata["topic"] == "ove", {"oven.md"}),
        (lambda metadata: "section_id" not in metadata, set()),
        ({}, {"tea.md", "oven.md"}),
    ],
)
@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
def test_filters_are_of_documents_and_leaves(
    search: str, where: object, expected: set[str]
) -> None:
    options = SearchOptions(search)  # type: ignore[arg-type]
    asked = {"question": "heat wait bread water", "options": options, "has_vectors": True}
    with Index() as index:
        update(index, TEXTS, Model())
        for _ in range(2):  # the second time it is known which leaves there are
            hits = found(index, where=where, **asked)  # type: ignore[arg-type]
            assert {name for name, _ in hits} == expected
        update(index, {**TEXTS, "tea2.md": TEA}, Model())
        hits = found(index, where={"topic": "tea"}, **asked)  # type: ignore[arg-type]
        assert {name for name, _ in hits} == {"tea.md", "tea2.md"}


def test_a_filter_leaves_as_many_as_are_asked_for() -> None:
    with Index() as index:
        update(
            index, {**{f"{n}.md": "Bread and bread again." for n in range(60)}, **TEXTS}, Model()
        )
        for search in ("dense", "lexical"):
            options = SearchOptions(search, fetch_k=2)
            assert {n for n, _ in found(index, "bread", has_vectors=True)}.isdisjoint(TEXTS)
            hits = found(index, "bread", options=options, where={"topic": "ove"}, has_vectors=True)
            assert [name for name, _ in hits] == ["oven.md"] * 2


def test_a_vector_for_an_index_of_words_is_an_error() -> None:
    with Index() as index:
        update(index, TEXTS)
        with pytest.raises(ConfigurationError, match="vector"):
            index.search("tea", vector=[1.0, 0.0])


# What is read of a document


def test_documents_outlines_sections_and_lines_are_read() -> None:
    with Index() as index:
        update(index, TEXTS)
        assert index.document("tea.md") == IndexDocument("tea.md", TEA, {"topic": "tea"})
        outline = index.outline("tea.md")
        assert [entry.path for entry in outline] == [("Tea",), ("Tea", "Green"), ("Tea", "Black")]
        assert [entry.start_line for entry in outline] == [1, 5, 9]
        green = Excerpt("## Green\n\nWait for 80 degrees.\n", 5, 7)
        names = outline[1].section_id, "green", "/Tea/Green", "Tea > Green", "tea.green", "GREEN"
        assert {index.read("tea.md", section=name) for name in names} == {green}
        assert index.read("tea.md", section="tea") == index.read("tea.md") == Excerpt(TEA, 1, 11)
        assert index.read("tea.md", lines=(5, 7)) == green
        assert index.read("tea.md", lines=(11, 99)) == Excerpt("Do not wait.\n", 11, 11)
        for call in (index.document, index.outline, index.read):
            with pytest.raises(UnknownNameError, match=r"no document .*similar names: 'tea.md'"):
                call("tee.md")
        with pytest.raises(UnknownNameError, match=r"no section 'geen'; similar names: 'green'$"):
            index.read("tea.md", section="geen")
        with pytest.raises(ConfigurationError, match="None with a section"):
            index.read("tea.md", section="green", lines=(1, 2))
        with pytest.raises(ConfigurationError, match="has 11"):
            index.read("tea.md", lines=(12, 13))
        with pytest.raises(ConfigurationError):
            index.read("tea.md", lines=(0, 1))


def test_documents_are_searched_alone() -> None:
    with Index() as index:
        update(index, TEXTS)
        question = " ".join(TEXTS.values())
        everywhere = found(index, question)
        assert len({name for name, _ in everywhere}) > 1
        for names in (["tea.md"], [*TEXTS], []):
            inside = {one for one in everywhere if one[0] in names}
            assert found(index, question, documents=names) == inside
        assert not found(index, question, where={"topic": "tea"}, documents=["cooler.md"])
