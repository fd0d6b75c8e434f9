"""Own text before, between and after subsections, and brackets; examples are in `data/cases`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chunkana_core import Chunk, ChunkConfig, Chunker, Context, Source, TocEntry
from chunkana_core.document.blocks import content_counts
from chunkana_core.document.outline import outline_of
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import header_stacks, repeated_headings
from chunkana_core.extending import (
    Block,
    BlockKind,
    Document,
    ExtensionError,
    Format,
    FormatTraits,
    SectionRange,
)
from chunkana_core.sizing import Sizer
from tests.core.nested import NESTED, PACKED, document_of

SHOP = """\
use bread
use butter

# What is sold.
shop {
  open = 9
  price {
    return weight * rate + tax
  }
  between = 1
  weigh {
    return on the scales
  }
}
tail = 2
"""


def texts(text: str, size: int, kind: Format = NESTED, minimum: int | None = None) -> list[str]:
    """Return the contents of the leaves of a text."""
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=minimum)
    chunker = Chunker(config, formats=[kind])
    return [chunk.content for chunk in chunker.chunk(text, "nested")]


def chunk_blocks(
    text: str,
    blocks: Sequence[tuple[BlockKind, int, int]],
    sections: Sequence[SectionRange] = (),
) -> list[Chunk]:
    """Return the tree of a text that a format divides into these blocks, at a limit of 32."""
    made = [Block(kind, 0, a, b, n, n + 1) for n, (kind, a, b) in enumerate(blocks)]
    traits = FormatTraits("made")
    kind = Format(
        "made", lambda text: Document.of_sections(Source.of(text), made, sections, traits)
    )
    chunker = Chunker(ChunkConfig(max_chunk_size=32), formats=[kind])
    return [*chunker.chunk_hierarchical(text, "made").chunks[1:]]


# Documents of sections


def test_own_runs_are_before_between_and_after_subsections() -> None:
    """The runs tile the document, each of the innermost section around it."""
    document = document_of(SHOP)
    found = [(run.first, run.stop, run.section.title) for run in document.runs(0, 13)]
    assert found == [
        (0, 2, ""),
        (2, 4, "shop"),
        (4, 7, "price"),
        (7, 8, "shop"),
        (8, 11, "weigh"),
        (11, 12, "shop"),
        (12, 13, ""),
    ]
    owners = [run.section for run in document.runs(0, 13) for _ in range(run.first, run.stop)]
    assert [document.section_at(position) for position in range(13)] == owners


def test_sections_of_ranges() -> None:
    """They have level, path, kind, and a body where their own text has content."""
    document = document_of("a {\n  b {\n    x\n  }\n  y\n}\nc {\n  d {\n    z\n  }\n}\n")
    found = [(s.level, s.path, s.kind, s.has_body, s.parent) for s in document.sections]
    assert found == [
        (0, (), "", False, -1),
        (1, ("a",), "block", True, 0),
        (2, ("a", "b"), "block", True, 1),
        (1, ("c",), "block", False, 0),
        (2, ("c", "d"), "block", True, 3),
    ]
    assert [(s.first, s.own_stop, s.stop) for s in document.sections[1:3]] == [(0, 1, 6), (1, 4, 4)]
    assert (document.title, document.is_titled, document.folded) == ("Document", False, 0)


@pytest.mark.parametrize(
    "ranges",
    [
        *([(0, 0)], [(2, 1)], [(-1, 2)], [(0, 5)]),
        *([(0, 2), (1, 3)], [(2, 3), (0, 1)], [(0, 3), (1, 2), (0, 1)]),
    ],
)
def test_ranges_that_do_not_nest_are_errors(ranges: list[tuple[int, int]]) -> None:
    """A range is inside those around it, after those before it, and not empty."""
    given = [SectionRange("a", 1, "", first, stop) for first, stop in ranges]
    with pytest.raises(ExtensionError, match="is empty, out of order, or not inside"):
        outline_of(given, [0, 1, 2, 3, 4])


def test_of_nested_sections_64_levels_are_kept() -> None:
    """What is deeper is the own text of the innermost."""
    ranges = [SectionRange(str(n), n, "", 0, 1) for n in range(1, 70)]
    sections, runs = outline_of(ranges, [0, 1])
    assert len(sections[-1].path) == sections[-1].level == 64
    assert [run.section for run in runs] == [sections[-1]] * 2


def _block(start: int, end: int, index: int = 0, after: int = 1, depth: int = 0) -> Block:
    return Block(BlockKind.CODE, depth, start, end, index, after)


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [_block(1, 3)],
        [_block(0, 9)],
        [_block(0, 0)],
        [_block(0, 1, index=1)],
        [_block(0, 1, after=0)],
        [_block(0, 1, after=2)],
        [_block(0, 1), _block(1, 2, 1, 2)],
        [_block(2, 3), _block(0, 1, 1, 2)],
    ],
)
def test_blocks_out_of_order_are_errors(blocks: list[Block]) -> None:
    """Blocks hold all of the text, in order, and none of them is blank."""
    with pytest.raises(ExtensionError):
        Document.of_sections(Source.of("a b"), blocks, (), FormatTraits("x"))


def test_code_in_code_is_counted_once() -> None:
    document = document_of("call\n|one\n|two\nx\n")
    assert [block.depth for block in document.blocks] == [0, 1, 1, 1, 0]
    assert [document.text[b.start : b.end] for b in document.code] == ["call\n|one\n|two\n", "x\n"]
    assert document.analysis.code_ratio == 1
    assert content_counts(document.top) == [0, 1, 2]


# Drafts, merging and splitting


def test_a_node_has_its_own_text_as_children() -> None:
    """What a section has between its subsections is beside them, under its node."""
    chunker = Chunker(ChunkConfig(max_chunk_size=60, min_chunk_size=0), formats=[NESTED])
    tree = chunker.chunk_hierarchical(SHOP, "nested")
    (node,) = tree.get_by_level(1)
    assert [c.chunk_index for c in tree.get_children(node.chunk_id)] == [1, 2, 3, 4]
    assert node.content == "shop {\n  open = 9"
    assert {chunk.header_moved_from_id for chunk in tree.chunks} == {None}
    assert tree.toc()[0] == TocEntry(1, "shop", "", 5, ("shop",), 4, 14, node.section_id)


def test_the_only_section_is_no_title() -> None:
    """The document is called nothing, and its root shows no section's line."""
    config = ChunkConfig(include_document_summary=False)
    result = Chunker(config, formats=[NESTED]).chunk_hierarchical(SHOP, "nested")
    root = result.chunks[0]
    assert (result.title, root.title, root.content) == ("", "Document", "# Document")
    assert (root.start_line, root.end_line) == (1, 1)


def test_neighbours_are_merged_as_far_as_they_fit_where_the_format_says_so() -> None:
    price = "  price {\n    return weight * rate + tax\n  }\n  between = 1"
    assert texts(SHOP, 1000, PACKED, minimum=0) == [SHOP.rstrip()]
    assert price in texts(SHOP, 60, PACKED, minimum=0)
    assert price not in texts(SHOP, 60, NESTED, minimum=0)


def test_a_statement_without_blocks_is_cut_at_a_blank_line() -> None:
    text = "x = 1\ny = 2\n\nz = 3\nw = 4444444444444444"
    chunks = chunk_blocks(text, [(BlockKind.CODE, 0, len(text))])
    assert [c.text for c in chunks] == ["x = 1\ny = 2", "z = 3\nw = 4444444444444444"]


def test_each_part_of_a_draft_repeats_the_signature_of_what_it_continues() -> None:
    """Not that of another section, whose opening lines stand at the start of the draft."""
    text = "shop {\n  price {\n    x = 1\n  }\n  open = 9\n  late = 8\n}\n"
    document = document_of(text)
    whole, sizes = Draft(0, len(document.top)), DocumentSizes(document, Sizer(len, 60))
    stacks = [
        [stack.text for stack in header_stacks(sizes, repeated_headings(document, whole, section))]
        for section in document.sections[1:]
    ]
    assert stacks == [["shop {\n\n"], ["shop {\n  price {\n\n", "  price {\n\n"]]


@pytest.mark.parametrize("size", range(32, 64, 3))
def test_brackets_never_stand_alone(size: int) -> None:
    """What they are joined with is divided for that, if need be."""
    for text in ("a {\n  " + "x" * 40 + "\n}", "a {\n  y\n  b {\n" + "word " * 8 + "\n  }\n}"):
        config = ChunkConfig(max_chunk_size=size)
        for chunk in Chunker(config, formats=[NESTED]).chunk(text, "nested"):
            assert chunk.text.strip("} \n")


def test_a_bracket_alone_is_a_chunk_that_is_not_indexable() -> None:
    (chunk,) = chunk_blocks("}\n", [(BlockKind.BRACKET, 0, 2)])
    assert (chunk.text, chunk.indexable) == ("}", False)


def test_a_bracket_after_an_atom_that_does_not_fit() -> None:
    """The atom is by itself; what is over the limit holds nothing else."""
    text = "```\n" + "x\n" * 30 + "```\n}\n"
    end = len(text) - 2
    chunks = chunk_blocks(
        text, [(BlockKind.FENCED_CODE, 0, end), (BlockKind.BRACKET, end, len(text))]
    )
    found = [(chunk.text, chunk.oversize_reason) for chunk in chunks]
    assert found == [(text[:-3], "code_block_integrity"), ("}", None)]


def test_a_section_that_begins_with_a_subsection() -> None:
    """Its node says how that begins; both begin where the chunk does."""
    sections = [SectionRange("a", 1, "", 0, 2), SectionRange("b", 2, "", 0, 1)]
    text = "x" * 19 + "\n" + "y" * 19 + "\n"
    blocks = [(BlockKind.CODE, 0, 20), (BlockKind.CODE, 20, 40)]
    node, first, second = chunk_blocks(text, blocks, sections)
    assert (node.section.path, node.content) == (("a",), "x" * 19)
    assert (first.section.path, first.title, first.section_tags) == (("a", "b"), "a", ("b",))
    assert (second.section.path, second.section_tags) == (("a",), ())


def test_contexts_have_paths_and_no_introduction() -> None:
    chunker = Chunker(ChunkConfig(max_chunk_size=120), Context(), formats=[NESTED])
    lines = "    The first of all statements says it:\n" * 5
    chunks = chunker.chunk(f"shop {{\n  price {{\n{lines}  }}\n}}\n", "nested")
    assert {chunk.context for chunk in chunks} == {"shop > price"}
