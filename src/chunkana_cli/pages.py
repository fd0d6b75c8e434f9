"""Write HTML pages of chunks: one page for a document, or a folder of pages with an index."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import typer

from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.reading.batch import escape_name
from chunkana_cli.reading.documents import STANDARD_INPUT, read_document, report_fallbacks
from chunkana_cli.reading.files import is_folder
from chunkana_cli.writing.output import (
    STANDARD_OUTPUT,
    open_output,
    require_other_file,
    require_other_files,
)
from chunkana_core import Chunker, HierarchicalChunkingResult
from chunkana_view import Entry, collect_entries, index_html, to_html

_INDEX = "index.html"
_PAGE_SUFFIXES = {".html", ".htm"}
_NEEDS_A_FOLDER = "for a folder or several files, name a folder for the pages: -o FOLDER"
_STANDARD_INPUT_STEM = "standard-input"


@dataclass(frozen=True, slots=True)
class PageChunker:
    """Reads and chunks the documents of pages.

    Attributes:
        chunker: the chunker.
        input_format: the name of the format of the files, or "auto".
        encoding: the encoding of the files.
    """

    chunker: Chunker
    input_format: str
    encoding: str


def write_page(name: str, output: str, reader: PageChunker) -> None:
    """Write the page of one document to a file, or to standard output if that is "-"."""
    if output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty():
        fail("a page is not printed to a terminal; name a file for it: -o PAGE.html", USAGE)
    if output != STANDARD_OUTPUT and is_folder(output):
        fail(f"{output}: is a folder; with one file, -o names the page: -o PAGE.html", USAGE)
    require_other_file(output, [name])
    try:
        _write(name, output, reader)
    except InputError as error:
        fail(str(error))


def write_folder(names: Sequence[str], folder: str, reader: PageChunker) -> bool:
    """Write a page for each document and an index; return whether all were read and written."""
    if folder == STANDARD_OUTPUT:
        fail(_NEEDS_A_FOLDER, USAGE)
    place, files = Path(folder), _page_names(names)
    if place.suffix.lower() in _PAGE_SUFFIXES and not is_folder(place):
        fail(f"{folder}: is the name of a page; {_NEEDS_A_FOLDER}", USAGE)
    require_other_files((str(place / file) for file in (_INDEX, *files)), names)
    _make(place)
    entries = collect_entries(_write_pages(names, [str(place / file) for file in files], reader))
    if entries:
        _save(index_html(entries), str(place / _INDEX))
    return len(entries) == len(names)


def _write_pages(
    names: Sequence[str], outputs: Sequence[str], reader: PageChunker
) -> Iterator[Entry]:
    """Write pages that link to an index, and yield its entries; report unreadable documents."""
    for name, output in zip(names, outputs, strict=True):
        try:
            result = _write(name, output, reader, _INDEX)
        except InputError as error:
            report(str(error))
        except typer.Exit:  # the page cannot be written, which is reported; go on with the next
            continue
        else:
            yield Entry.of(Path(output).name, _title(name), result)


def _write(
    name: str, output: str, reader: PageChunker, index: str = ""
) -> HierarchicalChunkingResult:
    """Write the page of a document and return its chunks."""
    document = read_document(name, reader.input_format, reader.encoding)
    path = escape_name(name)
    result = reader.chunker.chunk_hierarchical(document.text, document.format, path)
    report_fallbacks([document], [result])
    _save(to_html(result, _title(name), index), output)
    return result


def _title(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else name


def _save(page: str, output: str) -> None:
    with open_output(output) as out:
        out.write(page.encode("utf-8"))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        fail(f"{folder}: is a file; for a folder or several files, -o names a folder", USAGE)
    except (OSError, ValueError) as error:
        fail(f"{folder}: cannot be made: {getattr(error, 'strerror', None) or error}", FAILED)


def _page_names(names: Sequence[str]) -> list[str]:
    """Return a file name for the page of each document, unique ignoring case."""
    taken = {_INDEX}
    files: list[str] = []
    for name in names:
        stem = _STANDARD_INPUT_STEM if name == STANDARD_INPUT else Path(name).stem
        file = next(file for file in _candidates(stem) if file.casefold() not in taken)
        taken.add(file.casefold())
        files.append(file)
    return files


def _candidates(stem: str) -> Iterator[str]:
    yield f"{stem}.html"
    yield from (f"{stem}-{number}.html" for number in count(2))
