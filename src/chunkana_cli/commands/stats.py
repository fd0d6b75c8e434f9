"""`chunkana stats`: what the chunks of files are like."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.batch import Batch, Jobs, workers_of
from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.options import AsJson, with_config
from chunkana_cli.output import ANY_WIDTH, open_console, write_json
from chunkana_cli.paths import FILES_HELP
from chunkana_cli.progress import progress_bar
from chunkana_cli.stats import Facts
from chunkana_cli.stats_view import show_stats
from chunkana_core import ChunkConfig

EPILOG = epilog("stats docs", "stats docs --max-chunk-size 500 --jobs auto", "stats --json *.md")


@with_config()
def stats(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    as_json: AsJson = False,
    jobs: Jobs = "1",
    config: ChunkConfig,
) -> None:
    """Show what the chunks of files are like.

    Sizes in characters, kinds, and what is over the limit and why; by file and in total.
    """
    workers = workers_of(jobs)
    batch = Batch.of(files)
    with progress_bar(len(batch.names)) as progress:
        facts = list(batch.chunked(config, workers, Facts.of, progress))
    if as_json:
        limit = config.max_chunk_size
        rows = [file.to_dict(limit) for file in facts]
        said = {"max_chunk_size": limit, "files": rows, "total": Facts.total(facts).to_dict(limit)}
        write_json(said)
    elif facts:
        with open_console(ANY_WIDTH) as console:
            show_stats(facts, config.max_chunk_size, console)
    batch.end()
