"""Sections whose own text lies before, between and after their subsections; brackets; traits."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, Chunker, Context, HierarchyBuilder, Source, TocEntry
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
LONG = """\
shop {
  price {
    first = of all statements
    second = of all statements
    third = of all statements
  }
}
"""


def texts(text: str, size: int, kind: Format = NESTED, minimum: int | None = None) -> list[str]:
    """Return the contents of the leaves of a text."""
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=minimum)
    chunker = Chunker(config, formats=[kind])
    return [chunk.content for chunk in chunker.chunk(text, "nested")]


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
        [(0, 0)],
        [(2, 1)],
        [(-1, 2)],
        [(0, 5)],
        [(0, 2), (1, 3)],
        [(2, 3), (0, 1)],
        [(0, 3), (1, 2), (0, 1)],
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
    assert [(block.depth, block.kind) for block in document.blocks][:3] == [
        (0, BlockKind.CODE), (1, BlockKind.CODE), (1, BlockKind.CODE)
    ]  # fmt: skip
    assert [document.text[b.start : b.end] for b in document.code] == ["call\n|one\n|two\n", "x\n"]
    assert document.analysis.code_ratio == 1
    assert content_counts(document.top) == [0, 1, 2]


# Drafts, merging and splitting


def test_each_run_is_a_chunk_in_order() -> None:
    """Own text is a chunk where it stands; a closing bracket goes with what is before it."""
    chunks = Chunker(ChunkConfig(max_chunk_size=60, min_chunk_size=0), formats=[NESTED]).chunk(
        SHOP, "nested"
    )
    assert [(c.section.level, c.section.path, c.text) for c in chunks] == [
        (0, (), "use bread\nuse butter"),
        (1, ("shop",), "# What is sold.\nshop {\n  open = 9"),
        (2, ("shop", "price"), "  price {\n    return weight * rate + tax\n  }"),
        (1, ("shop",), "  between = 1"),
        (2, ("shop", "weigh"), "  weigh {\n    return on the scales\n  }\n}"),
        (0, (), "tail = 2"),
    ]
    result = Chunker(ChunkConfig(max_chunk_size=60, min_chunk_size=0), formats=[NESTED])
    tree = result.chunk_hierarchical(SHOP, "nested")
    assert [chunk.header_moved_from_id for chunk in chunks] == [None] * 6
    (node,) = tree.get_by_level(1)
    assert [c.chunk_index for c in tree.get_children(node.chunk_id)] == [1, 2, 3, 4]
    assert node.content == "shop {\n  open = 9"
    assert {c.content_type for c in chunks} == {"code"}
    assert {c.header_path for c in chunks} == {"/", "/shop", "/shop/price", "/shop/weigh"}
    assert tree.toc()[0] == TocEntry(1, "shop", "", 5, ("shop",), 4)


def test_the_only_section_is_no_title() -> None:
    """The document is called nothing, and its root shows no section's line."""
    config = ChunkConfig(include_document_summary=False)
    result = Chunker(config, formats=[NESTED]).chunk_hierarchical(SHOP, "nested")
    root = result.chunks[0]
    assert (result.title, root.title, root.content) == ("", "Document", "# Document")
    assert (root.start_line, root.end_line) == (1, 1)


def test_what_fits_of_a_section_is_one_chunk() -> None:
    """Also where its parts are not small; the document itself is no section."""
    shop = SHOP[SHOP.index("#") : SHOP.index("tail")].rstrip()
    assert texts(SHOP, len(shop), minimum=0) == [
        "use bread\nuse butter", shop, "tail = 2"
    ]  # fmt: skip
    assert len(texts(SHOP, len(shop) - 1, minimum=0)) > 3


def test_neighbours_are_merged_as_far_as_they_fit_where_the_format_says_so() -> None:
    assert texts(SHOP, 1000, PACKED, minimum=0) == [SHOP.rstrip()]
    price = "  price {\n    return weight * rate + tax\n  }\n  between = 1"
    assert price in texts(SHOP, 60, PACKED, minimum=0)
    assert price not in texts(SHOP, 60, NESTED, minimum=0)


def test_small_neighbours_are_merged_without_a_boundary() -> None:
    """The boundary is of headings."""
    text = "a {\n  x\n}\nb {\n  y\n}\n"
    assert texts(text, 100) == [text.rstrip()]


def test_merged_chunks_have_level_and_path_of_all_that_is_in_them() -> None:
    """A signature counts without a body of its own, a bracket does not."""
    (chunk,) = Chunker(formats=[NESTED]).chunk(
        "a {\n  b {\n    c {\n      x\n    }\n  }\n}\n", "nested"
    )
    assert (chunk.section.level, chunk.section.path) == (1, ("a", "b", "c"))
    (chunk,) = Chunker(formats=[NESTED]).chunk("use x\na {\n  y\n}\n", "nested")
    assert (chunk.section.level, chunk.section.path) == (0, ("a",))


def test_a_continuing_part_repeats_its_signature_without_what_leads_to_it() -> None:
    """The signature alone, indented as it is in the source."""
    text = LONG.replace("  price", "  # About\n  price")
    assert texts(text, 80) == [
        "shop {\n  # About\n  price {\n    first = of all statements",
        "shop {\n\n  price {\n\n    second = of all statements",
        "shop {\n\n  price {\n\n    third = of all statements\n  }\n}",
    ]


AROUND = """\
shop {
  # About
  price {
    sum {
      return one
    }
    rest = {FIRST}
    more = {SECOND}
  }
}
"""


@pytest.mark.parametrize(
    ("first", "size", "expected"),
    [
        ("1", 60, ["  price {\n\n    rest = 1\n    more = 2\n  }\n}"]),
        ("1" * 20, 61, [f"  price {{\n\n    rest = {'1' * 20}\n    more = 2\n  }}\n}}"]),
        (
            "1" * 28,
            60,
            [f"  price {{\n\n    rest = {'1' * 28}", "  price {\n\n    more = 2\n  }\n}"],
        ),
    ],
)
def test_own_text_after_a_subsection_repeats_its_signature(
    first: str, size: int, expected: list[str]
) -> None:
    """Whole or in parts, without what leads to it, if it fits beside the text."""
    text = AROUND.replace("{FIRST}", first).replace("{SECOND}", "2")
    assert texts(text, size, minimum=0)[-len(expected) :] == expected


def test_a_signature_over_a_third_of_the_limit_is_not_repeated() -> None:
    text = AROUND.replace("price", "p" * 16).replace("{FIRST}", "1").replace("{SECOND}", "2")
    assert [f"{'p' * 16} {{\n\n" in texts(text, size, minimum=0)[-1] for size in (59, 60)] == [0, 1]


def test_each_part_of_a_draft_repeats_the_signature_of_what_it_continues() -> None:
    """Not that of another section, whose opening lines stand at the start of the draft."""
    text = "shop {\n  price {\n    x = 1\n  }\n  open = 9\n  late = 8\n}\n"
    whole = Draft(0, len(document_of(text).top))
    document = document_of(text)
    sizes = DocumentSizes(document, Sizer(len, 60))
    stacks = [
        [stack.text for stack in header_stacks(sizes, repeated_headings(document, whole, section))]
        for section in document.sections[1:]
    ]
    assert stacks == [["shop {\n\n"], ["shop {\n  price {\n\n", "  price {\n\n"]]


@pytest.mark.parametrize("size", range(32, 64))
def test_brackets_never_stand_alone(size: int) -> None:
    """What they are joined with is divided for that, if need be."""
    for text in ("a {\n  " + "x" * 40 + "\n}", "a {\n  y\n  b {\n" + "word " * 8 + "\n  }\n}"):
        config = ChunkConfig(max_chunk_size=size)
        for chunk in Chunker(config, formats=[NESTED]).chunk(text, "nested"):
            assert chunk.text.strip("} \n")


def test_a_bracket_that_nothing_is_before() -> None:
    """It is a chunk where nothing else is."""
    blocks = [Block(BlockKind.BRACKET, 0, 0, 2, 0, 1)]
    closed = Format(
        "closed",
        lambda text: Document.of_sections(Source.of(text), blocks, (), FormatTraits("closed")),
    )
    (chunk,) = Chunker(formats=[closed]).chunk("}\n", "closed")
    assert (chunk.text, chunk.indexable) == ("}", False)


def test_a_bracket_after_an_atom_that_does_not_fit() -> None:
    """The atom is by itself; what is over the limit holds nothing else."""
    text = "```\n" + "x\n" * 30 + "```\n}\n"
    blocks = [
        Block(BlockKind.FENCED_CODE, 0, 0, len(text) - 2, 0, 1),
        Block(BlockKind.BRACKET, 0, len(text) - 2, len(text), 1, 2),
    ]
    fenced = Format(
        "fenced",
        lambda text: Document.of_sections(Source.of(text), blocks, (), FormatTraits("fenced")),
    )
    chunks = Chunker(ChunkConfig(max_chunk_size=32), formats=[fenced]).chunk(text, "fenced")
    assert [(chunk.text, chunk.oversize_reason) for chunk in chunks] == [
        (text[:-3], "code_block_integrity"), ("}", None)
    ]  # fmt: skip


def test_a_section_that_begins_with_a_subsection() -> None:
    """Its node says how that begins; both begin where the chunk does."""
    sections = [SectionRange("a", 1, "", 0, 2), SectionRange("b", 2, "", 0, 1)]
    blocks = [_block(0, 20), _block(20, 40, 1, 2)]
    bare = Format(
        "bare",
        lambda text: Document.of_sections(Source.of(text), blocks, sections, FormatTraits("bare")),
    )
    config = ChunkConfig(max_chunk_size=32)
    text = "x" * 19 + "\n" + "y" * 19 + "\n"
    result = Chunker(config, formats=[bare]).chunk_hierarchical(text, "bare")
    _, node, first, second = result.chunks
    assert (node.section.path, node.content) == (("a",), "x" * 19)
    assert (first.section.path, first.title, first.section_tags) == (("a", "b"), "a", ("b",))
    assert (second.section.path, second.section_tags) == (("a",), ())


def test_a_long_run_of_brackets_is_divided_too() -> None:
    """In no room for them beside what is before, they stand alone."""
    text = "a {\n" * 30 + "x\n" + "}\n" * 30
    assert "".join("".join(texts(text, 32)).split()).count("}") == 30


def test_a_definition_without_a_body_is_carried() -> None:
    """To what follows under the same parent, as headings are; the last one stays."""
    empty, full = "a {\n}", "b {\n  x = 1\n}"
    assert texts(f"{empty}\n{full}\n", 100, minimum=0) == [f"{empty}\n{full}"]
    assert texts(f"{full}\n{empty}\n", 100, minimum=0) == [full, empty]


def test_a_draft_that_ends_with_a_bracket_ends_with_no_heading() -> None:
    """A definition without a body that was merged stays where it is."""
    text = "s {\n  x\n  a {\n  }\n}"
    assert texts(f"{text}\n{'y' * 30}", 32) == [text, "y" * 30]


def test_statements_are_opened_into_what_they_hold_then_into_lines() -> None:
    """A statement with blocks in it is parted between these; one without, at a blank line."""
    text = "call\n|" + "a" * 20 + "\n|" + "b" * 20 + "\n"
    assert texts(text, 32) == ["call\n|" + "a" * 20, "|" + "b" * 20]
    lines = "x = 1\ny = 2\n\nz = 3\nw = 4444444444444444"
    whole = Format(
        "whole",
        lambda text: Document.of_sections(
            Source.of(text),
            [Block(BlockKind.CODE, 0, 0, len(text), 0, 1)],
            (),
            FormatTraits("whole"),
        ),
    )
    chunks = Chunker(ChunkConfig(max_chunk_size=32), formats=[whole]).chunk(lines, "whole")
    assert [c.text for c in chunks] == ["x = 1\ny = 2", "z = 3\nw = 4444444444444444"]


def test_what_looks_like_a_fence_is_not_closed() -> None:
    """Contents of formats without markup have nothing added."""
    text = "a {\n  ``` sh\n" + "  x = 1\n" * 20 + "  ```\n}\n"
    assert all(content in text for content in texts(text, 60) if "a {\n\n" not in content)


def test_contexts_have_paths_and_no_introduction() -> None:
    chunker = Chunker(ChunkConfig(max_chunk_size=120), Context(), formats=[NESTED])
    chunks = chunker.chunk(LONG.replace("first =", "The first of all statements says:"), "nested")
    assert {chunk.context for chunk in chunks} == {"shop > price"}


def test_trees_are_built_again_from_chunks() -> None:
    """The chunks say of which format they are."""
    config = ChunkConfig(max_chunk_size=60)
    result = Chunker(config, formats=[NESTED]).chunk_hierarchical(SHOP, "nested")
    again = HierarchyBuilder(config=config, formats=[NESTED]).build(result.chunks, SHOP)
    assert again.chunks == result.chunks
    assert again.format == "nested"
