"""Reading files and standard input: size limits, encodings, errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import IO

import pytest

from tests.cli.command import (
    COMMAND,
    environment,
    error_of,
    output_of,
    run,
    start,
    without_summary,
)

ENDLESS = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
MOST = 1000  # bytes, where a test sets the limit
TOO_LONG = f"has more than {MOST:,} bytes, the maximum size of an input"
# The memory that the process may use is set before it starts.
SET_MEMORY = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (150 * 2**20, 150 * 2**20))
os.execv(sys.argv[1], sys.argv[1:])
"""
WAY_OUT = "; --encoding names another, such as latin-1"
BINARY = "; it seems to be binary; if it is text, --encoding names its encoding"
NAME = "Grö\u00dfe"
COMMANDS = ("split", "tree", "view", "explain", "stats", "ask -q text", "compare", "demo -q text")
limits = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limits")


def process(
    *words: str, folder: Path, stdin: IO[bytes] | int | None = subprocess.DEVNULL
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment(),
        stdin=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def files(output: str) -> list[str]:
    return [json.loads(line)["file"] for line in output.splitlines()]


@ENDLESS
@pytest.mark.parametrize("name", ["/dev/zero", "-", "long.md"])
def test_what_is_too_long_is_not_read_and_the_others_are(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chunkana_cli.inputs.files.MAX_BYTES", MOST)
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "most.md").write_bytes(b"a" * MOST)
    (tmp_path / "long.md").write_bytes(b"a" * (MOST + 1))
    arguments = ("split", "a.md", name, "most.md", "--from=markdown")
    with (
        Path("/dev/zero").open("rb") as endless,
        start(*arguments, folder=tmp_path, stdin=endless, stdout=PIPE, stderr=PIPE) as process,
    ):
        output, error = process.communicate()
    title = "standard input" if name == "-" else name
    message = f"chunkana: {title}: {TOO_LONG}\n"
    assert (process.returncode, without_summary(error.decode())) == (1, message)
    assert list(dict.fromkeys(files(output.decode()))) == ["a.md", "most.md"]


@limits
def test_the_size_of_a_file_is_known_before_it_is_read(tmp_path: Path) -> None:
    """It takes no space on the disk, and would take more memory than there is."""
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(2**30 + 1)
    done = process("-c", SET_MEMORY, *COMMAND, "stats", "a.md", folder=tmp_path)
    message = "chunkana: a.md: has more than 1,073,741,824 bytes, the maximum size of an input\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


@limits
def test_a_file_that_memory_is_too_small_for(tmp_path: Path) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(2**29)
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    done = process("-c", SET_MEMORY, *COMMAND, "split", "a.md", "b.md", folder=tmp_path)
    message = "chunkana: a.md: not enough memory to read it\n"
    assert (done.returncode, without_summary(done.stderr)) == (1, message)
    assert files(done.stdout) == ["b.md"]


@limits
@pytest.mark.parametrize("jobs", ["--jobs=1", "--jobs=2"])
def test_chunks_that_memory_is_too_small_for(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\n\n" * 1_000_000, encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    done = process("-c", SET_MEMORY, *COMMAND, "split", "a.md", "b.md", jobs, folder=tmp_path)
    message = "chunkana: a.md: cannot be chunked: MemoryError: not enough memory\n"
    assert (done.returncode, without_summary(done.stderr)) == (1, message)
    assert files(done.stdout) == ["b.md"]


@limits
def test_what_else_memory_is_too_small_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\n\n" * 1_000_000, encoding="utf-8")
    done = process("-c", SET_MEMORY, *COMMAND, "compare", "a.md", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "chunkana: not enough memory\n"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX pipes")
def test_a_pipe_that_does_not_block_is_read_to_its_end(tmp_path: Path) -> None:
    text = "# A\n\nText.\n\n" * 8_000  # more than a pipe holds
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    arguments = ("split", "-", "--format=markdown")
    with start(*arguments, folder=tmp_path, stdin=reading, stdout=PIPE) as running:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(text.encode())
        output, _ = running.communicate()
    assert running.returncode == 0
    assert output.count(b"Text.") == text.count("Text.")


@pytest.fixture
def latin(tmp_path: Path) -> Path:
    path = tmp_path / "latin.md"
    path.write_bytes(f"# {NAME}\r\n\r\nSome text.\r\n".encode("latin-1"))
    return path


def test_as_a_process_it_reads_another_encoding(latin: Path) -> None:
    for arguments, stdin in ((["latin.md"], b""), (["-"], latin.read_bytes())):
        done = run("split", *arguments, "--encoding=latin-1", stdin=stdin, folder=latin.parent)
        assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
        assert json.loads(done.stdout)["content"] == f"# {NAME}\r\n\r\nSome text."


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reads_another_encoding(command: str, latin: Path) -> None:
    name, *more = command.split()
    assert "latin.md" in output_of(name, latin, *more, "--encoding=latin-1")
    error = error_of(name, latin, *more, code=1)
    assert error == f"{latin}: not UTF-8: byte 0xf6 at offset 4 (line 1){WAY_OUT}"


def test_documents_that_are_checked_may_have_another_encoding(latin: Path) -> None:
    chunks = latin.with_name("chunks.jsonl")
    output_of("split", latin, "--encoding=latin-1", "-o", chunks)
    assert output_of("validate", chunks, "--encoding=latin-1").endswith(": nothing wrong\n")
    assert run("validate", chunks).returncode == 1


def test_chunks_that_are_checked_are_always_in_utf_8(latin: Path) -> None:
    error = error_of("validate", latin, "--encoding=latin-1", code=1)
    assert error == f"{latin}: not UTF-8: byte 0xf6 at offset 4 (line 1)"


@pytest.mark.parametrize("name", ["klingon", "hex", "undefined", ""])
@pytest.mark.parametrize("command", [*COMMANDS, "validate"])
def test_an_unknown_encoding_is_a_wrong_call(command: str, name: str) -> None:
    allowed = "one that Python knows, such as latin-1"
    arguments = [*command.split(), "a.md", "--encoding", name]
    assert error_of(*arguments, code=2) == f"--encoding is {name!r}; allowed: {allowed}"


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "utf-8", f"byte 0x89 at offset 0 (line 1){BINARY}"),
        (
            "Text.".encode("utf-16"),
            "utf-8",
            "byte 0xff at offset 0 (line 1); --encoding utf-16 may read it",
        ),
        ("a\n\nö".encode(), "ascii", f"byte 0xc3 at offset 3 (line 3){WAY_OUT}"),
        (
            "Text.".encode("utf-16") + b"!",
            "utf-16",
            f"byte 0x21 at offset 12 (line 1){BINARY}",
        ),
        (
            "a\nb".encode("utf-16-le") + b"\x00\xd8",
            "utf-16-le",
            f"byte 0x00 at offset 6 (line 2){BINARY}",
        ),
        (b"a +2AA-", "utf-7", "half of a surrogate pair at character 2"),
    ],
)
def test_bytes_of_another_encoding(
    data: bytes, encoding: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    shown = "UTF-8" if encoding == "utf-8" else encoding
    error = error_of("split", path, "--encoding", encoding, code=1)
    assert error == f"{path}: not {shown}: {message}"
