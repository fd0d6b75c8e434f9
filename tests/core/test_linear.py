"""L8: work and memory grow linearly with the input, whatever its shape.

Work is counted, not timed: the calls of functions, Python's and C's; the lines that run; and the
characters that are given to `length_function`.
"""

from __future__ import annotations

import inspect
import sys
from functools import partial

import pytest

from chunkana_core import ChunkConfig, Chunker, MarkdownChunker
from tests.core.counting import CONTEXT, calls, calls_of, lines, peak, use
from tests.core.format_shapes import CELLS, CODE_SHAPES, PLUGIN_LINES, notebook
from tests.core.plugins import PLUGINS
from tests.core.shapes import HOSTILE, RUNS, SHAPES, Shape

MOST = 2.6  # times the work, for twice the input
MOST_BY_MERGE_TREE = 5  # times the text
SIZE = 4_000

# What counts work stands where coverage would be measured, or after it, and takes twice as long.
pytestmark = pytest.mark.no_cover
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
VARIED = {name: shape for name, shape in SHAPES.items() if name not in RUNS}
each_run = pytest.mark.parametrize("shape", RUNS.values(), ids=RUNS.keys())
each_varied_shape = pytest.mark.parametrize("shape", VARIED.values(), ids=VARIED.keys())
each_hostile_shape = pytest.mark.parametrize("shape", HOSTILE.values(), ids=HOSTILE.keys())

# The format, the limit, a text and one of twice its size.
FORMAT_ROWS = [
    *(
        pytest.param(name, 32, make(150), make(300), id=shape)
        for shape, (name, make) in CODE_SHAPES.items()
    ),
    *(
        pytest.param("notebook", 100, notebook(*cells(100)), notebook(*cells(200)), id=shape)
        for shape, cells in CELLS.items()
    ),
    *(pytest.param("markdown", 64, lines * 400, lines * 800, id=lines) for lines in PLUGIN_LINES),
]


@each_varied_shape
def test_l8_calls_are_linear(shape: Shape) -> None:
    """Twice the input makes about twice as many calls; of runs, lines are counted below."""
    config = ChunkConfig(max_chunk_size=32, atomic_blocks="split")
    one, two = (calls(shape(size), config) for size in (SIZE // 2, SIZE))
    assert two < MOST * one


@pytest.mark.parametrize(("format_name", "limit", "small", "large"), FORMAT_ROWS)
def test_l8_calls_for_formats_are_linear(
    format_name: str, limit: int, small: str, large: str
) -> None:
    """Twice the input makes about twice as many calls, in all formats and with plugins."""
    if format_name != "markdown":
        pytest.importorskip("tree_sitter")
    chunker = Chunker(ChunkConfig(max_chunk_size=limit), CONTEXT, plugins=PLUGINS)
    chunker.chunk_hierarchical(small, format_name)  # what is set up once is not counted
    one, two = (
        calls_of(partial(chunker.chunk_hierarchical, text, format_name)) for text in (small, large)
    )
    assert two < MOST * one


@each_shape
def test_l8_characters_measured_are_linear(shape: Shape) -> None:
    """Twice the input has about twice as many characters measured by a token counter.

    A merge tree measures few parents, none of some inputs; it has a bound of its own.
    """
    measured = 0

    def length(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return (len(text) + 3) // 4

    counts = []
    for size in (SIZE, 2 * SIZE):
        measured, text = 0, shape(size)
        config = ChunkConfig(max_chunk_size=32, length_function=length)
        result = MarkdownChunker(config, CONTEXT).chunk_hierarchical(text)
        counts.append(measured)
        result.merge_tree()
        assert measured - counts[-1] <= MOST_BY_MERGE_TREE * len(text)
    assert counts[1] <= MOST * counts[0]


@pytest.mark.slow
@each_run
def test_l8_lines_run_are_linear(shape: Shape) -> None:
    """Twice the input runs about twice as many lines."""
    config = ChunkConfig(max_chunk_size=100)
    one, two = (lines(shape(size), config) for size in (SIZE // 4, SIZE // 2))
    assert two < MOST * one


@pytest.mark.slow
@each_hostile_shape
def test_l8_calls_for_hostile_texts_are_linear(shape: Shape) -> None:
    """Texts that were made to take long do not: twice the text, about twice the calls."""
    config = ChunkConfig(max_chunk_size=32, atomic_blocks="split")
    one, two = (calls(shape(size), config) for size in (SIZE * 3 // 4, SIZE * 3 // 2))
    assert two < MOST * one


@pytest.mark.slow
@each_shape
def test_l8_memory_is_linear(shape: Shape) -> None:
    """Twice the input takes about twice the memory."""
    config = ChunkConfig(max_chunk_size=200, atomic_blocks="split")
    use(shape(SIZE // 8), config)  # what is set up once is not counted
    one, two = (peak(shape(size), config) for size in (SIZE // 4, SIZE // 2))
    assert two < MOST * one


def test_l8_headings_without_recursion() -> None:
    """Nothing recurses over siblings: 4,000 of them need no deeper stack than one."""
    text = "# h\n" * SIZE
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        result = MarkdownChunker().chunk_hierarchical(text)
        tree = result.merge_tree()
    finally:
        sys.setrecursionlimit(before)
    assert len(result.toc()) == SIZE
    assert tree.leaves
