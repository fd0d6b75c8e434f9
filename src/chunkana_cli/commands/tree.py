"""`chunkana tree`: show the hierarchy of files."""

from __future__ import annotations

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import AsJson, epilog, reads_documents
from chunkana_cli.output.output import open_console, write_json
from chunkana_cli.output.trees import full_tree
from chunkana_core import ChunkConfig, Context

EPILOG = epilog("tree README.md", "tree docs --max-chunk-size 500", "tree --json README.md | jq .")


@reads_documents()
def tree(
    batch: Batch,
    *,
    as_json: AsJson = False,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Show the hierarchy of the chunks of files.

    Each title is followed by the heading level, the size in characters, the lines, the content type
    and the chunk id. With --json, print a list with an object for each file: its name, and as
    result its chunks and their hierarchy.
    """
    chunked = batch.chunk_documents(config, context)
    if as_json:
        # Without pages, all children of each node are in the list.
        whole = ((found.name, result.to_dict(page_size=None)) for found, result in chunked)
        write_json([{"file": name, "result": result} for name, result in whole])
    else:
        with open_console() as console:
            for document, result in chunked:
                console.print(full_tree(document.name, result, console.width))
