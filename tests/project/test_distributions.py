"""What `make dist` builds: it holds what the checkout holds, installs, and shows on an index."""

from __future__ import annotations

import re
import sys
from email.parser import BytesParser
from pathlib import Path

import pytest

from scripts.distributions import (
    list_files,
    read_names,
    read_wheel,
    sdist_problems,
    wheel_problems,
)
from tests import corpora
from tests.project.conftest import Distributions, make_environment, run

_ON_GITHUB = "https://github.com/chunkana/chunkana-rag/blob/main/"
_VERSION = re.search(
    r'^version = "(.+)"$', corpora.read(corpora.REPOSITORY / "pyproject.toml"), re.MULTILINE
)
_METADATA = b"""Name: chunkana-rag
Version: %s
License-Expression: MIT
Requires-Python: >=3.11
""" % (_VERSION[1].encode() if _VERSION else b"")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout of one package."""
    (tmp_path / "src" / "tea").mkdir(parents=True)
    for name in ("__init__.py", "py.typed"):
        (tmp_path / "src" / "tea" / name).write_bytes(b"")
    return tmp_path


KNOWN = {"src/tea/__init__.py", "src/tea/py.typed", "tests/test_tea.py"}
WHEEL = {
    "tea/__init__.py": b"",
    "tea/py.typed": b"",
    "tea-1.dist-info/licenses/LICENSE": b"",
    "tea-1.dist-info/METADATA": _METADATA,
}


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"tea/py.typed": None}, ["tea/py.typed: is not", "tea: has no py.typed"]),
        ({"tea/__init__.py": b"1"}, ["tea/__init__.py: is another"]),
        ({"tests/test_tea.py": b""}, ["tests/test_tea.py: is stray", "tests: has no py.typed"]),
        ({"tea/__pycache__/a.pyc": b""}, ["tea/__pycache__/a.pyc: is stray"]),
        ({"tea-1.dist-info/licenses/LICENSE": None}, ["LICENSE: is not"]),
        (
            {"tea-1.dist-info/METADATA": _METADATA.replace(b": MIT", b": BSD")},
            ["License-Expression: is 'BSD'"],
        ),
    ],
)
def test_what_is_wrong_with_a_wheel(
    changes: dict[str, bytes | None], problems: list[str], checkout: Path
) -> None:
    files = {name: data for name, data in {**WHEEL, **changes}.items() if data is not None}
    found = [*wheel_problems(files, checkout, KNOWN)]
    assert len(found) == len(problems)
    assert all(told.startswith(problem) for told, problem in zip(found, problems, strict=True))


def test_what_is_wrong_with_an_sdist() -> None:
    needed = {"LICENSE", "README.md", "pyproject.toml", "CHANGELOG.md"}
    known = KNOWN | needed
    assert not [*sdist_problems(known | {"PKG-INFO"}, known)]
    assert [*sdist_problems(known - {"LICENSE"} | {"notes.txt"}, known)] == [
        "notes.txt: is stray in the sdist",
        "LICENSE: is not in the sdist",
    ]


@pytest.mark.slow
@pytest.mark.skipif(not (corpora.REPOSITORY / ".git").exists(), reason="no checkout")
def test_they_hold_what_the_checkout_holds(distributions: Distributions) -> None:
    root = corpora.REPOSITORY
    known = list_files(root, "--cached", "--others", "--exclude-standard")  # before a commit, too
    known = {name for name in known if (root / name).is_file()}
    assert not [*wheel_problems(read_wheel(distributions.wheel), root, known)]
    assert not [*sdist_problems(read_names(distributions.sdist), known)]


@pytest.mark.slow
def test_an_index_takes_their_metadata_and_shows_the_page(distributions: Distributions) -> None:
    names = (distributions.sdist, distributions.wheel)
    run(sys.executable, "-m", "twine", "check", "--strict", *names, folder=corpora.REPOSITORY)
    contents = (sys.executable, "-m", "check_wheel_contents")
    run(*contents, distributions.wheel, folder=corpora.REPOSITORY)


@pytest.mark.slow
def test_the_page_that_an_index_shows(distributions: Distributions) -> None:
    """Its links lead to the repository, and it does not say that the package is not there."""
    files = read_wheel(distributions.wheel)
    (metadata,) = (data for name, data in files.items() if name.endswith("/METADATA"))
    assert BytesParser().parsebytes(metadata)["Description-Content-Type"] == "text/markdown"
    page = metadata.decode("utf-8").partition("\n\n")[2]
    assert "\n## Status" in corpora.read(corpora.REPOSITORY / "README.md")
    assert "\n## Status" not in page
    assert "\n## Install" in page
    assert "not on PyPI" not in page
    html = pytest.importorskip("readme_renderer.markdown").render(page)
    targets = re.findall(r'(?:href|src)="([^"]*)"', html)
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    ours = [target.removeprefix(_ON_GITHUB) for target in targets if target.startswith(_ON_GITHUB)]
    assert len(ours) > 20
    for name in ours:
        assert (corpora.REPOSITORY / name.partition("#")[0]).is_file(), name


@pytest.mark.slow
def test_the_sdist_installs_and_the_command_runs(
    distributions: Distributions, tmp_path: Path
) -> None:
    ours = f"chunkana-rag[cli] @ {distributions.sdist.as_uri()}"
    programs = make_environment(tmp_path / "venv", ours)
    version = _VERSION[1] if _VERSION else ""
    assert run(programs / "chunkana", "--version", folder=tmp_path) == f"chunkana {version}\n"
    (tmp_path / "a.md").write_text("# Tea\n\nGreen.\n", encoding="utf-8")
    assert "Tea" in run(programs / "chunkana", "tree", "a.md", folder=tmp_path)
