"""What fits to the last code point is whole, with one more it is not; see also `data/cases`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from tests.core import laws
from tests.core.laws import lawful


def contents(text: str, **options: Any) -> list[str]:  # noqa: ANN401
    """Return the contents of the leaves, of which the laws hold."""
    return [chunk.content for chunk in lawful(text, **options).leaves]


# Lead-ins

LEAD_IN = "Take these with you on the way:"
REST = ("- one", f"- {'y' * 54}")


@pytest.mark.parametrize("above", ["", f"{'Words. ' * 6}\n\n"])
@pytest.mark.parametrize("heading", ["", "# Head\n\n"])
@pytest.mark.parametrize(("width", "is_together"), [(25, True), (26, False)])
def test_lead_in_and_first_item_that_fit(
    above: str, heading: str, width: int, *, is_together: bool
) -> None:
    """They are together where both fit, below the heading that is repeated."""
    item = f"- {'x' * width}"
    text = f"{heading}{above}{LEAD_IN}\n\n{item}\n" + "\n".join(REST)
    limit = len(heading) + 60
    *before, second, third = contents(text, max_chunk_size=limit, min_content_after_header=12)
    together = (f"{LEAD_IN}\n\n{item}", *REST)
    apart = (LEAD_IN, f"{item}\n{REST[0]}", REST[1])
    expected = [f"{heading}{part}" for part in (together if is_together else apart)]
    assert [*before[-1:], second, third] == expected


# Headings that leave little room

HEADING = "# " + "h" * 100


@pytest.mark.parametrize("atoms", ["keep", "split"])
@pytest.mark.parametrize(
    ("heading", "first", "is_together"),
    [
        (36, "ab", True),  # the smallest first unit fits to the last code point
        (37, "ab", False),
        (22, "One two, three.", True),
        (22, "One two, three..", True),  # sixteen, which fill the limit
        (22, "One two three four five six.", True),  # is cut to sixteen
        (23, "One two three four five six.", False),  # there is no room for sixteen
    ],
)
def test_room_below_a_heading(heading: int, first: str, atoms: str, *, is_together: bool) -> None:
    """A heading stays with its text where all of the first unit fits, or 16 code points of it."""
    text = f"{HEADING[:heading]}\n\n{first}\n\n" + "More words of text. " * 5
    found = contents(
        text, max_chunk_size=40, min_content_after_header=0, atomic_blocks=atoms, min_chunk_size=0
    )
    assert found[0].startswith(f"{HEADING[:heading]}\n\n{first[:2]}") is is_together


@pytest.mark.parametrize(
    ("lines", "heading", "is_together"),
    [
        (3, 22, True),  # fits by itself, and in the sixteen code points that are left it would not
        (3, 23, False),
        (9, 38, True),  # fits nowhere
        (9, 39, False),
    ],
)
def test_code_below_a_heading(lines: int, heading: int, *, is_together: bool) -> None:
    """Code that does not fit below its heading is kept with it, over the limit."""
    code = "```\n" + "x = 1\n" * lines + "```"
    text = f"{HEADING[:heading]}\n\n{code}\n\nSome more words of text.\n"
    first, *_ = contents(text, max_chunk_size=40)
    assert first == (f"{HEADING[:heading]}\n\n{code}" if is_together else HEADING[:heading])


# How many units go into a part

NUMBERS = [f"{number % 100:02}" for number in range(80)]
# Texts of so many units; the size of what a part shows beside its units; and that of a unit with
# what is between two of them, the last of which is not there.
UNITS = {
    "items": ("\n".join(f"- {n}" for n in NUMBERS), -1, 5),
    "paragraphs": ("\n\n".join(f"word{n}" for n in NUMBERS), -2, 8),
    "sentences": (" ".join(f"Say {n}." for n in NUMBERS), -1, 8),
    "words": (" ".join(f"word{n}" for n in NUMBERS), -1, 7),
    "lines of code": ("\n".join(["```py", *(f"line_{n}" for n in NUMBERS), "```"]), 6 + 3, 8),
    "quoted code": ("\n".join(["> ```", *(f"> line_{n}" for n in NUMBERS), "> ```"]), 6 + 5, 10),
    "rows": ("\n".join(["| n  |", "|----|", *(f"| {n} |" for n in NUMBERS)]), 2 * 7 - 1, 7),
    "lines of HTML": ("\n".join(f"<hr>{n}" for n in NUMBERS), -1, 7),
}


BREADCRUMB = Context(introduction=False)


@pytest.mark.parametrize(
    ("context", "in_front", "measure"),
    [
        (None, "", len),
        (BREADCRUMB, "H\n\n", len),
        (Context("", breadcrumb=False, introduction=False, reserved="a: b\n"), "a: b\n", len),
        (Context("of ", introduction=False, reserved="-"), "-of > H\n\n", len),
        (Context("of ", introduction=False, reserved="-"), "-of > H\n\n", str.__len__),
    ],
    ids=["alone", "breadcrumb", "reserved", "all", "another measure"],
)
@pytest.mark.no_cover
@pytest.mark.parametrize("kind", UNITS)
def test_as_many_units_as_fit(
    kind: str, context: Context | None, in_front: str, measure: Callable[[str], int]
) -> None:
    """There are no more parts than units need with all that is repeated, and with what is before.

    What the sections before and after have before their contents does not count.
    """
    units, around, step = UNITS[kind]
    text = f"# Another section\n\nText.\n\n# H\n\n{units}\n\n# And one more\n\nText.\n"
    reserved = context.reserved if context else ""
    for limit in range(70, 70 + 2 * step):
        config = ChunkConfig(
            max_chunk_size=limit,
            atomic_blocks="split",
            min_content_after_header=0,
            length_function=measure,
        )
        chunks = MarkdownChunker(config, context).chunk(text)
        parts = [part for part in chunks if part.section.path[-1] == "H"]
        assert all(len(reserved + part.embedded) <= limit for part in parts)
        most = (limit - len(in_front) - around - len("# H\n\n")) // step
        assert len(parts) == -(-len(NUMBERS) // most)


# What is too little for a part


BELOW_CODE = f"{HEADING[:22]}\n\n```\n{'x' * 60}\n```\n\n"


@pytest.mark.parametrize(
    ("above", "limit", "first", "cut"),
    [
        ("", 60, 15, 1),  # as large as the minimum is enough
        ("", 60, 14, 2),
        ("# H\n\n", 65, 15, 1),  # headings that are repeated do not count
        ("# H\n\n", 65, 14, 2),
        (f"{HEADING[:22]}\n\n", 60, 10, 2),  # nor do those that are not
        (BELOW_CODE, 60, 15, 1),  # nor are they missed below code
        (BELOW_CODE, 60, 14, 2),
    ],
)
def test_parts_have_text_enough(above: str, limit: int, first: int, cut: int) -> None:
    """A part has as much text as is asked for, its headings left out, where the others allow it."""
    blocks = ["w" * first, "*" * 20, "w" * 20, "w" * 16]  # cut 1 costs least
    text = above + "\n\n".join(blocks)
    found = contents(text, max_chunk_size=limit, min_content_after_header=15, min_chunk_size=0)
    assert found[-1].endswith("\n\n".join(blocks[cut:]))
    assert found[-2].endswith("\n\n".join(blocks[:cut]))


def test_contexts_of_later_sections_take_no_room() -> None:
    """Also where a document starts with a paragraph and nothing else before its first heading."""
    text = " ".join(f"word{n}" for n in NUMBERS[:60]) + "\n\n## A heading of some words\n\nText.\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=69), BREADCRUMB).chunk(text)
    assert [part.text.count("word") for part in chunks[:-1]] == [10] * 6
    assert chunks[-1].context == "A heading of some words"


@pytest.mark.parametrize(("size", "reason"), [(44, "within_tolerance"), (45, None)])
def test_tolerance_ends_exactly(size: int, reason: str | None) -> None:
    """A section over the limit by as much as is tolerated is whole, and says so."""
    text = f"# A\n\n{'word ' * 20}"[: size - 1] + "."
    config = ChunkConfig(max_chunk_size=40, oversize_tolerance=0.1)
    first, *rest = MarkdownChunker(config).chunk(text)
    assert (first.oversize_reason, not rest) == (reason, reason is not None)
    assert first.text_offset == 0


@pytest.mark.no_cover
@pytest.mark.parametrize("tolerance", [0.5, 1.0, 2.0])
def test_a_tolerance_is_of_the_whole_where_sizes_do_not_add_up(tolerance: float) -> None:
    """Each paragraph is less by itself, for the counter rounds down, than it is beside others."""
    text = "# A\n\n" + "Word wo\n\n" * 100
    for count in range(1, 100, 5):
        config = ChunkConfig(
            max_chunk_size=32, length_function=laws.quarters, oversize_tolerance=tolerance
        )
        chunks = MarkdownChunker(config).chunk(text[: 5 + 9 * count])
        assert max(chunk.size for chunk in chunks) <= 32 * (1 + tolerance)


def test_code_that_stays_whole_is_not_numbered_as_a_part() -> None:
    """Code over the limit that is all of its section is not numbered among parts."""
    code = f"```\n{'x' * 60}\n```"
    (whole,) = MarkdownChunker(ChunkConfig(max_chunk_size=40)).chunk(code)
    assert (whole.oversize_reason, whole.split_index) == ("code_block_integrity", None)
    assert whole.original_section_size is None
