"""Titles and anchors of headings: attributes, anchors and comments before them, long titles."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker, chunk_hierarchical
from chunkana_core.extending import BlockKind
from chunkana_core.formats.markdown.parser import parse_markdown

LONG = "word " * 100


def heading(text: str) -> tuple[str, str]:
    """Return title and anchor of a text's only heading."""
    (entry,) = chunk_hierarchical(text).toc()
    return entry.title, entry.anchor


# Attributes


@pytest.mark.parametrize(
    ("markup", "title", "anchor"),
    [
        ("Tea {#leaf}", "Tea", "leaf"),
        ("Tea{#leaf}", "Tea", "leaf"),
        ("{#leaf}", "", "leaf"),
        ("Tea {#Leaf_1.2:x} ##", "Tea", "Leaf_1.2:x"),
        ("茶 {#茶叶}", "茶", "茶叶"),
        ("*Tea* and [pots](/u) {#leaf}", "Tea and pots", "leaf"),
        ("Tea {#leaf .hot .-very key=v other='a b' third=\"c d\"}", "Tea", "leaf"),
        ("Tea { .hot #leaf }", "Tea", "leaf"),
        ("Tea {.hot}", "Tea", "tea"),
        ("Tea {data-level=2}", "Tea", "tea"),
        ("Tea {/* #leaf */}", "Tea", "leaf"),
        ("Tea {#}", "Tea {#}", "tea-"),
        ("Tea {}", "Tea {}", "tea-"),
        ("Tea { }", "Tea { }", "tea--"),
        ("Tea {#a b}", "Tea {#a b}", "tea-a-b"),
        ("Tea {#a#b}", "Tea {#a#b}", "tea-ab"),
        ("Tea {#a}}", "Tea {#a}}", "tea-a"),
        ("Tea {leaf}", "Tea {leaf}", "tea-leaf"),
        ("Tea {.5}", "Tea {.5}", "tea-5"),
        ("Tea {=5}", "Tea {=5}", "tea-5"),
        ("Tea {/* leaf */}", "Tea {/* leaf */}", "tea--leaf-"),
        ("Tea {{< leaf >}}", "Tea {{< leaf >}}", "tea--leaf-"),
        (r"Tea \{#leaf}", "Tea {#leaf}", "tea-leaf"),
        ("Tea {#leaf} pot", "Tea {#leaf} pot", "tea-leaf-pot"),
        ("`Tea {#leaf}`", "Tea {#leaf}", "tea-leaf"),
        ("#leaf}", "#leaf}", "leaf"),
        ('Tea `<a id="leaf">`', 'Tea <a id="leaf">', "tea-a-idleaf"),
    ],
)
def test_attributes_are_no_part_of_a_title(markup: str, title: str, anchor: str) -> None:
    """Braces of nothing but attributes end a heading; their id is its anchor."""
    assert heading(f"# {markup}\n\nText.\n") == (title, anchor)
    if markup.strip("# "):
        assert heading(f"{markup.removesuffix(' ##')}\n---\n\nText.\n") == (title, anchor)


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ('# Tea <a id="leaf"></a>\n', "leaf"),
        ("# <a name='leaf'></a>Tea\n", "leaf"),
        ('<a id="leaf"></a>\nTea\n===\n', "leaf"),
        ('# Tea <a class="x" ID=leaf>\n', "leaf"),
        ('# Tea <a id="leaf"></a><a id="other"></a>\n', "leaf"),
        ('<a id="far"></a>\n\n# Tea <a id="leaf"></a>\n', "leaf"),
        ('<a id="far"></a>\n\n# Tea {#leaf}\n', "leaf"),
        ('# Tea <a href="#leaf"></a>\n', "tea-"),
        ('# Tea <b id="leaf"></b>\n', "tea-"),
    ],
)
def test_anchors_in_a_heading(text: str, anchor: str) -> None:
    """An anchor in a heading is the heading's own, and stands before those around it."""
    assert heading(text) == ("Tea", anchor.rstrip("-"))


def test_given_anchors_are_kept_and_others_avoid_them() -> None:
    """An id stays as it is written, even twice; slugs are numbered around all of them."""
    text = "# Tea\n\n# Pot {#tea}\n\n# Tea\n\n# Cup {#tea-2}\n\n# Tea\n\n# Lid {#tea}\n"
    anchors = [entry.anchor for entry in chunk_hierarchical(text).toc()]
    assert anchors == ["tea-1", "tea", "tea-3", "tea-2", "tea-4", "tea"]


# Anchors and comments before a heading


@pytest.mark.parametrize(
    ("lead", "anchor"),
    [
        ('<a id="leaf"></a>\n', "leaf"),
        ('<a id="leaf"></a>\n\n', "leaf"),
        ('<a id="leaf"/>\n\n', "leaf"),
        ("<a name=leaf></a> <a\n  id='pot'></a>\n\n", "pot"),
        ("<!-- a note -->\n", "tea"),
        ("<!-- a note -->\n\n\n<a id='leaf'></a>\n\n", "leaf"),
        ("<a id='leaf'></a>\n\n<!--\n\n<a id='x'></a> a note\n-->\n\n", "leaf"),
        ("<a id='far'></a>\n\n<a id='leaf'></a>\n\n", "leaf"),
        ("<a id=''></a>\n\n", "tea"),
    ],
)
@pytest.mark.parametrize("markup", ["## Tea\n", "Tea\n---\n"])
def test_anchors_and_comments_are_part_of_the_heading_after_them(
    lead: str, anchor: str, markup: str
) -> None:
    """Blocks of anchors and comments belong to the heading below, whose anchor the last id is."""
    if markup.startswith("Tea") and not lead.endswith(("\n\n", "-->\n")):
        lead += "\n"
    document = parse_markdown(f"Text.\n\n{lead}{markup}\nMore.\n")
    _, block, _ = document.top
    assert (block.kind, block.start, block.lead) == (BlockKind.HEADING, 7, len(lead))
    assert document.sections[1].anchor == anchor
    assert document.sections[1].level == 2


@pytest.mark.parametrize(
    "before",
    [
        "<a id='leaf'>Text</a>\n\n",
        "<a href='/leaf'></a>\n\n",
        "<a data-id='leaf'></a>\n\n",
        "<img id='leaf'>\n\n",
        "<!-- a note --> text\n\n",
        "<!-- a note never closed\n\n",
        "> <a id='leaf'></a>\n\n",
        "- <a id='leaf'></a>\n\n",
        "```\n<a id='leaf'></a>\n```\n\n",
        "\u3000\n\n",
        f"<!-- {LONG} -->\n\n",
    ],
)
def test_other_blocks_are_no_part_of_the_heading_after_them(before: str) -> None:
    """Links, text, containers and long comments stay what they are."""
    headings = [b for b in parse_markdown(f"{before}## Tea\n").top if b.kind is BlockKind.HEADING]
    assert [block.lead for block in headings] == [0] * len(headings)
    assert all(not block.anchor for block in headings)


def test_nodes_begin_with_their_heading() -> None:
    """What a section's node says starts with the heading, not with what stands before it."""
    text = (
        '# Guide\n\n<a id="leaf"></a>\n\n## Tea\n\nText.\n\n### Pot\n\nMore.\n\n### Cup\n\nMore.\n'
    )
    result = chunk_hierarchical(text, ChunkConfig(max_chunk_size=60, min_chunk_size=0))
    node = next(chunk for chunk in result.chunks if chunk.content_type == "section")
    assert (node.content, node.start_line, node.end_line) == ("## Tea\n\nText.", 5, 7)


# The document's title


@pytest.mark.parametrize(
    ("text", "title", "name"),
    [
        ("# Tea\n\nx\n", "Tea", "Tea"),
        ("## Pot\n\nx\n\n# Tea\n\nx\n", "Tea", "Tea"),
        ("---\ntitle: T\n---\n\n<h1>H</h1>\n\n# Tea\n\nx\n", "Tea", "Tea"),
        ("---\ntitle: T\n---\n\n<h1>H</h1>\n\n#\n\nx\n", "T", "T"),
        ("---\nTITLE: T\n---\n\n# Tea\n\nx\n\n# Pot\n", "T", "T"),
        (
            "<h1 align='center'>T &amp; <b>pots</b>\n</h1>\n\n# Tea\n\n# Pot\n",
            "T & pots",
            "T & pots",
        ),
        ("<p>x</p>\n\n<div>\n<H1>T</H1>\n</div>\n\n## Tea\n", "T", "T"),
        ("<!-- <h1>no</h1> -->\n\n<h1>\n\n<h1></h1>\n\n## Tea\n", "", "Document"),
        ("## Tea\n\n<h1>T</h1>\n", "", "Document"),
        ("> <h1>T</h1>\n\n```\n<h1>T</h1>\n```\n", "", "Document"),
        ("#\n\nx\n\n# Tea\n\n# Pot\n", "", "Tea"),
        ("> # Tea\n", "", "Document"),
        ("x\n", "", "Document"),
    ],
)
def test_titles_of_documents_and_their_roots(text: str, title: str, name: str) -> None:
    """Title is the sole H1, else that of front matter, else an HTML one; a root needs a name."""
    result = chunk_hierarchical(text)
    assert (result.title, result.chunks[0].title) == (title, name)


@pytest.mark.parametrize(
    ("text", "content", "lines", "title_lines"),
    [
        ("# Tea\n\nHot.\n\n## Pot\n\nx\n", "# Tea\n\nHot.", (1, 3), (1, 1)),
        ("# Tea\n\n## Pot\n\nx\n", "# Tea\n\n## Pot\n\nx", (1, 5), (1, 1)),
        ("Hot.\n\nTea\n\n# Tea\n\nx\n", "# Tea\n\nHot.\n\nTea", (1, 5), (5, 5)),
        ("## Pot\n\nx\n\n# Tea\n", "# Tea\n\n## Pot\n\nx\n\n# Tea", (1, 5), (5, 5)),
        ("x\n\n# Tea\n\n# Pot\n", "x", (1, 1), (1, 1)),
        ("# Tea\n\nx\n\n# Pot\n", "# Tea\n\nx\n\n# Pot", (1, 5), (1, 1)),
        ("---\ntitle: Tea\n---\n\nHot.\n\n## Pot\n\nx\n", "# Tea\n\nHot.", (5, 5), (1, 1)),
        ("---\ntitle: Tea\n---\n\n## Pot\n", "# Tea\n\n## Pot", (5, 5), (1, 1)),
        ("---\ntitle: Tea\n---\n\n# *Tea*\n\n# Pot\n", "# *Tea*\n\n# Pot", (5, 7), (1, 1)),
        ("<h1>Tea</h1>\n\nHot.\n\n## Pot\n", "<h1>Tea</h1>\n\nHot.", (1, 3), (1, 1)),
        ("<p>x</p>\n\n<h1>T</h1>\n\n## Pot\n", "# T\n\n<p>x</p>\n\n<h1>T</h1>", (1, 3), (1, 1)),
        ("\n\nTwo\nlines\n===\n\n## B\n\nb\n", "# Two lines\n\n## B\n\nb", (3, 9), (3, 5)),
        ("only\ntext\n", "only\ntext", (1, 2), (1, 1)),
    ],
)
def test_a_root_says_its_title_once(
    text: str, content: str, lines: tuple[int, int], title_lines: tuple[int, int]
) -> None:
    """Above its summary, if any, unless that starts with it; the lines are those of both."""
    root = chunk_hierarchical(text).chunks[0]
    assert (root.content, root.start_line, root.end_line) == (content, *lines)
    config = ChunkConfig(include_document_summary=False)
    alone = chunk_hierarchical(text, config).chunks[0]
    assert (alone.content, alone.start_line, alone.end_line) == (f"# {root.title}", *title_lines)


def test_without_a_title_nothing_is_embedded_in_its_place() -> None:
    """No chunk says "Document", nor a heading that it is not under."""
    text = "x\n\n# Tea\n\nx\n\n# Pot\n\nx\n\n## Lid\n\nx\n"
    chunker = MarkdownChunker(ChunkConfig(min_chunk_size=0), Context())
    contexts = [chunk.context for chunk in chunker.chunk(text)]
    assert contexts == ["", "Tea", "Pot", "Pot > Lid"]
    assert [chunk.context for chunk in chunker.chunk("x\n")] == [""]


# Long titles


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("w" * 200, "w" * 200),
        ("w" * 201, "w" * 199 + "…"),
        (LONG, "word " * 39 + "word…"),
        ("A " + "w" * 300, "A " + "w" * 197 + "…"),
    ],
)
@pytest.mark.parametrize("markup", ["# {}\n\nText.\n", "---\ntitle: {!r}\n---\n\nText.\n"])
def test_long_titles_are_cut_at_a_word(title: str, shown: str, markup: str) -> None:
    """A title has two hundred characters at most, wherever it is said but in the content."""
    result = chunk_hierarchical(markup.format(title))
    assert result.title == result.chunks[0].title == shown
    assert title in "".join(chunk.text for chunk in result.get_leaves())


def test_paths_do_not_grow_with_a_heading() -> None:
    """What stands under a long heading says of it what is shown of it."""
    chunker = MarkdownChunker(ChunkConfig(), Context())
    result = chunker.chunk_hierarchical(f"# {LONG}\n\n## Tea\n\nText.\n")
    leaf = result.get_leaves()[-1]
    assert leaf.section.path == result.toc()[-1].path == (f"{'word ' * 39}word…", "Tea")
    assert leaf.context == f"{'word ' * 39}word… > Tea"
