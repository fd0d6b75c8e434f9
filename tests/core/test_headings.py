"""Headings are carried to the next text of their parent: more than the checklist's cases."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import section_drafts
from chunkana_core.drafting.headings import prevent_dangling
from chunkana_core.extending import Document, Draft
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from tests.core import laws
from tests.core.laws import Case


def chunked(text: str, **options: object) -> HierarchicalChunkingResult:
    """Chunk with options."""
    return MarkdownChunker(ChunkConfig.from_dict(options)).chunk_hierarchical(text)


def texts(text: str, **options: object) -> list[str]:
    """Return the texts of the leaves."""
    return [chunk.text for chunk in chunked(text, **options).get_leaves()]


def test_heading_goes_to_its_first_subsection() -> None:
    """A heading without text of its own is carried by its first subsection's leaf."""
    assert texts("# D\n\nx\n\n## A\n\n### A1\n\ny\n\n### A2\n\nz\n", min_chunk_size=0) == [
        "# D\n\nx",
        "## A\n\n### A1\n\ny",
        "### A2\n\nz",
    ]


def test_empty_section_goes_to_the_following_sibling() -> None:
    """The heading of a section that is empty to its end is carried by the sibling after it."""
    assert texts("# D\n\nx\n\n## A\n\n## B\n\n### B1\n\ny\n") == [
        "# D\n\nx",
        "## A\n\n## B\n\n### B1\n\ny",
    ]


def test_empty_section_at_its_parents_end_stays() -> None:
    """Where nothing follows in the parent, it is a leaf of its own, to be embedded like others."""
    result = chunked("# D\n\nx\n\n## A\n\ny\n\n### Empty\n\n## B\n\nz\n")
    assert [c.text for c in result.get_leaves()] == [
        "# D\n\nx",
        "## A\n\ny",
        "### Empty",
        "## B\n\nz",
    ]
    empty = result.get_leaves()[2]
    assert (empty.content_type, empty.indexable) == ("heading", True)


def test_empty_sections_at_the_end_are_packed() -> None:
    """Several empty sections at the end are one leaf, as far as they fit."""
    assert texts("# D\n\nx\n\n## A\n\n### A1\n\n## B\n") == ["# D\n\nx", "## A\n\n### A1\n\n## B"]
    many = "# D\n\nx\n\n" + "".join(f"## Empty section {n}\n\n" for n in range(20))
    packed = chunked(many, max_chunk_size=200).get_leaves()[1:]
    assert len(packed) == 2 + (len(packed) > 2)
    assert all(chunk.content_type == "heading" and chunk.size <= 200 for chunk in packed)


def test_definitions_and_white_space_are_no_text() -> None:
    """A section of link definitions, or of white space, is carried like an empty one."""
    text = "# D\n\nx\n\n## A\n\n[a]: /a\n\n## B\n\n\u3000\n\n## C\n\ny\n"
    assert texts(text) == ["# D\n\nx", text[text.index("## A") :].rstrip()]


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
    text: str, limit: int, atoms: Literal["keep", "split"]
) -> None:
    """A heading, and what a reader does not see below it, go with the first text."""
    case = Case(text, ChunkConfig(max_chunk_size=limit, atomic_blocks=atoms))
    for law in laws.ALL:
        law(case)
    for chunk, following in pairwise([*case.leaves, case.leaves[-1]]):
        seen = re.sub(r"#+ Heading|\[[ab]\]: .*|<!--[^-]*-->|<a id=.*", "", chunk.text)
        is_atom = "|" in following.text and following.span.end - chunk.span.start > limit
        assert seen.strip() or is_atom, "a heading without its text"


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
    assert [chunk.indexable for chunk in chunked(text).get_leaves()] == indexable


def test_long_run_leaves_its_outermost_headings() -> None:
    """Of a run longer than a third of the limit, the outermost excess is a leaf of its own."""
    text = f"# {'a' * 50}\n\n## {'b' * 50}\n\n### {'c' * 50}\n\n#### D\n\ntext\n"
    result = chunked(text, max_chunk_size=180, min_chunk_size=0)
    first, second = result.get_leaves()
    assert first.text == f"# {'a' * 50}\n\n## {'b' * 50}"
    assert second.text == f"### {'c' * 50}\n\n#### D\n\ntext"
    assert (first.content_type, first.indexable) == ("heading", True)


def test_innermost_heading_stays_attached() -> None:
    """However long, the innermost of the carried headings stays with what it is carried to."""
    text = f"# D\n\nx\n\n## {'b' * 100}\n\n### C\n\ntext\n"
    assert texts(text, max_chunk_size=180)[-1] == f"## {'b' * 100}\n\n### C\n\ntext"


def test_nodes_in_between_start_where_the_headings_are() -> None:
    """Every node around the receiving leaf starts its span at the heading that moved."""
    text = "# D\n\nx\n\n## A\n\n### B\n\n#### C\n\n" + "Text of C. " * 20
    text += "\n\n#### C2\n\n" + "Text of C2. " * 20 + "\n\n### B2\n\n" + "Text of B2. " * 20
    result = chunked(text)
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


def test_preamble_and_front_matter_carry_nothing() -> None:
    """Front matter and preamble stay apart from sections, and from each other."""
    text = "---\na: 1\n---\n\nBefore.\n\n# A\n\n## B\n\ny\n"
    assert texts(text) == ["---\na: 1\n---", "Before.", "# A\n\n## B\n\ny"]


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
    _do_not_dangle(document, prevent_dangling(drafts, DocumentSizes(document, Sizer(len, limit))))


@given(outlines(), st.sampled_from((60, 150, 1000)))
def test_section_drafts_tile_and_do_not_dangle(text: str, limit: int) -> None:
    document = parse_markdown(text)
    drafts = section_drafts(document)
    _do_not_dangle(document, prevent_dangling(drafts, DocumentSizes(document, Sizer(len, limit))))


def _do_not_dangle(document: Document, drafts: list[Draft]) -> None:
    stops = [0, *(draft.stop for draft in drafts)]
    assert [draft.first for draft in drafts] == stops[:-1]
    assert stops[-1] == len(document.top)
    for draft in drafts[:-1]:
        last = document.top[draft.stop - 1]
        following = document.top[draft.stop]
        is_body = following.is_content
        assert not (last.level and is_body), "a heading was parted from its body"


@pytest.mark.parametrize("size", [32, 200, 1000])
def test_only_headings_are_one_draft(size: int) -> None:
    """A document of nothing but headings is packed, with front matter apart."""
    text = "---\na: 1\n---\n\n# A\n\n## B\n\n### C\n\n# D\n"
    document = parse_markdown(text)
    drafts = prevent_dangling(section_drafts(document), DocumentSizes(document, Sizer(len, size)))
    assert drafts == [Draft(0, 1), Draft(1, 5)]
    leaves = chunked(text, max_chunk_size=size).get_leaves()
    assert [leaf.indexable for leaf in leaves] == [False] + [True] * (len(leaves) - 1)
