"""Coverage: the share of a text's longer lines that contents hold, whoever cut and wrapped them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import (
    ChunkConfig,
    MarkdownChunker,
    Violation,
    validate_content_coverage,
)
from chunkana_core.checking.coverage import line_recall
from tests.core.configurations import configs
from tests.core.counting import calls_of
from tests.strategies import any_markdown

LINE = "A line of the document that is long enough to count."
OTHER = "Another line of it, which is long enough to count too."
SHORT = "short"
LARGE = 200


@dataclass(frozen=True)
class Piece:
    """A chunk of another tool: a content and nothing else."""

    content: str


@pytest.mark.parametrize(
    ("contents", "recall"),
    [
        ((f"{LINE}\n{OTHER}",), 1.0),
        ((LINE, OTHER), 1.0),
        ((OTHER, LINE), 1.0),
        ((LINE,), 0.5),
        ((LINE, LINE, LINE), 0.5),
        ((f"{LINE}\n{LINE}\n{LINE}", LINE), 0.5),
        ((), 0.0),
        (("unrelated",), 0.0),
        ((LINE.replace(" ", "  \t "), f"  {OTHER} "), 1.0),
        ((LINE[:30], LINE[30:], OTHER), 1.0),
        ((f"# Head\n{LINE[:30]}", f"# Head\n{LINE[30:]}", OTHER), 1.0),
        ((LINE[:30], "something else", LINE[30:], OTHER), 1.0),
        ((LINE[:30], "something else\n" * 9 + LINE[30:], OTHER), 0.5),
        ((f"> {LINE[:30]}", f"> {LINE[30:]}", OTHER), 1.0),
        ((LINE[30:], LINE[:30], OTHER), 0.5),
        ((LINE[:30], OTHER), 0.5),
    ],
)
def test_recall(contents: tuple[str, ...], recall: float) -> None:
    """Recall is the share of the long lines found; repetition cannot raise it."""
    text = f"# Head\n{LINE}\n{SHORT}\n\n{OTHER}\n"
    outcome = validate_content_coverage([Piece(content) for content in contents], text)
    assert outcome.coverage == recall
    assert outcome.valid is (recall >= 0.95)
    assert line_recall(contents, text) == recall
    if not outcome.valid:
        message = f"the chunks hold {recall:.1%} of the source's longer lines, less than 95%"
        assert outcome.errors == (Violation("coverage", None, message),)
        assert str(outcome.errors[0]) == message


PARTS = (LINE[:30], LINE[30:])
SHARED = f"{LINE} Part A.\n{LINE} Part B.\n{LINE}\n"


@pytest.mark.parametrize(
    ("text", "contents", "recall"),
    [
        # a line that stands three times is found three times, or less
        (f"{LINE}\n{OTHER}\n{LINE}\n{LINE}\n", [LINE], 0.25),
        (f"{LINE}\n{OTHER}\n{LINE}\n{LINE}\n", [LINE] * 2, 0.5),
        (f"{LINE}\n{OTHER}\n{LINE}\n{LINE}\n", [LINE] * 9, 0.75),
        # the pieces of one line do not stand for another that is the same
        (f"{LINE}\n{LINE}\n", PARTS, 0.5),
        (f"{LINE}\n{LINE}\n", PARTS * 2, 1.0),
        # where a line is cut at what is a line of its own elsewhere, both are found
        (f"{LINE} And more.\n{LINE}\n", [LINE, "And more.", LINE], 1.0),
        (f"{LINE} And more.\n{LINE}\n", [LINE, "And more."], 0.5),
        # what is part of a longer line is not counted once more as a line
        (SHARED, [LINE, "Part A.", LINE, "Part B.", LINE], 1.0),
        (SHARED, [LINE, "Part A.", LINE, "Part B."], 2 / 3),
        # line ends of all kinds
        (f"{LINE}\r\n{OTHER}\r\n", [LINE, OTHER], 1.0),
        (f"{LINE}\r{OTHER}\r", [LINE, OTHER], 1.0),
        # without long lines there is nothing to find
        ("", [], 1.0),
        ("short\n", [], 1.0),
        ("one\ntwo\r\nthree\r", [], 1.0),
    ],
)
def test_lines_are_found_as_often_as_they_stand(
    text: str, contents: Sequence[str], recall: float
) -> None:
    assert line_recall(contents, text) == recall
    assert validate_content_coverage([*map(Piece, contents)], text).coverage == recall


PARAGRAPH = (
    "A kettle with five keys\non its handle boils water\nfor tea and keeps it at the\n"
    "temperature that was set, until it is turned off.\n"
)


@pytest.mark.parametrize("mark", ["", "> ", "    "])
def test_a_paragraph_that_was_wrapped_elsewhere_is_found(mark: str) -> None:
    """Line ends are white space, also those of quotes, and other lines may be between them."""
    text = textwrap.indent(PARAGRAPH, mark)
    lines = [mark + line for line in textwrap.wrap(PARAGRAPH, 30)]
    assert line_recall(["\n".join(["# Kettle", "", *lines, "", "> "])], text) == 1.0
    assert line_recall([line for line in lines if "handle" not in line], text) < 1.0


def test_repetition_and_overlap_do_not_raise_the_recall_of_wrapped_text() -> None:
    """Of two paragraphs that are the same, one that is held twice over is one."""
    line = " ".join(PARAGRAPH.split())
    half = line[: line.index("for tea")]
    assert line_recall([half, half[10:], half[20:], half], PARAGRAPH) == 0.5
    assert line_recall([line, half, half], f"{PARAGRAPH}\n{PARAGRAPH}") == 6 / 8


@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(1, 12), st.booleans()), min_size=1, max_size=20),
    st.integers(0, 20),
)
def test_lines_are_found_where_all_their_words_are(
    lines: list[int], kept_lines: list[tuple[int, bool]], repeated: int
) -> None:
    """However a text is wrapped, cut and repeated, those lines are found that it holds whole."""
    words = [f"word{number:03}" for number in range(sum(lines))]
    source = [words[end - size : end] for size, end in zip(lines, accumulate(lines), strict=True)]
    ends = accumulate(size for size, _ in kept_lines)
    wrapped = [
        words[end - size : end]
        for (size, is_kept), end in zip(kept_lines, ends, strict=True)
        if is_kept
    ]
    held = {word for line in wrapped for word in line}
    long_lines = [line for line in source if len(" ".join(line)) >= 20]
    found = sum(held.issuperset(line) for line in long_lines)
    contents = [" ".join(line) for line in (*wrapped, *wrapped[:repeated])]
    recall = line_recall(contents, "\n".join(map(" ".join, source)))
    assert recall == (found / len(long_lines) if long_lines else 1.0)


@pytest.mark.parametrize("is_lost", [False, True])
def test_lines_that_start_alike_are_found_in_linear_time(*, is_lost: bool) -> None:
    """Twice the lines, wrapped elsewhere, make about twice the calls, found or not."""

    def recall(count: int) -> float:
        lines = [f"- See the page on entry {number}" for number in range(count)]
        text = "\n".join(lines)
        return line_recall([" ".join(lines)], text.replace("entry", "number") if is_lost else text)

    assert recall(300) == (0.0 if is_lost else 1.0)
    one, two = (calls_of(partial(recall, count)) for count in (300, 600))
    assert two < 2.2 * one


@settings(max_examples=settings().max_examples // 2)
@given(any_markdown(), configs().filter(lambda config: config.max_chunk_size >= LARGE))
def test_leaves_cover_any_document(text: str, config: ChunkConfig) -> None:
    """Of made-up text, one line at most is not known again by its pieces, or 5 % of the lines.

    Smaller limits make pieces of a few characters, which say too little of the line they are of.
    """
    folded = (" ".join(line.split()) for line in re.split(r"[\r\n]", text))
    count = sum(len(line) >= 20 for line in folded)
    recall = line_recall([c.content for c in MarkdownChunker(config).chunk(text)], text)
    assert round(count * (1 - recall)) <= max(1, count // 20)


PROSE = " ".join(f"Sentence {number} of a text that is wrapped anew." for number in range(90))
ITEMS = "\n".join(f"- item {number} of a list that has many of them" for number in range(60))
REFLOWED = {
    "long lines": "\n\n".join([PROSE, ITEMS, PROSE.replace("text", "page")]),
    "short lines": "\n".join(textwrap.wrap(PROSE, 30)),
    "a table": "| a | b |\n|---|---|\n" + "| a cell | another cell |\n" * 40,
    "words that are lines elsewhere": f"{PROSE}\n\nanew.\n\nthat is wrapped\nanew. So\n\n{ITEMS}",
}


@pytest.mark.parametrize("name", REFLOWED)
@pytest.mark.parametrize("width", [1, 25, 60, 100, 10**6])
def test_the_same_words_at_any_width_are_all_found(name: str, width: int) -> None:
    """Lines joined into one or broken into many, in one content or in several, also shuffled."""
    text, words = REFLOWED[name], REFLOWED[name].split()
    wrap = partial(textwrap.fill, width=width, break_long_words=False, break_on_hyphens=False)
    assert line_recall([wrap(" ".join(words))], text) == 1.0
    pieces = [" ".join(words[start : start + 70]) for start in range(0, len(words), 70)]
    assert line_recall(map(wrap, pieces), text) == 1.0
    paragraphs = [wrap(paragraph) for paragraph in text.split("\n\n")]
    assert line_recall(reversed(paragraphs), text) == 1.0


@pytest.mark.parametrize("name", ["long lines", "short lines", "words that are lines elsewhere"])
def test_overlap_between_parts_of_a_line_hides_none(name: str) -> None:
    """A line that is cut is found where the next content repeats some words before the cut."""
    text, words = REFLOWED[name], REFLOWED[name].split()
    pieces = [" ".join(words[max(0, start - 9) : start + 50]) for start in range(0, len(words), 50)]
    assert line_recall(pieces, text) == 1.0
    assert line_recall(pieces * 2, text) == 1.0
    assert line_recall([*pieces[:5], *pieces[6:]], text) < 1.0


def test_overlap_of_what_is_held_does_not_raise_the_recall_of_the_rest() -> None:
    text = "\n".join(f"Line {number} says what no other line of it says." for number in range(40))
    held = "\n".join(text.split("\n")[:20])
    words = held.split()
    overlapping = [" ".join(words[start : start + 40]) for start in range(0, len(words), 11)]
    assert line_recall([held], text) == 0.5
    assert line_recall([*overlapping, held, held], text) == 0.5
