"""Atoms in several parts: header rows repeated, fences opened and closed again."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker, Span
from chunkana_core.document.blocks import TRAITS
from chunkana_core.drafting.costs import piece_cost
from chunkana_core.formats.markdown.parser import TRAITS as TRAITS_OF_MARKDOWN
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.repeats import divide_atom, missing_fence
from chunkana_core.text.cutting import Cutter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_blank_line_as_in_the_document_follows_repeated_headings(end: str) -> None:
    """The line ends of what is read are the document's own, and sizes agree with them."""
    words = " ".join(f"word{number}" for number in range(60))
    text = end.join(["## A", "", "### B", "", words, ""])
    first, *continued = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(text)
    assert first.content == first.text
    assert continued
    for chunk in continued:
        assert chunk.content == end.join(["## A", "", "### B", "", chunk.text])
        assert chunk.content[chunk.text_offset :] == chunk.text
        assert chunk.size == len(chunk.content) <= 200


@pytest.mark.parametrize(
    "atom",
    [
        "```\n" + "word " * 100 + "\n```\n",
        "```\n" + "x" * 500 + "\n```\n",
        "| name | what |\n|------|------|\n| a | " + "word " * 100 + "|\n| b | c |\n",
    ],
    ids=["words in a fence", "a word in a fence", "a row"],
)
def test_no_part_is_a_fence_or_a_header_alone(atom: str) -> None:
    """The first part has lines of its own, not only the opening fence or the header rows."""
    config = ChunkConfig(max_chunk_size=200, atomic_blocks="split")
    contents = {chunk.content for chunk in MarkdownChunker(config).chunk(atom)}
    assert not contents & {"```\n```", "| name | what |\n|------|------|"}


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


@pytest.mark.parametrize("limit", range(41, 120, 3))
def test_the_row_of_a_header_stays_with_the_rule_below_it(limit: int) -> None:
    """Also where the header is not repeated, because rows would have to be cut for it."""
    header = "| Word | Says |\n|------|------|"
    rows = ("| on | it is on and it stays on |", "| off | it is off and it stays off |")
    text = "\n".join(("## Words\n", header, *rows, ""))
    config = ChunkConfig(max_chunk_size=limit, atomic_blocks="split")
    assert any(header in chunk.text for chunk in MarkdownChunker(config).chunk(text))


FENCE, LINES, BLANK, HEAD, WORDS, INSIDE = 400, 12, 8, 800, 60, 200
PYTHON = "```py\none\n\ntwo three\n```\n"
HEADER = "| a |\n|---|\n"
TABLE, WIDER = f"{HEADER}| 1 |\n| 2 |\n", f"{HEADER}| 1 |\n| two three four |\n"


def pieces(text: str, limit: int, lead: str, tail: str = "", most: int = 1000) -> dict[str, int]:
    """Return what an atom is cut into, and what a cut before each piece costs.

    Before a piece stands `<` where a part that starts there repeats the lead (with what follows
    it), and after a piece `>` where a part that ends there repeats the tail.
    """
    document = parse_markdown(text)
    block = next(b for b in document.blocks if TRAITS[b.kind].oversize_reason)
    span = Span(0, len(text.rstrip()))
    found = divide_atom(Cutter.of(document.source, span, Sizer(len, most), limit), block)
    assert all(r.start == (0 if r.lead else None) for _, r in found)
    assert all(r.lead.startswith(lead) for _, r in found if r.lead)
    assert all(r.tail == tail for _, r in found if r.tail)
    return {
        f"{'<' if r.lead else ''}{r.lead.removeprefix(lead)}"
        f"{text[p.span.start : p.span.end]}{'>' if r.tail else ''}": piece_cost(p)
        for p, r in found
    }


@pytest.mark.parametrize(
    ("text", "limit", "lead", "tail", "expected"),
    [
        (
            *(PYTHON, 16, "```py\n", "\n```"),
            {"```py>": FENCE, "<one>": FENCE, "<two>": BLANK, "<three>": WORDS, "<```": FENCE},
        ),
        (
            *(PYTHON, 14, "```py\n", "\n```"),  # which leaves four for a line
            {"```p>": FENCE, "<y>": INSIDE, "<one>": FENCE, "<two>": BLANK, "<thre>": WORDS}
            | {"<e>": INSIDE, "<```": FENCE},
        ),
        (
            # of which fences with an info string would be over three quarters
            *(PYTHON, 13, "```\n", "\n```"),
            {"```py>": FENCE, "<one>": FENCE, "<two>": BLANK, "<three>": WORDS, "<```": FENCE},
        ),
        (
            *("> ```py\n> one\n> two three\n> ```\n", 24, "> ```py\n", "\n> ```"),
            # the rest of a line is quoted, too
            {"> ```py>": FENCE, "<> one>": FENCE, "<> two>": LINES, "<> three>": WORDS}
            | {"<> ```": FENCE},
        ),
        (
            *(">     one\n>     two three four five\n", 18, ">     ", ""),
            {">     one": FENCE, ">     two": FENCE, "<three four": WORDS, "<five": WORDS},
        ),
        (
            *("$$ x\none\ntwo three\n$$\n", 12, "$$\n", "\n$$"),
            {"$$ x>": FENCE, "<one>": FENCE, "<two>": LINES, "<three>": WORDS, "<$$": FENCE},
        ),
        (
            *("[^1]: ```\n    one\n    ```\n", 40, "    ```\n", "\n    ```"),
            {"[^1]: ```>": FENCE, "<    one>": FENCE, "<    ```": FENCE},
        ),
        (
            *(TABLE, 17, HEADER, ""),
            {"| a |": FENCE, "|---|": HEAD, "<| 1 |": FENCE, "<| 2 |": LINES},
        ),
        (
            *(TABLE, 16, HEADER, ""),  # one less, and rows would have to be cut below the header
            {"| a |": FENCE, "|---|": HEAD, "| 1 |": FENCE, "| 2 |": LINES},
        ),
        (
            *(WIDER, 30, HEADER, ""),
            {"| a |": FENCE, "|---|": HEAD, "<| 1 |": FENCE, "<| two three four |": LINES},
        ),
        (
            *(WIDER, 29, HEADER, ""),
            {"| a |": FENCE, "|---|": HEAD, "| 1 |": FENCE, "| two three four |": LINES},
        ),
        (
            *(WIDER, 17, HEADER, ""),  # the wide row is cut in any case, and its rest is no row
            {"| a |": FENCE, "|---|": HEAD, "<| 1 |": FENCE, "<| two": LINES, "three": WORDS}
            | {"four": WORDS, "|": WORDS},
        ),
        (
            *("- > | a |\n  > |---|\n  > | 1 |\n", 40, "  > | a |\n  > |---|\n", ""),
            {"- > | a |": FENCE, "  > |---|": HEAD, "<  > | 1 |": FENCE},
        ),
    ],
)
def test_what_is_repeated_around_pieces(  # a table of cases
    text: str, limit: int, lead: str, tail: str, expected: dict[str, int]
) -> None:
    """Each piece of an atom knows what goes before and after it, where a part starts there."""
    assert [*pieces(text, limit, lead, tail).items()] == [*expected.items()]


@pytest.mark.parametrize(("most", "is_repeated"), [(24, True), (23, False)])
def test_header_rows_of_half_the_limit_are_repeated(most: int, *, is_repeated: bool) -> None:
    assert ("<| 2 |" in pieces(TABLE, 23, HEADER, most=most)) is is_repeated


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
