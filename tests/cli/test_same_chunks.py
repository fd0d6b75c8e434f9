"""All commands cut a file alike: into the chunks that `split` writes."""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from chunkana_core import format_of
from tests.cli.command import call, output_of
from tests.corpora import NOTEBOOK, OWN, REPOSITORY, corpus_paths

Rows = dict[str, list[dict[str, Any]]]
_LARGEST = 20_000  # bytes of a file of the corpus
_PAGE_IDS = re.compile(r'{"id":"([\da-f]{8})"')
SIZE = "--max-chunk-size=300"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with documents of all formats."""
    pytest.importorskip("tree_sitter")
    folder = tmp_path_factory.mktemp("files")
    small = (path for path in corpus_paths("*.*") if path.stat().st_size < _LARGEST)
    by_suffix = {path.suffix: path for path in small}
    source = REPOSITORY / "src" / "chunkana_core" / "chunker.py"
    for path in (*sorted(OWN.glob("*.md"))[::4], source, *by_suffix.values()):
        if format_of(path.name):
            shutil.copy(path, folder)
    (folder / "trip.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    (folder / "notes.txt").write_text("A note on the tea. " * 99, encoding="utf-8")
    package = {f"key {number}": {"value": "tea " * 20} for number in range(20)}
    (folder / "package.json").write_text(json.dumps(package, indent=1), encoding="utf-8")
    (folder / "broken.json").write_text('{"a": ' + "tea and " * 99, encoding="utf-8")
    return folder


def output(folder: Path, *arguments: str) -> str:
    """Return the output of a command for the folder; only `broken.json` is reported."""
    code, said, errors = call(*arguments[:1], folder, *arguments[1:])
    assert code == 0, errors
    assert all("broken.json: not valid json" in e or " files, " in e for e in errors.splitlines())
    return said


def rows(folder: Path, *options: str) -> Rows:
    """Return the rows of `split` by their file."""
    found: Rows = defaultdict(list)
    for line in output(folder, "split", *options).splitlines():
        row = json.loads(line)
        found[row["file"]].append(row)
    assert len({row["format"] for (row, *_) in found.values()}) >= 5
    return found


def ids(rows: Rows) -> dict[str, list[str]]:
    return {file: [row["chunk_id"] for row in found] for file, found in rows.items()}


def test_the_chunks_of_every_command_are_those_of_split(folder: Path, tmp_path: Path) -> None:
    split = rows(folder, SIZE)
    trees = json.loads(output(folder, "tree", SIZE, "--json"))
    assert {tree["file"]: [leaf["id"] for leaf in tree["result"]["chunks"]] for tree in trees} == (
        ids(split)
    )
    stats = json.loads(output(folder, "stats", SIZE, "--json"))["files"]
    assert {file["file"]: file["chunks"] for file in stats} == {
        file: len(found) for file, found in split.items()
    }
    explained = json.loads(output(folder, "explain", SIZE, "--json"))
    assert {one["file"]: [cut["start"] for cut in one["cuts"]] for one in explained} == {
        file: [row["start_char"] for row in found[1:]] for file, found in split.items()
    }
    output(folder, "view", SIZE, "-o", str(tmp_path))
    pages = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*.html")}
    del pages["index.html"]
    assert sorted(_PAGE_IDS.findall(page) for page in pages.values()) == sorted(ids(split).values())
    asked = output(folder, "ask", SIZE, "-q", "value text chunk", "--budget=50000", "--json")
    passages = json.loads(asked)["passages"]
    assert len({passage["file"] for passage in passages}) > 1
    for passage in passages:
        assert {*passage["chunk_ids"]} <= {*ids(split)[passage["file"]]}


def test_chunks_are_compared_as_split_cuts_them_without_a_context(folder: Path) -> None:
    split = rows(folder, SIZE, "--no-context")
    compared = json.loads(output(folder, "compare", SIZE, "--json"))["files"]
    found = {file["file"]: file["tools"][0] for file in compared}
    assert {file: (tool["chunks"], tool["largest"]) for file, tool in found.items()} == {
        file: (len(found), max(row["size"] for row in found)) for file, found in split.items()
    }


@pytest.mark.parametrize("options", [(), ("--from=text",)], ids=["auto", "text"])
def test_chunks_of_split_are_valid(folder: Path, options: tuple[str, ...]) -> None:
    table = folder.parent / "chunks.jsonl"
    output(folder, "split", SIZE, "-o", str(table), *options)
    assert output_of("validate", table).endswith(": nothing wrong\n")
