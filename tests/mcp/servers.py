"""The server as a process of its own, and clients of the official SDK that connect to it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar, get_args

from anyio.from_thread import BlockingPortal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from tests.cli.command import COMMAND, environment

T = TypeVar("T")
Transport = Literal["stdio", "http"]
TRANSPORTS = get_args(Transport)
SECONDS = 60  # after which a test fails that waits for a process


@dataclass(frozen=True, slots=True)
class Server:
    """A server over standard streams, which each client starts, or one over HTTP, which runs.

    Attributes:
        target: the command, or the address.
        pid_file: has the number of the process that was started last.
        log: what servers print on standard error.
    """

    target: StdioServerParameters | str
    pid_file: Path
    log: TextIO

    def connect(self, mode: Literal["auto", "legacy"] = "auto") -> Client:
        """Return a client, which connects when it is entered."""
        target = self.target
        given = target if isinstance(target, str) else stdio_client(target, self.log)
        return Client(given, mode=mode, read_timeout_seconds=SECONDS)

    @property
    def process(self) -> int:
        """The number of the process."""
        return int(self.pid_file.read_text())

    def open_files(self) -> int:
        """Return the number of files that the process has open, on Linux."""
        return len([*Path(f"/proc/{self.process}/fd").iterdir()])

    def kill(self) -> None:
        """End the process without any warning."""
        os.kill(self.process, signal.SIGKILL)

    def printed(self) -> str:
        """Return what servers printed on standard error."""
        return Path(self.log.name).read_text(encoding="utf-8")


@contextmanager
def serving(
    transport: Transport,
    index: Path,
    place: Path,
    *options: str,
    program: Sequence[str] = COMMAND,
    **settings: str,
) -> Iterator[Server]:
    """Return a server of an index.

    Args:
        transport: how clients talk to the server.
        index: the folder of the index.
        place: a new folder, in which the server is started.
        options: further options of the command.
        program: starts the command.
        settings: changes of the environment.
    """
    place.mkdir(exist_ok=True)
    pid_file, port = place / "pid", free_port()
    words = [*program, "mcp", index, *options, *(["--port", port] if transport == "http" else [])]
    script = f"echo $$ > {shlex.quote(str(pid_file))}; exec {shlex.join(map(str, words))}"
    environ = environment(**settings)
    with (place / "log").open("w", encoding="utf-8") as log:
        if transport == "stdio":
            given = StdioServerParameters(command="sh", args=["-c", script], env=environ, cwd=place)
            yield Server(given, pid_file, log)
            return
        command = ["sh", "-c", script]
        with subprocess.Popen(command, env=environ, cwd=place, stderr=log) as process:
            try:
                _wait_for(port, process)
                yield Server(f"http://127.0.0.1:{port}/mcp", pid_file, log)
            finally:
                process.kill()


def free_port() -> int:
    """Return a port of the loopback that nothing listens on."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process listens on a port."""
    for _ in range(SECONDS * 20):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            try:
                process.wait(1 / 20)
            except subprocess.TimeoutExpired:
                continue
            break
        else:
            return
    raise AssertionError(f"the server does not listen on port {port}")


@dataclass(frozen=True, slots=True)
class Session:
    """A client that is connected to a server, for tests that are not asynchronous."""

    server: Server
    client: Client
    portal: BlockingPortal

    def run(self, function: Callable[..., Awaitable[T]], *arguments: object) -> T:
        """Return the result of an asynchronous function, such as a method of the client."""
        return self.portal.call(function, *arguments)

    def call(self, tool: str, **arguments: object) -> CallToolResult:
        """Return the result of a tool."""
        return self.run(self.client.call_tool, tool, arguments)


def text_of(result: CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def value_of(result: CallToolResult) -> Any:  # noqa: ANN401  # of JSON
    """Return the structured content of a result, after checking that its text is the same."""
    assert not result.is_error, text_of(result)
    assert json.loads(text_of(result)) == result.structured_content
    return result.structured_content


def error_of(result: CallToolResult) -> str:
    """Return the text of an error, without what the SDK adds before it."""
    assert result.is_error, text_of(result)
    assert result.structured_content is None
    before, _, message = text_of(result).partition(": ")
    assert before.startswith(("Error executing tool", "Unknown tool")), before
    return message
