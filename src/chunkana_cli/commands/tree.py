"""`chunkana tree`: show the hierarchy of files."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.options import AsJson, with_config
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
    given: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Show the hierarchy of files.

    Beside each title: heading level, size in characters, lines, kind, and the chunk's id. As JSON,
    a list of one object a file: its name, and as result its chunks and their hierarchy.
    """
    batch = Batch.of(files, given, encoding)
    results = batch.chunked(config, 1, _named, context=context)
    if as_json:
        write_json([{"file": name, "result": _whole(result)} for name, result in results])
    else:
        with open_console(ANY_WIDTH) as console:
            for name, result in results:
                console.print(full_tree(name, result))
    batch.end()


def _whole(result: HierarchicalChunkingResult) -> dict[str, object]:
    """Return a result with all children of each node: who reads a file asks for no next page."""
    return result.to_dict(page_size=None)


def _named(name: str, result: HierarchicalChunkingResult) -> tuple[str, HierarchicalChunkingResult]:
    return name, result
