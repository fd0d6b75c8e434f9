"""Notebooks to a `Document`: Markdown and code cells in order, each parsed as its format."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.cells import Cell, Cells
from chunkana_core.document.document import Document
from chunkana_core.document.outline import SectionRange
from chunkana_core.document.traits import Merging
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.markdown.parser import parse_titled_blocks, traits_of
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.markdown.titles import heading_sections
from chunkana_core.formats.plain import parse_text
from chunkana_core.text.source import BOM, NON_SPACE, Source

_BLANK_LINE = "\n\n"  # between two cells
_DEEPEST_HEADING = 6
_LANGUAGES = {
    name: language.name
    for language in LANGUAGES.values()
    for name in (language.name, *(suffix.removeprefix(".") for suffix in language.suffixes))
} | {"c#": "csharp", "c++": "cpp", "ipython": "python"}
_VERSION = re.compile(r"[\d.]+$")  # of a language, as in "C++17"
_CELL_MAGIC = re.compile(r"\s*+%%(\w++)[^\r\n]*+")
_MAGIC = re.compile(r"^([ \t]*+)((?:%{1,2}\w|!)[^\r\n]*+)", re.MULTILINE)
_ParseCode = Callable[[str, str], Document]


class _Cell(Struct, frozen=True, gc=False):
    """A cell as it is in the file: its kind ("markdown", "code", or another), text and number."""

    kind: str
    text: str
    language: str
    number: int


def parse_notebook(
    text: str, parse_code: _ParseCode, plugins: tuple[BlockRule, ...] = ()
) -> Document | None:
    r"""Parse a Jupyter notebook, of nbformat 3 or 4; None is returned for what is none.

    The document's text is that of the cells, a blank line between two. Headings of Markdown cells
    make the outline; definitions in code cells are sections below the heading that they are under.
    Outputs are left out, raw cells are plain text.

    Args:
        text: of the file.
        parse_code: makes the document of code and its language.
        plugins: block rules of the user's own, of Markdown.
    """
    cells = _load_cells(text)
    if cells is None:
        return None
    joined = _BLANK_LINE.join([cell.text for cell in cells])
    joiner, start = _Joiner(parse_code, plugins), 0
    for cell in cells:
        joiner.add(cell, start)
        start += len(cell.text) + len(_BLANK_LINE)
    return joiner.document(joined)


def _load_cells(text: str) -> list[_Cell] | None:
    """Return the cells that are not blank, None where the text is no notebook."""
    try:
        notebook = json.loads(text.removeprefix(BOM), parse_int=float)
    except (ValueError, RecursionError):
        return None
    given = _cells_of(notebook) if isinstance(notebook, dict) else None
    if given is None:
        return None
    language = _language_of(notebook)
    cells = (_cell_of(cell, language, number) for number, cell in enumerate(given, 1))
    return [cell for cell in cells if cell.text.strip()]


def _cells_of(notebook: Mapping[str, object]) -> list[object] | None:
    """Return the cells of a notebook; before nbformat 4 they are in worksheets."""
    cells, sheets = notebook.get("cells"), notebook.get("worksheets")
    if isinstance(cells, list) or not isinstance(sheets, list):
        return cells if isinstance(cells, list) else None
    found = [_mapping(sheet).get("cells") for sheet in sheets]
    return [cell for cells in found if isinstance(cells, list) for cell in cells]


def _cell_of(value: object, language: str, number: int) -> _Cell:
    """Return a cell as it was loaded; what it does not say is ""."""
    cell = _mapping(value)
    kind, text = cell.get("cell_type"), _joined(cell.get("source", cell.get("input")))
    if kind == "heading":  # of nbformat 3
        level = cell.get("level")
        count = int(level) if isinstance(level, float) and 1 <= level <= _DEEPEST_HEADING else 1
        return _Cell("markdown", f"{'#' * count} {' '.join(text.split())}", language, number)
    own = cell.get("language")  # of nbformat 3
    own_language = own if isinstance(own, str) else language
    return _Cell(kind if isinstance(kind, str) else "", text, own_language, number)


def _joined(source: object) -> str:
    """Return the text of a source, which is a string or a list of lines."""
    lines = source if isinstance(source, list) else [source]
    return "".join([line for line in lines if isinstance(line, str)])


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _language_of(notebook: Mapping[str, object]) -> str:
    """Return the language that the metadata of a notebook names, Python where it names none."""
    metadata = _mapping(notebook.get("metadata"))
    info, kernel = _mapping(metadata.get("language_info")), _mapping(metadata.get("kernelspec"))
    names = (info.get("name"), kernel.get("language"), metadata.get("language"))
    return next((name for name in names if isinstance(name, str) and name), "python")


@dataclass(slots=True)
class _Joiner:
    """Joins the blocks and sections of cells.

    Attributes:
        parse_code: makes the document of code and its language.
        plugins: of the cells of Markdown.
        blocks: of the cells so far.
        top: those in no container; a level is that of a heading of Markdown, else 0.
        definitions: the sections in code cells.
        cells: so far.
        title: what the notebook calls itself where that is no heading, or "".
        level: of the last heading, 0 before the first.
    """

    parse_code: _ParseCode
    plugins: tuple[BlockRule, ...]
    blocks: list[Block] = field(default_factory=list)
    top: list[Block] = field(default_factory=list)
    definitions: list[SectionRange] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    title: str = ""
    level: int = 0

    def add(self, cell: _Cell, start: int) -> None:
        """Add a cell, whose text is at an offset."""
        first, is_markup, count = len(self.top), cell.kind == "markdown", len(self.definitions)
        if is_markup:
            self._add_markdown(cell.text, start)
        elif cell.kind == "code":
            self._add_code(cell, start)
        else:
            self._add_blocks(parse_text(cell.text).blocks, start)
        is_divided = len(self.definitions) > count
        stop = len(self.top)
        self.cells.append(Cell(cell.number, start, first, stop, is_markup, is_divided))

    def document(self, text: str) -> Document:
        """Return the document of the cells, given their joined text."""
        ranges = sorted(
            [*heading_sections(self.top), *self.definitions], key=lambda section: section.first
        )
        traits = dataclasses.replace(
            traits_of(self.plugins), name="notebook", merging=Merging.CELLS
        )
        made = Document.of(Source.of(text), tuple(self.blocks), ranges, traits, self.title)
        return dataclasses.replace(made, cells=Cells(tuple(self.cells)))

    def _add_markdown(self, text: str, start: int) -> None:
        """Add a cell of Markdown; only the notebook's first one can have front matter."""
        before = "\n" if self.cells else ""
        blocks, title = parse_titled_blocks(before + text, self.plugins)
        if not self.level:
            self.title = self.title or title
        self._add_blocks(blocks, start - len(before))
        self.level = next(
            (b.level for b in reversed(blocks) if b.level and not b.depth), self.level
        )

    def _add_code(self, cell: _Cell, start: int) -> None:
        """Add a cell of code: one block where it defines nothing."""
        language, code = _readable(cell)
        parsed = self.parse_code(code, language) if language in LANGUAGES else None
        if parsed is None or parsed.traits.name != language:
            self._add_blocks([_whole(cell.text, language)], start)
        elif len(parsed.sections) == 1:
            self._add_blocks(_in_one(cell.text, language, parsed), start)
        else:
            first = len(self.top)
            self._add_blocks(parsed.blocks, start, self.level)
            self.definitions += [
                SectionRange(s.title, s.level + self.level, s.kind, s.first + first, s.stop + first)
                for s in parsed.sections[1:]
            ]

    def _add_blocks(self, blocks: Sequence[Block], start: int, level: int | None = None) -> None:
        """Add blocks of a text at an offset; of definitions where they are under a level."""
        index = len(self.blocks)
        for block in blocks:
            added = replace(
                block,
                start=max(0, block.start + start),
                end=block.end + start,
                index=block.index + index,
                after=block.after + index,
                level=block.level + (level or 0) if block.level else 0,
            )
            self.blocks.append(added)
            if not block.depth:
                self.top.append(added if level is None else replace(added, level=0))


def _readable(cell: _Cell) -> tuple[str, str]:
    """Return the language of a code cell, and its text, where magics are names of their length.

    `%%bash` at the start names the language; other lines that start with `%` or `!` are none of
    the language, and read as statements.
    """
    name = _VERSION.sub("", cell.language.strip().lower())
    magic = _CELL_MAGIC.match(cell.text)
    if magic and magic[1].lower() in _LANGUAGES:
        name = magic[1].lower()
    language, text = _LANGUAGES.get(name, name), cell.text
    if magic:
        stop = magic.end()
        text = _MAGIC.sub(_name, text[:stop]) + text[stop:]
    return language, _MAGIC.sub(_name, text) if language == "python" else text


def _name(magic: re.Match[str]) -> str:
    """Return a name as long as a magic, white space around it aside."""
    line = magic[2].rstrip()
    return magic[1] + "x" * len(line) + magic[2][len(line) :]


def _whole(text: str, language: str, count: int = 0) -> Block:
    """Return a cell's text as a block of code that holds a number of others."""
    found = NON_SPACE.search(text)
    line = Source.of(text).line_start(found.start() if found else 0)
    return Block(BlockKind.CODE, 0, line, len(text), 0, count + 1, info=language)


def _in_one(text: str, language: str, parsed: Document) -> Sequence[Block]:
    """Return the blocks of a cell as one that holds the others, if there are several."""
    if len(parsed.top) == 1:
        return parsed.blocks
    inner = [
        replace(block, depth=block.depth + 1, index=block.index + 1, after=block.after + 1)
        for block in parsed.blocks
    ]
    return [_whole(text, language, len(inner)), *inner]
