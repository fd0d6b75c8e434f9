"""Blocks are divided into units, each only where it does not fit."""

from __future__ import annotations

import pytest

from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.extending import BlockKind
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.units import UnitMaker

LETTERS = {
    BlockKind.LIST: "L",
    BlockKind.LIST_ITEM: "I",
    BlockKind.PARAGRAPH: "P",
    BlockKind.BLOCK_QUOTE: "Q",
    BlockKind.FENCED_CODE: "C",
    BlockKind.TABLE: "T",
    BlockKind.HTML: "H",
    None: "-",
}
REASONS = {None: "", "code_block_integrity": " (code)", "list_item_integrity": " (item)"}
NESTED = "- one\n- two two\n\n  more\n- three\n"
QUOTED = "> # head\n>\n> text of it\n> - x\n>   - inner one\n>   - inner\n>   - last\n"
IN_ITEM = "- ```\n  code code\n  code\n  ```\n- x\n"
IN_QUOTED_ITEM = "> - ```\n>   code\n>   ```\n"
BELOW_TEXT = "- x\n\n  ```\n  code code\n  code\n  ```\n- x\n"
IN_MARKERS = "1. | a | b |\n   |---|---|\n   | 1 | 2 |\n"
ROWS = "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n"


def units(text: str, limit: int, *, keep_atoms: bool) -> list[str]:
    """Return what the first block of a text is divided into.

    Of each unit: what a cut before it costs; the outermost kind of block that starts with it, and
    its own; its text; why it may be over the limit.
    """
    maker = UnitMaker(DocumentSizes(parse_markdown(text), Sizer(len, 1000)), keep_atoms)
    units = maker.units(0, limit)
    assert all((unit.first, unit.stop) == (0, 1) for unit in units)
    return [
        f"{u.cost} {LETTERS[u.starts]}{LETTERS[u.kind]} {text[u.span.start : u.span.end]}"
        f"{REASONS[u.oversize_reason]}"
        for u in units
    ]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (NESTED, 31, [f"1 LL {NESTED.rstrip()}"]),
        (NESTED, 30, ["1 LI - one", "3 II - two two\n\n  more", "3 II - three"]),
        # one less than the second item
        (NESTED, 16, ["1 LI - one", "3 IP - two two", "6 PP   more", "3 II - three"]),
        # one less than its first paragraph
        (NESTED, 8, ["1 LI - one", "3 IP - two", "60 -P two", "6 PP   more", "3 II - three"]),
        (
            QUOTED,
            15,
            [
                *("1 QP > # head\n>", "3 PP > text of it", "3 LP > - x"),  # a heading in it is text
                *("6 LI >   - inner one", "6 II >   - inner", "6 II >   - last"),
            ],
        ),
        (
            BELOW_TEXT,
            14,
            ["1 LP - x", "6 CC   ```\n  code code\n  code\n  ``` (code)", "3 II - x"],
        ),
        (IN_ITEM, 14, [f"1 LC {IN_ITEM[:-5]} (item)", "3 II - x"]),
        (IN_QUOTED_ITEM, 14, [f"1 QC {IN_QUOTED_ITEM.rstrip()} (item)"]),
        # in a line of a marker, but not an item's
        ("> ```\n> code code\n> ```\n", 14, ["1 QC > ```\n> code code\n> ``` (code)"]),
        (IN_MARKERS, 14, [f"1 LT {IN_MARKERS.rstrip()} (item)"]),
    ],
)
def test_containers_are_divided_into_blocks(text: str, limit: int, expected: list[str]) -> None:
    """And those into pieces; a cut costs more the deeper it is."""
    assert units(text, limit, keep_atoms=True) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (
            "```\none\ntwo\nthree\n```\n",
            16,
            ["1 CC ```", "400 -C one", "12 -C two", "12 -C three", "400 -C ```"],
        ),
        (
            "- ```\n  one\n\n  two\n  ```\n- x\n",
            20,
            ["1 LC - ```", "400 -C   one", "8 -C   two", "400 -C   ```", "3 II - x"],
        ),
        (
            ROWS,
            20,
            ["1 TT | a |", "800 -T |---|", "400 -T | 1 |", "12 -T | 2 |", "12 -T | 3 |"],
        ),
        ("<p>\n  text\n</p>\n", 10, ["1 HH <p>", "10 -H   text", "15 -H </p>"]),
    ],
)
def test_atoms_that_may_be_split_are_divided_into_lines(
    text: str, limit: int, expected: list[str]
) -> None:
    """HTML is, in any case."""
    assert units(text, limit, keep_atoms=False) == expected
