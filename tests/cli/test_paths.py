"""Which files an argument means: names, folders, patterns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkana_cli.paths import find_files
from tests.cli.command import output_of, run

NAMES = [
    "b.md",
    "a/2.markdown",
    "a/10.MD",
    "a/page.mdx",
    "a.b/x.md",
    "notes.txt",
    ".hidden/x.md",
    "a/.x.md",
    "node_modules/pkg/README.md",
    "a/.venv/x.md",
    "venv/x.md",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        (".", ["./a/10.MD", "./a/2.markdown", "./a/page.mdx", "./a.b/x.md", "./b.md"]),
        ("a", ["a/10.MD", "a/2.markdown", "a/page.mdx"]),
        ("a/", ["a/10.MD", "a/2.markdown", "a/page.mdx"]),
        ("**/*.md", ["a.b/x.md", "b.md"]),
        ("*", ["b.md", "notes.txt"]),
        ("node_modules/**/*.md", ["node_modules/pkg/README.md"]),
        (".hidden", [".hidden/x.md"]),
        ("notes.txt", ["notes.txt"]),
        ("[bc].md", ["b.md"]),
        ("none.md", ["none.md"]),
        ("-", ["-"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_an_argument_means(argument: str, expected: list[str]) -> None:
    assert find_files([argument]) == (expected, True)


def test_a_file_named_like_a_pattern_is_that_file(folder: Path) -> None:
    (folder / "[b].md").touch()
    assert find_files(["[b].md"]) == (["[b].md"], True)


@pytest.mark.usefixtures("folder")
def test_arguments_keep_their_order_and_each_file_comes_once() -> None:
    found, _ = find_files(["b.md", "a", "a/2.markdown", "*.md"])
    assert found == ["b.md", "a/10.MD", "a/2.markdown", "a/page.mdx"]


def test_the_command_takes_folders_and_patterns(folder: Path) -> None:
    output = output_of("split", "a", "*.md", folder=folder)
    files = [json.loads(line)["file"] for line in output.splitlines()]
    assert files == ["a/10.MD", "a/2.markdown", "a/page.mdx", "b.md"]


def test_what_means_nothing_is_said_and_the_others_go_on(folder: Path) -> None:
    done = run("split", "x/*.md", "b.md", folder=folder)
    assert done.returncode == 1
    assert done.stderr == b"chunkana: x/*.md: this pattern matches no file\n"
    assert json.loads(done.stdout)["file"] == "b.md"
