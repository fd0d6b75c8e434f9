"""Containers that fit stay whole; those that do not are opened and closed again in each part.

There are more cases in `tests/data/cases/containers.md`.
"""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig
from tests.core.laws import Case, lawful

TEXT = "\n\n".join(f"Paragraph {n} says what the one before it left out." for n in range(12))


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
    parts = lawful(indented(f"{opening}{TEXT}{closing}", first, rest), max_chunk_size=200).leaves
    assert len(parts) > 3
    again = rest.replace("- ", "  ")
    opened, closed = indented(opening + "x", rest, again)[:-1], indented("x" + closing, "", again)
    assert all(part.content.startswith(opened) for part in parts[1:])
    assert all(part.content.endswith(closed[1:]) for part in parts)
    assert all(opening.strip().split("\n")[0] not in part.text for part in parts[1:])
    assert {part.end_line for part in parts} == {parts[-1].text_end_line}


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
