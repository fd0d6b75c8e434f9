"""Cuts inside a block: between sentences, words, code points, lines; never where it is misread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker, Source, Span
from chunkana_core.drafting.costs import CUT_COSTS, MISREAD, piece_cost
from chunkana_core.sizing import Sizer
from chunkana_core.text.cutting import Boundary, Cutter, line_spans, opens_a_block
from tests.strategies import any_markdown

LINE, INNER_LINE = CUT_COSTS[Boundary.LINE], CUT_COSTS[Boundary.INNER_LINE]
SENTENCE, LINE_OF_SENTENCE = CUT_COSTS[Boundary.SENTENCE], CUT_COSTS[Boundary.SENTENCE_LINE]
WORD, CODE_POINT = CUT_COSTS[Boundary.WORD], CUT_COSTS[Boundary.CODE_POINT]


def cutter(text: str, limit: int) -> Cutter:
    """Prepare to cut a text."""
    sizer = Sizer(len, limit)
    return Cutter.of(Source.of(text), Span(0, len(text)), sizer, limit)


def sentences(text: str, limit: int = 1000) -> list[str]:
    """Return the sentences of a text."""
    return [text[p.span.start : p.span.end] for p in cutter(text, limit).sentences()]


def lines(text: str, limit: int = 1000) -> list[str]:
    """Return the lines of a text."""
    return [text[p.span.start : p.span.end] for p in cutter(text, limit).lines()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Really?! Yes… No.", ["Really?!", "Yes…", "No."]),
        ("He said: “No.” She left.", ["He said: “No.”", "She left."]),
        ("It is **bold.** Then.", ["It is **bold.**", "Then."]),
        ("See e.g. this one. Next.", ["See e.g. this one.", "Next."]),
        ("Version 1.2.3 is out. Next.", ["Version 1.2.3 is out.", "Next."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("潮水上涨。数据记录！是吗？是", ["潮水上涨。", "数据记录！", "是吗？", "是"]),
        ("「はい。」次は……終わり", ["「はい。」", "次は……", "終わり"]),
        (
            "line one  \nline two\\\nline three\nline four",
            ["line one", "line two\\", "line three\nline four"],
        ),
        ("No end", ["No end"]),
        ("End.", ["End."]),
        ("End. ", ["End."]),
        ("a. # b. c", ["a. # b. c"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    """Sentences end at `.!?…` before white space, at `。！？…`, and at hard line breaks."""
    assert sentences(text) == expected


@pytest.mark.parametrize("cluster", ["e\u0301", "👩\u200d", "✌\ufe0f"])
def test_clusters_are_not_cut(cluster: str) -> None:
    """A code point that belongs with the one before it is not parted from it."""
    for limit in (9, 10, 11):
        pieces = sentences(cluster * 40, limit)
        assert "".join(pieces) == cluster * 40
        assert all(piece.startswith(cluster[0]) for piece in pieces)


def test_clusters_longer_than_the_limit_are_cut_all_the_same() -> None:
    pieces = sentences("e" + "\u0301" * 100, 10)
    assert [len(piece) for piece in pieces] == [10] * 10 + [1]


@pytest.mark.parametrize(
    "opener",
    [
        "# h", "###### h", "#", "> q", ">q", "- i", "-", "* i", "+ i", "1. i", "123456789) i",
        "```", "~~~ x", "$$", "---", "- - -", "***", "___", "===", "=", "| a", "<div>",
        "</div>", "<a>", "</span>  \nx", "<article", "<!-- x", "<?php", "[a]: b", "[^1]: b",
        "    code", "\tcode", "   # h", "  - i",
    ],
)  # fmt: skip
def test_what_opens_a_block(opener: str) -> None:
    """What the parser reads as the start of another block than a paragraph is no place to start."""
    assert opens_a_block(f"text {opener}", 5)
    assert opens_a_block(opener, 0)


@pytest.mark.parametrize(
    "text",
    [
        "text", "#tag", "####### seven", "-dash", "1.5 metres", "1234567890. ten digits",
        "*emphasis*", "**bold**", "`code`", "``code``", "~strike~", "$5", "--", "--- and so on",
        "__init__", "=> arrow", "[link](u)", "[a] b", "<3", "<em>text", "</b> text",
        '<a href="u"><img src="v"></a>', "< 5", "   text",
    ],
)  # fmt: skip
def test_what_opens_no_block(text: str) -> None:
    assert not opens_a_block(text, 0)


def test_no_cut_before_an_underline() -> None:
    """Nothing is cut off before a line that makes a heading or a table of the line before it."""
    assert sentences("First one. Second\n=a is no underline.\nThird.")[0] == "First one."
    for underline in ("===", "=", "---", "|-|-|", ":-:", "> ---"):
        text = f"First one. Second\n{underline}\nThird one. Fourth"
        assert sentences(text) == [f"First one. Second\n{underline}\nThird one.", "Fourth"]


def test_the_limit_is_kept_even_if_every_cut_starts_another_block() -> None:
    """Where every cut would be misread, one is made all the same: size comes first."""
    pieces = sentences("# " * 40, 10)
    assert all(len(piece) <= 10 for piece in pieces)
    assert "".join(pieces).replace(" ", "") == "#" * 40


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_of_a_block(ends: str) -> None:
    """HTML and front matter are cut at lines, blank ones left out."""
    text = ends.join(["<p>", "", "  text", "   ", "</p>"])
    assert lines(text) == ["<p>", "  text", "</p>"]
    spans = list(line_spans(Source.of(text), Span(0, len(text))))
    assert [text[s.start : s.end] for s in spans] == ["<p>", "  text", "</p>"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (30, ['"Boil. Steep.\\n\\nServe."', "x = y. Z"]),
        (20, ['"Boil.', "Steep.\\n\\n", 'Serve."', "x = y. Z"]),
    ],
)
def test_lines_of_code_over_the_limit_are_cut_at_sentences(limit: int, expected: list[str]) -> None:
    """And at escaped line endings; shorter lines stay whole."""
    text = '"Boil. Steep.\\n\\nServe."\nx = y. Z\n'
    pieces = cutter(text, limit).code_sentences()
    assert [text[p.span.start : p.span.end] for p in pieces] == expected


def test_every_boundary_has_a_cost_of_its_own() -> None:
    """So that what a cut costs says where it is."""
    assert set(CUT_COSTS) == set(Boundary)
    assert len(set(CUT_COSTS.values())) == len(CUT_COSTS)
    assert SENTENCE < WORD < CODE_POINT < MISREAD
    assert LINE < INNER_LINE < WORD
    assert max(CUT_COSTS.values()) < MISREAD


Costs = list[tuple[str, int]]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("One two. Three four.", 11, [("One two.", SENTENCE), ("Three four.", SENTENCE)]),
        ("One two. Three four.", 10,  # one less than the second sentence
         [("One two.", SENTENCE), ("Three", SENTENCE), ("four.", WORD)]),
        ("One two\nthree four five six. Eight.", 14,
         [("One two", SENTENCE), ("three four", LINE_OF_SENTENCE), ("five six.", WORD),
          ("Eight.", SENTENCE)]),
        ("a" * 16, 10, [("a" * 10, SENTENCE), ("a" * 6, CODE_POINT)]),
        ("One # two three", 9, [("One # two", SENTENCE), ("three", WORD)]),
        ("One two # three", 7, [("One", SENTENCE), ("two #", WORD), ("three", WORD)]),
        ("# " * 12, 10,  # there is no place that reads as text
         [("# # # # #", SENTENCE), ("# # # # #", WORD + MISREAD), ("# #", WORD + MISREAD)]),
        # Eight words back a place is found, nine words back it is not.
        ("a b # # # # # # # c", 16, [("a", SENTENCE), ("b # # # # # # #", WORD), ("c", WORD)]),
        ("a b # # # # # # # # c", 18, [("a b # # # # # # #", SENTENCE), ("# c", WORD + MISREAD)]),
        # In Chinese and Japanese after a clause, if it is in the second half.
        ("一二三四五六，七八九十一", 10, [("一二三四五六，", SENTENCE), ("七八九十一", WORD)]),
        ("一二三四五，六七八九十一", 10,
         [("一二三四五，六七八九", SENTENCE), ("十一", CODE_POINT)]),
    ],
)  # fmt: skip
def test_where_sentences_are_cut_and_what_it_costs(text: str, limit: int, expected: Costs) -> None:
    """A cut costs least between sentences, most inside a word, or where the rest is misread."""
    pieces = cutter(text, limit).sentences()
    assert [(text[p.span.start : p.span.end], piece_cost(p)) for p in pieces] == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("<p>\n  text\n</p>\n<p>\n", 100,
         [("<p>", LINE), ("  text", INNER_LINE), ("</p>", INNER_LINE), ("<p>", LINE)]),
        ("<p>one two three</p>\n", 11, [("<p>one two", LINE), ("three</p>", WORD)]),
        ("one\n# two\n  # three\n  <b>", 100,
         [("one", LINE), ("# two", LINE + MISREAD), ("  # three", LINE + MISREAD),
          ("  <b>", LINE)]),
        ("a: 1\n  b: 2\n", 100, [("a: 1", LINE), ("  b: 2", INNER_LINE)]),
        # In an element around all of it, a cut between those in it costs as little.
        ("<div>\n<p>one<br>\ntwo</p>\n  <p>three\n</p>\n</div>\nfour\n", 100,
         [("<div>", LINE), ("<p>one<br>", INNER_LINE), ("two</p>", INNER_LINE),
          ("  <p>three", INNER_LINE), ("</p>", INNER_LINE), ("</div>", INNER_LINE),
          ("four", LINE)]),
        ("<div>\n<p>one<br>\ntwo</p>\n  <p>three\n</p>\n", 100,
         [("<div>", LINE), ("<p>one<br>", LINE), ("two</p>", INNER_LINE), ("  <p>three", LINE),
          ("</p>", INNER_LINE)]),
        ('<img src="a"\n  alt="b"\n/>\ntext\n', 100,
         [('<img src="a"\n  alt="b"\n/>', LINE), ("text", LINE)]),
        # A line over the limit, between elements; an indentation stays with its line.
        ("<p>one <b>two</b></p><p>three <i>four</i></p>\n", 30,
         [("<p>one <b>two</b></p>", LINE), ("<p>three <i>four</i></p>", LINE_OF_SENTENCE)]),
        ("<p>\n    <img src=a alt=b>\n", 16,
         [("<p>", LINE), ("    <img src=a", LINE), ("alt=b>", WORD)]),
        ("<img src='a a a'\n alt=b><b\n class=c>text</b>\n", 36,
         [("<img src='a a a'\n alt=b>", LINE), ("<b\n class=c>text</b>", LINE_OF_SENTENCE)]),
        # Before a tag that fits, and inside one that does not.
        ("one two three <a href=four five=six>\n", 24,
         [("one two three", LINE), ("<a href=four five=six>", LINE_OF_SENTENCE)]),
        ("one <a href=two three=four five=six>\n", 16,
         [("one", LINE), ("<a href=two", LINE_OF_SENTENCE), ("three=four", WORD),
          ("five=six>", WORD)]),
    ],
)  # fmt: skip
def test_where_lines_are_cut_and_what_it_costs(text: str, limit: int, expected: Costs) -> None:
    """A cut before a line costs more inside an element, most where it would be misread."""
    pieces = cutter(text, limit).lines()
    assert [(text[p.span.start : p.span.end], piece_cost(p)) for p in pieces] == expected


@given(any_markdown(), st.sampled_from((32, 40, 100)))
def test_text_is_cut_where_it_still_reads_as_text(text: str, limit: int) -> None:
    """A continuing part of a plain paragraph is read as a paragraph, where any cut would be."""
    words = " ".join(text.split())
    safe = [w for w in words.split(" ") if w.isalnum() and not w.isdigit() and len(w) < 20][:60]
    paragraph = " ".join(f"{word} # {n}. - > and" for n, word in enumerate(safe))
    if not paragraph:
        return
    for chunk in MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk(f"Start {paragraph}"):
        assert not opens_a_block(chunk.text, 0)
