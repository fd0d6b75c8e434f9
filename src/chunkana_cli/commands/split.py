"""`chunkana split`: write the chunks of files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from chunkana_batch.rows import FIELDS
from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import (
    Jobs,
    epilog,
    output_option,
    reads_documents,
    require_name,
    workers_of,
)
from chunkana_cli.output.output import STANDARD_OUTPUT
from chunkana_cli.runs.folder import write_folder
from chunkana_cli.runs.format import Format, RowOptions
from chunkana_cli.runs.formats import choose_format
from chunkana_cli.runs.run import Run
from chunkana_cli.streams import USAGE, fail
from chunkana_core import ChunkConfig, Context

EPILOG = epilog(
    "split README.md",
    "split docs -o chunks.parquet --jobs auto",
    "split docs -o chunks.jsonl.gz --fields id,embedded,file,start_line",
    'split "docs/**/*.md" --format text --max-chunk-size 500',
    "split docs -o out/ --since out/",
)


Output = Annotated[
    str,
    output_option("FILE", "Where to write; a folder ends in /."),
]
FormatName = Annotated[
    Literal["jsonl", "text", "markdown", "parquet"] | None,
    typer.Option(
        "--format",
        help="jsonl and parquet for programs, the others for people.",
        show_default="by the suffix of -o, else jsonl",
    ),
]
FieldNames = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="Fields of jsonl and parquet, comma-separated.", show_default="all"
    ),
]
FrontMatterKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--front-matter-key",
        metavar="KEY",
        help="A front matter key to copy into the metadata; repeatable.",
    ),
]
DropDuplicates = Annotated[
    bool, typer.Option("--drop-duplicates", help="Leave out chunks that repeat an earlier content.")
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="STATE",
        help="The folder of an earlier run: unchanged files are not chunked again.",
        callback=require_name,
    ),
]


@reads_documents()
def split(
    batch: Batch,
    *,
    output: Output = STANDARD_OUTPUT,
    form: FormatName = None,
    fields: FieldNames = None,
    front_matter_keys: FrontMatterKeys = None,
    drop_duplicates: DropDuplicates = False,
    since: Since = None,
    jobs: Jobs = "1",
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Write the chunks of files.

    jsonl: one object per line with the text to embed, the text to read, its position and more.
    parquet: the same fields as a table. markdown: the exact text with a comment before each chunk.
    text: for reading. A summary is printed to standard error.
    """
    to_folder = output != STANDARD_OUTPUT and (
        output.endswith(("/", os.sep)) or os.path.isdir(output)
    )
    found, is_compressed = choose_format(form, "" if to_folder else output)
    _require_output(found, output, to_folder=to_folder)
    options = RowOptions(_parse_fields(fields), tuple(front_matter_keys or ()))
    needs_rows = {"--fields": fields, "--front-matter-key": front_matter_keys}
    _require_rows(found, needs_rows | {"--drop-duplicates": drop_duplicates, "--since": since})
    _require_state(since, output, to_folder=to_folder, drops=drop_duplicates)
    run = Run(batch, config, context, workers_of(jobs), found, options, drop_duplicates)
    if to_folder:
        write_folder(run, Path(output), None if since is None else Path(since))
    else:
        is_mixed = output == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty()
        run.write(output, is_compressed=is_compressed, is_bar_shown=not is_mixed)
    run.report_summary()


def _require_state(since: str | None, output: str, *, to_folder: bool, drops: bool) -> None:
    """End the command if `--since` cannot be used with the other options."""
    if since is not None and not to_folder:
        fail(f"--since needs a folder to write: -o is {output!r}", USAGE)
    if since is not None and drops:
        fail("--since and --drop-duplicates cannot be combined: the first copy may vanish", USAGE)


def _require_output(form: Format, output: str, *, to_folder: bool) -> None:
    """End the command if a format cannot be written to the output."""
    if to_folder and form.read is None:
        fail(f"-o is a folder, which needs --format jsonl or parquet; got {form.name}", USAGE)
    if not form.is_text and output == STANDARD_OUTPUT:
        fail(f"--format {form.name} is not text: name a file to write with -o", USAGE)


def _require_rows(form: Format, options: Mapping[str, object]) -> None:
    """End the command if options for rows are used with a format without rows."""
    for option, value in options.items():
        if value and form.read is None:
            fail(f"{option} needs --format jsonl or parquet; got {form.name}", USAGE)


def _parse_fields(names: str | None) -> tuple[str, ...]:
    if names is None:
        return tuple(FIELDS)
    fields = tuple(name.strip() for name in names.split(","))
    unknown = [name for name in fields if name not in FIELDS]
    if unknown or len(set(fields)) < len(fields):
        named = unknown[0] if unknown else names
        fail(f"--fields has {named!r}; allowed: each once of {', '.join(FIELDS)}", USAGE)
    return fields
