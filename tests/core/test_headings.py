"""Headings are carried to the next text of their parent; examples are in `data/cases`."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import chunk_hierarchical
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.headings import prevent_dangling
from chunkana_core.extending import Draft
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from tests.core.laws import lawful

_UNSEEN = ("[a]: #a", "[b]: /url 'Title'", "<!-- a comment\n\nof two -->", '<a id="c"></a>\n')
_PROSE = ("It is a text. ", "- an item of a list\n", "| a | b |\n|---|---|\n" + "| c | d |\n" * 3)


@st.composite
def unseen_below_headings(draw: st.DrawFn) -> str:
    """Make documents whose headings have definitions, comments or anchors before their text."""
    sections = st.tuples(
        st.integers(1, 4),
        st.lists(st.sampled_from(_UNSEEN), max_size=4),
        st.sampled_from(("\n", "\n\n")),
        st.sampled_from(_PROSE),
        st.integers(1, 60),
    )
    return "\n\n".join(
        "\n\n".join((f"{'#' * level} Heading{gap}{gap.join(unseen)}", prose * count))
        for level, unseen, gap, prose, count in draw(st.lists(sections, min_size=1, max_size=5))
    )


@given(unseen_below_headings(), st.integers(200, 1000), st.sampled_from(("keep", "split")))
def test_unseen_blocks_do_not_part_a_heading_from_its_text(
    text: str, limit: int, atoms: str
) -> None:
    """A heading, and what a reader does not see below it, go with the first text."""
    lawful(text, max_chunk_size=limit, atomic_blocks=atoms)


@pytest.mark.parametrize(
    ("text", "indexable"),
    [
        ("# T\n\nx\n\n## Links\n\n[a]: /a\n\n[b]: /b\n", [True, False]),
        ("# Links\n[a]: /a\n", [False]),
        ("# T\n\nx\n\n## f(a)\n## f(b)\n[a]: /a\n", [True, True]),
    ],
)
def test_headings_of_definitions_are_not_indexable(text: str, indexable: list[bool]) -> None:
    """A section of nothing but definitions has nothing to embed; headings alone have."""
    assert [chunk.indexable for chunk in chunk_hierarchical(text).get_leaves()] == indexable


def test_nodes_in_between_start_where_the_headings_are() -> None:
    """Every node around the receiving leaf starts its span at the heading that moved."""
    text = "# D\n\nx\n\n## A\n\n### B\n\n#### C\n\n" + "Text of C. " * 20
    text += "\n\n#### C2\n\n" + "Text of C2. " * 20 + "\n\n### B2\n\n" + "Text of B2. " * 20
    result = chunk_hierarchical(text)
    receiving = next(c for c in result.get_leaves() if "#### C\n" in c.text)
    assert receiving.text.startswith("## A\n\n### B\n\n#### C\n")
    around = result.get_ancestors(receiving.chunk_id)
    assert [c.title for c in around] == ["B", "A", "D"]
    assert [c.span.start for c in around[:2]] == [receiving.span.start] * 2
    moved_from = result.get_chunk(receiving.header_moved_from_id or "")
    assert moved_from
    assert moved_from.title == "B"
    assert receiving.section.path == ("D", "A", "B", "C")
    assert receiving.section.level == 2


@st.composite
def outlines(draw: st.DrawFn) -> str:
    """Make documents of headings, most of them without text, and of different lengths."""
    sections = draw(
        st.lists(
            st.tuples(
                st.integers(1, 6),
                st.sampled_from(("H", "A longer heading", "h" * 40)),
                st.sampled_from(("", "", "", "text", "text " * 30, "[a]: /a", "```\ncode\n```")),
            ),
            max_size=12,
        )
    )
    return "\n\n".join(f"{'#' * level} {title}\n\n{body}" for level, title, body in sections)


@given(outlines(), st.sampled_from((60, 150, 1000)), st.data())
def test_drafts_made_by_hand_tile_and_do_not_dangle(
    text: str, limit: int, data: st.DataObject
) -> None:
    """However a document was cut into drafts, they tile it afterwards, and no heading dangles."""
    document = parse_markdown(text)
    positions = range(1, len(document.top))
    cuts = sorted(data.draw(st.sets(st.sampled_from(positions)))) if positions else []
    bounds = [0, *cuts, len(document.top)]
    drafts = [Draft(a, b) for a, b in pairwise(bounds) if a < b]
    drafts = prevent_dangling(drafts, DocumentSizes(document, Sizer(len, limit)))
    stops = [0, *(draft.stop for draft in drafts)]
    assert [draft.first for draft in drafts] == stops[:-1]
    assert stops[-1] == len(document.top)
    for draft in drafts[:-1]:
        last, following = document.top[draft.stop - 1 : draft.stop + 1]
        assert not (last.level and following.is_content), "a heading was parted from its body"
