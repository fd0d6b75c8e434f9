"""An index of our own documents and some source files, and clients of its server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from chunkana_retrieval import Index, IndexDocument
from tests.mcp.servers import TRANSPORTS, Session, serving

_DATA = Path(__file__).parents[1] / "data"
_PATTERNS = "documents/*.md", "code/python/*.py", "code/go/*.go"
TEA = "# Tea\n\nBoil the water.\n\n## Green tea\n\nWait for 80 degrees.\n"
TEAPOT = 'class Teapot:\n    """A pot."""\n\n    def pour(self):\n        return "green tea"\n'
# A bell, a NUL, an escape sequence and lone surrogates, of which one is in the name.
ODD = IndexDocument("odd\udc80 #1?.md", "# Bell \x07 \ud800\n\nNul \0, ring \x1b[31m, \udfff.\n")


def documents() -> list[IndexDocument]:
    """Return our documents, and small ones whose results are in the tests."""
    paths = [path for pattern in _PATTERNS for path in sorted(_DATA.glob(pattern))]
    found = [
        IndexDocument(path.relative_to(_DATA).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
    ]
    tea, teapot = IndexDocument("guide/tea.md", TEA), IndexDocument("src/teapot.py", TEAPOT)
    return [tea, teapot, ODD, *found]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an index, which no test changes."""
    path = tmp_path_factory.mktemp("mcp") / "index"
    with Index(path) as index:
        index.update(documents())
    return path


@pytest.fixture(scope="module", params=TRANSPORTS)
def session(
    request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """Return a client of a server of the index; a server that prints something has failed."""
    place = tmp_path_factory.mktemp(f"server_{request.param}")
    with (
        serving(request.param, folder, place) as server,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(server.connect()) as client,
    ):
        yield Session(server, client, portal)
    assert server.printed() == ""
