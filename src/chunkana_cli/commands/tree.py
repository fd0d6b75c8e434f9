"""`chunkana tree`: show the hierarchy of files."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.options import AsJson, epilog, with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.screen.tree_view import full_tree
from chunkana_cli.writing.output import ANY_WIDTH, open_console, write_json
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult

EPILOG = epilog("tree README.md", "tree docs --max-chunk-size 500", "tree --json README.md | jq .")


@with_config()
def tree(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    as_json: AsJson = False,
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Show the hierarchy of the chunks of files.

    Each title is followed by the heading level, the size in characters, the lines, the content type
    and the chunk id. With --json, print a list with an object for each file: its name, and as
    result its chunks and their hierarchy.
    """
    batch = Batch.of(files, input_format, encoding)
    chunked = batch.chunk_documents(config, context)
    if as_json:
        write_json([{"file": found.name, "result": _whole(result)} for found, result in chunked])
    else:
        with open_console(ANY_WIDTH) as console:
            for document, result in chunked:
                console.print(full_tree(document.name, result, console.width))
    batch.end()


def _whole(result: HierarchicalChunkingResult) -> dict[str, object]:
    """Return a result as a dict with all children of each node, without pagination."""
    return result.to_dict(page_size=None)
