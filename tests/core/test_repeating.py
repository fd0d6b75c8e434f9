"""Atoms in several parts: header rows repeated, fences opened and closed again."""

from __future__ import annotations

import pytest

from chunkana_core import Chunk, ChunkConfig, Context, MarkdownChunker, Span
from chunkana_core.document.blocks import TRAITS
from chunkana_core.drafting.costs import piece_cost
from chunkana_core.formats.markdown.parser import TRAITS as TRAITS_OF_MARKDOWN
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.repeats import divide_atom, missing_fence
from chunkana_core.text.cutting import Cutter
from tests.core import laws
from tests.core.laws import Case
from tests.core.stock import stock_blocks

CODE = "".join(f"line_{n:02} = {n}\n" for n in range(40))
ROWS = "".join(f"| row {n:02} | value |\n" for n in range(40))
HEADER = "| name | what |\n|------|------|\n"


def split(text: str, limit: int = 200) -> list[Chunk]:
    """Chunk a text with atoms split; check the laws; return the leaves."""
    case = Case(text, ChunkConfig(max_chunk_size=limit, atomic_blocks="split"))
    for law in laws.ALL:
        law(case)
    return case.leaves


def indented(text: str, first: str, rest: str) -> str:
    """Put a text into a container."""
    head, *tail = text.splitlines()
    return "\n".join([first + head, *(rest + line for line in tail)])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_blank_line_as_in_the_document_follows_repeated_headings(end: str) -> None:
    """The line ends of what is read are the document's own, and sizes agree with them."""
    words = " ".join(f"word{number}" for number in range(60))
    first, *continued = split(end.join(["## A", "", "### B", "", words, ""]))
    assert first.content == first.text
    assert continued
    for chunk in continued:
        assert chunk.content == end.join(["## A", "", "### B", "", chunk.text])
        assert chunk.content[chunk.text_offset :] == chunk.text
        assert chunk.size == len(chunk.content) <= 200


def test_headings_with_a_link_definition_between_them_are_repeated_together() -> None:
    text = "## A\n\n[a]: #a\n\n### B\n\n" + "Some words. " * 20
    _, *continuing = MarkdownChunker(ChunkConfig(max_chunk_size=100)).chunk(text)
    assert continuing
    assert all(chunk.content.startswith("## A\n\n### B\n\nSome") for chunk in continuing)


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
@pytest.mark.parametrize("info", ["", "py", "c++ title=x"])
def test_fences_are_opened_and_closed_again(fence: str, info: str) -> None:
    """Each part of code has its fence and info string; the code is in order and whole."""
    parts = split(f"{fence}{info}\n{CODE}{fence}\n")
    assert len(parts) > 2
    assert all(part.content.startswith(f"{fence}{info}\n") for part in parts)
    assert all(part.content.endswith(f"\n{fence}") for part in parts)
    inside = [part.content.split("\n")[1:-1] for part in parts]
    assert [line for lines in inside for line in lines] == CODE.splitlines()
    assert all(part.text in part.content for part in parts)
    assert parts[0].text.startswith(fence)
    assert parts[-1].text.endswith(fence)
    assert not any(part.text.startswith(fence) for part in parts[1:])


def test_code_is_cut_at_blank_lines_first() -> None:
    """A cut falls at a blank line rather than between two lines that belong together."""
    groups = ["\n".join(f"group_{g}_line_{n}" for n in range(4)) for g in range(8)]
    parts = split("```\n" + "\n\n".join(groups) + "\n```\n")
    inside = ["\n".join(part.content.split("\n")[1:-1]) for part in parts]
    assert [group for text in inside for group in text.split("\n\n")] == groups


def test_indented_code_is_cut_between_lines() -> None:
    """Indented code has no fence to repeat: each part is its lines, as they are."""
    code = "".join(f"    line_{n}()\n" for n in range(40))
    parts = split(code)
    assert "\n".join(part.content for part in parts) == code.rstrip()


def test_lines_over_the_limit_are_cut_inside() -> None:
    """A line of code that does not fit is cut inside, each piece between fences."""
    parts = split("```\nshort\n" + "word " * 100 + "\nshort\n```\n")
    assert len(parts) > 2
    assert all(part.content.startswith("```\n") for part in parts)
    assert all(part.content.endswith("\n```") for part in parts)
    assert sum(part.content.count("word") for part in parts) == 100


def test_math_is_opened_and_closed_again() -> None:
    """Math is repeated between `$$`, without what stands beside them."""
    parts = split("$$ a = b\n" + "x = 1 \\\\\n" * 60 + "$$\n")
    assert len(parts) > 2
    assert all(part.content.startswith("$$") for part in parts)
    assert all(part.content.endswith("$$") for part in parts)
    assert all(part.content.startswith("$$\n") for part in parts[1:])


def test_header_rows_are_repeated() -> None:
    """Each part of a table has the header and the delimiter row; rows are whole, and in order."""
    parts = split(HEADER + ROWS)
    assert len(parts) > 2
    assert all(part.content.startswith(HEADER) for part in parts)
    rows = [line for part in parts for line in part.content.removeprefix(HEADER).splitlines()]
    assert rows == ROWS.splitlines()
    assert all(part.content.removeprefix(HEADER) == part.text for part in parts[1:])
    kinds = [[block.kind for block in stock_blocks(part.content)] for part in parts]
    assert kinds == [["table"]] * len(parts)


def test_rows_over_the_limit_are_cut_inside() -> None:
    """A row that does not fit is cut inside; what continues it has no header above it."""
    parts = split(HEADER + "| a | " + "word " * 100 + "|\n| b | c |\n")
    assert sum(part.content.count("word") for part in parts) == 100
    assert all(part.content.startswith("| name") is part.text.startswith("|") for part in parts)


@pytest.mark.parametrize(
    "atom",
    [
        "```\n" + "word " * 100 + "\n```\n",
        "```\n" + "x" * 500 + "\n```\n",
        HEADER + "| a | " + "word " * 100 + "|\n| b | c |\n",
    ],
    ids=["words in a fence", "a word in a fence", "a row"],
)
def test_no_part_is_a_fence_or_a_header_alone(atom: str) -> None:
    """The first part has lines of its own, not only the opening fence or the header rows."""
    assert not {part.content for part in split(atom)} & {"```\n```", HEADER.rstrip()}


def test_header_over_half_the_limit_is_not_repeated() -> None:
    """A header that would take over half the room is in the first part only."""
    wide = "| " + "wide " * 30 + "| what |\n|---|---|\n"
    parts = split(wide + ROWS)
    assert parts[0].content.startswith("| wide")
    assert not any("wide" in part.content for part in parts[1:])


def test_info_string_over_half_the_limit_is_not_repeated() -> None:
    """An info string that would take over half the room is in the first part only."""
    parts = split(f"```py {'x' * 120}\n{CODE}```\n")
    assert "xxx" in parts[0].content
    assert all(part.content.startswith("```\n") for part in parts[1:])
    assert all(part.content.endswith("\n```") for part in parts)


def test_fence_over_half_the_limit_stays_whole() -> None:
    """Code whose fence alone leaves no room cannot be split, and is flagged."""
    fence = "`" * 120
    (whole,) = split(f"{fence}\n{CODE}{fence}\n")
    assert whole.oversize_reason == "code_block_integrity"


@pytest.mark.parametrize(
    ("first", "rest", "again"),
    [
        ("> ", "> ", "> "),
        (">", ">", ">"),
        ("- ", "  ", "  "),
        ("1. ", "   ", "   "),
        ("> - ", ">   ", ">   "),
        ("- > ", "  > ", "  > "),
        ("[^1]: ", "    ", "    "),
        ("[^note]: ", "    ", "    "),
    ],
)
def test_repeats_keep_the_prefix_of_their_container(first: str, rest: str, again: str) -> None:
    """In a container `>` stays and markers become spaces, so that parts read as in the source."""
    code = indented(f"```py\n{CODE}```", first, rest)
    parts = split(code)
    assert len(parts) > 2
    assert parts[0].content.startswith(f"{first}```py\n")
    assert all(part.content.startswith(f"{again}```py\n") for part in parts[1:])
    table = split(indented(HEADER + ROWS, first, rest))
    assert table[0].content.startswith(f"{first}| name")
    assert all(part.content.startswith(f"{again}| name") for part in table[1:])
    delimiters = [part.content.split("\n")[1] for part in table]
    assert delimiters == [f"{rest}|------|------|"] * len(table)


def test_quoted_fence_is_closed_once() -> None:
    """A fence that is closed before the quote ends gets no second end."""
    quoted = indented(f"```py\n{CODE}```", "> ", "> ")
    *_, last = split(f"{quoted}\n>\n> More of the quote.\n")
    assert last.content.count("> ```\n") <= 1 + last.content.count("> ```py")
    last_of_code = next(p for p in split(f"{quoted}\n>\n") if "line_39" in p.text)
    assert last_of_code.content.rstrip("\n> ").endswith("= 39\n> ```")


def test_code_beside_text_in_an_item() -> None:
    """Code inside an item is split after the item's own text, and the next item is whole."""
    code = indented(f"```py\n{CODE}```", "  ", "  ")
    parts = split(f"- An item with code:\n\n{code}\n\n- The next item.\n")
    assert parts[0].content.startswith("- An item with code:")
    assert parts[-1].content.endswith("- The next item.")
    assert all("  ```py\n" in part.content for part in parts if "line_" in part.content)


@pytest.mark.parametrize("opened", ["<div>\n", "<!--\n"])
def test_what_reads_as_a_fence_when_cut_out_is_closed(opened: str) -> None:
    """A fence line inside HTML is none there, but is one in a part that starts with it."""
    html = opened + "<p>some html</p>\n" * 9 + "```\n" + "<p>some html</p>\n" * 9
    parts = split(html, limit=100)
    assert len(parts) > 2


def test_each_span_covers_its_own_lines() -> None:
    """Repeats are in the content alone: spans tile the atom."""
    text = f"# A\n\nText.\n\n```py\n{CODE}```\n"
    parts = [part for part in split(text) if "line_" in part.text]
    assert "\n".join(part.text for part in parts).endswith(f"```py\n{CODE}```")
    assert all(part.content.startswith("# A\n\n```py\n") for part in parts[1:])


@pytest.mark.parametrize(("width", "is_repeated"), [(60, True), (90, False)])
def test_header_rows_below_long_headings(width: int, *, is_repeated: bool) -> None:
    """Headings do not push header rows out, unless rows would have to be cut for them."""
    cells = f"| {'Name'.ljust(width)} |\n|{'-' * (width + 2)}|\n"
    rows = f"| {'x' * width} |\n" * 12
    text = f"# {'Ledger ' * 12}\n\n### {'find ' * 16}\n\n{cells}{rows}"
    config = ChunkConfig(max_chunk_size=600, atomic_blocks="split")
    chunks = MarkdownChunker(config, Context(introduction=False)).chunk(text)
    tables = [chunk for chunk in chunks if "xxx" in chunk.content]
    assert len(tables) > 3
    assert all(chunk.context.startswith("Ledger") for chunk in tables)
    assert all(("| Name" in chunk.content) is is_repeated for chunk in tables[1:])
    assert "".join(chunk.content for chunk in tables).count(f"| {'x' * width} |") == 12


@pytest.mark.parametrize("limit", range(41, 120))
def test_the_row_of_a_header_stays_with_the_rule_below_it(limit: int) -> None:
    """Also where the header is not repeated, because rows would have to be cut for it."""
    header = "| Word | Says |\n|------|------|"
    rows = ("| on | it is on and it stays on |", "| off | it is off and it stays off |")
    text = "\n".join(("## Words\n", header, *rows, ""))
    config = ChunkConfig(max_chunk_size=limit, atomic_blocks="split")
    assert any(header in chunk.text for chunk in MarkdownChunker(config).chunk(text))


Repeated = tuple[str, int, str, str]
FENCE, LINES, BLANK, HEAD, WORDS, INSIDE = 400, 12, 8, 800, 60, 200
PYTHON = "```py\none\n\ntwo three\n```\n"
TABLE = "| a |\n|---|\n| 1 |\n| 2 |\n"
WIDER = "| a |\n|---|\n| 1 |\n| two three four |\n"
ROWS_ALONE = [("| a |", FENCE, "", ""), ("|---|", HEAD, "", "")]


def repeated(text: str, limit: int, most: int = 1000) -> list[Repeated]:
    """Return what an atom is cut into: pieces, what a cut before them costs, lead and tail."""
    document = parse_markdown(text)
    block = next(b for b in document.blocks if TRAITS[b.kind].oversize_reason)
    span = Span(0, len(text.rstrip()))
    found = divide_atom(Cutter.of(document.source, span, Sizer(len, most), limit), block)
    assert all(r.start == (0 if r.lead else None) for _, r in found)
    return [(text[p.span.start : p.span.end], piece_cost(p), r.lead, r.tail) for p, r in found]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (
            PYTHON,
            16,
            [
                ("```py", FENCE, "", "\n```"),
                ("one", FENCE, "```py\n", "\n```"),
                ("two", BLANK, "```py\n", "\n```"),
                ("three", WORDS, "```py\n", "\n```"),
                ("```", FENCE, "```py\n", ""),
            ],
        ),
        (
            PYTHON,
            14,  # which leaves four for a line
            [
                ("```p", FENCE, "", "\n```"),
                ("y", INSIDE, "```py\n", "\n```"),
                ("one", FENCE, "```py\n", "\n```"),
                ("two", BLANK, "```py\n", "\n```"),
                ("thre", WORDS, "```py\n", "\n```"),
                ("e", INSIDE, "```py\n", "\n```"),
                ("```", FENCE, "```py\n", ""),
            ],
        ),
        (
            PYTHON,
            13,  # of which fences with an info string would be over three quarters
            [
                ("```py", FENCE, "", "\n```"),
                ("one", FENCE, "```\n", "\n```"),
                ("two", BLANK, "```\n", "\n```"),
                ("three", WORDS, "```\n", "\n```"),
                ("```", FENCE, "```\n", ""),
            ],
        ),
        (
            "> ```py\n> one\n> two three\n> ```\n",
            24,
            [
                ("> ```py", FENCE, "", "\n> ```"),
                ("> one", FENCE, "> ```py\n", "\n> ```"),
                ("> two", LINES, "> ```py\n", "\n> ```"),
                ("three", WORDS, "> ```py\n> ", "\n> ```"),  # the rest of a line is quoted, too
                ("> ```", FENCE, "> ```py\n", ""),
            ],
        ),
        (
            ">     one\n>     two three four five\n",
            18,
            [
                (">     one", FENCE, "", ""),
                (">     two", FENCE, "", ""),
                ("three four", WORDS, ">     ", ""),
                ("five", WORDS, ">     ", ""),
            ],
        ),
        (
            "$$ x\none\ntwo three\n$$\n",
            12,
            [
                ("$$ x", FENCE, "", "\n$$"),
                ("one", FENCE, "$$\n", "\n$$"),
                ("two", LINES, "$$\n", "\n$$"),
                ("three", WORDS, "$$\n", "\n$$"),
                ("$$", FENCE, "$$\n", ""),
            ],
        ),
        (
            "[^1]: ```\n    one\n    ```\n",
            40,
            [
                ("[^1]: ```", FENCE, "", "\n    ```"),
                ("    one", FENCE, "    ```\n", "\n    ```"),
                ("    ```", FENCE, "    ```\n", ""),
            ],
        ),
        (
            TABLE,
            17,
            [
                *ROWS_ALONE,
                ("| 1 |", FENCE, "| a |\n|---|\n", ""),
                ("| 2 |", LINES, "| a |\n|---|\n", ""),
            ],
        ),
        # one less, and rows would have to be cut below the header
        (TABLE, 16, [*ROWS_ALONE, ("| 1 |", FENCE, "", ""), ("| 2 |", LINES, "", "")]),
        (
            WIDER,
            30,
            [
                *ROWS_ALONE,
                ("| 1 |", FENCE, "| a |\n|---|\n", ""),
                ("| two three four |", LINES, "| a |\n|---|\n", ""),
            ],
        ),
        (
            WIDER,
            29,
            [*ROWS_ALONE, ("| 1 |", FENCE, "", ""), ("| two three four |", LINES, "", "")],
        ),
        (
            WIDER,
            17,  # the wide row is cut in any case
            [
                *ROWS_ALONE,
                ("| 1 |", FENCE, "| a |\n|---|\n", ""),
                ("| two", LINES, "| a |\n|---|\n", ""),
                ("three", WORDS, "", ""),  # the rest of a row is none
                ("four", WORDS, "", ""),
                ("|", WORDS, "", ""),
            ],
        ),
        (
            "- > | a |\n  > |---|\n  > | 1 |\n",
            40,
            [
                ("- > | a |", FENCE, "", ""),
                ("  > |---|", HEAD, "", ""),
                ("  > | 1 |", FENCE, "  > | a |\n  > |---|\n", ""),
            ],
        ),
    ],
)
def test_what_is_repeated_around_pieces(text: str, limit: int, expected: list[Repeated]) -> None:
    """Each piece of an atom knows what goes before and after it, where a part starts there."""
    assert repeated(text, limit) == expected


@pytest.mark.parametrize(("most", "is_repeated"), [(24, True), (23, False)])
def test_header_rows_of_half_the_limit_are_repeated(most: int, *, is_repeated: bool) -> None:
    assert bool(repeated(TABLE, 23, most)[-1][2]) is is_repeated


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("```\nx", "\n```"),
        ("a\n```\nx", "\n```"),
        ("~~~~ py\nx", "\n~~~~"),
        ("   ```\n x", "\n```"),
        ("> ```\n> x", "\n> ```"),
        ("- ```\n  x", "\n  ```"),
        ("> - ```\n>   x", "\n>   ```"),
        ("```\nx\n```", ""),
        ("x", ""),
    ],
)
def test_what_closes_a_fence(content: str, line: str) -> None:
    """The line that closes a fence has its markers, in the containers that it is in."""
    assert missing_fence(content, TRAITS_OF_MARKDOWN) == line
