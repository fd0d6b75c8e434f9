"""Where a run of text belongs, by the blocks that it holds; and ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Document, MarkdownChunker, SectionPath, Span
from chunkana_core.ids import IdRegister, section_ids
from chunkana_core.placing import place, section_of

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
A, B, C, D, E = range(1, 6)


def placed(first: str, last: str) -> tuple[SectionPath, int, int | None]:
    """Return section, node and moved section of the text from one piece to another."""
    document = Document.parse(TEXT)
    span = Span(TEXT.index(first), TEXT.index(last) + len(last))
    spot = place(document, span)
    assert section_of(document, span) == spot.section(document)
    return spot.section(document), spot.node, spot.moved


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Before.", "Before.", (SectionPath(0, ()), 0, None)),
        ("# A", "a\n", (SectionPath(1, ("A",)), 0, None)),
        ("## B", "c\n", (SectionPath(2, ("A", "B", "C")), B, B)),
        ("### C", "c\n", (SectionPath(3, ("A", "B", "C")), B, None)),
        ("### C", "d\n", (SectionPath(3, ("A", "B")), B, None)),
        ("## B", "d\n", (SectionPath(2, ("A", "B")), 0, B)),
        ("d\n", "e\n", (SectionPath(2, ("A",)), 0, None)),
        ("# A", "e\n", (SectionPath(1, ("A",)), 0, B)),
        ("Before.", "e\n", (SectionPath(0, ()), 0, B)),
        ("## B", "## B", (SectionPath(2, ("A", "B")), B, None)),
        ("B\n\n### C", "d\n", (SectionPath(2, ("A", "B")), B, B)),  # from inside its heading on
    ],
)
def test_places(first: str, last: str, expected: tuple[SectionPath, int, int | None]) -> None:
    """Level and path fold over the sections with a body in it; A is folded, and so the root."""
    assert placed(first, last)[0].path == expected[0].path
    assert placed(first, last)[1:] == expected[1:]


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
