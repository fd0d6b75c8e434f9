"""`make demo` shows on this repository what it is for, without a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from tests import corpora

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(which("make") is None, reason="there is no make"),
    pytest.mark.skipif(not (corpora.REPOSITORY / "Makefile").exists(), reason="no checkout"),
]
_PASSAGE = re.compile(
    r"^── (\S+):(\d+)-(\d+)\n\n(.+?)(?=^\S*/chunkana |^── |^For the )", re.MULTILINE | re.DOTALL
)


def demo(folder: Path, *variables: str) -> str:
    """Run `make demo` with an environment that is installed already; return its output."""
    programs = folder / "venv" / "bin"
    programs.mkdir(parents=True)
    program = programs / "chunkana"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chunkana_cli "$@"\n', "utf-8")
    program.chmod(0o755)
    for installed in (programs / "python", folder / "venv" / ".cli"):
        installed.touch()
    given = [f"VENV={folder / 'venv'}", f"INDEX={folder / 'index'}", *variables]
    done = subprocess.run(
        ["make", "--no-print-directory", "demo", *given],  # noqa: S607  # that of the user
        cwd=corpora.REPOSITORY,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


def test_questions_about_code_documentation_and_configuration_are_answered(tmp_path: Path) -> None:
    """With the lines of files; and agents can ask the same index."""
    output = demo(tmp_path)
    merged = re.search(r"\d of \d children hit: merged into [\d,]+\s+characters", output)
    assert merged is not None
    passages = _PASSAGE.findall(output)
    suffixes = [Path(name).suffix for name, *_ in passages]
    assert suffixes == [".py", ".md", ".toml"]
    for name, first, last, text in passages:
        lines = corpora.read(corpora.REPOSITORY / name).splitlines()[int(first) - 1 : int(last)]
        assert text.rstrip().endswith("\n".join(lines).strip())
    configuration = json.loads(output.splitlines()[-1])
    server = configuration["mcpServers"]["chunkana"]
    done = subprocess.run([server["command"], *server["args"], "--help"], check=False)
    assert done.returncode == 0
    assert server["args"] == ["mcp", str(tmp_path / "index")]


def test_a_file_of_the_user_is_shown_alone(tmp_path: Path) -> None:
    path = tmp_path / "tea.md"
    path.write_text("# Tea\n\n## Green\n\nWait for 80 degrees.\n", encoding="utf-8")
    output = demo(tmp_path, f"FILE={path}")
    assert "Wait for 80 degrees." in output
    assert "mcpServers" not in output
    assert not (tmp_path / "index").exists()
