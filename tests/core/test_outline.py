"""The outline: sections, anchors, and level and path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import (
    ChunkConfig,
    SectionPath,
    Span,
    TocEntry,
    chunk_hierarchical,
    find_common_prefix,
    is_parent_child,
    merge_sections,
)
from chunkana_core.document.outline import common_ancestor
from chunkana_core.document.paths import Path
from chunkana_core.formats.markdown.parser import parse_markdown

LEVELS = st.lists(st.integers(1, 6), max_size=14)


@given(LEVELS)
def test_sections_nest_by_level(levels: list[int]) -> None:
    """A section ends at the next heading of its level or a higher one; its parent holds it."""
    document = parse_markdown("".join(f"{'#' * n} H{i}\n\nx\n\n" for i, n in enumerate(levels)))
    found = document.sections
    assert [s.level for s in found[1:]] == levels
    assert (found[0].level, found[0].path, found[0].parent) == (0, (), -1)
    for section in found[1:]:
        after = [s.first for s in found[section.index + 1 :] if s.level <= section.level]
        assert section.stop == (after[0] if after else len(document.top))
        following = [s.first for s in found[section.index + 1 :]]
        assert section.own_stop == (following[0] if following else len(document.top))
        parent = found[section.parent]
        assert parent.first <= section.first
        assert section.stop <= parent.stop
        assert parent.level < section.level
        assert section.path == (*parent.path, section.title)
        assert section.has_body
        assert section.has_subsections == any(s.parent == section.index for s in found)


@given(LEVELS.filter(bool), st.data())
def test_common_ancestor_holds_both(levels: list[int], data: st.DataObject) -> None:
    document = parse_markdown("".join(f"{'#' * n} H\n\nx\n\n" for n in levels))
    index = st.integers(0, len(levels))
    first, second = data.draw(index), data.draw(index)

    def around(section: int) -> list[int]:
        found = [section]
        while found[-1]:
            found.append(document.sections[found[-1]].parent)
        return found

    expected = next(s for s in around(first) if s in around(second))
    assert common_ancestor(document.sections, first, second) == expected


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Getting Started", "getting-started"),
        ("C++ & Rust!", "c--rust"),
        ("`code` in *title*", "code-in-title"),
        ("Über uns", "über-uns"),
        ("数据 说明", "数据-说明"),
        ("snake_case-and-dash", "snake_case-and-dash"),
        ("1. First: step", "1-first-step"),
        ("a/b", "ab"),
        ("🚀 Launch", "-launch"),
    ],
)
def test_anchors_are_slugs_as_github_makes_them(title: str, anchor: str) -> None:
    """Anchors are in lower case, with dashes for spaces and without other punctuation."""
    assert chunk_hierarchical(f"# {title}\n\nx\n").toc()[0].anchor == anchor


def test_anchors_are_unique() -> None:
    """What repeats is numbered, and never meets a title that is numbered itself."""
    text = "# A\n\n## B\n\n## B\n\n## B-1\n\n## B\n\n# \n\n# \n"
    anchors = [entry.anchor for entry in chunk_hierarchical(text).toc()]
    assert anchors == ["a", "b", "b-1", "b-1-1", "b-2", "", "-1"]
    assert len(set(anchors)) == len(anchors)


def test_toc_lists_every_heading() -> None:
    """The table of contents is that of the outline, whatever the chunks are."""
    text = "Text.\n\n# A\n\n## B *b*\n\n- # no\n\nC\n-\n"
    result = chunk_hierarchical(text, ChunkConfig(min_chunk_size=0))
    a, _, b, c = [chunk.section_id for chunk in result.chunks]
    assert result.toc() == [
        TocEntry(1, "A", "a", 3, ("A",), 3, 10, a),
        TocEntry(2, "B b", "b-b", 5, ("A", "B b"), 5, 7, b),
        TocEntry(2, "C", "c", 9, ("A", "C"), 9, 10, c),
    ]


PATHS = st.lists(st.sampled_from("AB"), max_size=3).map(tuple)
SECTIONS = st.lists(st.builds(SectionPath, st.integers(0, 6), PATHS), min_size=1, max_size=5)


@given(SECTIONS, st.randoms())
def test_merging_does_not_depend_on_the_order(merged: list[SectionPath], random: object) -> None:
    """Level and path of a chunk of several sections are folded over all of them at once."""
    shuffled = [*merged]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    whole = merge_sections(merged)
    assert merge_sections(shuffled) == whole
    assert whole.level == min(section.level for section in merged)
    paths = [section.path for section in merged]
    deepest = max(paths, key=len)
    if all(deepest[: len(path)] == path for path in paths):
        assert whole.path == deepest
    else:
        common = paths[0]
        for path in paths[1:]:
            common = find_common_prefix(common, path)
        assert whole.path == common


@pytest.mark.parametrize(
    ("parent", "child", "is_parent", "common"),
    [
        (SectionPath(1, ("A",)), SectionPath(3, ("A", "B")), True, ("A",)),
        (SectionPath(3, ("A", "B")), SectionPath(1, ("A",)), False, ("A",)),
        (("A", "B"), ("A", "B", "C", "D"), True, ("A", "B")),
        (("A", "B"), ("A", "C", "B", "D"), False, ("A",)),
        (("A", "B"), ("B",), False, ()),
        ((), ("A",), True, ()),
        ((), (), False, ()),
    ],
)
def test_paths_are_compared(parent: Path, child: Path, common: Path, *, is_parent: bool) -> None:
    """Paths tell parents, be they tuples or part of a chunk's section."""
    assert is_parent_child(parent, child) is is_parent
    assert find_common_prefix(parent, child) == common


def test_blocks_are_found_by_offset() -> None:
    """The last block that starts by an offset, and the blocks whose tiles a span touches."""
    document = parse_markdown("\n\n- a\n\n  b\n\n# c\n\nd")
    kinds = [document.block_at(offset).kind.value for offset in (0, 2, 7, 12, 17)]
    assert kinds == ["list", "paragraph", "paragraph", "heading", "paragraph"]
    spans = [(0, 1), (0, 12), (3, 13), (12, 18), (17, 18)]
    assert [[*document.positions(Span(*span))] for span in spans] == [[0], [0], [0, 1], [1, 2], [2]]
    assert [document.start_of(position) for position in range(4)] == [0, 12, 17, 18]


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(ValueError, match="sections is empty; allowed: one section or more"):
        merge_sections([])
