"""The commands in the documentation run, and print the documented output."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import corpora
from tests.cli.command import environment, without_summary
from tests.core.pages import DOCS, PAGES, readers_folder, run_sessions

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation")

_BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COLUMNS = "100"  # as wide as a page


def _commands(page: Path) -> list[tuple[str, str | None]]:
    """Return the page's commands with their output, None where none is shown."""
    return [found for kind, block in _blocks(page) for found in _READ[kind](block)]


def _blocks(page: Path) -> list[tuple[str, str]]:
    return _BLOCK.findall(corpora.read(page))


def _console(block: str) -> Iterator[tuple[str, str | None]]:
    """Yield the commands after prompts, and the output below each."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def _script(block: str) -> Iterator[tuple[str, str | None]]:
    """Yield the lines that run the command."""
    for line in block.splitlines():
        if line.startswith("chunkana "):
            yield line, None


_READ = {"console": _console, "sh": _script}
_SHOWING = [page for page in PAGES if page.exists() and _commands(page)]


def test_pages_show_commands() -> None:
    shown = {page.name for page in _SHOWING if any(output for _, output in _commands(page))}
    assert shown >= {"cli.md", "explain.md"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")
@pytest.mark.parametrize("page", _SHOWING, ids=lambda page: page.name)
def test_commands_in_pages_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each prints what the page says below it; one with nothing below does what it does quietly."""
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(readers_folder(folder))
    Path("notes.md").write_text("# Bicycle\n\nPatch a puncture.\n", encoding="utf-8")
    run_sessions(page)  # they may leave files that commands read
    for command, output in _commands(page):
        done = _run(command, tmp_path / "bin")
        assert without_summary(done.stderr) == "", command
        if output is None:
            assert done.returncode == 0, command
        else:
            assert _pattern(output).fullmatch(_bare(done.stdout)), f"{command}\n{done.stdout}"


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell that finds `chunkana`."""
    folder.mkdir(exist_ok=True)
    program = folder / "chunkana"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chunkana_cli "$@"\n', "utf-8")
    program.chmod(0o755)
    settings = environment(COLUMNS=_COLUMNS)
    settings["PATH"] = f"{folder}:{settings['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env=settings,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def _bare(output: str) -> str:
    """Return output without invisible characters."""
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


def _pattern(output: str) -> re.Pattern[str]:
    """Return a pattern for an output in which a line `…` matches any lines."""
    lines = _bare(output).splitlines(keepends=True)
    return re.compile("".join(r"(?:.*\n)*?" if x == "…\n" else re.escape(x) for x in lines))


def test_what_is_left_out_may_be_any_lines() -> None:
    assert _pattern("a\n…\nd\n").fullmatch("a\nb\nc\nd\n")
    assert _pattern("a\n…\nd\n").fullmatch("a\nd\n")
    assert not _pattern("a\n…\nd\n").fullmatch("a\nb\n")
    assert not _pattern("a.c\n").fullmatch("abc\n")
