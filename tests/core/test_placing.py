"""Where a run of text belongs, by the blocks that it holds; and ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Document, MarkdownChunker, SectionPath, Span
from chunkana_core.ids import IdRegister, section_ids
from chunkana_core.outline import ROOT
from chunkana_core.placing import Place, place, section_of

TEXT = """Before.

# A

a

## B

### C

c

### D

d

## E

e
"""
A, B, C, D = range(1, 5)


def placed(text: str, first: str, last: str) -> Place:
    """Return the place of the text from one piece to another."""
    document = Document.parse(text)
    span = Span(text.index(first), text.index(last) + len(last))
    spot = place(document, span)
    path = document.sections[spot.home].path
    assert section_of(document, span) == spot.section(document) == SectionPath(spot.level, path)
    return spot


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Before.", "Before.", Place(range(1), 0, ROOT, ROOT, ROOT)),
        ("# A", "a\n", Place(range(1, 3), 1, A, A, ROOT)),
        ("## B", "c\n", Place(range(3, 6), 2, C, C, B, moved=B)),
        ("### C", "c\n", Place(range(4, 6), 3, C, C, B)),
        ("### C", "d\n", Place(range(4, 8), 3, B, B, B, is_several=True)),
        ("## B", "d\n", Place(range(3, 8), 2, B, B, ROOT, B, is_several=True)),
        ("d\n", "e\n", Place(range(7, 10), 2, A, A, ROOT, is_several=True)),
        ("# A", "e\n", Place(range(1, 10), 2, A, A, ROOT, B, is_several=True)),
        ("Before.", "e\n", Place(range(10), 2, ROOT, ROOT, ROOT, B, is_several=True)),
        ("## B", "## B", Place(range(3, 4), 2, B, B, B)),
        # of the last section its heading alone
        ("c\n", "### D", Place(range(5, 7), 3, C, C, B)),
        ("## B", "### D", Place(range(3, 7), 2, C, C, B, B)),
        ("d\n", "## E", Place(range(7, 9), 2, D, D, B)),
        # from inside its heading on
        ("B\n\n### C", "d\n", Place(range(3, 8), 2, B, B, B, B, is_several=True)),
    ],
)
def test_places(first: str, last: str, expected: Place) -> None:
    """Level and path fold over the sections with a body in it; A is folded, and so the root."""
    assert placed(TEXT, first, last) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("## B", "b\n", Place(range(2, 4), 2, B, B, B)),
        ("## B", "c\n", Place(range(2, 6), 2, C, B, ROOT, is_several=True)),
        ("b\n", "c\n", Place(range(3, 6), 2, C, B, B, is_several=True)),
        ("# A", "c\n", Place(range(6), 2, C, A, ROOT, is_several=True)),
        ("c\n", "d\n", Place(range(5, 8), 2, A, A, ROOT, is_several=True)),
        ("# A", "d\n", Place(range(8), 2, A, A, ROOT, is_several=True)),
    ],
)
def test_places_on_one_chain(first: str, last: str, expected: Place) -> None:
    """Text of a section and of one in it is at home in the deeper, and under what both share."""
    text = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n"
    assert placed(text, first, last) == expected


def test_places_of_what_is_left_of_a_section() -> None:
    """A node is that of a section which has leaves besides: white space is none."""
    text = "# X\n\nx\n\n# A\n\n## B\n\nb\n\n \u3000 \n\n# Y\n\ny\n"
    assert placed(text, "## B", "b\n").node == 2
    assert placed(text, "# A", "b\n").node == ROOT
    assert placed(text, " A\n", "b\n").node == 2


def test_ids_are_numbered_among_equals() -> None:
    """The same parts get another id each time, in the order they are asked for."""
    one, other = IdRegister(), IdRegister()
    assert [one.new("a", "b") for _ in range(50)] == [other.new("a", "b") for _ in range(50)]
    assert len(one.taken) == 50
    assert one.new("a", "b") not in {other.new("a", "c"), other.new("ab"), other.new("a", "b", "")}


def test_ids_that_are_taken_are_not_given_out() -> None:
    """A hash that is taken is hashed again."""
    first = IdRegister().new("a")
    register = IdRegister({first})
    second = register.new("a")
    assert second != first
    assert register.taken == {first, second}
    assert len(second) == 8


def test_ids_of_half_characters() -> None:
    assert IdRegister().new("\ud800") != IdRegister().new("\udc00")


def test_section_ids() -> None:
    """A folded H1 shares the root's id; namesakes have ids of their own."""
    document = Document.parse("# A\n\n## B\n\nx\n\n## B\n\ny\n")
    root, title, first, second = section_ids(document, IdRegister())
    assert root == title
    assert len({root, first, second}) == 3
    renamed = Document.parse("# A\n\n## B\n\nother\n\n## C\n\ny\n")
    assert section_ids(renamed, IdRegister())[2] == first


@given(st.lists(st.text(max_size=3), max_size=30))
def test_ids_are_unique(parts: list[str]) -> None:
    register = IdRegister()
    ids = [register.new(part) for part in parts]
    assert len(set(ids)) == len(ids)


def test_node_ids_do_not_depend_on_text() -> None:
    """A section node's id comes from titles alone."""
    before, after = (
        MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk_hierarchical(TEXT.replace("d\n", word))
        for word in ("d\n", "changed\n")
    )
    nodes = [[c.chunk_id for c in result.chunks if not c.is_leaf] for result in (before, after)]
    assert nodes[0] == nodes[1]
