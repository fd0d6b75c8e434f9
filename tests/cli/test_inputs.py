"""The formats of files: by name, or set by the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkana_core import format_names
from tests.cli.command import call, error_of, output_of, without_summary

NOTES = "# of people asked\n\nSeven.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.md", "b.txt", "c.xyz"):
        (tmp_path / name).write_text(NOTES, encoding="utf-8")
    return tmp_path


def kinds(output: str) -> dict[str, str]:
    """Return the kind of the first chunk of each file."""
    rows = [json.loads(line) for line in output.splitlines()]
    return {Path(row["file"]).name: "/".join(row["path"]) for row in reversed(rows)}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_are_what_their_names_say(folder: Path, jobs: str) -> None:
    output = output_of("split", folder, "--jobs", jobs)
    assert kinds(output) == {"a.md": "of people asked", "b.txt": ""}


def test_a_file_of_another_kind_is_plain_text_and_that_is_said_once(folder: Path) -> None:
    others = [folder / "d.xyz", folder / "Makefile"]
    for other in others:
        other.write_text(NOTES, encoding="utf-8")
    code, output, error = call("split", folder / "c.xyz", *others)
    assert (code, kinds(output)) == (0, {"c.xyz": "", "d.xyz": "", "Makefile": ""})
    message = "3 files of unknown format were chunked as plain text: .xyz (2), Makefile (1)"
    assert without_summary(error) == f"chunkana: {message}; set another format with --from\n"


@pytest.mark.parametrize(
    "command",
    [
        "split", "split --jobs=2", "tree", "stats", "ask -q hello", "demo -q hello", "compare",
        "view -o PAGES",
    ],
)  # fmt: skip
def test_what_is_not_valid_is_plain_text_and_that_is_said_once(
    tmp_path: Path, command: str
) -> None:
    """Of the files that the command is given, which else are as they should be."""
    pytest.importorskip("tree_sitter")
    texts = {"a.json": '["hello"]', "b.json": '{"hello": ', "c.json": '{"hello": '}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    name, *more = command.replace("PAGES", str(tmp_path)).split()
    code, _, error = call(name, *(tmp_path / file for file in texts), *more)
    assert code == 0
    message = "not valid json, or too long for it; read as plain text"
    assert without_summary(error) == (
        f"chunkana: {tmp_path / 'b.json'}: {message}, like 1 other file\n"
    )


@pytest.mark.parametrize("name", ["b.txt", "c.xyz"])
def test_the_user_may_say_what_a_file_is(folder: Path, name: str) -> None:
    output = output_of("split", folder / name, "--from", "markdown")
    assert kinds(output) == {name: "of people asked"}


def test_an_unknown_format_is_an_error(folder: Path) -> None:
    allowed = ", ".join(["auto", *format_names()])
    error = error_of("split", folder / "a.md", "--from", "word", code=2)
    assert error.startswith(f"--from is 'word'; allowed: {allowed}")


@pytest.mark.parametrize(
    "command", ["tree", "stats", "explain", "view", "ask --json", "demo", "compare"]
)
def test_every_command_goes_by_the_name(tmp_path: Path, command: str) -> None:
    command, *more = command.split()
    if command in ("ask", "demo"):
        more += ["-q", "water"]
    path = tmp_path / "b.txt"
    path.write_text("# Tea\n\nBoil the water.\n\n# Cups\n\nWarm them with water.\n")
    as_text = output_of(command, path, *more)
    as_markdown = output_of(command, path, *more, "--from", "markdown")
    assert as_text != as_markdown
