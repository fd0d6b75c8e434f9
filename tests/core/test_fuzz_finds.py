"""What fuzzing found: each broke a law, or the code, once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from chunkana_core.formats.registry import FormatSelector
from tests.core import laws
from tests.core.laws import Case, quarters, require_laws

SMALL = ChunkConfig(max_chunk_size=32, atomic_blocks="split")
WIDER = ChunkConfig(max_chunk_size=64, atomic_blocks="split")
IN_TOKENS = ChunkConfig(max_chunk_size=32, length_function=quarters)
IN_MORE_TOKENS = ChunkConfig(max_chunk_size=500, length_function=quarters)
OVERVIEW = "# Overview\n\n"
MATH = "   ###### \t #\r\n#### \r\n1. - $$x }{b} &= x 5 5$$\n"
MATH += '   *    ~~~~{.py fb"}\r\n        -->\r\n        ~~'
UNUSED = "[e]: " + "u" * 90

FINDS = {
    "an element that is opened below a marker line, before an item that is too long": (
        "::: box\n<div>\n\n1. ```\n" + "   x = 1\n" * 3 + "   ```\n2. x\n\n</div>\n\n:::",
        ChunkConfig(max_chunk_size=32),
    ),
    "a fence below a marker line that has nothing else": (
        f"{OVERVIEW * 9}- \n  \u3000\n\n  $$\n  x\n  $$\n\n",
        SMALL,
    ),
    "a fence that fits, but neither with its heading nor cut": (
        f"{OVERVIEW * 4}# Overview\n\n  ````\n  x = 1\n  ````\n\n",
        SMALL,
    ),
    "math in an item that fits alone": (
        f"{OVERVIEW * 7}___\n\n{OVERVIEW}1. 1. $$\n      x\n      $$\n\n",
        SMALL,
    ),
    "an open fence in an item": (
        f"{OVERVIEW * 8}\ufeff\n\n- - deep\n\n    ```\n    x = 1\n    x = 1\n    x = 1\n\n",
        SMALL,
    ),
    "a paragraph whose first line is a wide space": (
        f"{OVERVIEW * 4}\u3000\n\t{'> ' * 10}deep\n\n",
        ChunkConfig(max_chunk_size=32, merge_boundary_level=0),
    ),
    "headings that fill a chunk, then a definition": (
        "# # # \n## # # # # # # # # # # \n[a]: b\n- # # # ",
        SMALL,
    ),
    "a carried heading before one that fills its chunk": (
        f">\n#   ###  \r\n## C++ *and* `Rust`\r\n    \r\n{UNUSED}",
        IN_TOKENS,
    ),
    "a BOM before a fence that the root repeats": ("\ufeff```\n```", ChunkConfig()),
    "a BOM before code that the root repeats": ("\ufeff\t~~~", ChunkConfig()),
    "an indented fence line in HTML": (
        "# n a h#t\r</d>\r~~~\r---\r ```\r ~~~~~$$\r    ````\r 0\r $$\r    ````\r$$````\r2\r~~~~",
        WIDER,
    ),
    "nested items below a comment of many lines": (
        f"{OVERVIEW * 3}tide{OVERVIEW}"
        + "\n".join(f"{'  ' * level}- level {level}" for level in range(25)),
        IN_TOKENS,
    ),
    "a rest of indented code that begins with marks of quotations": (
        "## **bold** of Lantern `contcode` re-reads 2 ###\n## # #\n        >\n        >",
        SMALL,
    ),
    "indented code of nothing but marks of quotations": (f"- [\n\n      {'>' * 27}", SMALL),
    "a heading of white space": ("put/Output\r\n-\r\n\u3000\r\n   -\r\n| a | b |", SMALL),
    "headings that stay with math which cannot be cut": (
        MATH,
        WIDER,
    ),
    "code that is indented by more than fits beside its heading": (
        f"# OPTIONS\n\n{' ' * 41}permissions (run with sudo if needed)\n    -i, --ignore-errors",
        WIDER,
    ),
    "the same in less room": (f"# OPTIONS\n\n{' ' * 41}permissions (run with sudo)", SMALL),
    "code that fits below the inner one of two headings": (
        "   ###### Input/Output ###  \r\r##### &amp; more\r\n`````python\n\tgo()",
        ChunkConfig(
            max_chunk_size=64,
            atomic_blocks="split",
            min_chunk_size=0,
            min_content_after_header=0,
            merge_boundary_level=6,
            strategy="fallback",
        ),
    ),
    "a paragraph that fits below its heading but for a rounding": (
        f"# {'word ' * 243}wo\n\n{('It depends: 1 ' * 57)[:789]}",
        IN_MORE_TOKENS,
    ),
    "a footnote whose first unit alone is cut below its heading": (
        "  more\n---\n[^a]:0\n       # y \\# y 5 2 # y 5 40 # 5 41 # y\n         Us\n       > ```",
        SMALL,
    ),
    "what would be a fence at the start of a document, after a BOM": (
        "\n\ufeff```",
        ChunkConfig(validation="strict"),
    ),
    "the same, cut, and closed for those who read it alone": (
        f"{'word ' * 7}\n\ufeff- ~~~ {'b' * 40}",
        ChunkConfig(max_chunk_size=40, validation="strict"),
    ),
    "an end of HTML that looks like a fence, and leaves no room to close one": (
        f"<div>\n{'`' * 41}",
        ChunkConfig(max_chunk_size=46, validation="strict"),
    ),
    "an open fence in a footnote that ends before the quotation around it": (
        "~~~\n~~~\n>[^1]:~~~\n>\u3000",
        ChunkConfig(validation="strict"),
    ),
    "an admonition with a body of wide space, which has to be split": (
        f"!!! {'n' * 40}\n    \u3000\n",
        ChunkConfig(max_chunk_size=40, validation="strict"),
    ),
}


def test_a_heading_that_leaves_no_room_beside_a_context() -> None:
    """What is reserved takes half of the limit, so that nothing fits below the heading."""
    text = f"{OVERVIEW * 2}    x = 1\n\n{OVERVIEW}> # Overview\n>\n> Overview\n> =\n\n{OVERVIEW}"
    config = ChunkConfig(max_chunk_size=36, atomic_blocks="split", validation="strict")
    context = Context(breadcrumb=False, introduction=False, reserved="\n" * 16)
    result = MarkdownChunker(config, context).chunk_hierarchical(text)
    assert result.validation is not None
    assert {v.law for v in result.validation.warnings} == {"heading"}


def test_a_fence_is_cut_where_its_info_string_leaves_no_room() -> None:
    """Parts have fences without it, which leave room in a directive in a quote in a footnote."""
    text = f"{OVERVIEW}[^1]: # Overview\n\n    > ::: note\n    > # Overview\n"
    text += "    >   ```python\n    >   x = 1\n    >   x = 1\n    >   ```\n    > :::\n\n"
    config = ChunkConfig(max_chunk_size=64, atomic_blocks="split", merge_boundary_level=0)
    context = Context(breadcrumb=False, introduction=False, reserved="\n" * 16)
    for law in laws.ALL:
        law(Case(text, config, context=context))


# Of other formats than Markdown.
FINDS_OF_FORMATS = {
    "a bracket after a statement that is as long as may be beside a header stack": (
        "declare module'x' {t fu: string): void;\n}",
        ChunkConfig(max_chunk_size=64),
        Context(label="guide.md", reserved="title: A\n\n"),
        "typescript",
    ),
}


@pytest.mark.parametrize("name", FINDS_OF_FORMATS)
def test_laws_hold_for_find_of_format(name: str) -> None:
    """So do those of other formats."""
    pytest.importorskip("tree_sitter")
    text, config, context, kind = FINDS_OF_FORMATS[name]
    require_laws(Case(text, config, context=context, format=FormatSelector().select(kind)))


def test_a_word_like_a_fence_that_has_no_room_to_be_closed() -> None:
    """Neither beside what a framework puts before it, which the validation counts too."""
    config = ChunkConfig(max_chunk_size=32, validation="strict")
    chunks = MarkdownChunker(config, Context(reserved="\n" * 16)).chunk("a ```" + "x" * 20)
    assert [chunk.content for chunk in chunks] == ["a", "```" + "x" * 13, "x" * 7]


@pytest.mark.parametrize("name", FINDS)
@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_law_holds_for_find(name: str, law: Callable[[Case], None]) -> None:
    """The laws hold for what once broke one."""
    text, config = FINDS[name]
    law(Case(text, config))
