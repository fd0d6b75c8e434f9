"""`chunkana view`: write HTML pages that show chunks in their source."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.inputs.files import STANDARD_INPUT, escape_name, title_of
from chunkana_cli.options import (
    epilog,
    output_option,
    reads_documents,
)
from chunkana_cli.output.output import (
    STANDARD_OUTPUT,
    make_folder,
    open_output,
    require_other_files,
)
from chunkana_cli.streams import FAILED, USAGE, fail
from chunkana_core import ChunkConfig, Context

if TYPE_CHECKING:  # chunkana_view loads jinja2, which takes time
    from chunkana_view import Entry

EPILOG = epilog("view README.md -o readme.html", "view docs -o pages --max-chunk-size 500")
_INDEX = "index.html"
_PAGE_SUFFIXES = {".html", ".htm"}
_NEEDS_A_FOLDER = "for a folder or several files, name a folder for the pages: -o FOLDER"
_STANDARD_INPUT_STEM = "standard-input"


@reads_documents()
def view(
    batch: Batch,
    *,
    output: Annotated[
        str,
        output_option("PAGE", "The HTML file to write; for several files, a folder."),
    ] = STANDARD_OUTPUT,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Write an HTML page that shows the chunks of a file.

    The page is self-contained. For a folder or several files, write a page for each file, and
    index.html with their sizes, totals and a search.
    """
    if len(batch.names) == 1 and not any(map(os.path.isdir, batch.arguments)):
        _write_page(batch, output, config, context)
    elif batch.names:
        _write_folder(batch, output, config, context)


def _write_page(batch: Batch, output: str, config: ChunkConfig, context: Context | None) -> None:
    """Write the page of the only document to a file, or to standard output if that is "-"."""
    from chunkana_view import to_html  # noqa: PLC0415

    if output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty():
        fail("a page is not printed to a terminal; name a file for it: -o PAGE.html", USAGE)
    if output != STANDARD_OUTPUT and os.path.isdir(output):
        fail(f"{output}: is a folder; with one file, -o names the page: -o PAGE.html", USAGE)
    require_other_files([output], batch.names)
    for document, result in batch.chunk_documents(config, context):
        _save(to_html(result, title_of(document.name)), output)


def _write_folder(batch: Batch, folder: str, config: ChunkConfig, context: Context | None) -> None:
    """Write a page for each document and an index; report and count failures."""
    from chunkana_view import collect_entries, index_html  # noqa: PLC0415

    if folder == STANDARD_OUTPUT:
        fail(_NEEDS_A_FOLDER, USAGE)
    place, files = Path(folder), _page_names(batch.names)
    if place.suffix.lower() in _PAGE_SUFFIXES and not place.is_dir():
        fail(f"{folder}: is the name of a page; {_NEEDS_A_FOLDER}", USAGE)
    require_other_files((str(place / file) for file in (_INDEX, *files)), batch.names)
    if os.path.lexists(place) and not place.is_dir():
        fail(f"{place}: is a file; for a folder or several files, -o names a folder", USAGE)
    make_folder(place)
    pages = dict(zip(map(escape_name, batch.names), (place / file for file in files), strict=True))
    entries = collect_entries(_write_pages(batch, pages, config, context))
    if entries:
        _save(index_html(entries), str(place / _INDEX))


def _write_pages(
    batch: Batch, pages: Mapping[str, Path], config: ChunkConfig, context: Context | None
) -> Iterator[Entry]:
    """Write pages that link to an index, and yield its entries; pages are by document name."""
    from chunkana_view import Entry, to_html  # noqa: PLC0415

    for document, result in batch.chunk_documents(config, context):
        page, title = pages[document.name], title_of(document.name)
        try:
            _save(to_html(result, title, _INDEX), str(page))
        except SystemExit as error:
            if error.code != FAILED:
                raise
            batch.failures += 1  # the page cannot be written, which is reported
        else:
            yield Entry.of(page.name, title, result)


def _save(page: str, output: str) -> None:
    with open_output(output) as out:
        out.write(page.encode("utf-8"))


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
