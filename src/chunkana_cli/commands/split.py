"""`chunkana split`: write the chunks of files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

import typer

from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.errors import USAGE, fail
from chunkana_cli.formats import find_format
from chunkana_cli.formats.format import Format
from chunkana_cli.options import with_config
from chunkana_cli.progress import progress_bar
from chunkana_cli.reading.batch import Batch, Jobs, workers_of
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.writing.output import STANDARD_OUTPUT, open_output, require_other_file
from chunkana_core import ChunkConfig, chunk_markdown

EPILOG = epilog(
    "split README.md",
    "split docs -o chunks.jsonl --jobs auto",
    'split "docs/**/*.md" --format text --max-chunk-size 500',
    "split docs --format parquet -o chunks.parquet",
)


@with_config()
def split(  # noqa: PLR0913 - one for each option
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    form: Annotated[
        Literal["jsonl", "text", "markdown", "parquet"],
        typer.Option("--format", help="jsonl and parquet for programs, the others for people."),
    ] = "jsonl",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")
    ] = STANDARD_OUTPUT,
    front_matter_keys: Annotated[
        list[str] | None,
        typer.Option(
            "--front-matter-key",
            metavar="KEY",
            help="A key of front matter to copy into the metadata; may be given again.",
        ),
    ] = None,
    jobs: Jobs = "1",
    given: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Write the chunks of files.

    As jsonl, one object a line with file, content, text (the exact slice of the file) and metadata;
    as parquet, the same in a table, a row each; as markdown, the text itself with a comment before
    each chunk; as text, for reading.
    """
    workers = workers_of(jobs)
    written, keys = _format(form, output), tuple(front_matter_keys or ())
    _require_keys(form, written, keys)
    render = partial(written.render, keys)
    batch = Batch.of(files, given, encoding)
    require_other_file(output, batch.names)
    is_mixed = output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
    with (
        open_output(output) as out,
        progress_bar(len(batch.names), is_shown=not is_mixed) as progress,
    ):
        written.write(batch.chunked(config, workers, render, progress), out)
        batch.require_any()  # else what the output was before stays
    batch.end()


def _require_keys(form: str, written: Format, keys: Sequence[str]) -> None:
    """End the command if keys of front matter cannot be written."""
    if keys and not written.has_metadata:
        fail(f"--front-matter-key needs --format jsonl or parquet; got {form}", USAGE)
    taken = {"file", "content", "text", *chunk_markdown("Text.")[0].metadata}
    for key in keys:
        if key in taken:
            fail(f"--front-matter-key is {key!r}, which the metadata of every chunk has", USAGE)


def _format(name: str, output: str) -> Format:
    try:
        found = find_format(name)
    except ImportError as error:
        fail(f"--format {name}: {error}", USAGE)
    if not found.is_text and output == STANDARD_OUTPUT:
        fail(f"--format {name} is no text: name a file to write with -o", USAGE)
    return found
