"""Sizes decide exactly: what fits to the last code point is whole, with one more it is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from tests.core import laws
from tests.core.laws import Case

Measure = Callable[[str], int]


def contents(text: str, **options: object) -> list[str]:
    """Return the contents of the leaves, of which the laws hold."""
    case = Case(text, ChunkConfig.from_dict(options))
    for law in laws.ALL:
        law(case)
    return [chunk.content for chunk in case.leaves]


# Headings that are carried


@pytest.mark.parametrize(("width", "is_carried"), [(50, True), (51, False)])
def test_headings_of_a_third_of_the_limit_are_carried(width: int, *, is_carried: bool) -> None:
    """With one code point more, the outermost of them stays behind."""
    outer, inner = f"## {'b' * width}", "### C\n\n#### D\n\ntext"
    text = f"# A\n\nx\n\n{outer}\n\n{inner}"
    _, *found = contents(text, max_chunk_size=180, min_chunk_size=0)
    assert found == ([f"{outer}\n\n{inner}"] if is_carried else [outer, inner])


def test_a_heading_is_carried_at_any_length() -> None:
    """The innermost heading goes with its text even where it is over a third of the limit."""
    heading = f"## {'b' * 100}"
    found = contents(
        f"# A\n\nx\n\n{heading}\n\n### C\n\ntext\n", max_chunk_size=180, min_chunk_size=0
    )
    assert found == ["# A\n\nx", f"{heading}\n\n### C\n\ntext"]


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

NUMBERS = [f"{number % 100:02}" for number in range(240)]
# Texts of 240 units; the size of what a part shows beside its units; and that of a unit with
# what is between two of them, the last of which is not there.
UNITS = {
    "items": ("\n".join(f"- {n}" for n in NUMBERS), -1, 5),
    "paragraphs": ("\n\n".join(f"word{n}" for n in NUMBERS), -2, 8),
    "sentences": (" ".join(f"Say {n}." for n in NUMBERS), -1, 8),
    "words": (" ".join(f"word{n}" for n in NUMBERS), -1, 7),
    "lines of code": (
        "```py\n" + "\n".join(f"line_{n}" for n in NUMBERS) + "\n```",
        6 + 3,
        8,
    ),
    "lines of quoted code": (
        "> ```\n" + "\n".join(f"> line_{n}" for n in NUMBERS) + "\n> ```",
        6 + 5,
        10,
    ),
    "rows": (
        "| n  |\n|----|\n" + "\n".join(f"| {n} |" for n in NUMBERS),
        2 * 7 - 1,
        7,
    ),
    "lines of HTML": ("\n".join(f"<hr>{n}" for n in NUMBERS), -1, 7),
}


def count_parts(text: str, limit: int, context: Context | None, measure: Measure) -> int:
    """Return how many parts section H has."""
    config = ChunkConfig(
        max_chunk_size=limit,
        atomic_blocks="split",
        min_content_after_header=0,
        length_function=measure,
    )
    chunks = MarkdownChunker(config, context).chunk(text)
    parts = [part for part in chunks if part.section.path[-1] == "H"]
    reserved = context.reserved if context else ""
    assert all(len(reserved + part.embedded) <= limit for part in parts)
    assert all(part.size == len(part.embedded) for part in parts)
    return len(parts)


BREADCRUMB = Context(introduction=False)


@pytest.mark.parametrize(
    ("context", "in_front"),
    [
        (None, ""),
        (BREADCRUMB, "H\n\n"),
        (Context("", breadcrumb=False, introduction=False, reserved="a: b\n"), "a: b\n"),
        (Context("of ", introduction=False, reserved="-"), "-of > H\n\n"),
    ],
    ids=["alone", "breadcrumb", "reserved", "all"],
)
@pytest.mark.no_cover
@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("measure", [len, str.__len__], ids=["len", "another"])
def test_as_many_units_as_fit(
    kind: str, context: Context | None, in_front: str, measure: Measure
) -> None:
    """There are no more parts than units need with all that is repeated, and with what is before.

    What the sections before and after have before their contents does not count.
    """
    units, around, step = UNITS[kind]
    text = f"# Another section\n\nText.\n\n# H\n\n{units}\n\n# And one more\n\nText.\n"
    limits = range(70, 70 + 2 * step)
    room = [limit - len(in_front) - around for limit in limits]
    found = [count_parts(text, limit, context, measure) for limit in limits]
    most = [(size - len("# H\n\n")) // step for size in room]
    assert found == [-(-len(NUMBERS) // units) for units in most]


# What is too little for a part


def words(size: int) -> str:
    """Return a paragraph of so many code points."""
    return "w" * size


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
    blocks = [words(first), "*" * 20, words(20), words(16)]  # cut 1 costs least
    text = above + "\n\n".join(blocks)
    found = contents(text, max_chunk_size=limit, min_content_after_header=15, min_chunk_size=0)
    assert found[-1].endswith("\n\n".join(blocks[cut:]))
    assert found[-2].endswith("\n\n".join(blocks[:cut]))


# What is repeated, as far as it fits


def test_code_that_fits_without_its_heading_is_shown_without() -> None:
    """It is not over the limit for the sake of a heading that another part shows."""
    first, code = "# H\n\nSome words of text, and more.", f"```\n{'x' * 30}\n```"
    assert contents(f"{first}\n\n{code}\n", max_chunk_size=40) == [first, code]


def test_outermost_headings_are_the_first_to_be_left_out() -> None:
    """Where the end of a fence needs room, only as many headings go as have to."""
    fence = "`" * 15  # which is none inside HTML, but is in a part that starts with it
    text = f"# A\n\n## B\n\n<div>\n<p>some text</p>\n{fence}\n" + "<p>text</p>\n" * 3
    _, before, part, after, *_ = contents(text, max_chunk_size=40)
    assert before == "# A\n\n## B\n\n<p>some text</p>"
    assert part == f"## B\n\n{fence}\n{fence}"
    assert after == "# A\n\n## B\n\n<p>text</p>"


def test_contexts_of_later_sections_take_no_room() -> None:
    """Also where a document starts with a paragraph and nothing else before its first heading."""
    text = " ".join(f"word{n}" for n in NUMBERS[:60]) + "\n\n## A heading of some words\n\nText.\n"
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=69), BREADCRUMB).chunk(text)
    assert [part.text.count("word") for part in chunks[:-1]] == [10] * 6
    assert chunks[-1].context == "A heading of some words"


@pytest.mark.parametrize(("limit", "count"), [(40, 1), (39, 2)])
def test_headings_without_text_are_together_where_they_fit(limit: int, count: int) -> None:
    headings = (f"## {'a' * 16}", f"## {'b' * 16}")
    text = "\n\n".join(("# A\n\nx", *headings))
    assert len(contents(text, max_chunk_size=limit, min_chunk_size=0)) == 1 + count


@pytest.mark.parametrize(("size", "is_whole"), [(44, True), (45, False)])
def test_tolerance_ends_exactly(size: int, *, is_whole: bool) -> None:
    """A section over the limit by as much as is tolerated is whole, and says so."""
    text = f"# A\n\n{'word ' * 20}"[: size - 1] + "."
    config = ChunkConfig(max_chunk_size=40, oversize_tolerance=0.1)
    first, *rest = MarkdownChunker(config).chunk(text)
    assert (not rest) is is_whole
    assert first.oversize_reason == ("within_tolerance" if is_whole else None)
    assert first.text_offset == 0


@pytest.mark.no_cover
@pytest.mark.parametrize("tolerance", [0.5, 1.0, 2.0])
def test_a_tolerance_is_of_the_whole_where_sizes_do_not_add_up(tolerance: float) -> None:
    """Each paragraph is less by itself, for the counter rounds down, than it is beside others."""
    text = "# A\n\n" + "Word wo\n\n" * 200
    for count in range(1, 200, 5):
        config = ChunkConfig(
            max_chunk_size=32, length_function=laws.quarters, oversize_tolerance=tolerance
        )
        chunks = MarkdownChunker(config).chunk(text[: 5 + 9 * count])
        assert max(chunk.size for chunk in chunks) <= 32 * (1 + tolerance)


def test_what_stays_whole_is_no_part() -> None:
    """Code over the limit that is all of its section is not numbered among parts."""
    code = f"```\n{'x' * 60}\n```"
    (whole,) = MarkdownChunker(ChunkConfig(max_chunk_size=40)).chunk(code)
    assert (whole.oversize_reason, whole.split_index) == ("code_block_integrity", None)
    assert whole.original_section_size is None


def test_a_fence_below_a_heading_that_leaves_no_room_is_closed() -> None:
    """The first line of code would not fit beside both, and its fence stays with the heading."""
    lines = ("x" * 26, "y" * 26)
    text = "\n".join((HEADING[:22], "", "```py", *lines, "```"))
    first, *rest = contents(text, max_chunk_size=40, atomic_blocks="split")
    assert first == f"{HEADING[:22]}\n\n```py\n```"
    assert rest == [f"```py\n{line}\n```" for line in lines]
