"""`chunkana view`: write HTML pages that show chunks in their source."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.options import epilog, with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.files import is_folder
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.writing.output import STANDARD_OUTPUT, require_name
from chunkana_core import ChunkConfig, Context

EPILOG = epilog("view README.md -o readme.html", "view docs -o pages --max-chunk-size 500")


@with_config()
def view(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="PAGE",
            help="For a folder or several files, a folder.",
            callback=require_name,
        ),
    ] = STANDARD_OUTPUT,
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Write an HTML page that shows the chunks of a file.

    The page is self-contained. For a folder or several files, write a page for each file, and
    index.html with their sizes, totals and a search.
    """
    from chunkana_cli.pages import write_folder, write_page  # noqa: PLC0415 - jinja2 takes time

    batch = Batch.of(files, input_format, encoding)
    if len(batch.names) == 1 and not any(map(is_folder, files)):
        write_page(batch, output, config, context)
    elif batch.names:
        write_folder(batch, output, config, context)
    batch.end()
