"""The files that arguments name: names, folders, patterns."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chunkana_cli.inputs.arguments import find_files
from tests.cli.command import output_of, run, without_summary
from tests.cli.rights import run_without_rights

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
        (
            ".",
            ["./a/10.MD", "./a/2.markdown", "./a/page.mdx", "./a.b/x.md", "./b.md", "./notes.txt"],
        ),
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
    errors = without_summary(done.stderr.decode())
    assert errors == "chunkana: x/*.md: this pattern matches no file\n"
    assert json.loads(done.stdout)["file"] == "b.md"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_regular_files_of_a_folder_are_read(folder: Path) -> None:
    os.mkfifo(folder / "a" / "pipe.md")
    assert find_files(["a"]) == (["a/10.MD", "a/2.markdown", "a/page.mdx"], True)


def test_a_pattern_does_not_follow_links_in_a_circle(folder: Path) -> None:
    for name in "cde":
        (folder / "a" / name).symlink_to(folder, target_is_directory=True)
    assert find_files(["**/*.md"]) == (["a.b/x.md", "b.md"], True)
    assert find_files(["**/2.*"]) == (["a/2.markdown"], True)
    assert find_files(["**/a/**"]) == (["a/10.MD", "a/2.markdown", "a/page.mdx"], True)
    assert find_files(["./**/2.*"]) == (["./a/2.markdown"], True)


def test_a_file_of_several_names_comes_once(folder: Path) -> None:
    (folder / "link.md").symlink_to("b.md")
    names = ["b.md", "./b.md", "link.md", str(folder / "b.md"), "a/../b.md"]
    assert find_files(names) == (["b.md"], True)
    assert find_files(["none.md", "./none.md", "-"]) == (["none.md", "-"], True)


DENIED = "Permission denied"


def make_unreadable(folder: Path) -> None:
    """Add an unreadable folder, a folder that can only be listed, and broken links."""
    for name, mode in (("a/shut", 0o000), ("a/shown", 0o444)):
        path = folder / name
        path.mkdir(parents=True)
        (path / "x.md").touch()
        path.chmod(mode)
    (folder / "a" / "gone.md").symlink_to("nothing")
    (folder / "a" / "gone.png").symlink_to("nothing")


@pytest.mark.parametrize(
    ("argument", "read", "errors"),
    [
        (".", 6, ["./a/gone.md", "./a/shown/x.md", "./a/shut"]),
        ("**/*.md", 2, ["a/gone.md", "a/shown/x.md", "a/shut"]),
        ("a/**/*.md", 0, ["a/gone.md", "a/shown/x.md", "a/shut"]),
        ("a/*.md", 0, ["a/gone.md"]),
        ("*/*/*.md", 0, ["a/shown/x.md", "a/shut"]),
        ("*/*/x.md", 0, ["a/shown/x.md", "a/shut/x.md"]),
        ("a/shut", 0, ["a/shut"]),
        ("a/gone.md", 0, ["a/gone.md"]),
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_is_done(
    folder: Path, argument: str, read: int, errors: list[str]
) -> None:
    make_unreadable(folder)
    done = run_without_rights("split", argument, "--format=jsonl", folder=folder)
    assert done.returncode == 1
    assert len({json.loads(line)["file"] for line in done.stdout.splitlines()}) == read
    what = {name: "is a broken link" if "gone" in name else DENIED for name in errors}
    assert without_summary(done.stderr.decode()).splitlines() == [
        f"chunkana: {name}: {what[name]}" for name in errors
    ]


def test_what_is_left_out_is_not_missed(folder: Path) -> None:
    for name in (".hidden", "node_modules", "a/.venv"):
        (folder / name).chmod(0o000)
    (folder / ".gone.md").symlink_to("nothing")
    for argument in (".", "**/*.md"):
        done = run_without_rights("stats", argument, folder=folder)
        assert (done.returncode, done.stderr) == (0, b"")
