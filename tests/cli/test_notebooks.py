"""The commands on notebooks, whose chunked text is not the text of the file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import call, output_of

pytest.importorskip("tree_sitter")

KETTLE = Path(__file__).parents[1] / "data" / "notebooks" / "kettle.ipynb"


@pytest.mark.parametrize("size", [60, 1000])
def test_chunks_of_a_notebook_are_valid(tmp_path: Path, size: int) -> None:
    path = tmp_path / "chunks.jsonl"
    output_of("split", KETTLE, "--no-context", f"--max-chunk-size={size}", "-o", path)
    options = ("--source", KETTLE, f"--max-chunk-size={size}", "--json")
    report = json.loads(output_of("validate", path, *options))
    assert report["valid"]
    assert [document["not_checked"] for document in report["documents"]] == [["tree"]]


def test_chunks_of_a_notebook_that_lost_one_are_not(tmp_path: Path) -> None:
    rows = output_of("split", KETTLE, "--no-context", "--max-chunk-size=60").splitlines()
    path = tmp_path / "chunks.jsonl"
    path.write_text("\n".join([*rows[:4], *rows[5:]]), encoding="utf-8")
    code, output, _ = call("validate", str(path), "--source", str(KETTLE))
    assert code == 1
    assert "lossless" in output


def test_what_is_no_notebook_is_valid_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("# no heading\n\nThis is no notebook.\n", encoding="utf-8")
    path = tmp_path / "chunks.jsonl"
    code, _, error = call("split", str(tmp_path / "a.ipynb"), "-o", str(path))
    assert code == 0
    assert "a.ipynb: not valid notebook, or too long for it; read as plain text" in error
    assert json.loads(path.read_text(encoding="utf-8"))["content"].startswith("# no heading")
    assert "nothing wrong" in output_of("validate", path, "--source", tmp_path / "a.ipynb")


def test_citations_are_of_cells_since_lines_are_none_of_the_file() -> None:
    arguments = ("ask", KETTLE, "-q", "how does the Kettle boil litres?", "--max-chunk-size=60")
    output = output_of(*arguments, "--budget=100")
    assert re.findall(r"kettle\.ipynb(.*)", output) == [", cell 4"]
    (passage,) = json.loads(output_of(*arguments, "--budget=100", "--json"))["passages"]
    assert passage["cells"] == [4, 4]
    assert "cells 8-9" in output_of("tree", KETTLE, "--max-chunk-size=75")
