"""What is handed over: what an index without a framework hands over, cited, within the budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from chunkana_core import ConfigurationError
from tests import corpora
from tests.conformance.frameworks import Answer, Framework, Native, framework_of
from tests.conformance.models import Model
from tests.conformance.texts import QUESTION, TEA, TEXTS, assert_true, read

OWN = {sample.name: sample.text for sample in corpora.own_documents()}
ASKED = ("How are tables split?", "install", "telescope signals", "code and headings")
PLAIN = framework_of("plain")


def tokens(text: str) -> int:
    """Return the number of words, as a tokenizer may count."""
    return len(text.split())


@pytest.fixture(scope="module")
def own() -> Callable[[Framework], Native]:
    """Return a function that returns a retriever over the project's own documents."""
    made: dict[str, Native] = {}

    def of(framework: Framework) -> Native:
        if framework.name not in made:
            made[framework.name] = framework.make(OWN, Model(), chunking=framework.chunking(500))
        return made[framework.name]

    return of


Own = Callable[[Framework], Native]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"k": 1},
    {"k": 3, "order": "score"},
    {"order": "document"},
    {"filter": {"source": next(iter(OWN)), "format": "markdown"}},
    {"search": "lexical", "fetch_k": 3},
    {"search": "dense", "min_score": 0.2},
    {"fetch_k": 1, "around": ("parent", "siblings")},
    {"lexical_weight": 0.0, "section_weight": 0.0, "document_weight": 0.0},
    {"returns": "parents"},
    {"returns": "parents", "k": 2, "ratio": 0.1},
    {"returns": "parents", "k": 50, "max_parent_size": 700, "ratio": 0.0},
]


def found_in(answer: Answer) -> tuple[object, ...]:
    """Return what an answer is of, and how well it was found."""
    keys = ("spans", "path", "lines", "chunk_ids", "similarity", "bm25")
    known = [answer.metadata.get(key) for key in keys]
    return answer.document_id, answer.score, *known


@pytest.mark.parametrize("options", OPTIONS, ids=str)
async def test_answers_are_those_of_an_index_without_a_framework(
    adapter: Framework, options: dict[str, Any], own: Own
) -> None:
    """With each option, sync and async; the text alone may have metadata in front."""
    made, given = own(adapter), {"budget": 10**6, **options}
    for question in ASKED:
        found, expected = (
            adapter.ask(made, question, **given),
            PLAIN.ask(own(PLAIN), question, **given),
        )
        assert expected
        assert [found_in(one) for one in found] == [found_in(one) for one in expected]
        assert all(a.text.endswith(b.text) for a, b in zip(found, expected, strict=True))
        assert await adapter.aask(made, question, **given) == found


@pytest.mark.parametrize("options", [*OPTIONS[1:], {"budget": 90}, {"length_function": tokens}])
def test_options_hold_for_one_question_or_for_all(
    framework: Framework, options: dict[str, Any]
) -> None:
    made = framework.make(TEXTS, Model())
    before = framework.ask(made, QUESTION)
    changed = framework.ask(made, QUESTION, **options)
    assert_true(changed, TEXTS)
    assert framework.ask(made, QUESTION) == before
    assert framework.ask(framework.make(TEXTS, Model(), **options), QUESTION) == changed


@pytest.mark.parametrize("length", [len, tokens])
@pytest.mark.parametrize("returns", ["passages", "parents"])
def test_what_is_handed_over_never_exceeds_the_budget(
    framework: Framework, length: Callable[[str], int], returns: str, own: Own
) -> None:
    """And a citation opens at the right line, for each passage and parent, by its lines alone."""
    sizes = []
    for budget in (0, 333, 3000):
        options = {"budget": budget, "length_function": length, "returns": returns}
        for question in ASKED:
            found = framework.ask(own(framework), question, **options)
            assert_true(found, OWN)
            sizes.append(length(read(found)))
            if returns == "passages":
                assert sizes[-1] <= budget
            for answer in found:
                lines = OWN[answer.metadata["source"]].split("\n")
                opened = lines[answer.metadata["start_line"] - 1 : answer.metadata["end_line"]]
                start, end = answer.metadata["spans"][0]
                assert OWN[answer.document_id][start:end] in "\n".join(opened)
                assert isinstance(json.loads(answer.metadata["path"]), list)
    assert sizes[0] == 0 or returns == "parents"
    assert max(sizes) > 200


def test_the_path_stands_once_before_a_passage(framework: Framework) -> None:
    made = framework.make({"tea.md": TEA}, Model())
    (found,) = framework.ask(made, "80 degrees", k=1, budget=45 + 28 * framework.reads_metadata)
    assert found.text.endswith("## Green\n\nWait for 80 degrees.")
    assert found.text.count("Green") == 1
    assert json.loads(found.metadata["path"])[-2:] == ["Tea", "Green"]


# The index without a framework, of which answers are the same


@pytest.mark.parametrize("question", ASKED)
def test_k_is_the_most_that_is_handed_over_and_the_best(question: str, own: Own) -> None:
    made = own(PLAIN)
    all_found = PLAIN.ask(made, question, order="score")
    assert len(all_found) > 2
    for k in (1, 2, 3, 100):
        found = PLAIN.ask(made, question, k=k, order="score")
        assert len(found) == min(k, len(all_found))
        assert found[0].score == all_found[0].score
        assert len(PLAIN.ask(made, question, returns="parents", k=k)) <= k
    assert len(PLAIN.ask(made, question, k=1)) == 1
    assert len(PLAIN.ask(made, question, returns="parents")) == 4


@pytest.mark.parametrize("question", ASKED)
def test_passages_are_in_the_order_of_documents_or_of_scores(question: str, own: Own) -> None:
    found = PLAIN.ask(own(PLAIN), question, order="document")
    by_score = PLAIN.ask(own(PLAIN), question, order="score")
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


@pytest.mark.parametrize("question", ASKED)
def test_min_score_cuts_by_the_similarity(question: str, own: Own) -> None:
    """That is the cosine, which does not depend on the other answers."""
    options = {"order": "score", "search": "dense", "budget": 10**6}
    found = PLAIN.ask(own(PLAIN), question, **options)
    known = sorted(one.metadata["similarity"] for one in found)
    assert all(-1 <= similarity <= 1 for similarity in known)
    assert known[0] < known[-1]
    (best,) = PLAIN.ask(own(PLAIN), question, min_score=known[-1] - 1e-6, **options)
    assert best.metadata["similarity"] == pytest.approx(known[-1])
    assert PLAIN.ask(own(PLAIN), question, min_score=1.0) == []
    assert PLAIN.ask(own(PLAIN), question, min_score=-1.0, **options) == found


# Mistakes


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
