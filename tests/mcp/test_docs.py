"""What pages show of the server is so: clients start it, and its tools return what is shown."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from chunkana_mcp import IndexServer, IndexTools
from tests import corpora
from tests.cli.command import call
from tests.core.pages import DOCS, readers_folder

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation")

_AGENTS = DOCS / "agents.md"
_README = corpora.REPOSITORY / "README.md"
_JSON = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ADDED = re.compile(r"^claude mcp add \S+ -- (.+)$", re.MULTILINE)
_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/mcp")
_TOOL = re.compile(r"^\| `(\w+)` \| (.+) \| [^|]+ \|$", re.MULTILINE)
_GROUPS = ("mcpServers", "servers", "context_servers")  # of the clients


def objects_in(page: Path) -> list[Any]:
    """Return the JSON of a page; all of it has to be valid."""
    return [json.loads(block) for block in _JSON.findall(corpora.read(page))]


def servers_in(page: Path) -> Iterator[dict[str, Any]]:
    """Yield the servers in the configurations of clients."""
    for found in objects_in(page):
        for group in _GROUPS:
            yield from found.get(group, {}).values()


def commands_in(page: Path) -> list[list[str]]:
    """Return the words by which clients start the server."""
    words = [[one["command"], *one["args"]] for one in servers_in(page) if "command" in one]
    return words + [shlex.split(line) for line in _ADDED.findall(corpora.read(page))]


@pytest.mark.parametrize("page", [_AGENTS, _README], ids=lambda page: page.name)
def test_clients_start_the_command(page: Path) -> None:
    """With options that it has; a variable stands for the command of one client."""
    commands = commands_in(page)
    assert commands
    for program, *arguments in commands:
        assert re.fullmatch(r"(?:.*/)?chunkana|\$\{CHUNKANA:-chunkana\}", program)
        assert arguments[0] == "mcp"
        code, output, error = call(*arguments, "--help")
        assert (code, error) == (0, "")
        assert "chunkana mcp" in output


def test_the_usual_clients_are_there() -> None:
    """Each of them has its own name for the list of servers."""
    groups = [group for found in objects_in(_AGENTS) for group in _GROUPS if group in found]
    assert {*groups} == {*_GROUPS}
    for found in servers_in(_AGENTS):
        assert found.keys() <= {"type", "command", "args", "env", "url"}
        assert ("command" in found) != ("url" in found)


def test_the_address_is_that_of_the_port() -> None:
    page = corpora.read(_AGENTS)
    (port,) = {*_ADDRESS.findall(page)}
    assert f"--port {port}\n" in page


def served(folder: Path) -> IndexServer:
    """Return a server of the index in a folder."""
    return IndexServer(IndexTools(folder))


async def test_calls_return_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(readers_folder(tmp_path))
    assert call("index", "tests/data/documents", "-o", "index")[0] == 0
    count = 0
    async with Client(served(tmp_path / "index")) as client:
        for asked, said in pairwise(objects_in(_AGENTS)):
            if "name" in asked:
                result = await client.call_tool(asked["name"], asked["arguments"])
                assert result.structured_content == said
                count += 1
    assert count > 1


async def test_the_page_lists_the_tools_and_their_arguments(tmp_path: Path) -> None:
    """With the default budgets."""
    (tmp_path / "a.md").write_text("# A\n\nTea.\n", encoding="utf-8")
    assert call("index", tmp_path / "a.md", "-o", tmp_path / "index")[0] == 0
    async with Client(served(tmp_path / "index")) as client:
        tools = {
            tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools
        }
    listed = dict(_TOOL.findall(corpora.read(_AGENTS)))
    assert {name: re.findall(r"`(\w+)`", cell) for name, cell in listed.items()} == {
        name: [*properties] for name, properties in tools.items()
    }
    for name, properties in tools.items():
        if "budget" in properties:
            assert f"`budget` ({properties['budget']['default']})" in listed[name]
