"""What Windows and macOS do otherwise, as far as it can be seen from here: docs/testing.md."""

from __future__ import annotations

import errno
import importlib.util
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from chunkana_batch import chunk_many, processes
from chunkana_cli import entry
from chunkana_cli.inputs.arguments import find_files
from chunkana_cli.output import replacing
from tests.cli.command import call, environment, output_of, piped, run

_CRLF = "# Kettle\r\n\r\nBoils water.\r\n\r\n## Keys\r\n\r\n- b: boils\r\n- k: keeps warm\r\n"
_RUN = """
import multiprocessing
import sys

from chunkana_batch import chunk_many

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    outcomes = chunk_many([(f"{n}.md", f"# {n}\\n") for n in range(100)], workers=2)
    print(*(outcome.value.chunks[0].chunk_id for outcome in outcomes))
"""


@pytest.fixture
def windows_parts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load what writes files as Windows loads it."""
    spec = importlib.util.spec_from_file_location("windows_parts", replacing.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "platform", "win32")
    spec.loader.exec_module(module)
    return module


def test_on_windows_a_file_is_replaced_when_it_is_whole(
    windows_parts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier run left is removed without being opened, which would fail there."""
    path, left = tmp_path / "a.jsonl", tmp_path / ".chunkana-0.part"
    path.write_bytes(b"before")
    left.touch()
    monkeypatch.setattr(Path, "open", lambda opened, *_: pytest.fail(f"{opened} is open"))
    with windows_parts.open_replacing(path) as file:
        file.write(b"after\n")
        assert path.stat().st_size == len(b"before")
    monkeypatch.undo()
    assert path.read_bytes() == b"after\n"
    assert [*tmp_path.iterdir()] == [path]


def test_a_name_with_backslashes_means_the_file_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("docs/a.md", "docs/in/b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# A\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "sep", "\\")
        found = [find_files([name])[0] for name in ("docs\\a.md", "docs", "docs\\**\\*.md")]
    assert found == [["docs/a.md"], ["docs/a.md", "docs/in/b.md"], ["docs/a.md", "docs/in/b.md"]]


@pytest.mark.skipif(os.sep != "/", reason="there, it is what stands between folders")
def test_elsewhere_a_backslash_is_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a\\b.md"
    path.write_text("# A\n", encoding="utf-8")
    assert find_files([str(path)]) == ([str(path)], True)


class _Lost(io.RawIOBase):
    """A pipe without a reader, as Windows has it."""

    def writable(self) -> bool:
        return True

    def write(self, _data: object, /) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")


def test_on_windows_an_invalid_argument_is_a_pipe_without_a_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entry, "_NO_READER", {errno.EPIPE, errno.EINVAL})
    whole = entry.write_whole(io.TextIOWrapper(io.BufferedWriter(_Lost()), "utf-8"))
    with pytest.raises(BrokenPipeError):
        print("lost", file=whole, flush=True)
    print("dropped", file=whole, flush=True)


def test_no_more_processes_are_asked_for_than_windows_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_MAX_PROCESSES", 1)
    made = chunk_many([("a", "# A\n\nText.\n")], workers=3, make=number_of_process)
    others = chunk_many([("a", "Text.\n")] * 200, workers=3, make=number_of_process)
    assert len({outcome.value for outcome in others}) == len([*made]) == 1


def number_of_process(_name: str, _result: object) -> int:
    return os.getpid()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_are_not_forked_chunk_the_same(method: str, tmp_path: Path) -> None:
    """Windows and macOS spawn them; Python 3.14 has a server fork them."""
    script = tmp_path / "chunks.py"
    script.write_text(_RUN, encoding="utf-8")
    command = [sys.executable, str(script), method]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    outcomes = chunk_many([(f"{n}.md", f"# {n}\n") for n in range(100)])
    assert done.stdout.split() == [out.value.chunks[0].chunk_id for out in outcomes if out.value]


def test_line_ends_of_windows_stay_in_texts_and_are_not_added(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(_CRLF.encode())
    lines = piped("split", "a.md", folder=tmp_path).splitlines(keepends=True)
    assert all(line.endswith("}\n") for line in lines)
    rows = [json.loads(line) for line in lines]
    assert all(_CRLF[row["start_char"] : row["end_char"]] == row["content"] for row in rows)
    assert "\r\n" in rows[0]["content"]


@pytest.mark.parametrize("command", ["tree", "explain"])
def test_in_a_pipe_output_is_utf8_whatever_the_console_is(command: str, tmp_path: Path) -> None:
    (tmp_path / "Итоги → 茶.md").write_text("# A\n\nText.\n", encoding="utf-8")
    western = environment(PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    done = run(command, ".", folder=tmp_path, env=western)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Итоги → 茶.md" in done.stdout.decode("utf-8")


def test_help_can_be_written_to_a_console_of_western_windows() -> None:
    helps = [output_of("--help")]
    names = [line.split()[0] for line in helps[0].partition("Commands:")[2].splitlines() if line]
    helps += [call(name, "--help")[1] for name in names]
    assert len(helps) == len(names) + 1 > 9
    assert all(text.encode("cp1252") for text in helps)
