"""L8, L9: texts that were made to break a parser take no more than a stated multiple of its work.

That is six times the work of the same text or, where a parser has little to do, as with a line of
sentences, twice that of a plain list as long.

Work is the lines of Python that run, beside those of stock markdown-it-py, with the same plugins,
that parses the same text: its blocks, the inline text of its headings, and its front matter with
PyYAML. That is what chunking has to know; some of these texts take stock rules more than linear
time, and chunking less than them. How the time of both compares is in the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import pytest
from _pytest.mark import ParameterSet

from chunkana_core import ChunkConfig, MarkdownChunker
from tests.core.counting import lines_of
from tests.core.shapes import HOSTILE, SHAPES, Shape
from tests.core.stock import is_mapping, limited_tokens, title_parser

pytestmark = pytest.mark.no_cover  # it would be measured where lines are counted
SIZE = 1_000
TIMES = 6  # the work of the stock parser
TIMES_LIST = 2  # its work for a plain list as long
DEAR = {  # in the first two, PyYAML looks far ahead
    "front matter of brackets",
    "front matter of braces",
    "a table's rows, shorter than its header",
}


def stock_work(text: str) -> int:
    """Count the lines that the stock parser runs to say what chunking has to know."""

    def parse() -> None:
        tokens = limited_tokens(text)
        for token, inside in pairwise(tokens):
            if token.type == "heading_open":
                title_parser().parseInline(inside.content)
        if text.startswith("---\n"):
            is_mapping(text[4:].partition("\n---\n")[0])

    return lines_of(parse)


@cache
def list_work() -> int:
    """Count the lines that the stock parser runs for a plain list."""
    return stock_work(SHAPES["list"](SIZE))


def _shapes() -> Iterator[ParameterSet]:
    for name, shape in (HOSTILE | SHAPES).items():
        is_slow = name in SHAPES or name in DEAR
        yield pytest.param(shape, id=name, marks=[pytest.mark.slow] if is_slow else [])


@pytest.mark.parametrize("shape", [*_shapes()])
def test_work_is_a_multiple_of_the_parsers(shape: Shape) -> None:
    """Chunking runs at most six times the stock parser's lines, or twice those for a list."""
    text, chunker = shape(SIZE), MarkdownChunker()
    stock_work("# a\n\n---\n")  # what is made once is not counted
    ours = lines_of(lambda: chunker.chunk_hierarchical(text))
    assert ours <= max(TIMES * stock_work(text), TIMES_LIST * list_work())


def _table(columns: int, rows: int) -> str:
    cells = [f"{'| c ' * columns}|", f"{'|---' * columns}|", *[f"{'| x ' * columns}|"] * rows]
    return "\n".join(cells) + "\n"


LARGE: dict[str, Callable[[], str]] = {
    "100,000 headings of all levels": lambda: "# a\n## b\n### c\n#### d\n" * 25_000,
    "10,000 sections": lambda: "".join(f"## {number}\n\nx\n\n" for number in range(10_000)),
    "a table of 5,000 columns, and of rows that are shorter": lambda: (
        _table(5_000, 4) + "| x |\n" * 20_000
    ),
    "a line of 10 MB": lambda: "word " * 2_000_000,
    "a heading of 1 MB": lambda: f"# {'word ' * 200_000}\n",
    "a word of 1 MB": lambda: "w" * 1_000_000,
    "white space of 1 MB": lambda: f"{' ' * 1_000_000}x",
    "a line of 1 MB in a fence never closed": lambda: f"```\n{'x ' * 500_000}",
    "a line of 1 MB in a comment never closed": lambda: f"<!-- {'x ' * 500_000}",
    "a line of 1 MB in a quotation": lambda: f"> {'x ' * 500_000}",
    "a link of 1 MB never closed": lambda: f"[a]({'x' * 1_000_000}",
    "a definition of 1 MB never closed": lambda: f"[{'a ' * 500_000}",
    "front matter of 10,000 keys": lambda: (
        "---\n" + "".join(f"k{number}: v\n" for number in range(10_000)) + "---\n\n# A\n\nText.\n"
    ),
    "front matter of 1 MB": lambda: f"---\na: {'[' * 1_000_000}\n---\n",
    "TOML of 1 MB": lambda: f"+++\n{'a.' * 500_000}a = 1\n+++\n",
    "front matter of 1 MB never closed": lambda: "---\n" + "key: value\n" * 90_000,
    "NULs, 1 MB": lambda: "\0" * 1_000_000,
    "lone surrogates, 1 MB": lambda: "\ud800 \udc00\r\n" * 250_000,
    "mixed line ends, 1 MB": lambda: "a\r\nb\rc\nd\n\r" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_texts_are_chunked(name: str) -> None:
    """Texts of up to 10 MB are chunked, and nothing of them is lost."""
    text = LARGE[name]()
    config = ChunkConfig(max_chunk_size=4000, atomic_blocks="split")
    chunks = MarkdownChunker(config).chunk(text)
    assert all(chunk.text == text[chunk.span.start : chunk.span.end] for chunk in chunks)
    assert max(chunk.size for chunk in chunks) <= 4000
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())
