"""The commands of the quick start run in the folder of the checkout."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from tests.cli.command import output_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "quick_start.md").read_text(encoding="utf-8")
SHELL = "\n".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_checkout_is_entered_before_anything_is_installed() -> None:
    clone, install = SHELL.index("&& cd chunkana-rag"), SHELL.index("pip install")
    assert SHELL.index("git clone") < clone < install
    assert set(re.findall(r"pip install \"(.*?)\[", SHELL)) == {"."}


def test_each_command_runs_in_the_checkout(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    commands = [shlex.split(line, comments=True) for line in SHELL.splitlines()]
    ours = [words[1:] for words in commands if words[:1] == ["chunkana"]]
    assert [words[0] for words in ours] == ["demo", "tree", "split"]
    outputs = [output_of(*words, folder=tmp_path) for words in ours]
    assert all(outputs[:2])
    assert (tmp_path / "chunks.jsonl").stat().st_size > 0
