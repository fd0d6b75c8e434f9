"""Where a run of text belongs, by the blocks that it touches; and ids."""

from __future__ import annotations

import pytest
from hypothesis import given

from chunkana_core import ChunkConfig, MarkdownChunker, SectionPath, Span, merge_sections
from chunkana_core.document.location import Location, locate, section_path
from chunkana_core.document.outline import ROOT
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.tree.ids import IdRegister, section_ids
from tests.core.configurations import configs
from tests.strategies import any_markdown

TEXT = "Before.\n\n# A\n\na\n\n## B\n\n### C\n\nc\n\n### D\n\nd\n\n## E\n\ne\n"
A, B, C, D = range(1, 5)


def located(text: str, first: str, last: str) -> Location:
    """Return the location of the text from one piece to another."""
    document = parse_markdown(text)
    span = Span(text.index(first), text.index(last) + len(last))
    touched = document.positions(span)
    location = locate(document, span, touched.start, touched.stop)
    assert (location.first, location.stop) == (touched.start, touched.stop)
    assert section_path(document, touched.start, touched.stop) == location.section_path
    return location


def at(  # noqa: PLR0917  # the fields of one
    blocks: tuple[int, int],
    level: int,
    path: str,
    common: int,
    parent: int,
    moved: int | None = None,
    *,
    is_several: bool = False,
) -> Location:
    """Return a location, its path written as the letters of the titles."""
    return Location(*blocks, SectionPath(level, tuple(path)), common, parent, moved, is_several)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Before.", "Before.", at((0, 1), 0, "", ROOT, ROOT)),
        ("# A", "a\n", at((1, 3), 1, "A", A, ROOT)),
        ("## B", "c\n", at((3, 6), 2, "ABC", C, B, moved=B)),
        ("### C", "c\n", at((4, 6), 3, "ABC", C, B)),
        ("### C", "d\n", at((4, 8), 3, "AB", B, B, is_several=True)),
        ("## B", "d\n", at((3, 8), 2, "AB", B, ROOT, B, is_several=True)),
        ("d\n", "e\n", at((7, 10), 2, "A", A, ROOT, is_several=True)),
        ("# A", "e\n", at((1, 10), 1, "A", A, ROOT, B, is_several=True)),
        ("Before.", "e\n", at((0, 10), 0, "", ROOT, ROOT, B, is_several=True)),
        ("## B", "## B", at((3, 4), 2, "AB", B, B)),
        # of the last section its heading alone
        ("c\n", "### D", at((5, 7), 3, "ABC", C, B)),
        ("## B", "### D", at((3, 7), 2, "ABC", C, B, B)),
        ("d\n", "## E", at((7, 9), 2, "ABD", D, B)),
        # from inside its heading on
        ("B\n\n### C", "d\n", at((3, 8), 2, "AB", B, B, B, is_several=True)),
    ],
)
def test_a_run_is_located_by_the_sections_in_it(first: str, last: str, expected: Location) -> None:
    """The path is that of the sections with a body in it, the level the lowest of all headings.

    A is folded, and so the root.
    """
    assert located(TEXT, first, last) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("## B", "b\n", at((2, 4), 2, "AB", B, B)),
        ("## B", "c\n", at((2, 6), 2, "ABC", B, ROOT, is_several=True)),
        ("b\n", "c\n", at((3, 6), 2, "ABC", B, B, is_several=True)),
        ("# A", "c\n", at((0, 6), 1, "ABC", A, ROOT, is_several=True)),
        ("c\n", "d\n", at((5, 8), 2, "A", A, ROOT, is_several=True)),
        ("# A", "d\n", at((0, 8), 1, "A", A, ROOT, is_several=True)),
    ],
)
def test_text_of_a_section_and_of_one_in_it_has_the_deeper_path(
    first: str, last: str, expected: Location
) -> None:
    """The chunk is under the section that both share."""
    assert located("# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n", first, last) == expected


def test_white_space_is_nothing_left_of_a_section() -> None:
    """A node is that of a section which has leaves besides."""
    text = "# X\n\nx\n\n# A\n\n## B\n\nb\n\n \u3000 \n\n# Y\n\ny\n"
    found = [located(text, first, "b\n").parent_section for first in ("## B", "# A", " A\n")]
    assert found == [2, ROOT, 2]


def test_an_id_that_is_taken_is_not_given_out() -> None:
    """The same parts get another id each time, which is their hash hashed again."""
    one, other = IdRegister(), IdRegister()
    assert [one.new("a", "b") for _ in range(50)] == [other.new("a", "b") for _ in range(50)]
    assert len(one.taken) == 50
    assert IdRegister({IdRegister().new("a")}).new("a") != IdRegister().new("a")
    assert len(one.new("a")) == 8
    assert one.new("a", "b") not in {other.new("a", "c"), other.new("ab"), other.new("a", "b", "")}
    assert one.new("\ud800") != one.new("\udc00")


def test_section_ids() -> None:
    """A folded H1 shares the root's id; namesakes have ids of their own."""
    document = parse_markdown("# A\n\n## B\n\nx\n\n## B\n\ny\n")
    root, title, first, second = section_ids(document, IdRegister())
    assert root == title
    assert len({root, first, second}) == 3
    renamed = parse_markdown("# A\n\n## B\n\nother\n\n## C\n\ny\n")
    assert section_ids(renamed, IdRegister())[2] == first


def test_namesakes_in_one_chunk_keep_their_path() -> None:
    """Sections with one path, merged, have that path: the rule knows nothing but paths."""
    text = "## A\n\n### B\n\none\n\n### B\n\ntwo\n\n### C\n\nthree\n"
    document = parse_markdown(text)
    a, b = SectionPath(2, ("A",)), SectionPath(3, ("A", "B"))
    found = located(text, "### B", "two\n")
    assert (found.section_path, found.common_section) == (b, document.sections[1].index)
    assert located(text, "one", "three\n").section_path == SectionPath(3, a.path)
    chunk, *_ = MarkdownChunker(ChunkConfig(max_chunk_size=35, min_chunk_size=12)).chunk(text[6:])
    assert chunk.text == "### B\n\none\n\n### B\n\ntwo"
    assert chunk.section == SectionPath(3, ("B",))


@given(any_markdown(), configs())
def test_level_and_path_are_those_of_the_sections_merged(text: str, config: ChunkConfig) -> None:
    """Of a leaf of several sections they are what `merge_sections` says of those with a body."""
    document = parse_markdown(text)
    for leaf in MarkdownChunker(config).chunk(text):
        touched = document.positions(leaf.span)
        sections = {document.section_at(n).index: document.section_at(n) for n in touched}
        bodies = {document.section_at(n).index for n in touched if document.has_content(n, n + 1)}
        merged = merge_sections([sections[n].section_path for n in bodies or sections])
        assert leaf.section.path == merged.path
        titled = [s.level for i, s in sections.items() if i not in (ROOT, document.folded)]
        assert leaf.section.level == min(titled, default=merged.level)
