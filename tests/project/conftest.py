"""What tests of the project as it is published share."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import corpora


@dataclass(frozen=True, slots=True)
class Distributions:
    """What is published, in a folder.

    Attributes:
        sdist: the sources.
        wheel: made from the sdist.
    """

    sdist: Path
    wheel: Path

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self.wheel.parent


def run(*command: str | Path, folder: Path) -> str:
    """Run a command and return its output; fail with what it said if it fails."""
    settings = {**os.environ, "PYTHONPATH": str(corpora.REPOSITORY), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_environment(folder: Path, *requirements: str) -> Path:
    """Make an environment with some packages, and return the folder of its programs."""
    uv = (sys.executable, "-m", "uv")
    run(*uv, "venv", "--python", sys.executable, folder, folder=folder.parent)
    run(*uv, "pip", "install", "--python", folder, *requirements, folder=folder.parent)
    return folder / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Build what would be published."""
    folder = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "build", "--outdir", folder, corpora.REPOSITORY)
    run(*command, folder=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Distributions(sdist, wheel)
