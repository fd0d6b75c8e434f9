"""The benchmark of retrieval measures what it says, on texts made for that."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.retrieval.comparing import difference
from benchmarks.retrieval.metrics import first, merged, overlap, within
from benchmarks.retrieval.misses import cause
from benchmarks.retrieval.passages import Locator, Passage, Piece, passages
from benchmarks.retrieval.propagation import Weights, propagate, second_level
from benchmarks.retrieval.questions import Collection, Question, Text, load, without_headings
from benchmarks.retrieval.ranking import Words, fused, ranked
from benchmarks.retrieval.reading import as_embedded, leaves, readings
from chunkana_core import Span

SOURCE = "# Kettle\n\nIt boils  water.\n\n## Keys\n\nIt boils, and stops.\n"


def passage(document: int, start: int, end: int, section: str = "") -> Passage:
    return Passage(document, Span(start, end), "", section)


def question(*spans: tuple[int, int]) -> Question:
    return Question(0, "?", "fact", tuple(Span(*span) for span in spans))


def test_what_overlaps_is_counted_once() -> None:
    assert merged([Span(5, 9), Span(0, 3), Span(2, 6)]) == [Span(0, 9)]
    found = overlap(question((0, 10)), [(0, Span(5, 20)), (0, Span(5, 15))])
    assert (found.common, found.answer, found.found) == (5, 10, 15)


def test_recall_precision_and_intersection_over_union() -> None:
    found = overlap(question((10, 20), (30, 40)), [(0, Span(15, 35)), (1, Span(10, 20))])
    assert (found.recall, found.precision) == (10 / 20, 10 / 30)
    assert found.union_share == 10 / 40


def test_another_document_holds_no_answer_but_counts_as_found() -> None:
    found = overlap(question((0, 10)), [(1, Span(0, 10))])
    assert (found.recall, found.precision, found.found) == (0, 0, 10)


def test_a_budget_cuts_the_last_passage() -> None:
    row = [passage(0, 0, 60), passage(1, 100, 160), passage(0, 60, 70)]
    assert list(within(row, 100)) == [(0, Span(0, 60)), (1, Span(100, 140))]
    assert list(within(row, 60)) == [(0, Span(0, 60))]
    assert list(within(row, 500)) == [(p.document, p.span) for p in row]
    assert list(first(row, 2)) == [(0, Span(0, 60)), (1, Span(100, 160))]


def test_the_place_that_a_chunker_names_is_kept_where_it_is_right() -> None:
    second = SOURCE.rindex("It boils")
    assert Locator(SOURCE).find(Piece("It boils", "", second)) == Span(second, second + 8)
    wrong = Locator(SOURCE).find(Piece("It boils", "", 3))
    assert wrong == Span(SOURCE.index("It boils"), SOURCE.index("It boils") + 8)


def test_pieces_are_found_in_order_whatever_their_white_space() -> None:
    locator = Locator(SOURCE)
    one = locator.find(Piece("# Kettle  \nIt boils water.", ""))
    two = locator.find(Piece("It boils", ""))
    assert one == Span(0, SOURCE.index("\n\n## Keys"))
    assert two == Span(SOURCE.rindex("It boils"), SOURCE.rindex("It boils") + 8)
    assert locator.find(Piece("Never said.", "")) is None
    assert locator.find(Piece(" ", "")) is None


def test_what_is_not_found_is_counted() -> None:
    found = passages(lambda text, size: [Piece(text.text[:size], ""), Piece("x", "")],
                     [Text("a", "1234"), Text("b", "5678")], 2)  # fmt: skip
    assert [(p.document, p.span) for p in found.found] == [(0, Span(0, 2)), (1, Span(0, 2))]
    assert (found.lost, found.share_lost) == (2, 0.5)


def test_answers_move_with_the_text_when_headings_go() -> None:
    start, end = SOURCE.index("water"), SOURCE.index(", and")
    asked = Question(0, "?", "fact", (Span(start, end),))
    gone = Question(0, "?", "fact", (Span(2, 8),))
    plain = without_headings(Collection((Text("a", SOURCE),), (asked, gone)))
    text = plain.texts[0].text
    (moved,) = plain.questions
    assert "#" not in text
    assert "".join(text[s.start : s.end] for s in moved.spans).split() == [
        "water.", "It", "boils",
    ]  # fmt: skip


def test_a_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "owner+repository__docs__a.md").write_bytes(SOURCE.encode())
    entry = {"doc": "owner+repository__docs__a.md", "question": "Why?", "kind": "fact"}
    line = json.dumps(entry | {"spans": [[0, 8]]})
    (tmp_path / "questions.jsonl").write_text(line + "\n", "utf-8")
    assert load(tmp_path) == Collection(
        (Text("owner/repository/docs/a.md", SOURCE),),
        (Question(0, "Why?", "fact", (Span(0, 8),)),),
    )


def test_the_same_questions_are_drawn_for_both_and_in_every_run() -> None:
    theirs = np.linspace(0, 0.9, 50)
    always_better = difference(theirs + 0.1, theirs)
    assert (always_better.low, always_better.high) == pytest.approx((0.1, 0.1))
    assert always_better.ratio == pytest.approx(0.55 / 0.45)
    random = np.random.default_rng(1)
    noisy = difference(theirs + random.normal(0, 1, 50), theirs)
    assert noisy.low < 0 < noisy.high
    assert noisy == difference(theirs + np.random.default_rng(1).normal(0, 1, 50), theirs)


def test_words_and_meaning_are_weighed_relative_to_their_best() -> None:
    words, meaning = np.array([[4.0, 0.0, 2.0]]), np.array([[0.1, 0.5, 0.5]])
    assert fused(words, meaning)[0] == pytest.approx([0.3 + 0.14, 0.7, 0.15 + 0.7])
    assert fused(words * 0, meaning)[0] == pytest.approx([0.14, 0.7, 0.7])
    assert ranked(np.array([[1.0, 3.0, 3.0]])).tolist() == [[1, 2, 0]]


def test_words_find_what_has_them() -> None:
    texts, asked = ["boiling water", "cold milk", "keys"], ["boiling?", "boils"]
    assert (Words().scores(texts, asked) > 0).tolist() == [[True, False, False], [False] * 3]
    assert (Words(is_stemmed=True).scores(texts, asked) > 0).tolist() == [[True, False, False]] * 2


def test_the_best_of_a_section_and_of_a_document_lift_the_rest() -> None:
    row = [passage(0, 0, 1, "a"), passage(0, 1, 2, "a"), passage(0, 2, 3, "b"), passage(1, 0, 1)]
    scores = np.array([[1.0, 0.5, 0.5, 0.9]])
    got = propagate(scores, row, Weights(0.4, 0.2))
    assert got[0] == pytest.approx(
        [1 + 0.4 + 0.2, 0.5 + 0.4 + 0.2, 0.5 + 0.2 + 0.2, 0.9 + 0.36 + 0.18]
    )


def test_what_is_not_among_the_best_stays_behind_them_in_order() -> None:
    row = [passage(number, 0, 1) for number in range(40)]
    scores = np.linspace(1, -1, 40)[None, :]
    got = propagate(scores, row, Weights(0.4, 0.2))
    assert ranked(got).tolist() == [list(range(40))]
    lifted = propagate(scores, [passage(0, 0, 1)] * 40, Weights(0.4, 0.2))
    assert ranked(lifted).tolist() == [list(range(40))]


def test_the_words_of_a_section_and_of_a_document_are_added() -> None:
    row = [
        Passage(0, Span(0, 1), "kettle", "a"),
        Passage(0, Span(1, 2), "boils", "a"),
        Passage(1, Span(0, 1), "boils", ""),
    ]
    words, asked = Words(), ["kettle boils"]
    scores = words.scores([p.indexed for p in row], asked)
    assert scores[0, 1] == scores[0, 2]
    got = second_level(words, scores, row, asked, Weights(1, 1))
    assert got[0, 1] > got[0, 2]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 10)], "ranking"),  # what holds it comes after the budget is full
        ([(0, 10), (200, 210)], "cut"),  # some of it is in a passage that was taken whole
        ([(355, 360)], "budget"),  # it is in the passage that was cut
        ([(0, 400)], "budget"),  # it is larger than the budget
    ],
)
def test_a_miss_has_a_cause(spans: list[tuple[int, int]], expected: str) -> None:
    row = [passage(0, 200, 260), passage(1, 0, 20), passage(0, 300, 400), passage(0, 0, 60)]
    assert cause(question(*spans), row, 100) == expected


def test_what_is_read_counts_all_that_is_handed_over() -> None:
    document = Text("a", SOURCE)
    start = SOURCE.index("## Keys")
    asked = Question(0, "How does it stop?", "fact", (Span(start, len(SOURCE) - 1),))
    collection = Collection((document,), (asked,))
    found = leaves(collection, 60)
    ways = dict(readings(collection, found, Words()))
    assert set(ways) == {"chunks", "assembled"}
    for read in ways.values():
        assert overlap(asked, read(0, 1000)).recall == 1
        assert read(0, 0) == []
    first_embedded = found[1].chunk.embedded
    before = len(first_embedded) - len(found[1].chunk.content)
    assert list(as_embedded(found[1:], before)) == []
    assert list(as_embedded(found[1:], before + 7)) == [(0, Span(start, start + 7))]
