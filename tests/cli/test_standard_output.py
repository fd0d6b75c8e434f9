"""Standard output is complete, or the command fails, however Python and the system write it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.command import COMMAND, environment, run, without_summary

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX pipes and limits")
BUFFERING = [{}, {"PYTHONUNBUFFERED": "1"}]
PRINTING = ("split", "tree")  # bytes and text
PAIRS = 1200  # of a heading and a text: more output than any pipe holds
TOO_LARGE = b"chunkana: standard output: cannot be written: File too large\n"
LIMIT = 10_000  # bytes of a file
# The largest file that the process may write is set before it starts.
SET_LIMIT = f"""
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, {LIMIT}))
os.execv(sys.argv[1], sys.argv[1:])
"""
LIMITED = (sys.executable, "-c", SET_LIMIT)
# A system that takes few bytes at once, as Linux takes 2 GiB at most.
SHORT_WRITES = """
import io, sys
class Short(io.FileIO):
    def write(self, data):
        return super().write(memoryview(data)[:1000])
sys.stdout = io.TextIOWrapper({buffer}, encoding="utf-8", write_through={through})
from chunkana_cli.entry import run
run()
"""
RAW = {"buffer": "Short(1, 'wb', closefd=False)", "through": "True"}
BUFFERED = {"buffer": f"io.BufferedWriter({RAW['buffer']})", "through": "False"}


TEXT = "".join(f"# A {number}\n\nSome text.\n\n" for number in range(PAIRS))


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


@pytest.mark.parametrize("stream", [RAW, BUFFERED])
@pytest.mark.parametrize("command", PRINTING)
def test_short_writes_are_gone_on_with(command: str, stream: dict[str, str], folder: Path) -> None:
    script = SHORT_WRITES.format(**stream)
    done = subprocess.run(
        [sys.executable, "-c", script, command, "a.md"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    assert done.stdout == expected_output(command)


@pytest.mark.parametrize("settings", BUFFERING)
@pytest.mark.parametrize("command", PRINTING)
def test_a_pipe_that_does_not_block_is_waited_for(
    command: str, settings: dict[str, str], folder: Path
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with subprocess.Popen(
        [*COMMAND, command, "a.md"],
        cwd=folder,
        env=environment(**settings),
        stdout=writing,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            output = pipe.read()
        _, error = process.communicate()
    assert (process.returncode, without_summary(error.decode())) == (0, "")
    assert output == expected_output(command)


@pytest.mark.parametrize("settings", BUFFERING)
@pytest.mark.parametrize("command", PRINTING)
def test_a_disk_that_fills_up_is_an_error(
    command: str, settings: dict[str, str], folder: Path
) -> None:
    """The system takes part of a write, and nothing of the next one."""
    with (folder / "output").open("wb") as output:
        done = subprocess.run(
            [*LIMITED, *COMMAND, command, "a.md"],
            cwd=folder,
            env=environment(**settings),
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, TOO_LARGE)
    assert (folder / "output").stat().st_size == LIMIT


@pytest.mark.parametrize("command", ["split", "tree"])
def test_a_reader_that_has_seen_enough_of_unbuffered_output(command: str, folder: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, command, "a.md"],
        cwd=folder,
        env=environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_unbuffered_output_is_written_as_soon_as_it_is_made(tmp_path: Path) -> None:
    """The first document's chunks arrive while the second one is waited for."""
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    os.mkfifo(tmp_path / "b")
    with subprocess.Popen(
        [*COMMAND, "split", "a.md", "b", "--from=markdown"],
        cwd=tmp_path,
        env=environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
    ) as process:
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
    with subprocess.Popen(
        [*COMMAND, "split", *names],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=writing,
    ) as process:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            lines = pipe.read().splitlines()
    assert process.returncode == 1
    assert lines == [f"chunkana: {name}: no such file" for name in names]
