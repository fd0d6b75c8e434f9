"""What is handed over: within the budget, cited, ordered, cut off and merged as it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from chunkana_core import ConfigurationError
from tests import corpora
from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.texts import OVEN, QUESTION, TEA, TEXTS, assert_true, read, sources

OWN = {sample.name: sample.text for sample in corpora.own_documents()}
ASKED = ("How are tables split?", "install", "telescope signals", "code and headings")


def tokens(text: str) -> int:
    """Return the number of words, as a tokenizer may count."""
    return len(text.split())


@pytest.fixture(scope="module")
def own(request: pytest.FixtureRequest) -> Callable[[Framework], Native]:
    """Return a function that returns a retriever over the project's own documents."""
    del request
    made: dict[str, Native] = {}

    def of(framework: Framework) -> Native:
        if framework.name not in made:
            made[framework.name] = framework.make(OWN, Model(), chunking=framework.chunking(500))
        return made[framework.name]

    return of


Own = Callable[[Framework], Native]


@pytest.mark.parametrize("length", [len, tokens])
@pytest.mark.parametrize("returns", ["passages", "parents"])
def test_what_is_handed_over_never_exceeds_the_budget(
    framework: Framework, length: Callable[[str], int], returns: str, own: Own
) -> None:
    sizes = []
    for budget in (0, 333, 3000):
        options = {"budget": budget, "length_function": length, "returns": returns}
        for question in ASKED:
            found = framework.ask(own(framework), question, **options)
            assert_true(found, OWN)
            sizes.append(length(read(found)))
            if returns == "passages":
                assert sizes[-1] <= budget
    assert sizes[0] == 0 or returns == "parents"
    assert max(sizes) > 200


def test_more_budget_never_shows_less(framework: Framework, own: Own) -> None:
    for question in ASKED:
        shown: set[tuple[str, int]] = set()
        for budget in range(200, 3000, 400):
            found = framework.ask(own(framework), question, budget=budget)
            now = {
                (one.document_id, offset)
                for one in found
                for start, end in one.metadata["spans"]
                for offset in range(start, end)
                if not OWN[one.document_id][offset].isspace()
            }
            assert shown <= now
            shown = now


def test_a_citation_opens_at_the_right_line(framework: Framework, own: Own) -> None:
    """For each passage and parent of the project's own documents, and by its lines alone."""
    for question in ASKED:
        for options in ({}, {"returns": "parents"}, {"around": ("siblings", "parent")}):
            found = framework.ask(own(framework), question, **options)
            assert found
            assert_true(found, OWN)
            for answer in found:
                lines = OWN[answer.metadata["source"]].split("\n")
                first, last = answer.metadata["start_line"], answer.metadata["end_line"]
                start, end = answer.metadata["spans"][0]
                opened = "\n".join(lines[first - 1 : last])
                assert OWN[answer.document_id][start:end] in opened
                assert isinstance(json.loads(answer.metadata["path"]), list)


def test_the_path_stands_once_before_a_passage(framework: Framework) -> None:
    made = framework.make({"tea.md": TEA}, Model())
    (found,) = framework.ask(made, "80 degrees", k=1, budget=45 + 28 * framework.reads_metadata)
    assert found.text.endswith("## Green\n\nWait for 80 degrees.")
    assert found.text.count("Green") == 1
    assert json.loads(found.metadata["path"])[-2:] == ["Tea", "Green"]


def test_k_is_the_most_that_is_handed_over_and_the_best(framework: Framework, own: Own) -> None:
    made = own(framework)
    for question in ASKED:
        all_found = framework.ask(made, question, order="score")
        assert len(all_found) > 2
        for k in (1, 2, 3, 100):
            found = framework.ask(made, question, k=k, order="score")
            assert len(found) == min(k, len(all_found))
            assert found[0].score == all_found[0].score
        assert len(framework.ask(made, question, k=1)) == 1
        assert len(framework.ask(made, question, returns="parents")) == 4
        for k in (1, 2, 7):
            assert len(framework.ask(made, question, returns="parents", k=k)) <= k


def test_passages_are_in_the_order_of_documents_or_of_scores(
    framework: Framework, own: Own
) -> None:
    made = own(framework)
    for question in ASKED:
        found = framework.ask(made, question, order="document")
        by_score = framework.ask(made, question, order="score")
        assert sorted(one.text for one in found) == sorted(one.text for one in by_score)
        scores = [one.score or 0 for one in by_score]
        assert scores == sorted(scores, reverse=True)
        names = [one.document_id for one in found]
        first = list(dict.fromkeys(names))
        assert names == sorted(names, key=first.index)  # no document twice
        best = [max(one.score or 0 for one in found if one.document_id == n) for n in first]
        assert best == sorted(best, reverse=True)
        for name in first:
            starts = [one.metadata["spans"][0][0] for one in found if one.document_id == name]
            assert starts == sorted(starts)


def test_min_score_cuts_by_the_similarity(framework: Framework, own: Own) -> None:
    """That is the cosine, which does not depend on the other answers."""
    made = own(framework)
    for question in ASKED:
        found = framework.ask(made, question, order="score", search="dense", budget=10**6)
        known = sorted(one.metadata["similarity"] for one in found)
        assert all(-1 <= similarity <= 1 for similarity in known)
        assert known[0] < known[-1]
        least = known[-1] - 1e-6
        (best,) = framework.ask(made, question, min_score=least, search="dense", budget=10**6)
        assert best.metadata["similarity"] == pytest.approx(known[-1])
        assert framework.ask(made, question, min_score=1.0) == []
        every = framework.ask(
            made, question, min_score=-1.0, order="score", search="dense", budget=10**6
        )
        assert every == found


def test_answers_have_their_similarity_and_the_score_of_words(framework: Framework) -> None:
    made = framework.make(TEXTS, Model())
    (found, *_) = framework.ask(made, "Wait for 80 degrees", order="score", budget=300)
    assert 0.3 < found.metadata["similarity"] <= 1
    assert found.metadata["bm25"] > 0
    (by_words, *_) = framework.ask(framework.make(TEXTS, search="lexical"), "80 degrees")
    assert by_words.metadata["bm25"] > 0
    assert "similarity" not in by_words.metadata


# Options for one question


def test_options_hold_for_one_question(framework: Framework) -> None:
    made = framework.make(TEXTS, Model())
    before = framework.ask(made, QUESTION)
    for options in (
        {"budget": 90}, {"k": 1}, {"filter": {"source": "oven.md"}}, {"returns": "parents"},
        {"search": "lexical"}, {"min_score": 0.9}, {"order": "document"}, {"fetch_k": 1},
        {"around": ("parent", "siblings")}, {"lexical_weight": 0.0}, {"document_weight": 0.0},
        {"section_weight": 0.0}, {"length_function": tokens},
    ):  # fmt: skip
        changed = framework.ask(made, QUESTION, **options)
        assert_true(changed, TEXTS)
        assert framework.ask(made, QUESTION) == before
        arguments = {name: value for name, value in options.items() if name != "filter"}
        if arguments:
            made_so = framework.make(TEXTS, Model(), **arguments)
            assert framework.ask(made_so, QUESTION) == changed


def test_what_is_around_a_hit_comes_after_all_hits(framework: Framework) -> None:
    made = framework.make(TEXTS, Model(), search="lexical")
    alone = framework.ask(made, "degrees", fetch_k=1)
    assert "Do not wait" not in read(alone)
    more = framework.ask(made, "degrees", fetch_k=1, around=("siblings",))
    assert "Wait for 80 degrees" in read(more)
    assert "Do not wait" in read(more)
    assert sources(more) == {"tea.md"}
    assert "Boil" not in read(more)
    assert "Boil" in read(framework.ask(made, "degrees", fetch_k=1, around=("parent",)))


@pytest.mark.parametrize(
    ("option", "meant"),
    [("bugdet", "budget"), ("top_k", "k"), ("similarity_top_k", "k"), ("fetchk", "fetch_k"),
     ("score_threshold", "min_score")],
)  # fmt: skip
def test_an_unknown_option_is_an_error_that_names_what_was_meant(
    adapter: Framework, option: str, meant: str
) -> None:
    made = adapter.make(TEXTS, Model())
    with pytest.raises(ConfigurationError, match=rf"{option}.*\b{meant}\b"):
        adapter.ask(made, QUESTION, **{option: 1})
    with pytest.raises(ConfigurationError, match=rf"{option}.*\b{meant}\b"):
        adapter.make(TEXTS, Model(), **{option: 1})


@pytest.mark.parametrize(
    "options",
    [{"k": 0}, {"budget": "much"}, {"search": "words"}, {"min_score": "high"}, {"order": "up"},
     {"returns": "nodes"}, {"around": "parent"}, {"fetch_k": 1.5}, {"lexical_weight": -1}],
    ids=str,
)  # fmt: skip
def test_options_of_one_question_are_checked(
    adapter: Framework, options: dict[str, object]
) -> None:
    made = adapter.make(TEXTS, Model())
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        adapter.ask(made, QUESTION, **options)


def test_the_same_documents_give_the_same_passages_in_every_framework(
    framework: Framework,
) -> None:
    """As they are assembled without a framework."""
    from chunkana_core import ChunkConfig, Chunker, Context
    from chunkana_retrieval import Index, IndexDocument, SearchOptions

    config = ChunkConfig(max_chunk_size=100, min_chunk_size=0, atomic_blocks="split")
    texts = {"tea.md": TEA, "oven.md": OVEN}
    with Index() as index:
        documents = [IndexDocument(name, text, {"source": name}) for name, text in texts.items()]
        index.update(documents, chunker=Chunker(config, Context()))
        made = framework.make(texts, search="lexical")
        for question in (QUESTION, "bread", "heat water"):
            options = SearchOptions(search="lexical")
            passages = index.search(question, options).passages()
            found = framework.ask(made, question)
            assert [one.metadata["spans"] for one in found] == [
                [[span.start, span.end] for span in passage.spans] for passage in passages
            ]
            assert [one.metadata["path"] for one in found] == [
                json.dumps(passage.path, ensure_ascii=False) for passage in passages
            ]
            for one, passage in zip(found, passages, strict=True):
                assert one.text.endswith(passage.text)
