"""`chunkana demo`: demonstrate chunking, search and auto-merging."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.options import epilog, with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, DEFAULT_QUESTION, InputFormat, default_documents
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.writing.output import open_console
from chunkana_core import ChunkConfig

EPILOG = epilog("demo", "demo docs", 'demo README.md -q "How are tables split?"')
_WIDTH = 100  # in a pipe
_PARENT_DEFAULT = "three times that of a chunk"


@with_config(atomic_blocks="split")
def demo(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help=f"{FILES_HELP} By default, Chunkana's own."),
    ] = None,
    *,
    question: Annotated[
        str | None,
        typer.Option("--question", "-q", help="What to ask; by default, one is chosen."),
    ] = None,
    hits: Annotated[int, typer.Option(min=1, help="How many chunks to find.")] = 8,
    max_parent_size: Annotated[
        int | None,
        typer.Option(min=1, help="The largest size of a parent.", show_default=_PARENT_DEFAULT),
    ] = None,
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Demonstrate chunking, search and merging.

    Without files, the demonstration uses Chunkana's own documents.
    """
    # Imported here because numpy, which search needs, is slow to load.
    from chunkana_cli.demo.running import Retrieval, run_demo  # noqa: PLC0415
    from chunkana_cli.demo.view import show  # noqa: PLC0415

    batch = Batch.of(files or (), input_format, encoding)
    if files:
        documents = batch.nonempty_documents()
    else:
        documents, question = default_documents(), question or DEFAULT_QUESTION
    cap = max_parent_size or 3 * config.max_chunk_size
    results = run_demo(batch, documents, question, Retrieval(hits, cap), config)
    with open_console(_WIDTH) as console:
        show(results, console)
    batch.end()
