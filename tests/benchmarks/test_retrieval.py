"""The retrieval benchmark computes correct measurements on small texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.retrieval.comparing import difference
from benchmarks.retrieval.metrics import merged, recall, within
from benchmarks.retrieval.passages import Locator, Passage, Piece, passages
from benchmarks.retrieval.questions import Collection, Question, Text, load, without_headings
from benchmarks.retrieval.ranking import fused, ranked, word_scores
from benchmarks.retrieval.reading import Leaves, rankings
from chunkana_core import Span

SOURCE = "# Kettle\n\nIt boils  water.\n\n## Keys\n\nIt boils, and stops.\n"


def passage(document: int, start: int, end: int, before: int = 0, after: int = 0) -> Passage:
    return Passage(document, Span(start, end), "", before, before + end - start + after)


def piece(text: str, start: int | None = None) -> Piece:
    return Piece(text, text, text, start)


def question(*spans: tuple[int, int]) -> Question:
    return Question(0, "?", "fact", tuple(Span(*span) for span in spans))


def test_what_overlaps_is_counted_once() -> None:
    assert merged([Span(5, 9), Span(0, 3), Span(2, 6)]) == [Span(0, 9)]
    assert recall(question((0, 10)), [(0, Span(5, 20)), (0, Span(5, 15))]) == 5 / 10


def test_recall_is_the_share_of_the_answer_in_its_document() -> None:
    asked = question((10, 20), (30, 40))
    assert recall(asked, [(0, Span(15, 35)), (1, Span(10, 20))]) == 10 / 20
    assert recall(asked, [(1, Span(0, 50))]) == 0


def test_a_budget_of_source_cuts_the_last_passage() -> None:
    row = [passage(0, 0, 60, 7, 9), passage(1, 100, 160, 7), passage(0, 60, 70)]
    assert list(within(row, 100, "source")) == [(0, Span(0, 60)), (1, Span(100, 140))]
    assert list(within(row, 60, "source")) == [(0, Span(0, 60))]
    assert list(within(row, 500, "source")) == [(p.document, p.span) for p in row]


def test_all_that_is_handed_over_counts_before_after_and_between_texts() -> None:
    row = [passage(0, 0, 60, 7, 9), passage(1, 100, 160, 5), passage(0, 60, 70)]
    assert list(within(row, 7, "handed over")) == []
    assert list(within(row, 10, "handed over")) == [(0, Span(0, 3))]
    first = 7 + 60 + 9 + len("\n\n")
    assert list(within(row, first + 5, "handed over")) == [(0, Span(0, 60))]
    assert list(within(row, first + 6, "handed over"))[1:] == [(1, Span(100, 101))]
    second = first + 5 + 60 + len("\n\n")
    assert list(within(row, second + 10, "handed over")) == [(p.document, p.span) for p in row]


def test_the_place_that_a_chunker_names_is_kept_where_it_is_right() -> None:
    second = SOURCE.rindex("It boils")
    assert Locator(SOURCE).find(piece("It boils", second)) == Span(second, second + 8)
    wrong = Locator(SOURCE).find(piece("It boils", 3))
    assert wrong == Span(SOURCE.index("It boils"), SOURCE.index("It boils") + 8)


def test_pieces_are_found_in_order_whatever_their_white_space() -> None:
    locator = Locator(SOURCE)
    one = locator.find(piece("# Kettle  \nIt boils water."))
    two = locator.find(piece("It boils"))
    assert one == Span(0, SOURCE.index("\n\n## Keys"))
    assert two == Span(SOURCE.rindex("It boils"), SOURCE.rindex("It boils") + 8)
    assert locator.find(piece("Never said.")) is None
    assert locator.find(piece(" ")) is None


def test_what_is_not_found_is_counted() -> None:
    found = passages(lambda text, size: [piece(text.text[:size]), piece("x")],
                     [Text("a", "1234"), Text("b", "5678")], 2)  # fmt: skip
    assert [(p.document, p.span) for p in found.found] == [(0, Span(0, 2)), (1, Span(0, 2))]
    assert (found.lost, found.share_lost) == (2, 0.5)


def test_what_stands_around_a_text_is_handed_over() -> None:
    made = Piece("water", "found by this", "path: /Kettle\n\nwater.", 0)
    (found,) = passages(lambda *_: [made], [Text("a", "water")], 9).found
    assert (found.before, found.size, found.indexed) == (15, 21, "found by this")


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
    texts, asked = ["boiling water", "cold milk", "keys"], ["boiled?", "a kettle"]
    assert (word_scores(texts, asked) > 0).tolist() == [[True, False, False], [False] * 3]


def test_what_is_read_fits_with_all_that_is_handed_over() -> None:
    start = SOURCE.index("## Keys")
    asked = Question(0, "How does it stop?", "fact", (Span(start, len(SOURCE) - 1),))
    leaves = Leaves.of(Collection((Text("a", SOURCE),), (asked,)), 60)
    meaning = np.array([[0.5, 0.9]])
    found = rankings(leaves, [asked.text], meaning)
    assert set(found) == {"words", "dense", "hybrid"}
    for (ranking,) in found.values():
        assert [hit.span.start for hit in ranking] == [start, 0]
        assert recall(asked, leaves.read(ranking, 1000, "handed over")) == 1
        assert leaves.read(ranking, 0, "handed over") == []
        assert leaves.read(ranking, 7, "source") == [(0, Span(start, start + 7))]
        titled = len("Kettle\n\n## Keys\n\nIt")  # the titles above count
        assert leaves.read(ranking, titled, "handed over") == [(0, Span(start, start + 11))]


def test_words_alone_need_no_embeddings() -> None:
    leaves = Leaves.of(Collection((Text("a", SOURCE),), ()), 60)
    assert set(rankings(leaves, ["keys"], None)) == {"words"}
