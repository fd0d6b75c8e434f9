"""`chunkana tree`: show the hierarchy of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.text import Text
from rich.tree import Tree

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import AsJson, epilog, reads_documents
from chunkana_cli.output.output import ANY_WIDTH, open_console, write_json
from chunkana_cli.output.screen import (
    INDENTATION,
    format_location,
    name_of,
    root_label,
    tree_label,
)
from chunkana_cli.streams import on_one_line
from chunkana_core import Chunk, ChunkConfig, Context, HierarchicalChunkingResult

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


def full_tree(name: str, result: HierarchicalChunkingResult, width: int = ANY_WIDTH) -> Tree:
    """Return the tree of all chunks, with titles, levels, sizes, lines, kinds and ids.

    Titles are cut so that lines fit into `width` columns.
    """
    if not result.chunks:
        return Tree(Text(f"{on_one_line(name)}  (no text)"))
    parts = Counter(chunk.section_id for chunk in result.chunks if chunk.split_index is not None)
    top = Tree(root_label(name, result, width))
    trees = {result.root_id: (top, width)}
    for chunk in result.chunks[1:]:
        facts = list(_facts(chunk, parts[chunk.section_id]))
        parent, room = trees[chunk.links.parent_id or result.root_id]
        room -= INDENTATION
        label = tree_label(name_of(chunk), facts, room, is_node=not chunk.is_leaf)
        trees[chunk.chunk_id] = parent.add(label), room
    return top


def _facts(chunk: Chunk, parts: int) -> Iterator[str]:
    """Yield the facts shown after the title of a chunk."""
    if chunk.section.level:
        yield f"H{chunk.section.level}"
    # The content of a parent is a summary; its span is the text of its leaves.
    yield f"{len(chunk.content) if chunk.is_leaf else len(chunk.span):,}"
    yield format_location(chunk, chunk)
    yield chunk.content_type + (f" in {on_one_line(chunk.container)}" if chunk.container else "")
    if chunk.split_index is not None:
        yield f"part {chunk.split_index + 1} of {parts}"
    if chunk.oversize_reason is not None:
        yield f"oversize: {chunk.oversize_reason}"
    yield chunk.chunk_id
