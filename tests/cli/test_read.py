"""`chunkana outline` and `chunkana read`: what an index has, and its exact text."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from chunkana_core import format_names
from tests.cli.command import error_of, output_of, run, start
from tests.cli.indexes import index, write
from tests.cli.terminal import at_terminal

TEA = "# Tea\n\nBoil water.\n\n## Green\n\nWait for 80 degrees.\n\n### Cups\n\nTwo.\n\n## C#\n"
GREEN = TEA[TEA.index("## Green") : TEA.index("\n## C#")]
EXACT = "\ufeff# T\0ea\r\n\r\n\x1b[31mRed\x1b[0m\u2028é\r\n\n## Last\rline".encode()
FILES = {
    "docs/tea.md": TEA.encode(),
    "docs/issue #7.md": b"# Seven\n",
    "docs/exact.md": EXACT,
    "docs/empty.md": b"",
    "app.py": b"class Pot:\n    def boil(self):\n        return 100\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which has an index of files."""
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        write(name, data)
    assert index(".").code == 0
    return tmp_path


needs_python = pytest.mark.skipif("python" not in format_names(), reason="needs the extra code")


# outline


def test_documents_are_listed() -> None:
    names = sorted(name for name in FILES if name != "app.py" or "python" in format_names())
    assert sorted(output_of("outline", ".chunkana").splitlines()) == names
    assert sorted(json.loads(output_of("outline", ".chunkana", "--json"))) == names


def test_the_sections_of_a_document_are_listed() -> None:
    assert output_of("outline", ".chunkana", "docs/tea.md") == (
        "docs/tea.md\n"
        "  Tea  #tea  1-13\n"
        "    Green  #green  5-11\n"
        "      Cups  #cups  9-11\n"
        "    C#  #c  13-13\n"
    )
    sections = json.loads(output_of("outline", ".chunkana", "docs/tea.md", "--json"))
    assert [*sections] == ["docs/tea.md"]
    (_, green, *_) = sections["docs/tea.md"]
    assert (green["path"], green["level"], green["anchor"]) == (["Tea", "Green"], 2, "green")
    assert (green["start_line"], green["end_line"]) == (5, 11)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("docs", {"docs/tea.md", "docs/issue #7.md", "docs/exact.md", "docs/empty.md"}),
        ("./docs/", {"docs/tea.md", "docs/issue #7.md", "docs/exact.md", "docs/empty.md"}),
        ("*t*.md", {"docs/tea.md", "docs/exact.md", "docs/empty.md"}),
        ("docs/t?a.md", {"docs/tea.md"}),
    ],
)
def test_the_documents_of_a_folder_or_pattern_are_outlined(pattern: str, names: set[str]) -> None:
    assert {*json.loads(output_of("outline", ".chunkana", pattern, "--json"))} == names


@needs_python
def test_the_definitions_of_source_code_are_sections() -> None:
    outline = output_of("outline", ".chunkana", "app.py").splitlines()
    assert "Pot.boil" in outline[-1]
    place = next(word for word in outline[-1].split() if word.startswith("#"))
    assert (
        output_of("read", ".chunkana", f"app.py{place}")
        == "    def boil(self):\n        return 100\n"
    )


# read


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        ("docs/tea.md", [], TEA),
        ("docs/tea.md#green", [], GREEN),
        ("./docs/tea.md#green", [], GREEN),
        ("docs/tea.md#Green", [], GREEN),
        ("docs/tea.md#tea.GREEN", [], GREEN),
        ("docs/tea.md#/Tea/Green", [], GREEN),
        ("docs/tea.md#Tea > Green > Cups", [], "### Cups\n\nTwo.\n"),
        ("docs/tea.md#c", [], "## C#\n"),
        ("docs/tea.md#C#", [], "## C#\n"),
        ("docs/tea.md#", [], TEA),
        ("docs/tea.md", ["--lines=3"], "Boil water.\n"),
        ("docs/tea.md", ["--lines=3-5"], "Boil water.\n\n## Green\n"),
        ("docs/tea.md", ["--lines=13-99"], "## C#\n"),
        ("docs/issue #7.md", [], "# Seven\n"),
        ("docs/issue #7.md#seven", [], "# Seven\n"),
        ("docs/empty.md", [], ""),
    ],
)
def test_documents_sections_and_lines_are_read(
    document: str, options: list[str], expected: str
) -> None:
    assert output_of("read", ".chunkana", document, *options) == expected


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["docs/tee.md"], 1, "there is no document 'docs/tee.md'; similar names: 'docs/tea.md'"),
        (["old/tea.md"], 1, "there is no document 'old/tea.md'; similar names: 'docs/tea.md'"),
        (["xyz"], 1, "there is no document 'xyz'"),
        (
            ["docs/tea.md#geen"],
            1,
            "there is no section 'geen'; similar names: 'green'",
        ),
        (["docs/tea.md#xyz"], 1, "there is no section 'xyz'"),
        (
            ["docs/tea.md", "--lines=14"],
            2,
            "lines is (14, 14); allowed: the first and the last line, from 1; the document has 13",
        ),
        (
            ["docs/tea.md", "--lines=a"],
            2,
            "lines is 'a'; allowed: the first and the last line, such as 12-30",
        ),
        (
            ["docs/tea.md#green", "--lines=1"],
            2,
            "lines is (1, 1); allowed: None with a section",
        ),
    ],
)
def test_what_is_not_there_is_an_error(words: list[str], code: int, message: str) -> None:
    error = error_of("read", ".chunkana", *words, code=code)
    assert error.partition("', '")[0].rstrip("'") == message.rstrip("'")


@pytest.mark.parametrize("pattern", ["old/tea.md", "old/*/tea.md"])
def test_a_pattern_of_no_document_is_an_error(pattern: str) -> None:
    message = f"there is no document {pattern!r}; similar names: 'docs/tea.md'"
    assert error_of("outline", ".chunkana", pattern, code=1).startswith(message)


def test_what_is_read_is_as_it_was_indexed() -> None:
    write("docs/tea.md", "# Coffee\n")
    Path("docs/empty.md").unlink()
    assert output_of("read", ".chunkana", "docs/tea.md") == TEA
    write("latin.md", "# Café\n".encode("latin-1"))
    index("latin.md", "-o", "latin", "--encoding=latin-1")
    assert output_of("read", "latin", "latin.md") == "# Café\n"


def test_bytes_are_exact_in_a_pipe_and_escaped_at_a_terminal(folder: Path) -> None:
    done = run("read", ".chunkana", "docs/exact.md", folder=folder)
    assert (done.returncode, done.stdout) == (0, EXACT)
    pytest.importorskip("pty")
    shown = at_terminal("read", ".chunkana", "docs/exact.md", folder=folder, columns=80)
    assert "\x1b" not in shown
    assert "T\\x00ea" in shown
    assert "\\x1b[31mRed\\x1b[0m\\u2028é" in shown


def test_titles_are_escaped_at_a_terminal(folder: Path) -> None:
    pytest.importorskip("pty")
    write("docs/bad.md", "# \x1b[2JTea [red]\n")
    index(".")
    shown = at_terminal("outline", ".chunkana", "docs/bad.md", folder=folder, columns=80)
    assert "\\x1b[2JTea [red]" in shown
    assert "\x1b[2J" not in shown


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of POSIX")
@pytest.mark.parametrize("words", [["read", ".chunkana", "docs/tea.md"], ["outline", ".chunkana"]])
def test_a_reader_that_has_gone_ends_the_command_silently(words: list[str], folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with start(*words, folder=folder, stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, b"")
