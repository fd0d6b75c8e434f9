"""What is embedded: all that a reader sees of a document, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given

from chunkana_core import ChunkConfig, MarkdownChunker
from chunkana_core.text.markup import has_text
from tests import strategies
from tests.core.stock import stock_blocks, top

UNREAD = [
    "<a id='x'></a>",
    '<a name="x">\n</a>',
    "<!-- a comment -->",
    "<!-- one\n\nand - -- more -->\n<!-- two -->",
    "{/* a comment of MDX */}",
    "<!-- an open comment",
    "<div>\n<br/>\n</div>",
    "<p>&nbsp;</p>",
    "<img src='a.png' alt=''>",
    "[a]: /a\n[b]: /b",
    "---\ntitle: T\n---",
    "* * *",
    "import A from '@a/b'",
    'import { A, B as C } from "a";\nimport * as D from "d";\n\nimport "./a.css"',
    "import A from 'a'\nexport const b = { a: 1 }",
    "export default function page() {\n  return 1\n}",
    "export default A;",
    "export * from 'a'",
    "import A from 'a'\n\n<!-- a comment -->\n\n[a]: /a",
    "## Links\n\n[a]: /a",
    "<script setup>\nimport A from './A.vue'\n\nconst title = 'x < y'\n</script>",
    "<style>\np { color: red }\n</style>\n\n<SCRIPT src='a.js'></SCRIPT>",
    '<img data-code="a > b" alt="">',
]
READ = [
    "text",
    "# Heading",
    "## A\n\n## B",
    "<p>text</p>",
    "<script>let a</script> text",
    "<scripture>text</scripture>",
    "<img src='a.png' alt='A leaf'>",
    '<a href="a" title="A leaf"></a>',
    "<!-- a comment --> text",
    "<!-- a comment -->\n\ntext",
    "import duties are high",
    "import 'a' is a statement",
    "imports from 'a'",
    "export default settings to a file",
    "- <!-- a comment -->",
    "```\n```",
    "![](a.png)",
]


@pytest.mark.parametrize("text", UNREAD)
def test_content_without_anything_to_read_is_not_indexable(text: str) -> None:
    """It is in the chunks, and no chunk of nothing else is embedded."""
    result = MarkdownChunker().chunk_hierarchical(text)
    assert not result.get_flat_chunks()
    assert "".join(chunk.text for chunk in result.get_leaves()).strip()


@pytest.mark.parametrize("text", READ)
def test_content_with_anything_to_read_is_indexable(text: str) -> None:
    """Headings alone, too."""
    (chunk,) = MarkdownChunker().chunk_hierarchical(text).get_flat_chunks()
    assert chunk.text == text


def test_parts_of_a_long_comment_are_not_indexable() -> None:
    """Though a part of one, alone, would read as text."""
    lines = "a line of a comment\n" * 50
    text = f"# A\n\ntext\n\n<!--\n{lines}-->\n"
    result = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk_hierarchical(text)
    (chunk,) = result.get_flat_chunks()
    assert chunk.text.startswith("# A\n\ntext")
    assert len(result.get_leaves()) > 5


@example("\ufeff")
@given(strategies.any_markdown())
def test_all_that_is_read_is_in_flat_chunks(text: str) -> None:
    """Every block but comments, tags, definitions, front matter, breaks and statements of MDX.

    A heading directly above definitions need not be.
    """
    flat = MarkdownChunker().chunk_hierarchical(text).get_flat_chunks()
    for block, below in pairwise([*top(stock_blocks(text)), None]):
        if block is None or (below and below.kind == "link_definition" and block.level):
            continue
        said = text[block.start : block.end].strip("\ufeff \t\r\n")
        if block.kind in {"html", "paragraph"} and not has_text(said):
            continue
        if said and block.kind not in {"link_definition", "front_matter", "thematic_break"}:
            spans = [chunk.span for chunk in flat]
            assert any(span.start < block.end and block.start < span.end for span in spans)
