"""Sizes decide exactly: what fits to the last code point is whole, with one more it is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chunkana_core import ChunkConfig
from tests.core import laws
from tests.core.laws import Case


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
    found = contents(f"# A\n\nx\n\n{heading}\n\n### C\n\ntext\n", max_chunk_size=180, min_chunk_size=0)
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


@pytest.mark.parametrize(
    ("heading", "first", "is_together"),
    [
        (36, "ab", True),  # the smallest first unit fits to the last code point
        (37, "ab", False),
        (22, "One two three.", True),
        (22, "One two three four five six.", True),  # is cut to 16
        (23, "One two three four five six.", False),  # there is no room for 16
    ],
)
def test_room_below_a_heading(heading: int, first: str, *, is_together: bool) -> None:
    """A heading stays with its text where all of the first unit fits, or 16 code points of it."""
    title = "#" + " h" * ((heading - 1) // 2) + "h" * ((heading - 1) % 2)
    assert len(title) == heading
    text = f"{title}\n\n{first}\n\n" + "More words of text. " * 5
    found = contents(text, max_chunk_size=40, min_content_after_header=0)
    assert (found[0] == title) is not is_together
