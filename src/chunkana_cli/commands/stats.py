"""`chunkana stats`: show statistics of the chunks of files."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.errors import InputError
from chunkana_cli.options import AsJson, epilog, with_config
from chunkana_cli.reading.batch import Batch, Jobs, workers_of
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.reading.tables import is_table_of_chunks, read_rows
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.screen.stats_view import show_stats
from chunkana_cli.stats import FileStats
from chunkana_cli.writing.output import ANY_WIDTH, open_console, write_json
from chunkana_core import ChunkConfig, Context

EPILOG = epilog(
    "stats docs",
    "stats docs --max-chunk-size 500 --jobs auto",
    "stats chunks.jsonl",
    "stats --json *.md",
)


@with_config()
def stats(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    as_json: AsJson = False,
    jobs: Jobs = "1",
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Show statistics of the chunks of files.

    Sizes in characters, content types, and chunks over the limit with their reasons, by file and in
    total. A file that split wrote as jsonl or parquet is not chunked again; its chunks are counted.
    """
    workers = workers_of(jobs)
    batch = Batch.of(files, input_format, encoding)
    tables = [name for name in batch.names if input_format == AUTO and is_table_of_chunks(name)]
    found = [stats for name in tables for stats in _read_stats(name, batch)]
    names = [name for name in batch.names if name not in tables]
    with progress_bar(len(names)) as progress:
        documents = batch.documents(names)
        found += batch.chunk(
            config, workers, FileStats.of, progress, context=context, documents=documents
        )
    if as_json:
        limit = config.max_chunk_size
        rows = [file.to_dict(limit) for file in found]
        summary = {
            "max_chunk_size": limit,
            "files": rows,
            "total": FileStats.total(found).to_dict(limit),
        }
        write_json(summary)
    elif found:
        with open_console(ANY_WIDTH) as console:
            show_stats(found, config.max_chunk_size, console)
    batch.end()


def _read_stats(name: str, batch: Batch) -> list[FileStats]:
    """Return the statistics of each document in a table of chunks; report an unreadable table."""
    try:
        return [*FileStats.of_rows(row for _, row in read_rows(name))]
    except InputError as error:
        batch.report_failure(str(error))
    except KeyError as error:
        batch.report_failure(f"{name}: is not a table of chunks: it has no column {error}")
    return []
