"""`chunkana index`: build or update an index."""

from __future__ import annotations

from time import monotonic
from typing import Annotated

import typer

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import (
    INDEX_FOLDER,
    EmbeddingName,
    Jobs,
    epilog,
    output_option,
    reads_documents,
    workers_of,
)
from chunkana_cli.streams import format_count, report
from chunkana_core import ChunkConfig

EPILOG = epilog("index .", "index docs src -o index", "index . --embedding my_models:embed")


@reads_documents(atomic_blocks="split")
def index(
    batch: Batch,
    *,
    output: Annotated[
        str,
        output_option("INDEX", "The folder of the index."),
    ] = INDEX_FOLDER,
    embedding: EmbeddingName = None,
    reads_all: Annotated[
        bool, typer.Option("--check", help="Read files of the same size and time, too.")
    ] = False,
    jobs: Jobs = "auto",
    config: ChunkConfig,
) -> None:
    """Build or update an index for `ask`, `outline`, `read` and `mcp`.

    Only new and changed files are chunked, and documents whose files are gone are deleted. A run
    that was interrupted is continued.
    """
    from chunkana_cli.indexing.embedding import load_embedding  # noqa: PLC0415  # loads numpy
    from chunkana_cli.indexing.opening import make_index  # noqa: PLC0415
    from chunkana_cli.indexing.updating import FileUpdate  # noqa: PLC0415

    started, workers, model = monotonic(), workers_of(jobs), load_embedding(embedding)
    if not batch.names:
        batch.end()
    with make_index(output) as made:
        counts = FileUpdate(made, batch, config, workers, model.embedder, reads_all).run()
        total = len(made)
    counts["unchanged"] = total - counts["added"] - counts["changed"]
    facts = [
        format_count(total, "document"),
        *(f"{count:,} {what}" for what, count in counts.items() if count),
        format_count(batch.failures, "error"),
        f"{monotonic() - started:.1f} seconds",
    ]
    report(f"{output}: {', '.join(facts)}")
