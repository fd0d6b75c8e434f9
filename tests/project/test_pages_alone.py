"""Every page runs where its reader stands: in an environment of what it tells them to install."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests import corpora
from tests.core.pages import PAGES, blocks, readers_folder
from tests.project.conftest import Distributions, make_environment, run

pytestmark = pytest.mark.slow

_INSTALL = re.compile(r"(?<!%)pip install ([^`#\n]+)")
_OURS = re.compile(r"(?:\.|\./chunkana-rag|chunkana-rag)(?:\[([\w,]+)\])?")
_LEFT = {"chunkana", "chunkana,"}  # the package of others that a page shows how to leave
_ELSEWHERE = {"scale.md"}  # needs Java and a gigabyte: `make test-scale` runs it
Requirements = frozenset[str]  # names of others' packages, and our extras in brackets


def requirements_of(page: Path) -> Requirements:
    """Return what a page tells its reader to install."""
    names: list[str] = []
    for line in _INSTALL.findall(corpora.read(page)):
        for word in shlex.split(line):
            ours = _OURS.fullmatch(word)
            if ours is None and word not in _LEFT:
                names.append(word)
            elif ours is not None:
                names += [f"[{extra}]" for extra in (ours[1] or "").split(",") if extra]
    return frozenset(names)


def pages_by_requirements() -> list[tuple[Requirements, list[Path]]]:
    """Return the pages with Python, together those that need the same."""
    groups: dict[Requirements, list[Path]] = defaultdict(list)
    for page in PAGES:
        if page.exists() and page.name not in _ELSEWHERE and blocks(page, whole=True):
            groups[requirements_of(page)].append(page)
    return [*groups.items()]


def name_of(requirements: Iterable[str]) -> str:
    return " ".join(sorted(requirements)) or "the core"


@pytest.mark.parametrize(
    ("requirements", "pages"),
    [pytest.param(names, pages, id=name_of(names)) for names, pages in pages_by_requirements()],
)
def test_pages_run_with_what_they_name(
    requirements: Requirements, pages: list[Path], distributions: Distributions, tmp_path: Path
) -> None:
    """Their examples run, and print what they say, with no other packages than they name."""
    extras = ",".join(sorted(name.strip("[]") for name in requirements if name.startswith("[")))
    others = sorted(name for name in requirements if not name.startswith("["))
    ours = f"chunkana-rag[{extras}] @ {distributions.wheel.as_uri()}"
    python = make_environment(tmp_path / "venv", ours, *others) / "python"
    folder = tmp_path / "reader"
    folder.mkdir()
    readers_folder(folder)
    for page in pages:
        run(python, "-m", "tests.core.pages", page, folder=folder)
