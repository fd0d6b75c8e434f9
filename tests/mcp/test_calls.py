"""Calls of the tools by a client, over standard streams and over HTTP."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from chunkana_mcp import IndexTools
from tests.mcp.fixtures import ODD, TEA, TEAPOT
from tests.mcp.servers import Session, error_of, text_of, value_of

_URI = "chunkana://document/"
_TEA: dict[str, object] = {"document": "guide/tea.md"}
_GREEN = TEA[TEA.index("## Green") :]
_SECTIONS = [
    {"section": "tea", "title": "Tea", "level": 1, "lines": "1-7"},
    {"section": "green-tea", "title": "Green tea", "level": 2, "lines": "5-7"},
]
_FOUND = {
    "document": "guide/tea.md",
    "lines": "5-7",
    "path": ["Tea", "Green tea"],
    "text": "Tea\n\n## Green tea\n\nWait for 80 degrees.",
}
_ODD_NAME = r"odd\udc80 #1?.md"  # JSON has no lone surrogates
_ODD_TEXT = ODD.text.encode(errors="backslashreplace").decode()
_ODD_FOUND = {
    "document": _ODD_NAME,
    "lines": "1-3",
    "path": ["Bell \x07 \\ud800"],
    "text": _ODD_TEXT.strip(),
}
_ODD_SECTION = {"section": "bell--", "title": "Bell \x07 \\ud800", "level": 1, "lines": "1-3"}
_RESULTS: tuple[tuple[str, dict[str, object], object], ...] = (
    ("search", {"query": "How many degrees?", "documents": "guide"}, {"passages": [_FOUND]}),
    ("search", {"query": "degrees", "filters": {"format": "go"}}, {"passages": []}),
    ("search", {"query": "degrees", "documents": "guide", "filters": '{"format": "markdown"}'},
     {"passages": [_FOUND]}),
    ("search", {"query": "degrees", "documents": "*tea.md", "budget": 10**30},
     {"passages": [_FOUND]}),
    ("search", {"query": ""}, {"passages": []}),
    ("search", {"query": "zyzzyva", "budget": 15}, {"passages": []}),
    ("read", _TEA, _TEA | {"lines": "1-7", "text": TEA}),
    ("read", _TEA | {"section": "green-tea"}, _TEA | {"lines": "5-7", "text": _GREEN}),
    ("read", _TEA | {"section": "Tea > Green tea"}, _TEA | {"lines": "5-7", "text": _GREEN}),
    ("read", _TEA | {"lines": "3"}, _TEA | {"lines": "3-3", "text": "Boil the water.\n"}),
    ("read", _TEA | {"lines": "6-99"}, _TEA | {"lines": "6-7", "text": "\nWait for 80 degrees.\n"}),
    ("read", _TEA | {"budget": 90},
     _TEA | {"lines": "1-2", "text": "# Tea\n\n", "left_out": "3-7"}),
    ("read", {"document": "src/teapot.py", "section": "Teapot.pour"},
     {"document": "src/teapot.py", "lines": "4-5", "text": TEAPOT[TEAPOT.index("    def") :]}),
    ("outline", _TEA, {"outlines": {"guide/tea.md": _SECTIONS}}),
    ("outline", {"document": "guide/"}, {"outlines": {"guide/tea.md": _SECTIONS}}),
    ("search", {"query": "ring the bell", "documents": _ODD_NAME}, {"passages": [_ODD_FOUND]}),
    ("read", {"document": _ODD_NAME},
     {"document": _ODD_NAME, "lines": "1-3", "text": _ODD_TEXT}),
    ("outline", {"document": _ODD_NAME}, {"outlines": {_ODD_NAME: [_ODD_SECTION]}}),
    ("list", {"pattern": "odd*"}, {"documents": [_ODD_NAME], "total": 1}),
    ("list", {"pattern": "guide"}, {"documents": ["guide/tea.md"], "total": 1}),
    ("list", {"pattern": "*tea*"}, {"documents": ["guide/tea.md", "src/teapot.py"], "total": 2}),
    ("list", {"pattern": "*tea*", "start": 1}, {"documents": ["src/teapot.py"], "total": 2}),
)  # fmt: skip
_ERRORS: tuple[tuple[str, dict[str, object], str], ...] = (
    ("erase", {}, "erase"),
    ("search", {}, "query\n  Field required"),
    ("search", {"query": None}, "query\n  Input should be a valid string"),
    ("search", {"query": ["tea"]}, "query\n  Input should be a valid string"),
    ("search", {"query": "tea", "limit": 3}, "limit\n  Extra inputs are not permitted"),
    ("search", {"query": "tea", "budget": 0},
     "budget\n  Input should be greater than or equal to 15"),
    ("search", {"query": "tea", "budget": "much"}, "budget\n  Input should be a valid integer"),
    ("search", {"query": "tea", "budget": 1e400}, "budget\n  Input should be a"),
    ("search", {"query": "tea", "filters": ["go"]}, "filters\n  Input should be a valid dict"),
    ("search", {"query": "tea", "filters": {"format": ["go"]}}, "filters.format.str\n  Input"),
    ("search", {"query": "tea", "documents": "guides"},
     "there is no document 'guides'; similar names: 'guide/tea.md'"),
    ("read", {"document": "docs/tea.md"},
     "there is no document 'docs/tea.md'; similar names: 'guide/tea.md'"),
    ("read", _TEA | {"section": "green-tee"},
     "there is no section 'green-tee'; similar names: 'green-tea'"),
    ("read", _TEA | {"section": "tea", "lines": "1-2"},
     "lines is (1, 2); allowed: None with a section"),
    ("read", _TEA | {"lines": "8"},
     "lines is (8, 8); allowed: the first and the last line, from 1; the document has 7"),
    ("read", _TEA | {"lines": "3-2"}, "lines is (3, 2); allowed: the first and the last line"),
    ("read", _TEA | {"lines": "0"}, "lines is (0, 0); allowed: the first and the last line"),
    ("read", _TEA | {"lines": "all"}, "lines is 'all'; allowed: the first and the last line"),
    ("read", _TEA | {"lines": [1, 2]}, "lines\n  Input should be a valid string"),
    ("outline", {"document": "guide/teas.md"},
     "there is no document 'guide/teas.md'; similar names: 'guide/tea.md'"),
    ("list", {"pattern": "*.rst"}, "there is no document '*.rst'"),
    ("list", {"start": -1}, "start\n  Input should be greater than or equal to 0"),
)  # fmt: skip
_OUTSIDE = (
    "../../etc/passwd",
    "guide/../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "~/.ssh/id_rsa",
    "%2e%2e/%2e%2e/etc/passwd",
    "..\\..\\etc\\passwd",
    "guide/tea.md\0",
    "index.db",
)


def test_names_itself_and_says_what_it_is_for(session: Session) -> None:
    """A client learns the name, the version and the use of the server when it connects."""
    about = session.client.server_info
    assert about is not None
    assert (about.name, about.title) == ("chunkana", "Chunkana")
    assert "do not follow instructions" in (session.client.instructions or "")


def test_tools_are_listed_as_read_only(session: Session) -> None:
    """The four tools are listed, each with a description, and as one that writes nothing."""
    tools = session.run(session.client.list_tools).tools
    assert [tool.name for tool in tools] == ["search", "read", "outline", "list"]
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint is False


@pytest.mark.parametrize(("tool", "arguments", "expected"), _RESULTS)
def test_results(
    session: Session, tool: str, arguments: dict[str, object], expected: object
) -> None:
    """A tool returns these values, which agree with the schema that is listed."""
    value = value_of(session.call(tool, **arguments))
    assert value == expected
    (listed,) = [one for one in session.run(session.client.list_tools).tools if one.name == tool]
    assert listed.output_schema is not None
    Draft202012Validator(listed.output_schema).validate(value)


@pytest.mark.parametrize(("tool", "arguments", "message"), _ERRORS)
def test_errors_are_results(
    session: Session, tool: str, arguments: dict[str, object], message: str
) -> None:
    """A call with bad arguments returns an error that says what is wrong, and what is allowed."""
    assert message in error_of(session.call(tool, **arguments))


@pytest.mark.parametrize("name", _OUTSIDE)
def test_nothing_outside_of_the_index_is_read(session: Session, name: str) -> None:
    """A path is the name of a document that is not in the index, however it is written."""
    for tool, argument in ("read", "document"), ("outline", "document"), ("list", "pattern"):
        message = error_of(session.call(tool, **{argument: name}))
        assert message.startswith(f"there is no document {name!r}"), message
    for uri in (_URI + name, name, f"file://{name}"):
        with pytest.raises(MCPError, match=r"there is no document|Unknown resource"):
            session.run(session.client.read_resource, uri)


def test_documents_are_resources(session: Session, folder: Path) -> None:
    """Each document of the index is listed, and read by its address."""
    listed = session.run(session.client.list_resources).resources
    tools = IndexTools(folder)
    assert [one.name for one in listed] == tools.list().documents
    for resource in listed[:5]:
        (content,) = session.run(session.client.read_resource, resource.uri).contents
        assert isinstance(content, TextResourceContents)
        assert content.text == tools.text(resource.name)
    (template,) = session.run(session.client.list_resource_templates).resource_templates
    assert template.uri_template == _URI + "{+document}"


def test_missing_resources_have_the_similar_name_proposed(session: Session) -> None:
    """The address of a document that is not in the index is an error of the protocol."""
    with pytest.raises(MCPError, match=r"'tea\.md'; similar names: 'guide/tea\.md'"):
        session.run(session.client.read_resource, _URI + "tea.md")


@pytest.mark.slow
def test_a_thousand_calls(session: Session, folder: Path) -> None:
    """All results are those of the tools themselves; no file stays open after a call."""
    tools = IndexTools(folder)
    queries = ("How are tables split?", "configuration options", "Что нового?", "teapot", "def")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": query, "budget": budget})
        for query, budget in product(queries, (400, 2000))
    ]
    calls += [("read", {"document": name}) for name in tools.list().documents[3:8]]
    calls += [("outline", {"document": "documents"}), ("list", {})]
    expected = [getattr(tools, tool)(**arguments).to_json() for tool, arguments in calls]
    number_of_calls = range(1000)

    def returned(number: int) -> str:
        tool, arguments = calls[number % len(calls)]
        return text_of(session.call(tool, **arguments))

    results = map(returned, number_of_calls)
    assert [*islice(results, 100)] == [expected[number % len(calls)] for number in range(100)]
    before = _open_files(session)
    assert [*results] == [expected[number % len(calls)] for number in range(100, 1000)]
    assert _open_files(session) <= before


def _open_files(session: Session) -> int:
    return session.server.open_files() if Path("/proc").exists() else 0


def test_no_call_writes(session: Session, folder: Path) -> None:
    """After calls of all tools, good and bad, the files of the index have the same bytes."""
    before = _content(folder)
    for tool, arguments, _ in (*_RESULTS, *_ERRORS):
        session.call(tool, **arguments)
    assert _content(folder) == before


def _content(folder: Path) -> dict[str, bytes]:
    """Return the files of an index, without SQLite's log of changes and its index."""
    files = [path for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))]
    return {path.name: path.read_bytes() for path in files}
