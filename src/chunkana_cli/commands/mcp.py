"""`chunkana mcp`: serve an index to agents over the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.options import INDEX_FOLDER, EmbeddingName, IndexFolder, epilog
from chunkana_cli.streams import fail

EPILOG = epilog("mcp", "mcp index --port 8000")


def mcp(
    folder: IndexFolder = INDEX_FOLDER,
    *,
    port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            help="Serve over HTTP at http://127.0.0.1:PORT/mcp.",
            show_default="none: over standard input and output",
        ),
    ] = None,
    embedding: EmbeddingName = None,
) -> None:
    """Serve an index to agents over the Model Context Protocol. Clients start this command."""
    if find_spec("mcp") is None:
        fail('this command needs mcp: pip install "chunkana-rag[mcp]"')
    from chunkana_cli.indexing.embedding import load_embedding  # noqa: PLC0415  # loads numpy
    from chunkana_cli.indexing.opening import open_index  # noqa: PLC0415
    from chunkana_mcp import IndexServer, IndexTools  # noqa: PLC0415  # optional

    model = load_embedding(embedding)
    with open_index(folder, model.embedder):  # reports what is wrong with it
        pass
    server = IndexServer(IndexTools(Path(folder), model.question))
    try:
        server.serve(port)
    except OSError as error:
        if port is None:  # of standard output, as of all commands
            raise
        fail(f"--port is {port}, which cannot be used: {error.strerror or error}")
