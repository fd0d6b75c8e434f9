"""Requests that are not those of a well-behaved client."""

from __future__ import annotations

import http.client
import json
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.mcp.servers import SECONDS, Server, serving

_LIMIT = 4 * 1024 * 1024  # bytes of a body that the SDK accepts
_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list", "arguments": {"pattern": "guide"}},
}
_BODY = json.dumps(_CALL).encode()
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server over HTTP."""
    with serving("http", folder, tmp_path_factory.mktemp("server")) as started:
        yield started


def _post(server: Server, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Return the status and the body of the answer to a request."""
    address = urlsplit(str(server.target))
    connection = http.client.HTTPConnection(address.netloc, timeout=SECONDS)
    with closing(connection):
        connection.request("POST", address.path, body, {**_HEADERS, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:80"}, 200),
        ({"Host": "example.org"}, 421),
        ({"Host": "example.org:8000"}, 421),
        ({"Host": "127.0.0.1.example.org:8000"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "https://example.org"}, 403),
        ({"Origin": "http://localhost.example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Accept": "application/json"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_foreign_pages_are_refused(server: Server, headers: dict[str, str], status: int) -> None:
    """A page that a browser loaded from elsewhere cannot ask the server, however it names it."""
    found, body = _post(server, _BODY, headers)
    assert found == status
    assert (b"guide/tea.md" in body) is (status == 200)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (_BODY.ljust(_LIMIT), 200),
        (_BODY.ljust(_LIMIT + 1), 413),
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (_BODY.replace(b"guide", b"\\ud800"), 400),
        (_BODY.replace(b'"tools/call"', b"5"), 400),
    ],
    ids=["limit", "over_limit", "empty", "cut", "not_utf8", "deep", "lone_surrogate", "method"],
)
def test_bodies(server: Server, body: bytes, status: int) -> None:
    """A body over the limit, or one that is no message, is refused; the next one is answered."""
    assert _post(server, body, {})[0] == status
    assert b"guide/tea.md" in _post(server, _BODY, {})[1]


@pytest.mark.skipif(sys.platform != "linux", reason="needs another address of the loopback")
def test_one_address_is_served(server: Server) -> None:
    """The server does not listen on all addresses of the computer."""
    port = urlsplit(str(server.target)).port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port)).close()
