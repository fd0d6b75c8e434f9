"""Jupyter notebooks to a `Document`: cells in order, each parsed by the parser of its format."""

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
from chunkana_core.document.paths import short_title
from chunkana_core.document.traits import MergeRule
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.markdown.parser import parse_titled_blocks, traits_of
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.markdown.titles import heading_sections
from chunkana_core.formats.plain import parse_text
from chunkana_core.text.file_names import names_in_fences
from chunkana_core.text.source import BOM, NON_SPACE, Source

_CELL_SEPARATOR = "\n\n"
_MAX_HEADING_LEVEL = 6
_LANGUAGE_NAMES = {
    alias: name
    for name, language in LANGUAGES.items()
    for alias in names_in_fences(name, language.suffixes)
} | {"c#": "csharp", "c++": "cpp", "ipython": "python"}
_VERSION_CHARACTERS = "0123456789."  # at the end, such as "17" in "C++17"
_CELL_MAGIC = re.compile(r"\s*+%%(\w++)[^\r\n]*+")
_MAGIC = re.compile(r"^([ \t]*+)((?:%{1,2}\w|!)[^\r\n]*+)", re.MULTILINE)
_ParseCode = Callable[[str, str], Document]


class _SourceCell(Struct, frozen=True, gc=False):
    """A cell of the file: its kind ("markdown", "code" or another), text, language and number."""

    kind: str
    text: str
    language: str
    number: int


def parse_notebook(
    text: str, parse_code: _ParseCode, plugins: tuple[BlockRule, ...] = ()
) -> Document | None:
    r"""Parse a Jupyter notebook of nbformat 3 or 4; return None if the text is no notebook.

    The document's text is the text of the cells, separated by blank lines. Headings of Markdown
    cells are sections; definitions in code cells are sections below the heading before them.
    Outputs are omitted, and raw cells are plain text.

    Args:
        text: the text of the file.
        parse_code: parses code, given the code and its language.
        plugins: the user's block rules for Markdown.
    """
    cells = _load_cells(text)
    if cells is None:
        return None
    joined = _CELL_SEPARATOR.join([cell.text for cell in cells])
    joiner, start = _CellJoiner(parse_code, plugins), 0
    for cell in cells:
        joiner.add(cell, start)
        start += len(cell.text) + len(_CELL_SEPARATOR)
    return joiner.document(joined)


def _load_cells(text: str) -> list[_SourceCell] | None:
    """Return the cells that are not blank, None if the text is no notebook."""
    try:
        notebook = json.loads(text.removeprefix(BOM), parse_int=float)
    except (ValueError, RecursionError):
        return None
    raw_cells = _raw_cells(notebook) if isinstance(notebook, dict) else None
    if raw_cells is None:
        return None
    language = _language_of(notebook)
    cells = (_read_cell(cell, language, number) for number, cell in enumerate(raw_cells, 1))
    return [cell for cell in cells if cell.text.strip()]


def _raw_cells(notebook: Mapping[str, object]) -> list[object] | None:
    """Return the cells of a notebook (of its worksheets in nbformat 3), None if it has none."""
    cells, sheets = notebook.get("cells"), notebook.get("worksheets")
    if isinstance(cells, list) or not isinstance(sheets, list):
        return cells if isinstance(cells, list) else None
    found = [_mapping(sheet).get("cells") for sheet in sheets]
    return [cell for cells in found if isinstance(cells, list) for cell in cells]


def _read_cell(value: object, language: str, number: int) -> _SourceCell:
    """Return a cell of the file; missing and invalid fields are ""."""
    cell = _mapping(value)
    kind, text = cell.get("cell_type"), _source_text(cell.get("source", cell.get("input")))
    if kind == "heading":  # of nbformat 3
        level = cell.get("level")
        number_of_level = level if isinstance(level, float) else 1
        count = int(number_of_level) if 1 <= number_of_level <= _MAX_HEADING_LEVEL else 1
        return _SourceCell("markdown", f"{'#' * count} {' '.join(text.split())}", language, number)
    cell_language = cell.get("language")  # of nbformat 3
    language_name = cell_language if isinstance(cell_language, str) else language
    return _SourceCell(kind if isinstance(kind, str) else "", text, language_name, number)


def _source_text(source: object) -> str:
    """Return the text of a cell's source, which is a string or a list of lines."""
    lines = source if isinstance(source, list) else [source]
    return "".join([line for line in lines if isinstance(line, str)])


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _language_of(notebook: Mapping[str, object]) -> str:
    """Return the language in the metadata of a notebook, "python" if there is none.

    It is short, because each code block has it.
    """
    metadata = _mapping(notebook.get("metadata"))
    info, kernel = _mapping(metadata.get("language_info")), _mapping(metadata.get("kernelspec"))
    names = (info.get("name"), kernel.get("language"), metadata.get("language"))
    return next((short_title(name) for name in names if isinstance(name, str) and name), "python")


@dataclass(slots=True)
class _CellJoiner:
    """Joins the blocks and sections of the cells to one document.

    Attributes:
        parse_code: parses code, given the code and its language.
        plugins: the user's block rules for Markdown cells.
        blocks: the blocks of the cells so far.
        top: the top-level blocks so far; only Markdown headings have a level.
        definitions: the sections of code cells so far.
        cells: the cells so far.
        title: the title from front matter or HTML before the first heading, "" for none.
        level: the level of the last Markdown heading, 0 before the first.
    """

    parse_code: _ParseCode
    plugins: tuple[BlockRule, ...]
    blocks: list[Block] = field(default_factory=list)
    top: list[Block] = field(default_factory=list)
    definitions: list[SectionRange] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    title: str = ""
    level: int = 0

    def add(self, cell: _SourceCell, start: int) -> None:
        """Add a cell whose text is at an offset of the document."""
        first, definition_count = len(self.top), len(self.definitions)
        is_markup = cell.kind == "markdown"
        if is_markup:
            self._add_markdown(cell.text, start)
        elif cell.kind == "code":
            self._add_code(cell, start)
        else:
            self._add_blocks(parse_text(cell.text).blocks, start)
        has_definitions = len(self.definitions) > definition_count
        stop = len(self.top)
        self.cells.append(Cell(cell.number, start, first, stop, is_markup, has_definitions))

    def document(self, text: str) -> Document:
        """Return the document of the cells added, given their joined text."""
        ranges = sorted(
            [*heading_sections(self.top), *self.definitions], key=lambda section: section.first
        )
        traits = dataclasses.replace(
            traits_of(self.plugins), name="notebook", merging=MergeRule.CELLS
        )
        document = Document.of(Source.of(text), tuple(self.blocks), ranges, traits, self.title)
        return dataclasses.replace(document, cells=Cells(tuple(self.cells)))

    def _add_markdown(self, text: str, start: int) -> None:
        """Add a Markdown cell; only the first cell of the notebook can have front matter."""
        before = "\n" if self.cells else ""
        blocks, title = parse_titled_blocks(before + text, self.plugins)
        if not self.level:
            self.title = self.title or title
        self._add_blocks(blocks, start - len(before))
        self.level = next(
            (b.level for b in reversed(blocks) if b.level and not b.depth), self.level
        )

    def _add_code(self, cell: _SourceCell, start: int) -> None:
        """Add a code cell; a cell without definitions is one block."""
        language, code = _language_and_code(cell)
        parsed = self.parse_code(code, language) if language in LANGUAGES else None
        if parsed is None or parsed.traits.name != language:
            self._add_blocks([_code_block(cell.text, language)], start)
        elif len(parsed.sections) == 1:
            self._add_blocks(_in_code_block(cell.text, language, parsed), start)
        else:
            first = len(self.top)
            self._add_blocks(parsed.blocks, start, self.level)
            self.definitions += [
                SectionRange(s.title, s.level + self.level, s.kind, s.first + first, s.stop + first)
                for s in parsed.sections[1:]
            ]

    def _add_blocks(self, blocks: Sequence[Block], start: int, level: int | None = None) -> None:
        """Add the blocks of a cell at an offset.

        `level` is None, except for a code cell with definitions: the level of the last heading,
        which is added to the levels of the definitions.
        """
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


def _language_and_code(cell: _SourceCell) -> tuple[str, str]:
    """Return the language of a code cell and its code, with magics replaced by names.

    `%%bash` at the start of a cell sets the language. In Python, other lines that start with `%` or
    `!` are magics too. A name of the same length parses as a statement.
    """
    name = cell.language.strip().lower().rstrip(_VERSION_CHARACTERS)
    magic = _CELL_MAGIC.match(cell.text)
    if magic and magic[1].lower() in _LANGUAGE_NAMES:
        name = magic[1].lower()
    language, text = _LANGUAGE_NAMES.get(name, name), cell.text
    if magic:
        stop = magic.end()
        text = _MAGIC.sub(_placeholder, text[:stop]) + text[stop:]
    return language, _MAGIC.sub(_placeholder, text) if language == "python" else text


def _placeholder(magic: re.Match[str]) -> str:
    """Return a name of the length of a magic, with the same white space around it."""
    line = magic[2].rstrip()
    return magic[1] + "x" * len(line) + magic[2][len(line) :]


def _code_block(text: str, language: str, inner_count: int = 0) -> Block:
    """Return a code block of a cell's text, which contains `inner_count` other blocks."""
    found = NON_SPACE.search(text)
    line = Source.of(text).line_start(found.start() if found else 0)
    return Block(BlockKind.CODE, 0, line, len(text), 0, inner_count + 1, info=language)


def _in_code_block(text: str, language: str, parsed: Document) -> Sequence[Block]:
    """Return the blocks of a code cell, in one outer code block if several are top-level."""
    if len(parsed.top) == 1:
        return parsed.blocks
    inner = [
        replace(block, depth=block.depth + 1, index=block.index + 1, after=block.after + 1)
        for block in parsed.blocks
    ]
    return [_code_block(text, language, len(inner)), *inner]
