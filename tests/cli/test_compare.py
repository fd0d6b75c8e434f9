"""`chunkana compare`: tools side by side, measured alike."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from chunkana_cli.comparing.comparison import Comparison
from chunkana_cli.comparing.measures import Truth, measure
from chunkana_cli.comparing.splitters import Piece
from chunkana_cli.comparing.view import show_comparison
from chunkana_cli.reading.documents import Document
from chunkana_core import ChunkConfig
from tests.cli.command import environment, error_of, output_of
from tests.cli.terminal import at_terminal

TEXT = (
    "# Guide\n\nHello there, reader of the guide.\n\n## `Keys` and [links](u)\n\n"
    "| Key | Does |\n|-----|------|\n| b | boils |\n| k | keeps |\n\n"
    "```sh\n# no heading\nrun it\n```\n"
)
needs_langchain = pytest.mark.skipif(
    find_spec("langchain_text_splitters") is None, reason="needs langchain-text-splitters"
)
needs_llamaindex = pytest.mark.skipif(
    find_spec("llama_index") is None, reason="needs llama-index-core"
)


def pieces(*contents: str) -> list[Piece]:
    return [Piece(content, content, TEXT.find(content)) for content in contents]


def test_headings_are_found_where_they_start_a_chunk_or_are_in_its_metadata() -> None:
    truth = Truth.of(TEXT)
    assert truth.headings == ("Guide", "Keys and links")
    parts = [*pieces("# Guide\n\nHello"), Piece("run", "run", 0, ("`Keys` and [links](u)",))]
    assert measure(parts, truth, 1000).headings_found == 2
    assert measure(pieces("Hello\n\n## `Keys` and [links](u)\n\n"), truth, 1000).headings_found == 0


def test_headings_that_are_none_are_counted() -> None:
    truth = Truth.of(TEXT)
    assert measure(pieces("# no heading\nrun it"), truth, 1000).false_headings == 1
    assert measure([Piece("run it", "run it", 0, ("no heading",))], truth, 1000).false_headings == 1
    assert measure(pieces("```sh\n# no heading\n```"), truth, 1000).false_headings == 0


def test_offsets_are_right_wrong_or_absent() -> None:
    parts = [Piece("Hello", "Hello", 9), Piece("Hello", "Hello", 8), Piece("Hello", "Hello", -1)]
    found = measure([*parts, Piece("Hello", "Hello", None)], Truth.of(TEXT), 1000)
    assert (found.offsets_right, found.offsets_wrong, found.offsets_absent) == (1, 2, 1)


def test_fences_tables_sizes_and_losses() -> None:
    truth = Truth.of(TEXT)
    found = measure(pieces("| b | boils |", "```sh\n# no heading", "Hello"), truth, 6)
    assert (found.tables_parted, found.fences_broken, found.over_limit) == (1, 1, 2)
    assert (found.largest, found.lines_lost) == (18, 1.0)
    whole = measure(pieces(TEXT), truth, 1000)
    assert (whole.tables_parted, whole.fences_broken, whole.lines_lost) == (0, 0, 0.0)


def test_a_fence_that_the_document_leaves_open_is_nobodys_fault() -> None:
    text = "```\nrun\n"
    assert measure([Piece(text, text, 0)], Truth.of(text), 1000).fences_broken == 0


def compared(tmp_path: Path, *options: str) -> dict[str, Any]:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    said = json.loads(output_of("compare", "a.md", "--json", *options, folder=tmp_path))
    return {tool["name"]: tool for tool in said["tools"]}


def test_ours_is_measured_like_the_others(tmp_path: Path) -> None:
    ours = compared(tmp_path, "--max-chunk-size=70", "--atomic-blocks=split")["Chunkana"]
    assert ours["chunks"] == ours["offsets_right"] >= 3
    assert ours["largest"] <= 70
    assert ours["headings_found"] == 2
    bad = ("over_limit", "false_headings", "offsets_wrong", "offsets_absent", "fences_broken")
    assert [ours[name] for name in (*bad, "tables_parted", "lines_lost")] == [0] * 7


@needs_langchain
def test_langchains_splitters(tmp_path: Path) -> None:
    found = compared(tmp_path, "--max-chunk-size=40")
    assert found["LangChain Recursive"]["false_headings"] == 1
    assert found["LangChain Recursive"]["offsets_right"] == found["LangChain Recursive"]["chunks"]
    headers = found["LangChain Header + Recursive"]
    assert headers["offsets_absent"] == headers["chunks"]
    assert headers["headings_found"] == 2


@needs_llamaindex
def test_llamaindexs_splitters_without_a_network(tmp_path: Path) -> None:
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "chunkana_cli", "compare", "a.md", "--json", "--max-chunk-size=60"],
        cwd=tmp_path,
        env=environment(**nowhere),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found = {tool["name"]: tool for tool in json.loads(done.stdout)["tools"]}
    assert found["LlamaIndex Markdown"]["headings_found"] == 2
    assert found["LlamaIndex Sentence"]["largest"] <= 60


LANGCHAIN = ("LangChain Recursive", "LangChain Header + Recursive")
LLAMAINDEX = ("LlamaIndex Markdown", "LlamaIndex Sentence")


@pytest.mark.parametrize(
    "hidden",
    [
        ("langchain_text_splitters", "llama_index"),
        # what the first one needs, and a part of the second
        ("langchain_core", "llama_index.core.node_parser"),
    ],
    ids=["not installed", "cannot be loaded"],
)
def test_tools_that_are_not_installed_or_cannot_be_loaded_are_named(
    tmp_path: Path, hidden: tuple[str, str]
) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    script = (
        "import sys\n"
        "class Hider:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name in {hidden!r}:\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hider())\n"
        "from chunkana_cli.main import app\n"
        "app()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "compare", "a.md", "--json"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert {tool["name"]: tool["install"] for tool in said["missing"]} == (
        dict.fromkeys(LANGCHAIN, "langchain-text-splitters")
        | dict.fromkeys(LLAMAINDEX, "llama-index-core")
    )
    assert [tool["name"] for tool in said["tools"]] == ["Chunkana"]


def test_what_is_missing_is_said_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = Comparison("a.md", Truth.of(TEXT), 1000, {})
    show_comparison(comparison, Console(width=100))
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "LlamaIndex Sentence is not installed: pip install llama-index-core"


def test_the_table_at_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    output = at_terminal("compare", "a.md", folder=tmp_path, columns=100)
    assert "a.md: 159 characters, 2 headings, 1 table; limit 1,000 characters" in output
    assert "Chunkana" in output


def test_a_document_without_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(" \n", encoding="utf-8")
    assert error_of("compare", tmp_path / "a.md", code=1).endswith("a.md: has no text to chunk")


def test_a_narrow_terminal_cuts_nothing(tmp_path: Path) -> None:
    comparison = Comparison.of(Document("a.md", TEXT), ChunkConfig())
    words = ("Chunkana", "largest", "headings", "offsets")
    for columns in (20, 40, 60, 80):
        console = Console(file=StringIO(), width=columns, force_terminal=True, no_color=True)
        show_comparison(comparison, console)
        assert isinstance(console.file, StringIO)
        output = console.file.getvalue()
        assert "…" not in output
        assert all(word in output for word in words)
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    output = at_terminal("compare", "a.md", folder=tmp_path, columns=20, NO_COLOR="1")
    assert "…" not in output
    assert all(word in output for word in words)


METHOD = "    def method_{}(self):\n        first = 1\n\n        return first + 2\n\n"
CODE = "import os\n\n\nclass A:\n" + "".join(METHOD.format(number) for number in range(6))


@pytest.mark.parametrize(
    ("name", "text", "tools"),
    [
        ("a.py", CODE, ["Chunkana", "LangChain Language", "LlamaIndex Sentence"]),
        ("a.json", json.dumps({"a": [{"b": n} for n in range(30)]}, indent=2),
         ["Chunkana", "LangChain JSON", "LlamaIndex Sentence"]),
        ("a.txt", "One. Two.\n\n" * 30, ["Chunkana", "LlamaIndex Sentence"]),
    ],
)  # fmt: skip
def test_every_format_is_compared_with_what_is_meant_for_it(
    name: str, text: str, tools: list[str], tmp_path: Path
) -> None:
    for package in ("langchain_text_splitters", "llama_index", "tree_sitter"):
        pytest.importorskip(package)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = json.loads(output_of("compare", path, "--json", "--max-chunk-size=100"))
    assert [tool["name"] for tool in found["tools"]] == tools
    ours = found["tools"][0]
    assert (ours["definitions_parted"], ours["offsets_wrong"], ours["lines_lost"]) == (0, 0, 0)
    shown = output_of("compare", path, "--max-chunk-size=100")
    assert "definitions parted" in shown
    assert "fences broken" not in shown


def test_a_definition_that_fits_and_is_whole_nowhere_is_parted() -> None:
    pytest.importorskip("tree_sitter")
    truth = Truth.of("def f():\n    a = 1\n    return a\n\n\ndef g():\n    pass\n", "python")
    assert len(truth.definitions) == 2
    parted = pieces("def f():\n    a = 1", "    return a\ndef g():\n    pass")
    assert measure(parted, truth, 100).definitions_parted == 1
    assert measure(parted, truth, 20).definitions_parted == 0


@pytest.mark.parametrize(
    ("text", "lost"), [('{"a": 1}\n{"a": 2}\n', 0.0), ("{no json at all", 1.0)]
)
def test_a_splitter_of_values_gets_json_lines_and_nothing_of_what_is_no_json(
    text: str, lost: float, tmp_path: Path
) -> None:
    for package in ("langchain_text_splitters", "tree_sitter"):
        pytest.importorskip(package)
    path = tmp_path / "a.jsonl"
    path.write_text(text * 3, encoding="utf-8")
    found = json.loads(output_of("compare", path, "--json"))
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert tools["LangChain JSON"]["lines_lost"] == lost
