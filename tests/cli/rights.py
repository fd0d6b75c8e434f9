"""Run the command without administrator rights, so that file permissions apply."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, environment
from tests.rights import DROP_AND_RUN


def run_without_rights(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with file permissions enforced; skip the test where that is impossible."""
    if os.name == "nt":
        pytest.skip("needs POSIX modes")
    if _run("cat", _forbidden(folder), folder=folder).returncode == 0:
        pytest.skip("whoever runs this may read all")
    return _run(*COMMAND, *arguments, folder=folder)


def _forbidden(folder: Path) -> Path:
    """Return a file beside a folder that nobody may read."""
    path = folder.with_name(f"{folder.name}.forbidden")
    path.touch(mode=0o000)
    return path


def _run(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    program = "/bin/cat" if words[0] == "cat" else words[0]
    return subprocess.run(
        [sys.executable, "-c", DROP_AND_RUN, program, *words[1:]],
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
