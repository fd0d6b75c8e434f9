"""`chunkana split`: write the chunks of files."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from chunkana_cli.batch import Batch, Jobs, workers_of
from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.errors import USAGE, fail
from chunkana_cli.formats import find_format
from chunkana_cli.formats.format import Format
from chunkana_cli.options import with_config
from chunkana_cli.output import STANDARD_OUTPUT, open_output, require_other_file
from chunkana_cli.paths import FILES_HELP
from chunkana_cli.progress import progress_bar
from chunkana_core import ChunkConfig

EPILOG = epilog(
    "split README.md",
    "split docs -o chunks.jsonl --jobs auto",
    'split "docs/**/*.md" --format text --max-chunk-size 500',
    "split docs --format parquet -o chunks.parquet",
)


@with_config()
def split(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    form: Annotated[
        Literal["jsonl", "text", "markdown", "parquet"],
        typer.Option("--format", help="jsonl and parquet for programs, the others for people."),
    ] = "jsonl",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")
    ] = STANDARD_OUTPUT,
    jobs: Jobs = "1",
    config: ChunkConfig,
) -> None:
    """Write the chunks of files.

    As jsonl, one object a line with file, content, text (the exact slice of the file) and metadata;
    as parquet, the same in a table, a row each; as markdown, the text itself with a comment before
    each chunk; as text, for reading.
    """
    workers = workers_of(jobs)
    written = _format(form, output)
    batch = Batch.of(files)
    require_other_file(output, batch.names)
    is_mixed = output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
    with (
        open_output(output) as out,
        progress_bar(len(batch.names), is_shown=not is_mixed) as progress,
    ):
        written.write(batch.chunked(config, workers, written.render, progress), out)
        batch.require_any()  # else what the output was before stays
    batch.end()


def _format(name: str, output: str) -> Format:
    try:
        found = find_format(name)
    except ImportError as error:
        fail(f"--format {name}: {error}", USAGE)
    if not found.is_text and output == STANDARD_OUTPUT:
        fail(f"--format {name} is no text: name a file to write with -o", USAGE)
    return found
