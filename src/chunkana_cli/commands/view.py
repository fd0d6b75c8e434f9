"""`chunkana view`: write pages that show chunks in their source."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.errors import FAILED
from chunkana_cli.options import with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.files import is_folder
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.writing.output import STANDARD_OUTPUT
from chunkana_core import ChunkConfig, Chunker, Context

EPILOG = epilog("view README.md -o readme.html", "view docs -o pages --max-chunk-size 500")


@with_config()
def view(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="PAGE", help="For a folder or several files, a folder."
        ),
    ] = STANDARD_OUTPUT,
    given: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Write a page that shows the chunks of a file.

    HTML that needs nothing else. Of a folder or several files, a page each, and index.html with
    their sizes, totals and a search.
    """
    from chunkana_cli.pages import Reader, write_folder, write_page  # noqa: PLC0415 - jinja2 takes time

    batch = Batch.of(files, given, encoding)
    names, is_whole = batch.names, not batch.failures
    reader = Reader(Chunker(config, context), given, encoding)
    if len(names) == 1 and not any(map(is_folder, files)):
        write_page(names[0], output, reader)
    elif names:
        is_whole = write_folder(names, output, reader) and is_whole
    if not is_whole:
        raise typer.Exit(FAILED)
