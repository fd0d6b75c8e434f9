"""Inputs that break other chunkers, and what is right for each."""

from __future__ import annotations

import pytest

from chunkana_core import (
    Chunk,
    ChunkConfig,
    HierarchicalChunkingResult,
    MarkdownChunker,
    chunk_hierarchical,
    chunk_markdown,
)
from tests.core import laws
from tests.core.laws import Case

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def outline(text: str) -> list[tuple[int, str]]:
    """Return level and title of every heading."""
    return [(entry.level, entry.title) for entry in chunk_hierarchical(text).toc()]


def chunked(text: str, **options: int | str) -> HierarchicalChunkingResult:
    """Chunk a text, and check the laws."""
    config = ChunkConfig.from_dict(options)
    case = Case(text, config)
    for law in laws.ALL:
        law(case)
    return case.result


def leaves(text: str, **options: int | str) -> list[Chunk]:
    """Return the leaves of a text, whose laws are checked."""
    return [chunk for chunk in chunked(text, **options).chunks if chunk.is_leaf]


def prose(size: int, word: str = "word") -> str:
    """Return sentences of exactly a size."""
    sentence = f"This {word} says little and ends here. "
    return (sentence * (size // len(sentence) + 1))[: size - 1].rstrip().ljust(size - 1, "x") + "."


@pytest.mark.parametrize("info", ["c++", "rust,ignore"])
def test_fence_with_odd_info_string_before_heading(info: str) -> None:
    """An info string of more than letters opens a fence like any other; what follows is real."""
    text = f"# Doc\n\n```{info}\n## not a heading\n```\n\n## Real\n\nText.\n"
    assert outline(text) == [(1, "Doc"), (2, "Real")]
    code, real = leaves(text)
    assert code.text.endswith("## not a heading\n```")
    assert code.metadata["code_languages"] == [info.split(",", maxsplit=1)[0]]
    assert real.section.path == ("Doc", "Real")


@pytest.mark.parametrize(("outer", "inner"), [("~~~", "```"), ("````", "```"), ("~~~~", "~~~")])
def test_fences_inside_fences(outer: str, inner: str) -> None:
    """A fence is closed only by a fence of its own character, at least as long."""
    text = f"{outer}md\n{inner}py\n# no\n{inner}\n{outer}\n\n# Yes\n\nText.\n"
    assert outline(text) == [(1, "Yes")]
    first, second = leaves(text)
    assert first.text == f"{outer}md\n{inner}py\n# no\n{inner}\n{outer}"
    assert first.metadata["content_type"] == "preamble"
    assert second.text == "# Yes\n\nText."


def test_unclosed_fence_runs_to_the_end() -> None:
    """An unclosed fence takes the rest of the document, headings included."""
    text = "# A\n\nText.\n\n```py\nx = 1\n\n# not a heading\n"
    assert outline(text) == [(1, "A")]
    assert leaves(text)[-1].text == text.rstrip()


def test_unclosed_fence_in_a_quote_ends_with_the_quote() -> None:
    """An unclosed fence in a container ends where its container ends."""
    text = "> ```\n> code\n\n# Real\n\nText.\n"
    assert outline(text) == [(1, "Real")]


def test_unclosed_fence_in_parts_is_closed_but_for_the_last() -> None:
    """Of an unclosed fence in several parts, only the last one stays open, as in the source."""
    text = "```py\n" + "".join(f"line {number}\n" for number in range(60))
    first, *middle, last = leaves(text, max_chunk_size=200, atomic_blocks="split")
    assert first.content.endswith("\n```")
    assert middle
    assert all(c.content.startswith("```py\n") and c.content.endswith("\n```") for c in middle)
    assert last.content.startswith("```py\n")
    assert last.content.endswith("line 59")


@pytest.mark.parametrize(
    "text",
    [
        "```\n# x\n```\n\n# Real\n",
        "<!--\n# x\n\n## y\n-->\n\n# Real\n",
        "---\n# x\ntitle: t\n---\n\n# Real\n",
        "    # x\n\n# Real\n",
    ],
    ids=["fence", "HTML comment", "front matter", "indented code"],
)
def test_hash_that_is_no_heading(text: str) -> None:
    """A `#` line in code, in a comment or in front matter is no heading."""
    assert outline(text) == [(1, "Real")]


def test_setext_heading() -> None:
    """A line over `=====` is a heading of level 1."""
    text = "Title\n=====\n\nText.\n\nSub\n---\n\nMore.\n"
    assert outline(text) == [(1, "Title"), (2, "Sub")]
    assert [c.section.path for c in leaves(text)] == [("Title",), ("Title", "Sub")]


def test_slash_in_a_heading() -> None:
    """A `/` in a title stays in the title, and is escaped in the path for display."""
    text = "# Doc\n\nIntro.\n\n## Input/Output\n\nText.\n\n## B\n\nText.\n"
    chunk = leaves(text)[1]
    assert chunk.section.path == ("Doc", "Input/Output")
    assert chunk.title == "Input/Output"
    assert chunk.header_path == r"/Doc/Input\/Output"


def test_same_heading_under_different_parents() -> None:
    """Namesakes are different sections: with ids, anchors and paths of their own."""
    text = "# D\n\n## A\n\n### Use\n\none\n\n## B\n\n### Use\n\ntwo\n"
    uses = [c for c in leaves(text) if c.title == "Use" or "Use" in c.section.path]
    assert [c.text.split()[-1] for c in uses] == ["one", "two"]
    assert [c.section.path for c in uses] == [("D", "A", "Use"), ("D", "B", "Use")]
    assert len({c.section_id for c in uses}) == 2
    assert [e.anchor for e in chunk_hierarchical(text).toc() if e.title == "Use"] == [
        "use",
        "use-1",
    ]


def test_same_heading_twice_under_one_parent() -> None:
    """Namesakes under one parent differ in their ids too."""
    text = "# D\n\nIntro.\n\n## Use\n\nsame\n\n## Use\n\nsame\n"
    _, first, second = leaves(text)
    assert first.text == second.text
    assert first.chunk_id != second.chunk_id
    assert first.section_id != second.section_id


def test_h1_to_h4() -> None:
    """A level that is left out is left out: an H4 hangs under the H1 before it."""
    text = "# A\n\nText.\n\n#### D\n\nDeep.\n\n## B\n\nBeside.\n"
    result = chunked(text, min_chunk_size=0)
    deep = next(c for c in result.chunks if c.title == "D")
    assert (deep.section.level, deep.section.path) == (4, ("A", "D"))
    parent = result.get_parent(deep.chunk_id)
    assert parent
    assert parent.is_root


def test_fence_that_does_not_fit_after_text_is_not_split() -> None:
    """A fence of 430 characters after 750 of text goes into a part of its own, whole."""
    code = "```py\n" + "x = 1\n" * 70 + "```"
    assert len(code) == 429
    text = f"# A\n\n{prose(750)}\n\n{code}\n"
    parts = leaves(text)
    assert len(parts) == 2
    assert parts[1].text == code
    assert parts[1].content == f"# A\n\n{code}"


def test_400_words_without_punctuation() -> None:
    """Text without sentences is cut between words, and is never oversize."""
    words = (WORDS * 40)[:400]
    parts = leaves(" ".join(words))
    assert len(parts) == 3
    assert [word for part in parts for word in part.text.split()] == words


def test_six_paragraphs_of_600_characters() -> None:
    """Paragraphs two of which do not fit are a part each, none cut inside."""
    paragraphs = [prose(600, f"n{number}") for number in range(6)]
    assert [c.text for c in leaves("\n\n".join(paragraphs))] == paragraphs


def test_six_paragraphs_after_a_fence_have_exact_lines() -> None:
    """After a fence, paragraphs are still cut at blank lines, and their lines are right."""
    code = "```py\n" + "x = 1\n" * 60 + "```"
    paragraphs = [prose(600, f"n{number}") for number in range(6)]
    text = "\n\n".join([code, *paragraphs])
    parts = leaves(text)
    lines = text.split("\n")
    for part in parts:
        assert part.text == "\n".join(lines[part.text_start_line - 1 : part.text_end_line])
    assert [c.text for c in parts[-5:]] == paragraphs[1:]
    assert code in parts[0].text


def test_40_sections_of_lists() -> None:
    """Each section of a list is a leaf under its heading; none is joined across an H2."""
    sections = [
        f"## Section {n}\n\n" + "\n".join(f"- item {n}.{i} of the list" for i in range(8))
        for n in range(40)
    ]
    result = chunked("# Doc\n\n" + "\n\n".join(sections) + "\n")
    assert [c.text for c in result.get_leaves()] == ["# Doc\n\n" + sections[0], *sections[1:]]
    assert [c.title for c in result.get_by_level(2)][1:] == [f"Section {n}" for n in range(1, 40)]


def test_list_item_of_1500_characters() -> None:
    """An item that does not fit is cut between sentences, not left whole."""
    item = "- " + "One more sentence of a long item. " * 44
    assert len(item) > 1450
    parts = leaves(f"{item}\n- short\n")
    assert all(len(part.content) <= 1000 for part in parts)
    assert all(part.text.endswith(".") for part in parts[:-1])
    assert parts[-1].text.endswith("- short")


def test_intro_before_a_long_list_survives() -> None:
    """What introduces a list stays, with the first of its items."""
    items = [f"- item number {n} of a list that is far too long" for n in range(60)]
    text = "# A\n\nChoose one of these:\n\n" + "\n".join(items) + "\n"
    first, *rest = leaves(text)
    assert first.text.startswith("# A\n\nChoose one of these:\n\n- item number 0 ")
    assert "".join(c.text for c in rest).count("- item") == 60 - first.text.count("- item")
    assert all(c.content.startswith("# A\n\n- item") for c in rest)


def test_math_in_table_cells() -> None:
    """`$$x$$` in a cell neither opens a math block nor ends the table."""
    table = "| a | b |\n|---|---|\n| $$x$$ | $$y$$ |\n| $$z | w$$ |"
    text = f"{table}\n\n# Real\n\nText.\n"
    assert outline(text) == [(1, "Real")]
    first = leaves(text)[0]
    assert first.text == table
    assert chunk_markdown(table)[0].metadata["content_type"] == "table"


def test_unclosed_dollars_do_not_swallow_a_heading() -> None:
    """`$$ 5` far before the next `$$` is text, and the heading between them survives."""
    text = "$$ 5\n\n# Real\n\nText.\n\n$$\n"
    assert outline(text) == [(1, "Real")]


def test_two_lines_of_prose_with_pipes_are_no_table() -> None:
    """Lines with `|` but without a delimiter row are a paragraph, cut like one."""
    text = "Use a | b or c.\nNever b | a.\n"
    assert chunk_markdown(text)[0].metadata["content_type"] == "text"
    parts = leaves(text * 8, max_chunk_size=50)
    assert all(part.oversize_reason is None for part in parts)


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_other_line_ends(end: str) -> None:
    """CRLF, and CR alone, end lines; offsets are those of the source as it is."""
    text = "# A\n\ntext\n\n```py\n# no\n```\n\nB\n---\n\n- x\n- y\n".replace("\n", end)
    result = chunked(text)
    assert [(e.level, e.title, e.line) for e in result.toc()] == [(1, "A", 1), (2, "B", 9)]
    assert result.get_leaves()[-1].text == f"B{end}---{end}{end}- x{end}- y"
    assert [c.text_start_line for c in result.get_leaves()] == [1, 9]


def test_bom_before_front_matter() -> None:
    """A BOM hides neither front matter nor headings, and belongs to the first span."""
    text = "\ufeff---\ntitle: From YAML\n---\n\n## A\n\nText.\n"
    result = chunked(text)
    front, section = result.get_leaves()
    assert front.span.start == 0
    assert front.text == "\ufeff---\ntitle: From YAML\n---"
    assert front.metadata["content_type"] == "front_matter"
    assert section.title == "A"
    assert result.chunks[0].title == "From YAML"


def test_bom_before_heading() -> None:
    """A BOM before `#` does not keep it from being a heading."""
    assert outline("\ufeff# A\n\nText.\n") == [(1, "A")]


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_what_only_looks_like_a_line_end(odd: str) -> None:
    """Characters at which `str.splitlines` splits, but Markdown does not, end no line."""
    text = f"one{odd}# two\n\n# Real{odd}title\n\nText.\n"
    result = chunked(text)
    assert [(e.level, e.line) for e in result.toc()] == [(1, 3)]
    assert [c.text_start_line for c in result.get_leaves()] == [1, 3]


def test_paragraph_of_ideographic_spaces() -> None:
    """A line of ideographic spaces is a paragraph to the parser, but has nothing to read."""
    assert chunk_markdown("\u3000\u3000\n") == []
    assert [c.text for c in leaves("# A\n\n\u3000\n\nText.\n")] == ["# A\n\n\u3000\n\nText."]
    assert [c.text for c in leaves("# A\n\n\u3000\n\n## B\n\nText.\n\n# C\n\nEnd.\n")] == [
        "# A\n\n\u3000\n\n## B\n\nText.",
        "# C\n\nEnd.",
    ]


def test_data_uri_of_megabytes() -> None:
    """What cannot be cut at a word is cut hard, within the limit, and nothing is lost."""
    uri = "data:image/png;base64," + "iVBORw0KGgo" * 230_000
    text = f"# A\n\nBefore.\n\n![image]({uri})\n\nAfter.\n"
    assert len(uri) > 2_500_000
    parts = chunk_markdown(text, ChunkConfig(max_chunk_size=4000))
    assert max(len(part.content) for part in parts) <= 4000
    assert len(parts) < 1.1 * len(text) / 4000
    body = "".join(part.text for part in parts)
    assert f"![image]({uri})" in body
    assert parts[-1].text.endswith("After.")


def test_readme_under_the_limit() -> None:
    """A document that fits as a whole is still cut by its sections."""
    text = "# Tool\n\nDoes things.\n\n## Install\n\npip install tool\n\n## Use\n\nImport it.\n"
    assert [c.text for c in leaves(text, max_chunk_size=4000)] == [
        "# Tool\n\nDoes things.",
        "## Install\n\npip install tool",
        "## Use\n\nImport it.",
    ]


def test_section_of_link_definitions() -> None:
    """A section of nothing but link definitions is not embedded."""
    text = "# A\n\nSee [x] and [y].\n\n## Links\n\n[x]: https://x\n[y]: https://y\n"
    result = chunked(text)
    last = result.get_leaves()[-1]
    assert last.text == "## Links\n\n[x]: https://x\n[y]: https://y"
    assert [c.text for c in result.get_flat_chunks()] == ["# A\n\nSee [x] and [y]."]


def test_link_definitions_alone() -> None:
    """Definitions without a heading are called so and are not to be embedded."""
    (only,) = leaves("[x]: https://x\n[y]: https://y\n")
    assert only.metadata["content_type"] == "definitions"
    assert not only.indexable


def test_heading_longer_than_the_limit() -> None:
    """A heading over the limit is cut like text; it is not repeated, and nothing is oversize."""
    title = " ".join(f"title{n}" for n in range(60))
    text = f"# {title}\n\n{prose(300)}\n"
    parts = leaves(text, max_chunk_size=200)
    assert all(len(part.content) <= 200 for part in parts)
    assert all(part.oversize_reason is None for part in parts)
    assert all(part.content == part.text for part in parts)


def test_ten_nested_list_lines_and_a_heading() -> None:
    """However deep a list goes, the heading after it is one."""
    ladder = "\n".join("  " * n + f"- level {n}" for n in range(10))
    text = f"{ladder}\n# H\n\nText.\n"
    assert outline(text) == [(1, "H")]
    assert [c.text for c in leaves(text)] == [ladder, "# H\n\nText."]


@pytest.mark.no_cover
def test_100000_comments_that_are_not_closed() -> None:
    """A search for the end of each, up to the end of the text, would take an hour."""
    text = "<!-- x\n\n" * 100_000
    chunks = MarkdownChunker().chunk(text)
    held = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert held == "".join(text.split())


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<!-- <h1>No</h1> --><h1>Tea</h1>", "Tea"),
        ("<h1>Tea</h1> <!-- not closed", "Tea"),
        ("<!-- one --> <h1>Tea <!-- two --></h1> <!--", "Tea"),
    ],
)
def test_titles_of_html_are_not_those_in_comments(html: str, title: str) -> None:
    assert chunk_hierarchical(f"{html}\n\n## Cups\n").title == title


@pytest.mark.no_cover
def test_40000_lists_in_a_row() -> None:
    """A list per line, 80,000 of them, is packed to the limit, and has a tree without recursion."""
    text = "- a\n* b\n" * 40_000
    result = MarkdownChunker(ChunkConfig()).chunk_hierarchical(text)
    parts = result.get_leaves()
    assert "\n".join(part.text for part in parts) == text.rstrip()
    assert len(parts) <= len(text) // 1000 + 1
    assert len(result.merge_tree().leaves) == len(parts)


def test_empty_heading_chain() -> None:
    """The heading of an empty section travels with its next sibling's text."""
    text = "## B\n### B1\n### B2\ntext\n"
    result = chunked(text)
    (leaf,) = result.get_leaves()
    assert leaf.text == "## B\n### B1\n### B2\ntext"
    assert leaf.section.path == ("B", "B2")
    assert leaf.metadata["dangling_header_fixed"] is True
    assert outline(text) == [(2, "B"), (3, "B1"), (3, "B2")]


@pytest.mark.parametrize(
    "trap", ["# 5 is", "---\n", "***\n", "~~~", "```", "2. x", "> y", "- z", "[a]: b\n", "<div>\n"]
)
@pytest.mark.parametrize("offset", range(-6, 7, 3))
def test_no_part_starts_with_what_reads_as_another_block(trap: str, offset: int) -> None:
    """A part of a paragraph never starts where the rest would read as another kind of block."""
    before = " ".join(["words"] * 16)[: 95 + offset]
    text = f"{before} {trap} and so on, {' '.join(['more'] * 30)}"
    parts = leaves(text, max_chunk_size=100)
    assert len(parts) > 1
    assert not any(part.text.startswith(trap) for part in parts)
    assert {c.metadata["content_type"] for c in parts} == {"text"}
    assert all(not chunk_hierarchical(part.content).toc() for part in parts)
