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


def other_pythons(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script where Pythons are in one folder alone."""
    places = {"PATH": str(folder), "HOME": str(folder), "PYENV_ROOT": str(folder)}
    return subprocess.run(
        [sys.executable, str(_SCRIPTS / "pythons.py")],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=False,
    )


def put_python(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_classifiers_are_all_pythons_from_the_oldest_allowed() -> None:
    oldest = int(_PROJECT["requires-python"].removeprefix(">=3."))
    assert [f"3.{minor}" for minor in range(oldest, oldest + len(PYTHONS))] == PYTHONS
    assert RUNNING in PYTHONS


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("place", ["{name}", "versions/{version}.4/bin/{name}"])
def test_other_pythons_are_found_on_the_path_and_where_pyenv_puts_them(
    place: str, tmp_path: Path
) -> None:
    path = tmp_path / place.format(name=f"python{ANOTHER}", version=ANOTHER)
    put_python(path, f"echo {ANOTHER}.4")
    done = other_pythons(tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{ANOTHER} {path}\n")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("script", ["exit 127", "echo 2.7.18"])
def test_what_does_not_start_or_is_another_is_no_python(script: str, tmp_path: Path) -> None:
    put_python(tmp_path / f"python{ANOTHER}", script)
    done = other_pythons(tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Other Pythons here: none\n"


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
