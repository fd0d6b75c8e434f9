"""`chunkana compare`: compare Chunkana with other splitters on files."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.comparing.comparison import compare_documents, comparisons_to_dict
from chunkana_cli.options import AsJson, epilog, with_config
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
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Split files with Chunkana and other tools, and compare the results.

    All tools use sizes in characters, the same --max-chunk-size, no overlap, and otherwise their
    defaults; all other options apply to Chunkana only. Tools that are not installed are listed.
    Headings, tables and fences are counted against a CommonMark parse. Files that the same tools
    apply to are added up.
    """
    batch = Batch.of(files, input_format, encoding)
    documents = batch.nonempty_documents()
    with progress_bar(len(documents)) as progress:
        comparisons = compare_documents(batch, documents, config, progress)
    if as_json:
        write_json(comparisons_to_dict(comparisons, config.max_chunk_size))
    else:
        from chunkana_cli.comparing.view import show_comparisons  # noqa: PLC0415  # rich's tables

        with open_console(_WIDTH) as console:
            show_comparisons(comparisons, console)
    batch.end()
