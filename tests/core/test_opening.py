"""Blocks are divided into units, each only where it does not fit."""

from __future__ import annotations

import pytest

from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.extending import BlockKind
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.units import UnitMaker

LIST, ITEM, PARAGRAPH = BlockKind.LIST, BlockKind.LIST_ITEM, BlockKind.PARAGRAPH
QUOTE, CODE, TABLE = BlockKind.BLOCK_QUOTE, BlockKind.FENCED_CODE, BlockKind.TABLE
Found = tuple[str, int, BlockKind | None, BlockKind, str | None]
NESTED = "- one\n- two two\n\n  more\n- three\n"
QUOTED = "> # head\n>\n> text of it\n> - x\n>   - inner one\n>   - inner\n>   - last\n"
IN_ITEM = "- ```\n  code code\n  code\n  ```\n- x\n"
BELOW_TEXT = "- x\n\n  ```\n  code code\n  code\n  ```\n- x\n"
IN_MARKERS = "1. | a | b |\n   |---|---|\n   | 1 | 2 |\n"


def units(text: str, limit: int, *, keep_atoms: bool = True) -> list[Found]:
    """Return what the first block of a text is divided into."""
    sizes = DocumentSizes(parse_markdown(text), Sizer(len, 1000))
    maker = UnitMaker(sizes, keep_atoms)
    units = maker.units(0, limit)
    assert all((unit.first, unit.stop) == (0, 1) for unit in units)
    return [
        (text[u.span.start : u.span.end], u.cost, u.starts, u.kind, u.oversize_reason)
        for u in units
    ]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (NESTED, 31, [(NESTED.rstrip(), 1, LIST, LIST, None)]),
        (
            NESTED,
            30,
            [
                ("- one", 1, LIST, ITEM, None),
                ("- two two\n\n  more", 3, ITEM, ITEM, None),
                ("- three", 3, ITEM, ITEM, None),
            ],
        ),
        (
            NESTED,
            16,  # one less than the second item
            [
                ("- one", 1, LIST, ITEM, None),
                ("- two two", 3, ITEM, PARAGRAPH, None),
                ("  more", 6, PARAGRAPH, PARAGRAPH, None),
                ("- three", 3, ITEM, ITEM, None),
            ],
        ),
        (
            NESTED,
            8,  # one less than its first paragraph
            [
                ("- one", 1, LIST, ITEM, None),
                ("- two", 3, ITEM, PARAGRAPH, None),
                ("two", 60, None, PARAGRAPH, None),
                ("  more", 6, PARAGRAPH, PARAGRAPH, None),
                ("- three", 3, ITEM, ITEM, None),
            ],
        ),
        (
            QUOTED,
            15,
            [
                ("> # head\n>", 1, QUOTE, PARAGRAPH, None),  # a heading in a container is text
                ("> text of it", 3, PARAGRAPH, PARAGRAPH, None),
                ("> - x", 3, LIST, PARAGRAPH, None),
                (">   - inner one", 6, LIST, ITEM, None),  # nothing costs more than this
                (">   - inner", 6, ITEM, ITEM, None),
                (">   - last", 6, ITEM, ITEM, None),
            ],
        ),
        (
            BELOW_TEXT,
            14,
            [
                ("- x", 1, LIST, PARAGRAPH, None),
                ("  ```\n  code code\n  code\n  ```", 6, CODE, CODE, "code_block_integrity"),
                ("- x", 3, ITEM, ITEM, None),
            ],
        ),
        (
            IN_ITEM,
            14,
            [
                (IN_ITEM[:-5], 1, LIST, CODE, "list_item_integrity"),
                ("- x", 3, ITEM, ITEM, None),
            ],
        ),
        (
            f"> {IN_ITEM[:8]}>   code\n>   ```\n",
            14,
            [(f"> {IN_ITEM[:8]}>   code\n>   ```", 1, QUOTE, CODE, "list_item_integrity")],
        ),
        (
            "> ```\n> code code\n> ```\n",  # in a line of a marker, but not an item's
            14,
            [("> ```\n> code code\n> ```", 1, QUOTE, CODE, "code_block_integrity")],
        ),
        (IN_MARKERS, 14, [(IN_MARKERS.rstrip(), 1, LIST, TABLE, "list_item_integrity")]),
    ],
)
def test_units(text: str, limit: int, expected: list[Found]) -> None:
    """Containers are divided into blocks, those into pieces; a cut costs more the deeper."""
    assert units(text, limit) == expected


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (
            "```\none\ntwo\nthree\n```\n",
            16,
            [
                ("```", 1, CODE, CODE, None),
                ("one", 400, None, CODE, None),
                ("two", 12, None, CODE, None),
                ("three", 12, None, CODE, None),
                ("```", 400, None, CODE, None),
            ],
        ),
        (
            "- ```\n  one\n\n  two\n  ```\n- x\n",
            20,
            [
                ("- ```", 1, LIST, CODE, None),
                ("  one", 400, None, CODE, None),
                ("  two", 8, None, CODE, None),
                ("  ```", 400, None, CODE, None),
                ("- x", 3, ITEM, ITEM, None),
            ],
        ),
        (
            "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |\n",
            20,
            [
                ("| a |", 1, TABLE, TABLE, None),
                ("|---|", 800, None, TABLE, None),
                ("| 1 |", 400, None, TABLE, None),
                ("| 2 |", 12, None, TABLE, None),
                ("| 3 |", 12, None, TABLE, None),
            ],
        ),
        (
            "<p>\n  text\n</p>\n",
            10,
            [
                ("<p>", 1, BlockKind.HTML, BlockKind.HTML, None),
                ("  text", 10, None, BlockKind.HTML, None),
                ("</p>", 15, None, BlockKind.HTML, None),
            ],
        ),
    ],
)
def test_units_of_atoms(text: str, limit: int, expected: list[Found]) -> None:
    """Where atoms may be split, code and tables are divided into lines; HTML is, in any case."""
    assert units(text, limit, keep_atoms=False) == expected
