"""Standard output is complete, or the command fails, however Python and the system write it."""

from __future__ import annotations

import io
import json
import os
import sys
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest

from tests.cli.command import environment, run, run_new, start, without_summary

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX pipes and limits")
BUFFERING = pytest.mark.parametrize("settings", [{}, {"PYTHONUNBUFFERED": "1"}])
PRINTING = pytest.mark.parametrize("command", ["split", "tree"])  # bytes and text
TEXT = "".join(f"# A {number}\n\nSome text.\n\n" for number in range(1200))  # fills any pipe
CODE = ("# A\n\n```\n" + "x = 1\n" * 9 + "```\n\n") * 1000
LIMIT = 10_000  # bytes of a file


def limit_files() -> None:
    """Set the largest file that this process may write."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


class Short(io.FileIO):
    """A system that takes few bytes at once, as Linux takes 2 GiB at most."""

    def write(self, data: Any, /) -> int:  # noqa: ANN401  # any buffer
        return super().write(memoryview(data)[:1000])


def shorten_writes(*, is_raw: bool) -> None:
    raw = Short(1, "w", closefd=False)
    binary = raw if is_raw else io.BufferedWriter(cast("io.RawIOBase", raw))
    sys.stdout = io.TextIOWrapper(
        cast("io.BufferedWriter", binary), encoding="utf-8", write_through=is_raw
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    return tmp_path


@cache
def expected_output(command: str) -> bytes:
    """Return the output of a command if writing is not disturbed."""
    with TemporaryDirectory() as folder:
        Path(folder, "a.md").write_text(TEXT, encoding="utf-8")
        done = run(command, "a.md", folder=Path(folder))
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    assert len(done.stdout) > 2**16
    return done.stdout


@pytest.mark.parametrize("is_raw", [True, False])
@PRINTING
def test_short_writes_are_gone_on_with(command: str, *, is_raw: bool, folder: Path) -> None:
    done = run(command, "a.md", folder=folder, prepare=lambda: shorten_writes(is_raw=is_raw))
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    assert done.stdout == expected_output(command)


@BUFFERING
@PRINTING
def test_a_pipe_that_does_not_block_is_waited_for(
    command: str, settings: dict[str, str], folder: Path
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    env = environment(**settings)
    with start(command, "a.md", folder=folder, env=env, stdout=writing, stderr=PIPE) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            output = pipe.read()
        _, error = process.communicate()
    assert (process.returncode, without_summary(error.decode())) == (0, "")
    assert output == expected_output(command)


@BUFFERING
@PRINTING
def test_a_disk_that_fills_up_is_an_error(
    command: str, settings: dict[str, str], folder: Path
) -> None:
    """The system takes part of a write, and nothing of the next one."""
    path, env = folder / "output", environment(**settings)
    with path.open("wb") as output:
        done = run(command, "a.md", folder=folder, env=env, prepare=limit_files, stdout=output)
    message = b"chunkana: standard output: cannot be written: File too large\n"
    assert (done.returncode, done.stderr, path.stat().st_size) == (1, message, LIMIT)


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        ("split a.md", {}),
        ("split --jobs=2 a.md", {}),
        ("tree a.md", {}),
        ("stats --json --atomic-blocks=keep --max-chunk-size=32 code.md", {}),
        ("split a.md", {"PYTHONUNBUFFERED": "1"}),
        ("tree a.md", {"PYTHONUNBUFFERED": "1"}),
    ],
)
def test_a_reader_that_has_seen_enough(
    arguments: str, settings: dict[str, str], folder: Path
) -> None:
    (folder / "code.md").write_text(CODE, encoding="utf-8")
    words, env = arguments.split(), environment(**settings)
    with start(*words, folder=folder, env=env, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_python_says_nothing_of_a_reader_that_has_gone(folder: Path) -> None:
    """Neither while the command runs, nor when Python ends and writes what is left."""
    words = ["sh", "-c", '"$0" -m chunkana_cli tree a.md | head -1', sys.executable]
    done = run_new(program=words, cwd=folder)
    assert done.stdout.startswith(b"a.md  ")
    assert done.stderr == b""


def test_unbuffered_output_is_written_as_soon_as_it_is_made(tmp_path: Path) -> None:
    """The first document's chunks arrive while the second one is waited for."""
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    os.mkfifo(tmp_path / "b")
    env = environment(PYTHONUNBUFFERED="1")
    arguments = ("split", "a.md", "b", "--from=markdown")
    with start(*arguments, folder=tmp_path, env=env, stdout=PIPE) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["file"] == "a.md"
        with (tmp_path / "b").open("wb") as pipe:
            pipe.write(b"# B\n")
        assert json.loads(process.stdout.readline())["file"] == "b"
    assert process.returncode == 0


def test_errors_are_whole_in_a_pipe_that_does_not_block(tmp_path: Path) -> None:
    names = [f"{'a' * 100}{number}.md" for number in range(2000)]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with start("split", *names, folder=tmp_path, stdout=DEVNULL, stderr=writing) as process:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            lines = pipe.read().splitlines()
    assert process.returncode == 1
    assert lines == [f"chunkana: {name}: no such file" for name in names]
