"""`Index` without a framework: updated, searched, read, saved and repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context
from chunkana_retrieval import Index, IndexDocument, SearchOptions
from chunkana_retrieval.index import MergingOptions, ReadingOptions, UpdateReport
from tests.conformance.models import Model
from tests.vectors import word_vector

TEA = "# Tea\n\nBoil fresh water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
OVEN = "# Oven\n\nHeat it first.\n\n## Bread\n\nBake the bread for an hour.\n"
TEXTS = {"tea.md": TEA, "oven.md": OVEN}
CHUNKER = Chunker(ChunkConfig(max_chunk_size=80, min_chunk_size=0), Context())


def documents(texts: Mapping[str, str]) -> list[IndexDocument]:
    return [IndexDocument(name, text, {"topic": name[:3]}) for name, text in texts.items()]


def update(
    index: Index, texts: Mapping[str, str], model: Model | None = None, **options: object
) -> UpdateReport:
    """Bring an index to these documents alone."""
    embed = None if model is None else model.embed
    given = {"chunker": CHUNKER, "embed": embed, "model_name": "words", **options}
    if texts:
        return index.update(documents(texts), delete_missing=True, **given)  # type: ignore[arg-type]
    return index.update([], deleted=index.document_ids(), **given)  # type: ignore[arg-type]


def found(
    index: Index, question: str, *, has_vectors: bool = False, **options: object
) -> set[tuple[str, str]]:
    """Return the documents and texts of all leaves that a question finds."""
    vector = word_vector(question, 128) if has_vectors and question else None
    hits = index.search(question, vector=vector, **options).hits  # type: ignore[arg-type]
    return {(hit.document_id, hit.text) for hit in hits}


_PARAGRAPHS = st.sampled_from(["Boil the water.", "Green tea.", "# Tea", "## Cup", "A cup."])
_STATES = st.lists(
    st.dictionaries(
        st.sampled_from(["a.md", "b.md", "c.md"]),
        st.lists(_PARAGRAPHS, max_size=5).map("\n\n".join),
        max_size=3,
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(_STATES, st.booleans())
def test_after_any_edits_an_index_is_as_a_new_one(
    states: list[dict[str, str]], has_vectors: object
) -> None:
    model, before = (Model() if has_vectors else None), dict[str, str]()
    with Index() as index:
        for texts in states:
            report = update(index, texts, model)
            assert sorted(index.document_ids()) == sorted(texts)
            assert len(index) == len(texts)
            assert {n: index.document(n).text for n in index.document_ids()} == texts
            assert sorted(report.added) == sorted(texts.keys() - before.keys())
            assert sorted(report.deleted) == sorted(before.keys() - texts.keys())
            kept = texts.keys() & before.keys()
            assert sorted(report.unchanged) == sorted(n for n in kept if texts[n] == before[n])
            with Index() as fresh:
                update(fresh, texts, model and Model())
                for question in ("green water", "cup", ""):
                    expected = found(fresh, question, has_vectors=bool(has_vectors))
                    assert found(index, question, has_vectors=bool(has_vectors)) == expected
            before = texts
        assert model is None or len(model.calls) <= len(states)


def test_the_example_of_the_docstring_without_options() -> None:
    index = Index()
    report = index.update([IndexDocument("tea.md", TEA), IndexDocument("oven.md", OVEN)])
    assert report.added == ["tea.md", "oven.md"]
    (passage, *_) = index.search("Wait for 80 degrees").passages()
    assert passage.document_id == "tea.md"
    assert passage.bm25 is not None
    assert passage.similarity is None
    assert repr(report) == "<UpdateReport: 2 added ('tea.md', 'oven.md'); leaves: 5 added>"


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


# Searches


def test_vectors_words_and_both_find_leaves() -> None:
    with Index() as index:
        update(index, TEXTS, Model())
        for search in ("hybrid", "dense", "lexical"):
            vector = word_vector("Wait 80 degrees", 128)
            options = SearchOptions(search)
            (hit, *_) = index.search("Wait 80 degrees", options, vector=vector).hits
            assert "80 degrees" in hit.text
            assert (hit.similarity is None) is (search == "lexical")
            assert (hit.bm25 is None) is (search == "dense")
            assert index.search("Wait", replace(options, fetch_k=1), vector=vector).hits


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
    question = "heat wait bread water"
    with Index() as index:
        update(index, TEXTS, Model())
        for _ in range(2):  # the second time it is known which leaves there are
            options = SearchOptions(search)  # type: ignore[arg-type]
            hits = found(index, question, options=options, where=where, has_vectors=True)
            assert {name for name, _ in hits} == expected
        update(index, {**TEXTS, "tea2.md": TEA}, Model())
        hits = found(index, question, options=options, where={"topic": "tea"}, has_vectors=True)
        assert {name for name, _ in hits} == {"tea.md", "tea2.md"}


def test_a_filter_leaves_as_many_as_are_asked_for() -> None:
    with Index() as index:
        many = {f"{n}.md": "Bread and bread again." for n in range(60)}
        update(index, {**many, **TEXTS}, Model())
        for search in ("dense", "lexical"):
            options = SearchOptions(search, fetch_k=2)
            assert {n for n, _ in found(index, "bread", has_vectors=True)}.isdisjoint(TEXTS)
            hits = found(index, "bread", options=options, where={"topic": "ove"}, has_vectors=True)
            assert {name for name, _ in hits} == {"oven.md"}
            assert len(hits) == 2


@pytest.mark.parametrize(
    "vector", [[1.0] * 127, [], [0.0] * 128, [float("nan")] * 128, [float("inf")] + [1.0] * 127]
)
def test_a_vector_that_cannot_be_compared_is_an_error(vector: list[float]) -> None:
    with Index() as index:
        update(index, TEXTS, Model())
        with pytest.raises(ConfigurationError, match="vector"):
            index.search("tea", vector=vector)


def test_a_vector_for_an_index_of_words_is_an_error() -> None:
    with Index() as index:
        update(index, TEXTS)
        with pytest.raises(ConfigurationError, match="vector"):
            index.search("tea", vector=[1.0, 0.0])


def test_passages_and_parents_are_slices_of_documents() -> None:
    with Index() as index:
        update(index, TEXTS)
        result = index.search("water degrees wait bread")
        for reading in (ReadingOptions(), ReadingOptions(200), ReadingOptions(k=1)):
            passages = result.passages(reading)
            assert sum(len(one.text) + 2 for one in passages) - 2 <= reading.budget
            assert passages
            for passage in passages:
                text = index.document(passage.document_id).text
                assert all(text[span.start : span.end] in passage.text for span in passage.spans)
        (whole, *_) = result.parents(MergingOptions(k=1, ratio=0.1))
        assert whole.text == index.document(whole.document_id).text.strip()
        few = result.parents(MergingOptions(k=9, max_parent_size=10))
        assert len(few) == len(result.hits)
        turned = replace(result, hits=tuple(reversed(result.hits)))
        assert turned.passages(ReadingOptions(k=1)) != result.passages(ReadingOptions(k=1))


# What is read of a document


def test_documents_outlines_sections_and_lines_are_read() -> None:
    with Index() as index:
        update(index, TEXTS)
        assert index.document("tea.md") == IndexDocument("tea.md", TEA, {"topic": "tea"})
        outline = index.outline("tea.md")
        assert [entry.path for entry in outline] == [("Tea",), ("Tea", "Green"), ("Tea", "Black")]
        assert [entry.start_line for entry in outline] == [1, 5, 9]
        assert [entry.parent_section_id for entry in outline[1:]] == [outline[0].section_id] * 2
        green = index.read("tea.md", section=outline[1].section_id)
        assert green.strip() == "## Green\n\nWait for 80 degrees."
        assert index.read("tea.md", section=outline[0].section_id).strip() == TEA.strip()
        assert index.read("tea.md") == TEA
        assert index.read("tea.md", lines=(5, 7)) == "## Green\n\nWait for 80 degrees.\n"
        assert index.read("tea.md", lines=(11, 99)) == "Do not wait.\n"
        for call in (index.document, index.outline, index.read):
            with pytest.raises(KeyError):
                call("unknown.md")
        with pytest.raises(KeyError):
            index.read("tea.md", section="unknown")
        with pytest.raises(ConfigurationError):
            index.read("tea.md", lines=(0, 1))
