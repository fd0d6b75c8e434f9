"""An output file is complete or unchanged, however the command ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.command import call, error_of, run, start, without_summary
from tests.cli.rights import run_without_rights
from tests.cli.test_standard_output import LIMIT, limit_files

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX pipes, limits and locks")
BEFORE = "before\n"
SECTIONS = 500  # whose chunks take more than a limited file has


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# A\n\nText.\n\n" * SECTIONS, encoding="utf-8")
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


def is_whole(output: Path) -> bool:
    """Return whether a file contains the chunks of the document."""
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return len(rows) == SECTIONS and output.stat().st_size > LIMIT


@contextmanager
def waiting(folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until it has created its temporary file and waits for a pipe."""
    os.mkfifo(folder / "pipe")
    arguments = ("split", "a.md", "pipe", "--from=markdown", "-o", "chunks.jsonl", *options)
    process = start(*arguments, folder=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process, (folder / "pipe").open("wb"):  # opened when the command reads there
        (folder / "pipe").unlink()
        yield process


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_disk_that_fills_up(form: str, is_new: bool, folder: Path) -> None:  # noqa: FBT001
    if form == "parquet":
        pytest.importorskip("pyarrow")
    output = folder / "chunks"
    if not is_new:
        output.write_text(BEFORE, encoding="utf-8")
    arguments = ("split", "a.md", f"--format={form}", "-o", "chunks")
    done = run(*arguments, folder=folder, prepare=limit_files)
    message = b"chunkana: chunks: cannot be written: File too large\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", message)
    assert names(folder) == (["a.md"] if is_new else ["a.md", "chunks"])
    assert is_new or output.read_text(encoding="utf-8") == BEFORE


def test_a_run_that_was_killed_and_started_again(folder: Path) -> None:
    with waiting(folder) as process:
        process.kill()
    assert len(parts(folder)) == 1
    assert "chunks.jsonl" not in names(folder)
    done = run("split", "a.md", "-o", "chunks.jsonl", folder=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    assert without_summary(done.stderr.decode()) == ""
    assert names(folder) == ["a.md", "chunks.jsonl"]
    assert is_whole(folder / "chunks.jsonl")


@pytest.mark.parametrize("options", [(), ("--jobs=2",)])
def test_what_a_run_that_still_goes_on_has_written_is_left_to_it(
    options: tuple[str, ...], folder: Path
) -> None:
    with waiting(folder, *options) as process:
        (part,) = parts(folder)
        assert run("split", "a.md", "-o", "chunks.jsonl", folder=folder).returncode == 0
        assert parts(folder) == [part]
        assert is_whole(folder / "chunks.jsonl")
        # The pipe is closed, and the first run ends.
    assert process.returncode == 0
    assert names(folder) == ["a.md", "chunks.jsonl"]
    assert is_whole(folder / "chunks.jsonl")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_asked_to_end_leaves_nothing(number: signal.Signals, folder: Path) -> None:
    with waiting(folder) as process:
        process.send_signal(number)
        process.wait(timeout=60)
    assert names(folder) == ["a.md"]


def test_pages_of_a_killed_run_are_written_again(folder: Path) -> None:
    (folder / "pages").mkdir()
    dead = folder / "pages" / ".chunkana-0123456789abcdef.part"
    dead.write_text("<!doctype", encoding="utf-8")
    other = folder / "pages" / ".somebody's.part"
    other.touch()
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    assert call("view", folder / "a.md", folder / "b.md", "-o", folder / "pages")[0] == 0
    assert names(folder / "pages") == [other.name, "a.html", "b.html", "index.html"]


def test_a_file_in_a_folder_that_takes_no_new_ones_is_written_in_place(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir()
    output = closed / "chunks.jsonl"
    output.write_text(BEFORE, encoding="utf-8")
    number = output.stat().st_ino
    closed.chmod(0o555)
    done = run_without_rights("split", "a.md", "-o", output, folder=folder)
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    assert is_whole(output)
    assert output.stat().st_ino == number
    done = run_without_rights("split", "a.md", "-o", closed / "new.jsonl", folder=folder)
    message = f"chunkana: {closed}/new.jsonl: cannot be written: Permission denied\n"
    assert (done.returncode, done.stderr.decode()) == (1, message)


def test_nothing_is_written_in_place_where_a_file_beside_fails_for_another_reason(
    folder: Path,
) -> None:
    """Of a path that is as long as one may be, none of a longer name can be made beside."""
    deep = folder
    while len(os.fsencode(deep)) < 4000:
        deep /= "d" * min(200, 4090 - len(os.fsencode(deep)))
    deep.mkdir(parents=True)
    output = deep / "o"
    output.write_text(BEFORE, encoding="utf-8")
    message = error_of("split", folder / "a.md", "-o", output, code=1)
    assert message.endswith(": cannot be written: File name too long")
    assert output.read_text(encoding="utf-8") == BEFORE


def test_a_part_is_not_for_others_where_the_file_is_not(folder: Path) -> None:
    output = folder / "chunks.jsonl"
    output.write_text(BEFORE, encoding="utf-8")
    output.chmod(0o400)
    with waiting(folder):
        (part,) = parts(folder)
        assert part.stat().st_mode & 0o777 == 0o600
    assert output.stat().st_mode & 0o777 == 0o400
    assert is_whole(output)


def test_a_name_as_long_as_one_may_be(folder: Path) -> None:
    output = folder / ("a" * 255)
    assert call("split", folder / "a.md", "-o", output)[0] == 0
    assert is_whole(output)


@pytest.mark.parametrize(
    ("command", "name"), [("split", "x.jsonl"), ("split", "x.jsonl.gz"), ("view", "x.html")]
)
def test_a_folder_that_is_missing_is_named(command: str, name: str, folder: Path) -> None:
    output = folder / "no" / name
    message = f"{output}: cannot be written: the folder {folder / 'no'} does not exist"
    assert error_of(command, folder / "a.md", "-o", output, code=1) == message
    assert names(folder) == ["a.md"]


def test_a_device_is_written_itself(folder: Path) -> None:
    done = run("split", "a.md", "-o", "/dev/stdout", folder=folder)
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    assert done.stdout == run("split", "a.md", folder=folder).stdout
