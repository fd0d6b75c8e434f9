"""`chunkana compare`: the measurements of several tools."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from chunkana_cli.commands.compare import (
    Comparison,
    compare_documents,
    show_comparisons,
    tools_for,
)
from chunkana_cli.comparing.measures import Measurement, Reference, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Piece, langchain_json
from chunkana_cli.inputs.batch import Batch, Document
from chunkana_core import ChunkConfig
from tests.cli.command import call, environment, error_of, output_of, run, run_new

TEXT = (
    "# Guide\n\nHello there, reader of the guide.\n\n## `Keys` and [links](u)\n\n"
    "| Key | Does |\n|-----|------|\n| b | boils |\n| k | keeps |\n\n"
    "```sh\n# no heading\nrun it\n```\n"
)
DOCUMENT = Document("a.md", TEXT)
needs_langchain = pytest.mark.skipif(
    find_spec("langchain_text_splitters") is None, reason="needs langchain-text-splitters"
)
needs_llamaindex = pytest.mark.skipif(
    find_spec("llama_index") is None, reason="needs llama-index-core"
)


def pieces(*contents: str) -> list[Piece]:
    return [Piece(content, content, TEXT.find(content)) for content in contents]


def measured(*found: Piece, limit: int = 1000, text: str = TEXT) -> Measurement:
    return measure(found, Reference.of(text), limit)


def test_measures_of_pieces() -> None:
    """Headings count where they start a chunk or are in its metadata."""
    start, named = pieces("# Guide\n\nHello")[0], Piece("run", "run", 0, ("`Keys` and [links](u)",))
    assert measured(start, named).headings_found == 2
    assert measured(*pieces("Hello\n\n## `Keys` and [links](u)\n\n")).headings_found == 0
    false = [*pieces("# no heading\nrun it"), Piece("run it", "run it", 0, ("no heading",))]
    assert [measured(one).false_headings for one in false] == [1, 1]
    assert measured(*pieces("```sh\n# no heading\n```")).false_headings == 0
    found = measured(*(Piece("Hello", "Hello", start) for start in (9, 8, -1, None)))
    assert (found.offsets_right, found.offsets_wrong, found.offsets_absent) == (1, 2, 1)
    cut = pieces("| b | boils |", "```sh\n# no heading", "Hello")
    found = measured(*cut, limit=6)
    assert (found.tables_parted, found.fences_broken, found.over_limit, found.faults) == (
        1,
        1,
        2,
        4,
    )
    assert (found.largest, found.lines_lost) == (18, 1.0)
    whole = measured(*pieces(TEXT))
    assert (whole.tables_parted, whole.fences_broken, whole.lines_lost) == (0, 0, 0.0)
    assert Measurement.total([(300, found), (100, whole)]).lines_lost == 0.75
    text = "```\nrun\n"  # a fence that the document leaves open
    assert measured(Piece(text, text, 0), text=text).fences_broken == 0


def compared(tmp_path: Path, *options: str) -> dict[str, Any]:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    (total,) = json.loads(output_of("compare", "a.md", "--json", *options, folder=tmp_path))[
        "totals"
    ]
    return {tool["name"]: tool for tool in total["tools"]}


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
    arguments = ("compare", "a.md", "--json", "--max-chunk-size=60")
    done = run(*arguments, folder=tmp_path, env=environment(**nowhere))
    assert (done.returncode, done.stderr) == (0, b"")
    found = {tool["name"]: tool for tool in json.loads(done.stdout)["files"][0]["tools"]}
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
        "from chunkana_cli.entry import run\n"
        "run()"
    )
    program = [sys.executable, "-c", script]
    done = run_new("compare", "a.md", "--json", program=program, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    (said,) = json.loads(done.stdout)["totals"]
    assert {tool["name"]: tool["install"] for tool in said["missing"]} == (
        dict.fromkeys(LANGCHAIN, "langchain-text-splitters")
        | dict.fromkeys(LLAMAINDEX, "llama-index-core")
    )
    assert [tool["name"] for tool in said["tools"]] == ["Chunkana"]


def test_what_is_missing_is_said_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    tools, (compared,) = (
        tools_for("markdown"),
        compare_documents(Batch([]), [DOCUMENT], ChunkConfig()),
    )
    nothing = replace(compared.documents[0], measurements={})
    show_comparisons([Comparison(tools, (nothing,))], 1000, Console(width=100))
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "LlamaIndex Sentence is not installed: pip install llama-index-core"


def test_a_document_without_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(" \n", encoding="utf-8")
    assert error_of("compare", tmp_path / "a.md", code=1).endswith("a.md: has no text to chunk")
    (tmp_path / "b.md").touch()
    error = error_of("compare", tmp_path / "a.md", tmp_path / "b.md", code=1)
    assert error.endswith("a.md and 1 other: have no text to chunk")


def test_a_narrow_table_cuts_nothing() -> None:
    comparisons = compare_documents(Batch([]), [DOCUMENT], ChunkConfig())
    words = ("Chunkana", "largest", "headings", "offsets")
    for columns in (20, 40, 60, 80):
        console = Console(file=StringIO(), width=columns, force_terminal=True, no_color=True)
        show_comparisons(comparisons, 1000, console)
        assert isinstance(console.file, StringIO)
        output = console.file.getvalue()
        assert "…" not in output
        assert all(word in output for word in words)


WITH_GRAMMARS = ("LlamaIndex Code", "chonkie Code")
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
    (found,) = json.loads(output_of("compare", path, "--json", "--max-chunk-size=100"))["files"]
    names = [tool["name"] for tool in found["tools"] if tool["name"] not in WITH_GRAMMARS]
    assert names == tools
    ours = found["tools"][0]
    assert (ours["definitions_parted"], ours["offsets_wrong"], ours["lines_lost"]) == (0, 0, 0)
    shown = output_of("compare", path, "--max-chunk-size=100")
    assert "definitions parted" in shown
    assert "fences broken" not in shown


@pytest.mark.parametrize("name", WITH_GRAMMARS)
@pytest.mark.parametrize("language", ["python", "bash"])
def test_splitters_of_syntax_trees(name: str, language: str) -> None:
    """They cut source code alone, and what they say of offsets is right."""
    for package in ("llama_index", "chonkie", "tree_sitter_language_pack"):
        pytest.importorskip(package)
    (tool,) = (tool for tool in SPLITTERS if tool.name == name)
    assert [form for form in ("markdown", "text", "json", language) if tool.is_for(form)] == [
        language
    ]
    text = CODE if language == "python" else "echo one\necho two\n" * 20
    cut = tool.pieces(Document("a", text, language), ChunkConfig(max_chunk_size=100))
    assert cut is not None
    assert len(cut) > 3
    assert all(text.startswith(piece.text, piece.start or 0) for piece in cut)


@pytest.mark.parametrize("name", WITH_GRAMMARS)
def test_grammars_are_not_fetched_from_a_network(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of version 1 are fetched when they are used: then the tool is said to be missing."""

    def fetch(*_: object) -> None:
        raise AssertionError

    grammars = ModuleType("tree_sitter_language_pack")
    vars(grammars).update(download=fetch, download_all=fetch, get_parser=fetch)
    chonkie = ModuleType("chonkie")
    vars(chonkie).update(CodeChunker=fetch)
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", grammars)
    monkeypatch.setitem(sys.modules, "chonkie", chonkie)
    (tool,) = (tool for tool in SPLITTERS if tool.name == name)
    assert tool.pieces(Document("a.py", CODE, "python"), ChunkConfig()) is None
    assert "tree-sitter-language-pack<1" in tool.install


def test_a_definition_that_fits_and_is_whole_nowhere_is_parted() -> None:
    pytest.importorskip("tree_sitter")
    truth = Reference.of("def f():\n    a = 1\n    return a\n\n\ndef g():\n    pass\n", "python")
    assert len(truth.definitions) == 2
    parted = pieces("def f():\n    a = 1", "    return a\ndef g():\n    pass")
    assert measure(parted, truth, 100).definitions_parted == 1
    assert measure(parted, truth, 20).definitions_parted == 0


@pytest.mark.parametrize(("text", "pieces"), [('{"a": 1}\n{"a": 2}\n', 1), ("{no json at all", 0)])
def test_a_splitter_of_values_gets_json_lines_and_nothing_of_what_is_no_json(
    text: str, pieces: int
) -> None:
    pytest.importorskip("langchain_text_splitters")
    found = langchain_json(Document("a.jsonl", text, "json"), ChunkConfig())
    assert len(found) == pieces


def test_what_is_not_valid_is_compared_as_plain_text_and_that_is_said(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter")
    path = tmp_path / "a.json"
    path.write_text('{"hello": ', encoding="utf-8")
    code, output, error = call("compare", path, "--json")
    assert (code, json.loads(output)["files"][0]["format"]) == (0, "text")
    assert "a.json: not valid json" in error


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with two documents that the same tools apply to, and other documents."""
    (tmp_path / "d").mkdir()
    for name, text in (("a.md", TEXT), ("b.md", f"{TEXT}\n{TEXT}"), ("c.txt", "One. Two.\n")):
        (tmp_path / "d" / name).write_text(text, encoding="utf-8")
    (tmp_path / "d" / "empty.md").touch()
    return tmp_path


@pytest.mark.parametrize("meant", [["d"], ["d/*.md", "**/*.txt"], ["d/a.md", "d/b.md", "d/c.txt"]])
def test_files_folders_and_patterns(folder: Path, meant: list[str]) -> None:
    """Files with text, each in a row, those that the same tools are meant for added up."""
    said = json.loads(output_of("compare", *meant, "--json", folder=folder))
    assert [one["file"] for one in said["files"]] == ["d/a.md", "d/b.md", "d/c.txt"]
    assert [(one["formats"], one["files"]) for one in said["totals"]] == [
        (["markdown"], 2),
        (["text"], 1),
    ]
    one, other = said["files"][:2]
    total = said["totals"][0]
    for name in ("characters", "headings", "tables"):
        assert total[name] == one[name] + other[name] > 0
    for summed, first, second in zip(total["tools"], one["tools"], other["tools"], strict=True):
        assert summed["chunks"] == first["chunks"] + second["chunks"]
        assert summed["largest"] == max(first["largest"], second["largest"])


def test_a_table_for_each_kind_of_documents_and_a_row_for_each_file(folder: Path) -> None:
    shown = output_of("compare", "d", folder=folder)
    size = 3 * len(TEXT) + 1
    assert f"2 files of markdown: {size} characters, 6 headings, 3 tables; limit 1,000" in shown
    assert "d/c.txt: 10 characters, text, 0 definitions; limit 1,000 characters" in shown
    rows = [line.split() for line in shown.splitlines()]
    assert [row[1:4] for row in rows if row[:1] == ["d/b.md"]] == [["4", "/", "0"]]


def test_of_many_files_the_totals_alone_are_shown(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_text(TEXT, encoding="utf-8")
    shown = output_of("compare", tmp_path)
    assert "20 files of markdown" in shown
    assert "7.md" not in shown


def test_what_cannot_be_read_is_said_and_the_rest_compared(folder: Path) -> None:
    code, output, error = call("compare", folder / "d/a.md", folder / "no.md", "--json")
    assert (code, len(json.loads(output)["files"])) == (1, 1)
    assert error == f"chunkana: {folder / 'no.md'}: no such file\n"
