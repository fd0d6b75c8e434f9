"""Write HTML pages of chunks: one page for a document, or a folder of pages with an index."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import typer

from chunkana_cli.errors import FAILED, USAGE, fail
from chunkana_cli.reading.batch import Batch, escape_name
from chunkana_cli.reading.documents import STANDARD_INPUT
from chunkana_cli.reading.files import is_folder
from chunkana_cli.writing.output import (
    STANDARD_OUTPUT,
    open_output,
    require_other_file,
    require_other_files,
)
from chunkana_core import ChunkConfig, Context
from chunkana_view import Entry, collect_entries, index_html, to_html

_INDEX = "index.html"
_PAGE_SUFFIXES = {".html", ".htm"}
_NEEDS_A_FOLDER = "for a folder or several files, name a folder for the pages: -o FOLDER"
_STANDARD_INPUT_STEM = "standard-input"


def write_page(batch: Batch, output: str, config: ChunkConfig, context: Context | None) -> None:
    """Write the page of the only document to a file, or to standard output if that is "-"."""
    if output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty():
        fail("a page is not printed to a terminal; name a file for it: -o PAGE.html", USAGE)
    if output != STANDARD_OUTPUT and is_folder(output):
        fail(f"{output}: is a folder; with one file, -o names the page: -o PAGE.html", USAGE)
    require_other_file(output, batch.names)
    for document, result in batch.chunk_documents(config, context):
        _save(to_html(result, _title(document.name)), output)


def write_folder(batch: Batch, folder: str, config: ChunkConfig, context: Context | None) -> None:
    """Write a page for each document and an index; report and count failures."""
    if folder == STANDARD_OUTPUT:
        fail(_NEEDS_A_FOLDER, USAGE)
    place, files = Path(folder), _page_names(batch.names)
    if place.suffix.lower() in _PAGE_SUFFIXES and not is_folder(place):
        fail(f"{folder}: is the name of a page; {_NEEDS_A_FOLDER}", USAGE)
    require_other_files((str(place / file) for file in (_INDEX, *files)), batch.names)
    _make(place)
    pages = dict(zip(map(escape_name, batch.names), (place / file for file in files), strict=True))
    entries = collect_entries(_write_pages(batch, pages, config, context))
    if entries:
        _save(index_html(entries), str(place / _INDEX))


def _write_pages(
    batch: Batch, pages: Mapping[str, Path], config: ChunkConfig, context: Context | None
) -> Iterator[Entry]:
    """Write pages that link to an index, and yield its entries; pages are by document name."""
    for document, result in batch.chunk_documents(config, context):
        page, title = pages[document.name], _title(document.name)
        try:
            _save(to_html(result, title, _INDEX), str(page))
        except typer.Exit:  # the page cannot be written, which is reported; go on with the next
            batch.failures += 1
        else:
            yield Entry.of(page.name, title, result)


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
