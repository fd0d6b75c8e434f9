"""The Pythons that the package is for: found where they are, with wheels of all that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import corpora

_SCRIPTS = corpora.REPOSITORY / "scripts"
_PROJECT = tomllib.loads((corpora.REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
_PREFIX = "Programming Language :: Python :: 3."
PYTHONS = [f"3.{name[len(_PREFIX) :]}" for name in _PROJECT["classifiers"] if _PREFIX in name]
RUNNING = ".".join(map(str, sys.version_info[:2]))
ANOTHER = next(version for version in PYTHONS if version != RUNNING)


def test_classifiers_are_all_pythons_from_the_oldest_allowed() -> None:
    oldest = int(_PROJECT["requires-python"].removeprefix(">=3."))
    assert [f"3.{minor}" for minor in range(oldest, oldest + len(PYTHONS))] == PYTHONS
    assert RUNNING in PYTHONS


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("place", "script", "is_found"),
    [
        (f"python{ANOTHER}", f"echo {ANOTHER}.4", True),
        (f"versions/{ANOTHER}.4/bin/python{ANOTHER}", f"echo {ANOTHER}.4", True),  # of pyenv
        (f"python{ANOTHER}", "exit 127", False),  # does not start
        (f"python{ANOTHER}", "echo 2.7.18", False),
    ],
)
def test_other_pythons_are_found(
    place: str, script: str, tmp_path: Path, *, is_found: bool
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    places = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PYENV_ROOT": str(tmp_path)}
    command = [sys.executable, str(_SCRIPTS / "pythons.py")]
    done = subprocess.run(
        command, env={**os.environ, **places}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{ANOTHER} {path}\n" if is_found else "")
    assert is_found or done.stderr == "Other Pythons here: none\n"


def test_each_python_has_one_floor_of_each_dependency() -> None:
    for version in PYTHONS:
        names = [requirement.name for requirement in _floors(version)]
        assert len(names) == len({*names}) > 20


def test_the_page_says_which_floors_are_others_on_newer_pythons() -> None:
    page = corpora.read(corpora.REPOSITORY / "docs" / "dependencies.md")
    table = page.partition("\n\n| |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    said = {row[0].partition(" ")[0]: [row[1], *row[1:]] for row in rows}
    floors: dict[str, list[str]] = {}
    for version in PYTHONS:
        for floor in _floors(version):
            floors.setdefault(floor.name, []).append(str(floor.specifier).removeprefix("=="))
    assert {name: found for name, found in floors.items() if len({*found}) > 1} == said


@pytest.mark.slow
@pytest.mark.parametrize("version", PYTHONS)
def test_floors_have_wheels(version: str, tmp_path: Path) -> None:
    """The oldest dependencies allowed install without a compiler on each Python."""
    install = [sys.executable, "-m", "uv", "--quiet", "pip", "install"]
    options = ["--dry-run", "--no-deps", "--only-binary=:all:", "--python-version", version]
    names = [f"{requirement.name}{requirement.specifier}" for requirement in _floors(version)]
    done = subprocess.run(
        [*install, *options, "--target", str(tmp_path), *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _floors(version: str) -> list[Requirement]:
    """Return the oldest dependencies allowed on a Python."""
    command = [sys.executable, str(_SCRIPTS / "floors.py")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    requirements = map(Requirement, lines)
    environment = {"python_version": version}
    return [x for x in requirements if x.marker is None or x.marker.evaluate(environment)]
