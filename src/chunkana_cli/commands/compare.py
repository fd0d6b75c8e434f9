"""`chunkana compare`: files, cut by several tools."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.comparing.comparison import compare_documents, comparisons_to_dict
from chunkana_cli.options import AsJson, with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.output import open_console, write_json
from chunkana_core import ChunkConfig

EPILOG = epilog(
    "compare README.md",
    "compare docs src",
    "compare docs/guide.md --max-chunk-size 500 --atomic-blocks keep",
    "compare README.md --json",
)
_WIDTH = 100  # in a pipe


@with_config()
def compare(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    as_json: AsJson = False,
    given: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Cut files with Chunkana and the tools of others, and measure all alike.

    Sizes are characters, nothing overlaps, all else is each tool's default; options but for
    --max-chunk-size are Chunkana's alone. Tools that are not installed are named. What is a
    heading, a table or a fence is what a CommonMark parse says. Files that the same tools are meant
    for are added up.
    """
    batch = Batch.of(files, given, encoding)
    documents = batch.with_text()
    with progress_bar(len(documents)) as progress:
        comparisons = compare_documents(documents, config, progress)
    if as_json:
        write_json(comparisons_to_dict(comparisons, config.max_chunk_size))
    else:
        from chunkana_cli.comparing.view import show_comparisons  # noqa: PLC0415  # rich's tables

        with open_console(_WIDTH) as console:
            show_comparisons(comparisons, console)
    batch.end()
