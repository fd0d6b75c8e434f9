"""Notebooks: their cells as one text, its outline, what is cut, and cells for citations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import Chunk, ChunkConfig, Chunker, Context
from chunkana_core.extending import BlockKind, Document, parse_document
from chunkana_core.formats.registry import FormatSelector
from tests import corpora
from tests.core.configurations import CONTEXTS, configs, contexts
from tests.core.counting import calls_of
from tests.core.laws import Case, require_laws
from tests.core.outlines import outline, outline_cases
from tests.strategies import any_markdown

pytest.importorskip("tree_sitter")

NOTEBOOK = FormatSelector().named("notebook")
FOLDER = corpora.REPOSITORY / "tests" / "data" / "notebooks"
FILES = sorted([*FOLDER.glob("*.ipynb"), *(corpora.REPOSITORY / "notebooks").glob("*.ipynb")])
KETTLE = corpora.read(FOLDER / "kettle.ipynb")
MOST = 2.6  # times the work, for twice the input
_LINE_END = re.compile(r"\r\n?|\n")
Cell = tuple[str, str]  # its type and text


def notebook(*cells: Cell, language: str = "python") -> str:
    """Return the JSON of a notebook."""
    made = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4})


def document_of(*cells: Cell, language: str = "python") -> Document:
    """Return the document of a notebook."""
    return NOTEBOOK.document(notebook(*cells, language=language))


def chunks_of(size: int, *cells: Cell, minimum: int | None = None) -> list[Chunk]:
    """Return the leaves of a notebook."""
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=minimum, validation="strict")
    return Chunker(config).chunk(notebook(*cells), "notebook")


def keeps_all(file: str, config: ChunkConfig, context: Context | None = None) -> None:
    """Assert every law of a notebook, and of what chunks say of cells."""
    text = NOTEBOOK.document(file).text
    case = Case(text, config, context=context, format=NOTEBOOK, file=file)
    require_laws(case)
    for chunk in case.result.chunks:
        cells = (chunk.cell, chunk.cell_start_line, chunk.cell_end, chunk.cell_end_line)
        if case.result.format != "notebook":
            assert cells == (None,) * 4
            continue
        lines = _LINE_END.split(chunk.text)
        assert lines[0] in line_of(file, chunk.cell, chunk.cell_start_line)
        assert lines[-1] in line_of(file, chunk.cell_end, chunk.cell_end_line)


def line_of(file: str, cell: int | None, line: int | None) -> str:
    """Return a line of a cell; both are numbered from 1."""
    assert cell
    assert line
    source = json.loads(file)["cells"][cell - 1]["source"]
    return _LINE_END.split("".join(source))[line - 1]


def test_the_text_is_that_of_the_cells() -> None:
    """In order, a blank line between two; without outputs, and without cells that are blank."""
    cells = ("markdown", "# A"), ("code", " "), ("code", "x = 1\n"), ("raw", "r"), ("code", "")
    assert document_of(*cells).text == "# A\n\nx = 1\n\n\nr"
    assert "installed" not in NOTEBOOK.document(KETTLE).text
    assert parse_document("\ufeff" + notebook(("raw", "a")), path="A.IPYNB").text == "a"
    file = '{"cells": [{"cell_type": "code", "source": "x", "n": ' + "9" * 10_000 + "}]}"
    assert NOTEBOOK.document(file).text == "x"


def test_headings_and_definitions_are_the_outline() -> None:
    """Levels are those of the headings; definitions are below the one that they are under."""
    assert outline(NOTEBOOK.document(KETTLE)) == [
        "1-56  1 Kettle diary",
        "9-56  2 Kettle diary > Readings",
        "22-26 class 3 Kettle diary > Readings > Kettle",
        "25-26 method 4 Kettle diary > Readings > Kettle > boil",
        "29-32 function 3 Kettle diary > Readings > whistle",
        "40-56  3 Kettle diary > Readings > By morning",
        "49-51 function 4 Kettle diary > Readings > By morning > boil",
    ]


def test_notebooks_before_nbformat_4() -> None:
    """Cells are in worksheets, headings are cells, and cells name their language."""
    document = NOTEBOOK.document(corpora.read(FOLDER / "old.ipynb"))
    assert document.text == "## Two lines\n\ndef f():\n    pass\n\n# No level\n\nText."
    assert [section.path for section in document.sections[1:]] == [
        ("Two lines",),
        ("Two lines", "f"),
        ("No level",),
    ]


def test_a_cell_that_defines_nothing_is_one_block() -> None:
    """Whatever it holds, with its statements inside; what cannot be parsed is in lines."""
    many, one = "a = 1\n\nb = 2\n", "a = 1\n"
    found = document_of(("code", many), ("code", one), ("code", "%pip install x\n!ls"))
    assert [found.text[b.start : b.end].strip() for b in found.top] == [
        many.strip(),
        one.strip(),
        "%pip install x\n!ls",
    ]
    assert {block.kind for block in found.blocks} == {BlockKind.CODE}
    assert [len([*found.children(block)]) for block in found.top] == [2, 0, 2]


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"language_info": {"name": "python"}}, "python"),
        ({"language_info": {"name": "C++17"}}, "cpp"),
        ({"language_info": {"name": "C#"}}, "csharp"),
        ({"language_info": {"name": "R"}}, "r"),  # in no table, and so of lines
        ({"language_info": {"name": "1" * 1000 + "r" * 1000}}, "1" * 199 + "…"),
        ({"kernelspec": {"language": "ruby"}}, "ruby"),
        ({"language": "go"}, "go"),
        ({"language_info": 3, "kernelspec": {"language": 4}}, "python"),
        (None, "python"),
    ],
)
def test_the_language_of_code_is_that_of_the_metadata(metadata: object, language: str) -> None:
    """Or of the kernel; where nothing names one, it is Python."""
    file = {"cells": [{"cell_type": "code", "source": "x"}], "metadata": metadata}
    (block,) = NOTEBOOK.document(json.dumps(file)).top
    assert (block.kind, block.info) == (BlockKind.CODE, language)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("%%time\ndef f():\n    !ls\n    return 1", [("f",)]),
        ("%%bash\nf() {\n  ls\n}", [("f",)]),
        ("%%brew\nselect 1 from (", []),
        ("%pip install 'a\nclass A:\n    x = 1", [("A",)]),
    ],
)
def test_cell_magics_do_not_hide_definitions(text: str, paths: list[tuple[str, ...]]) -> None:
    """A magic of a cell may name its language."""
    document = document_of(("code", text))
    assert [section.path for section in document.sections[1:]] == paths
    assert document.text == text


@pytest.mark.parametrize(
    "opened", ["```", "<div>", "<!--", "::: note", "text", "$$", "> quote", "- item"]
)
def test_blocks_left_open_in_a_cell_end_with_the_cell(opened: str) -> None:
    """A fence, an element of HTML, a comment, a container, a paragraph."""
    cells = ("markdown", f"{opened}\na"), ("markdown", "# Title"), ("code", "b")
    assert [section.path for section in document_of(*cells).sections[1:]] == [("Title",)]
    assert "".join(chunk.text for chunk in chunks_of(200, *cells)).startswith(f"{opened}\na")


def test_front_matter_is_that_of_the_first_cell() -> None:
    """It gives the title; the same text in another cell is Markdown."""
    front = "---\ntitle: Tea\nby: me\n---"
    result = Chunker().chunk_hierarchical(notebook(("markdown", front), ("code", "x")), "notebook")
    assert (result.title, result.front_matter) == ("Tea", {"title": "Tea", "by": "me"})
    document = document_of(("code", "x"), ("markdown", front))
    assert BlockKind.FRONT_MATTER not in {block.kind for block in document.blocks}


def test_the_title_is_the_sole_heading_of_level_1() -> None:
    """Also where a class is of level 1; an HTML heading before all others is a title, too."""
    result = Chunker().chunk_hierarchical(KETTLE, "notebook")
    assert result.title == "Kettle diary"
    alone = Chunker().chunk_hierarchical(notebook(("code", "class A:\n    x = 1")), "notebook")
    assert (alone.title, alone.chunks[0].title) == ("", "Document")
    assert alone.get_leaves()[0].section.path == ("A",)
    cells = ("markdown", "<h1>Tea</h1>"), ("markdown", "## A"), ("markdown", "<h1>B</h1>")
    assert document_of(*cells).title == "Tea"


def test_raw_cells_are_text() -> None:
    """Nothing in them is markup: neither headings nor comments."""
    (chunk,) = chunks_of(1000, ("raw", "# no heading"), ("raw", "<!-- seen -->"))
    assert (chunk.section.path, chunk.indexable) == ((), True)
    assert not chunks_of(1000, ("markdown", "<!-- unseen -->"))[0].indexable


def test_a_code_cell_that_fits_is_not_parted() -> None:
    """Whether it defines something or not; what does not fit beside it is in other chunks."""
    plain = "\n\n".join(f"value_{n} = {n}" for n in range(12))
    defining = "import tea\n\n\n" + "\n\n\n".join(f"def f{n}():\n    return {n}" for n in range(6))
    text = "Words about tea. " * 8
    cells = ("markdown", "# A\n\n" + text), ("code", plain), ("code", defining), ("markdown", text)
    chunks = chunks_of(260, *cells)
    assert plain in {chunk.text for chunk in chunks}
    assert defining in {chunk.text for chunk in chunks}


def test_code_goes_with_the_text_above_it() -> None:
    """All of a section that fits together is together, whatever the code defines."""
    text, code = "Words about tea. " * 8, "def f():\n    return 1\n\n\nf()"
    cells = ("markdown", "## A\n\n" + text), ("code", code), ("markdown", "## B\n\n" + text)
    chunks = chunks_of(500, *cells)
    assert [(chunk.cell, chunk.cell_end) for chunk in chunks] == [(1, 2), (3, 3)]


def test_a_definition_begins_no_section_of_the_merge_boundary() -> None:
    """Small definitions of level 1 are merged with their neighbours; headings are not."""
    code = "def f():\n    return 1\n\n\ndef g():\n    if a:\n        b()\n    return 2"
    assert len(chunks_of(200, ("code", code), ("code", "x = 1"))) == 1
    assert len(chunks_of(200, ("markdown", "# A\n\na"), ("markdown", "# B\n\nb"))) == 2


def test_chunks_say_their_cells() -> None:
    """Number and lines, from 1; of several cells, the last line is in the last one."""
    keys = ("cell", "cell_start_line", "cell_end", "cell_end_line")
    cells = ("markdown", "\n\n# A\n\nB"), ("code", ""), ("code", "\nx = 1\ny = 2\n")
    result = Chunker().chunk_hierarchical(notebook(*cells), "notebook")
    assert {tuple(c.metadata[key] for key in keys) for c in result.chunks} == {(1, 3, 3, 3)}
    other = Chunker().chunk("# A\n")[0].metadata
    assert [other[key] for key in keys] == [None] * 4


def test_fences_inside_code_cells_are_not_closed() -> None:
    """No fence is closed that is code's; one of Markdown is."""
    code = 'text = """\n```\n' + "tea and more tea\n" * 20 + '"""'
    chunks = chunks_of(100, ("code", code))
    assert all(chunk.content == chunk.text for chunk in chunks)
    html = "<div>\n" + "tea and more\n```\n" * 20
    chunks = chunks_of(100, ("markdown", html), ("code", "x = 1"))  # checked for fences
    assert any(chunk.content == f"{chunk.text}\n```" for chunk in chunks)


@pytest.mark.parametrize(
    "text",
    ["", "no JSON", "{", "[]", "{}", '{"cells": {}}', '{"worksheets": 1}', "[" * 100_000, "\0"],
)
def test_what_is_no_notebook_is_plain_text(text: str) -> None:
    """Or of the format that the chunker is given for it."""
    for fallback in ("text", "markdown"):
        result = Chunker(fallback=fallback).chunk_hierarchical(text, path="a.ipynb")
        assert (result.format, result.text) == (fallback, text)


def test_texts_that_are_invalid_in_their_format_are_plain_text() -> None:
    assert Chunker(fallback="json").chunk("none", path="a.ipynb")[0].format == "text"
    assert Chunker().chunk("# A\n\nNo JSON.\n", path="a.json")[0].format == "text"


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [None, 1, "a", []],
        [{}, {"cell_type": "code"}, {"cell_type": 3, "source": 4}],
        [{"cell_type": "markdown", "source": None}, {"cell_type": "code", "source": [1, None]}],
    ],
)
def test_blank_cells_are_counted_but_have_no_text(cells: list[object]) -> None:
    """They are counted, and have no text."""
    result = Chunker().chunk_hierarchical(json.dumps({"cells": cells}), "notebook")
    assert (result.text, result.chunks) == ("", ())
    again = json.dumps({"cells": [*cells, {"cell_type": "raw", "source": "a"}]})
    assert Chunker().chunk(again, "notebook")[0].cell == len(cells) + 1


@pytest.mark.no_cover
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize(("size", "context"), [(64, CONTEXTS[-1]), (200, None), (1000, None)])
def test_our_notebooks_keep_all_laws(path: object, size: int, context: Context | None) -> None:
    """Those of the tests, and those that people read."""
    file = corpora.read(FOLDER / str(path))
    if '"worksheets"' in file:
        return
    keeps_all(file, ChunkConfig(max_chunk_size=size), context)


def notebooks() -> st.SearchStrategy[str]:
    """Make notebooks of all kinds of cells."""
    sources = [case.text for case in outline_cases() if case.language in {"python", "bash"}]
    pieces = st.sampled_from(sources) | st.sampled_from(
        ["", "%%bash\nls", "x = '''\n```\n'''", "\0"]
    )
    code = st.tuples(st.just("code"), pieces)
    markdown = st.tuples(st.just("markdown"), any_markdown())
    raw = st.tuples(st.just("raw"), any_markdown())
    cells = st.lists(st.one_of(code, markdown, markdown, raw), max_size=4)
    return cells.map(lambda drawn: notebook(*drawn))


@given(notebooks(), configs(), contexts())
def test_made_notebooks_keep_all_laws(
    file: str, config: ChunkConfig, context: Context | None
) -> None:
    """Whatever their cells hold."""
    keeps_all(file, config, context)


SHAPES: dict[str, Callable[[int], Sequence[Cell]]] = {
    "small cells": lambda size: [("code", "x = 1"), ("markdown", "a")] * size,
    "definitions": lambda size: [("code", "def f():\n    pass\n\n\nf()")] * size,
    "headings": lambda size: [("markdown", "## A"), ("code", "class A:\n    x = 1")] * size,
    "empty cells": lambda size: [("code", "")] * size,
    "one cell": lambda size: [("code", "def f():\n    pass\n\n" * size)],
    "raw": lambda size: [("raw", "```")] * size,
}


@pytest.mark.no_cover
@pytest.mark.parametrize("name", SHAPES)
def test_l8_calls_are_linear(name: str) -> None:
    """Twice the cells make about twice as many calls; all laws hold of what is wide or empty."""
    for size in (64, 500):
        keeps_all(notebook(*SHAPES[name](60)), ChunkConfig(max_chunk_size=size))
    chunker = Chunker(ChunkConfig(max_chunk_size=100), CONTEXTS[1])
    one, two = (
        calls_of(partial(chunker.chunk_hierarchical, notebook(*SHAPES[name](size)), "notebook"))
        for size in (100, 200)
    )
    assert two < MOST * one


@pytest.mark.no_cover
def test_ten_thousand_cells_and_huge_outputs() -> None:
    """They are chunked, and outputs are nowhere."""
    file = json.loads(notebook(*SHAPES["definitions"](500), *SHAPES["raw"](9500)))
    file["cells"][0]["outputs"] = [{"data": {"image/png": "A" * 5_000_000}}]
    result = Chunker().chunk_hierarchical(json.dumps(file), "notebook")
    assert result.chunks[0].cell_end == 10_000
    assert len(result.text) < 300_000
