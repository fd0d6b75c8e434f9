"""Containers that fit stay whole; those that do not are opened and closed again in each part."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest

from chunkana_core import Chunk, ChunkConfig, MarkdownChunker
from tests.core.laws import Case, lawful

TEXT = "\n\n".join(f"Paragraph {n} says what the one before it left out." for n in range(12))
CODE = "```py\n" + "".join(f"line_{n:02} = {n}\n" for n in range(40)) + "```"
TABLE = "| name | what |\n|---|---|\n" + "".join(f"| row {n:02} | value |\n" for n in range(40))


def split(text: str, limit: int = 200, atoms: Literal["keep", "split"] = "split") -> list[Chunk]:
    """Chunk a text, check the laws, and return the leaves."""
    return lawful(text, max_chunk_size=limit, atomic_blocks=atoms).leaves


def indented(text: str, first: str, rest: str) -> str:
    """Put a text into a container."""
    head, *tail = text.splitlines()
    return "\n".join([first + head, *(f"{rest}{line}".rstrip() for line in tail)])


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("::: note A title\n", "\n:::"),
        (":::: {.box}\n\n", "\n\n::::"),
        ("{{< note >}}\n", "\n{{< /note >}}"),
        ('{{% tab "x" %}}\n\n', "\n\n{{% /tab %}}"),
        ("<Tabs>\n\n", "\n\n</Tabs>"),
        ("<details>\n<summary>More</summary>\n\n", "\n\n</details>"),
    ],
)
@pytest.mark.parametrize(("first", "rest"), [("", ""), ("- ", "  "), ("> ", "> "), ("1. ", "   ")])
def test_each_part_is_opened_and_closed(opening: str, closing: str, first: str, rest: str) -> None:
    """Each part starts and ends with the container's lines, in the containers around them."""
    parts = split(indented(f"{opening}{TEXT}{closing}", first, rest))
    assert len(parts) > 3
    again = rest.replace("- ", "  ")
    opened, closed = indented(opening + "x", rest, again)[:-1], indented("x" + closing, "", again)
    assert all(part.content.startswith(opened) for part in parts[1:])
    assert all(part.content.endswith(closed[1:]) for part in parts)
    assert all(opening.strip().split("\n")[0] not in part.text for part in parts[1:])
    assert {part.end_line for part in parts} == {parts[-1].text_end_line}


@pytest.mark.parametrize(
    ("line", "rest"),
    [("!!! note\n", "    "), ('??? tip "Title"\n\n', "    "), ("> [!NOTE]\n", "> ")],
)
def test_what_needs_no_closing_line(line: str, rest: str) -> None:
    """Each part of an admonition or an alert starts with its line, and keeps its indentation."""
    parts = split(line + indented(TEXT, rest, rest) + "\n")
    assert len(parts) > 3
    assert all(part.content.startswith(line + rest) for part in parts)


@pytest.mark.parametrize("line", ["!!! note\n    ", "> [!NOTE]\n> ", "- ::: a\n  "])
def test_the_rest_of_a_line_is_inside(line: str) -> None:
    """A paragraph that is cut inside a line goes on inside its container."""
    prefix = line.partition("\n")[2]
    parts = split(line + "word " * 150 + ("\n  :::" if ":::" in line else ""))
    assert len(parts) > 3
    assert all(f"\n{prefix}word" in part.content for part in parts)


def test_long_starts_of_lines_are_not_repeated() -> None:
    """Quote marks that take more than an eighth of the limit are not put before a rest."""
    parts = split(f"{'> ' * 8}[!NOTE]\n{'> ' * 8}{'word ' * 60}", 100)
    assert all(part.content.startswith(f"{'> ' * 8}[!NOTE]\nword") for part in parts[1:])


@pytest.mark.parametrize("atom", [CODE, TABLE.rstrip()], ids=["code", "table"])
def test_repeats_of_atoms_are_inside_those_of_containers(atom: str) -> None:
    """A part of a table or of code in a container has the lines of both around it."""
    parts = split(f"::: a\n<div>\n\n{atom}\n\n</div>\n\n:::\n", 150)
    header = atom.partition("\nline" if "```" in atom else "| row")[0].rstrip()
    assert len(parts) > 3
    assert all(part.content.startswith(f"::: a\n<div>\n\n{header}\n") for part in parts)
    assert all(part.content.endswith("\n\n</div>\n\n:::") for part in parts)


def test_lists_inside_are_cut_between_items() -> None:
    """A list in a container is cut between its items, and what leads in stays with the first."""
    items = "\n".join(f"- item {n} of a list in a directive" for n in range(20))
    parts = split(f"::: a\n{TEXT[:51]}\n\nSo:\n\n{items}\n:::\n")
    assert all(part.content.startswith("::: a\n") for part in parts)
    assert all(part.content.endswith("\n:::") for part in parts)
    assert sum(part.content.count("- item") for part in parts) == 20
    assert any("So:\n\n- item 0" in part.content for part in parts)


def test_lines_over_half_the_limit_are_not_repeated() -> None:
    """Lines that would take over half of the limit are in the first and the last part only."""
    parts = split(f"::: a {'x' * 110}\n{TEXT}\n:::\n")
    assert [part.content for part in parts] == [part.text for part in parts]
    inner = split(f"::: a {'x' * 60}\n::: b {'y' * 60}\n{TEXT}\n:::\n:::\n")
    assert all(part.content.startswith("::: a x") for part in inner)
    assert not any("yyy" in part.content for part in inner[1:])


def test_a_line_over_the_limit_is_cut() -> None:
    """A line that opens a container and does not fit is divided like others."""
    parts = split(f"::: a {'x ' * 300}\n{TEXT}\n:::\n")
    assert sum(part.content.count("x ") for part in parts) > 290


@pytest.mark.parametrize("limit", range(60, 1000, 47))
def test_what_fits_is_not_parted(limit: int) -> None:
    """A container that fits is in one chunk, with or without its headings."""
    text = "# A\n\n" + "\n\n".join(
        f"::: a\n{'Some words of a sentence. ' * n}\n\nEnd.\n:::\n\nBetween.\n\n<b>\n\n- c\n\n</b>"
        for n in range(12)
    )
    case = Case(text, ChunkConfig(max_chunk_size=limit))
    for block in (b for b in case.blocks if b.kind == "container" and not b.depth):
        if len(text[block.start : block.end].strip()) <= limit - len("# A\n\n"):
            inside = [c for c in case.leaves if c.span.start <= block.start < c.span.end]
            assert inside[0].span.end >= block.end - 1


def test_an_oversize_atom_has_the_lines_of_its_container() -> None:
    """Its opening and closing lines are with it, rather than chunks of their own."""
    before, whole, after = split(f"{TEXT[:49]}\n\n::: a\n{CODE}\n:::\n\nAfter.\n", 100, "keep")
    assert whole.oversize_reason == "code_block_integrity"
    assert whole.text == f"::: a\n{CODE}\n:::"
    assert (before.text, after.text) == (TEXT[:49], "After.")
    parts = split(f"<div>\n\n{CODE}\n\n</div>\n", 100, "keep")
    assert [part.text for part in parts] == ["<div>", CODE, "</div>"]


def test_an_atom_that_fits_alone_is_not_flagged() -> None:
    """Where code fits, but not between repeated lines, these are left out."""
    code = "```\n" + "x" * 190 + "\n```"
    parts = split(f"::: a\n{TEXT}\n\n{code}\n:::\n", 200, "keep")
    assert code in [part.content for part in parts]


def test_headings_inside_do_not_start_sections() -> None:
    """A part that starts with a heading of a container is below the headings of its section."""
    text = "\n\n".join(f"### Inner {n}\n\n{TEXT[:51]}" for n in range(12))
    parts = split(f"# Outer\n\n::: a\n{text}\n:::\n")
    assert all(part.content.startswith("# Outer\n\n::: a\n") for part in parts)


def test_lines_of_what_is_repeated() -> None:
    """The lines of a content start with those of its repeated container."""
    parts = split(f"Before.\n\n::: a\n{TEXT}\n:::\n")
    assert all(part.start_line == 3 for part in parts[1:])
    assert all(a.text_end_line < b.text_start_line for a, b in pairwise(parts))


def names(text: str, limit: int = 200) -> list[str]:
    """Return the containers of the leaves of a text."""
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk(text)
    assert [chunk.metadata["container"] for chunk in chunks] == [c.container for c in chunks]
    return [chunk.container for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n## B\n\n!!! note\n    a\n", ["note"]),
        ("> [!TIP]\n> a\n", ["tip"]),
        ("> a\n", [""]),
        ("# A\n", [""]),
        ("::: a\n:::\n\n# A\n", ["a", ""]),
        ("a\n\n::: b\nc\n:::\n", [""]),
        ("::: a\nb\n:::\n\n::: c\nd\n:::\n", [""]),
        ("<Tabs>\n\n::: a\nb\n:::\n\n</Tabs>\n", ["Tabs"]),
        (f"# A\n\nx\n\n# B\n\n::: a\n{'b ' * 90}\n:::\n", ["", "a"]),
    ],
)
def test_container_in_the_metadata(text: str, expected: list[str]) -> None:
    """It is the innermost that holds all of a chunk's text, its headings aside."""
    assert names(text) == expected


def test_container_of_parts() -> None:
    """Parts inside a nested container have its name, those with text around it the outer one's."""
    inner = "".join(f"{'word ' * 30}\n\n" for _ in range(4))
    assert names(f"::: a\n{inner}<b>\n\n{inner}</b>\n\n{inner}:::\n\nEnd.\n") == [
        *["a"] * 4,
        *["b"] * 4,
        *["a"] * 3,
        "",
    ]
