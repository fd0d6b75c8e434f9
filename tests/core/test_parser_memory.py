"""L8: the parsers take little memory for the patterns that took them most when all were tried."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.corpora import REPOSITORY

pytest.importorskip("tree_sitter")

_KEPT = json.loads((REPOSITORY / "tests/data/parser_memory.json").read_text("utf-8"))
_MOST_MB = 150


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, peaks have other units or none")
@pytest.mark.parametrize("language", _KEPT)
def test_l8_a_parser_takes_at_most_150_mb(language: str) -> None:
    """The peaks of processes that parse the patterns at 40,000 characters."""
    command = [sys.executable, "scripts/parser_memory.py", "peak", language, "40000"]
    process = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    assert int(process.stdout) < _MOST_MB
