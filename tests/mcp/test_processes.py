"""Servers and clients that end, and an index that changes while it is served."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from mcp.shared.exceptions import MCPError

from chunkana_retrieval import Index, IndexDocument
from tests.cli.command import COMMAND, call, run_new
from tests.mcp.fixtures import documents
from tests.mcp.servers import (
    SECONDS,
    TRANSPORTS,
    Server,
    Session,
    Transport,
    error_of,
    serving,
    text_of,
    value_of,
)
from tests.rights import DROP_AND_RUN

transports = pytest.mark.parametrize("transport", TRANSPORTS)
_NEW = IndexDocument("guide/coffee.md", "# Coffee\n\nGrind the beans.\n")
# A model that waits in one question, until the test lets it go on.
_MODEL = """
def embed(texts):
    if texts == ["wait"]:
        open("asked", "wb").close()
        open("answered", "rb").close()
    return [[1.0, float(len(text))] for text in texts]
"""


@pytest.fixture
def own_index(folder: Path, tmp_path: Path) -> Path:
    """Return the folder of an index that a test may change."""
    with Index.load(folder) as index:
        index.save(tmp_path / "own")
    return tmp_path / "own"


@contextmanager
def _session(transport: Transport, index: Path, place: Path) -> Iterator[Session]:
    with (
        serving(transport, index, place) as server,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(server.connect()) as client,
    ):
        yield Session(server, client, portal)


def _found(session: Session, query: str) -> list[str]:
    """Return the names of the documents that a search finds."""
    found = value_of(session.call("search", query=query))["passages"]
    return [passage["document"] for passage in found]


@transports
def test_a_search_sees_an_update(transport: Transport, own_index: Path, tmp_path: Path) -> None:
    """A search during an update sees what was there before, and the next one what is new."""
    during: list[list[str]] = []
    with _session(transport, own_index, tmp_path / "server") as session, Index(own_index) as index:
        index.update([_NEW], progress=lambda *_: during.append(_found(session, "grind beans")))
        assert during
        assert not any("guide/coffee.md" in found for found in during)
        assert _found(session, "grind beans")[0] == "guide/coffee.md"
        index.update([], deleted=["guide/coffee.md"])
        assert "guide/coffee.md" not in _found(session, "grind beans")


@transports
def test_a_folder_that_is_deleted_or_replaced(
    transport: Transport, own_index: Path, tmp_path: Path
) -> None:
    """Without its index, a server returns errors; it answers from the one that is built next."""
    with _session(transport, own_index, tmp_path / "server") as session:
        assert value_of(session.call("list"))["total"] == len(documents())
        shutil.rmtree(own_index)
        for _ in range(2):
            assert "no index is in this folder" in error_of(session.call("search", query="tea"))
        with Index(own_index) as index:
            index.update([_NEW])
        assert value_of(session.call("list"))["documents"] == ["guide/coffee.md"]
        shutil.rmtree(own_index)
        with Index(own_index) as index:
            index.update(documents())
        assert "guide/tea.md" in _found(session, "boil the water for tea")


@transports
async def test_two_clients_at_once(transport: Transport, folder: Path, tmp_path: Path) -> None:
    """Clients of both generations of the protocol have their own answers, asked at once."""
    names = [f"documents/{name}.md" for name in ("math_notes", "changelog", "no_headings")]
    with serving(transport, folder, tmp_path / "server") as server:
        async with server.connect() as new, server.connect("legacy") as old:
            assert new.protocol_version > old.protocol_version
            calls = [
                client.call_tool("read", {"document": name})
                for client in (new, old)
                for name in names * 5
            ]
            results = await asyncio.gather(*calls)
    assert [value_of(result)["document"] for result in results] == names * 10


@transports
async def test_a_cancelled_call(transport: Transport, tmp_path: Path) -> None:
    """Calls are answered while a cancelled one still runs, and after it has ended."""
    place = _place_with_model(tmp_path)
    with serving(transport, tmp_path / "index", place, "--embedding", "model:embed") as server:
        await _cancel_a_call(server, place)
    assert server.printed() == ""


async def _cancel_a_call(server: Server, place: Path) -> None:
    async with server.connect() as client:
        waiting = asyncio.create_task(client.call_tool("search", {"query": "wait"}))
        await asyncio.to_thread((place / "asked").read_bytes)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        assert waiting.cancelled()
        assert value_of(await client.call_tool("list"))["documents"] == ["coffee.md"]
        await asyncio.to_thread((place / "answered").write_bytes, b"")
        found = value_of(await client.call_tool("search", {"query": "beans"}))
        assert [one["document"] for one in found["passages"]] == ["coffee.md"]


@pytest.mark.slow
@transports
async def test_a_server_that_is_killed(transport: Transport, tmp_path: Path) -> None:
    """A client that waits for an answer gets an error; the index is intact for the next server."""
    place = _place_with_model(tmp_path)
    options = "--embedding", "model:embed"
    before = (tmp_path / "index" / "index.db").read_bytes()
    with (
        serving(transport, tmp_path / "index", place, *options) as server,
        pytest.raises((MCPError, ExceptionGroup)),
    ):
        await _kill_during_call(server, place)
    assert (tmp_path / "index" / "index.db").read_bytes() == before
    with serving(transport, tmp_path / "index", place, *options) as server:
        async with server.connect() as client:
            found = await client.call_tool("search", {"query": "beans"})
            assert "Grind the beans." in text_of(found)


async def _kill_during_call(server: Server, place: Path) -> None:
    async with server.connect() as client:
        waiting = asyncio.create_task(client.call_tool("search", {"query": "wait"}))
        await asyncio.to_thread((place / "asked").read_bytes)
        server.kill()
        await waiting


def _place_with_model(tmp_path: Path) -> Path:
    """Make an index by the model that waits, and the folder to start its server in."""
    place = tmp_path / "server"
    place.mkdir()
    (place / "model.py").write_text(_MODEL)
    for name in ("asked", "answered"):
        os.mkfifo(place / name)
    (place / "coffee.md").write_text(_NEW.text)
    made = "index", "coffee.md", "-o", "../index", "--embedding", "model:embed"
    done = run_new(*made, cwd=place)
    assert done.returncode == 0, done.stderr
    return place


@transports
def test_a_folder_that_cannot_be_written(
    transport: Transport, own_index: Path, tmp_path: Path
) -> None:
    """A read-only index is served, with a read-only home, too."""
    home = tmp_path / "home"
    home.mkdir()
    program = [sys.executable, "-c", DROP_AND_RUN, *COMMAND]
    for path in (home, own_index):
        path.chmod(0o555)
    with (
        serving(
            transport, own_index, tmp_path / "server", program=program, HOME=str(home)
        ) as server,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(server.connect()) as client,
    ):
        session = Session(server, client, portal)
        assert "guide/tea.md" in _found(session, "boil the water for tea")
        assert value_of(session.call("read", document="guide/tea.md"))["lines"] == "1-7"
        assert {path.name for path in own_index.iterdir()} == {"index.db", "index.lock"}
    assert [*home.iterdir()] == []


def test_an_index_of_another_version(own_index: Path) -> None:
    """The command ends with the versions, and what to do."""
    with closing(sqlite3.connect(own_index / "index.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    code, output, error = call("mcp", own_index)
    assert (code, output) == (1, "")
    assert "is of format 99, not 1; make a new index in another folder" in error


@pytest.mark.parametrize(
    ("content", "message"), [(None, "has no index"), (b"# Tea\n", "is not an index of Chunkana")]
)
def test_a_folder_without_an_index(content: bytes | None, message: str, tmp_path: Path) -> None:
    """The command ends with a message."""
    if content:
        (tmp_path / "index.db").write_bytes(content)
    code, output, error = call("mcp", tmp_path)
    assert (code, output) == (1, "")
    assert message in error


def test_the_end_of_the_input(folder: Path) -> None:
    """The server over standard streams ends without an error when its client has gone."""
    done = run_new("mcp", folder, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_port_that_is_taken(folder: Path) -> None:
    """The command ends with one line."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_new("mcp", folder, "--port", str(port), timeout=SECONDS)
    message = f"chunkana: --port is {port}, which cannot be used: "
    assert (done.returncode, done.stderr.decode().splitlines()[0].startswith(message)) == (1, True)
    assert done.stderr.count(b"\n") == 1
