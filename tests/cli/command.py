"""The command inside of the tests' own process, and as a process of its own.

A new process loads all that the command needs, which takes half a second; so `start` and `run` fork
this one, which has loaded it, for what only a process shows: streams, signals, names in bytes. Only
`run_new` starts Python, for what the start of Python changes.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import chdir
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from typer.testing import CliRunner

from chunkana_cli import entry
from chunkana_cli.main import load_app

COMMAND = (sys.executable, "-m", "chunkana_cli")
APP = load_app()
_TIMEOUT = 60
_SETTINGS = (
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "NO_COLOR",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
)
Word = str | bytes | Path
Stream = int | IO[bytes] | None
_SUMMARY = re.compile(
    r"^chunkana: (?:.+: )?\d[\d,]* (?:files?|documents?), .* seconds\n\Z", re.MULTILINE
)


def environment(**changes: str) -> dict[str, str]:
    """Return the environment without variables that change the look of output."""
    return {k: v for k, v in os.environ.items() if k not in _SETTINGS} | changes


def start(
    *arguments: Word,
    folder: Path | None = None,
    env: dict[str, str] | None = None,
    prepare: Callable[[], object] = bool,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
) -> subprocess.Popen[bytes]:
    """Start the command in a copy of this process, after it has called `prepare`."""
    settings = environment() if env is None else env
    streams: dict[str, Any] = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    if not hasattr(os, "fork"):
        return subprocess.Popen([*COMMAND, *arguments], cwd=folder, env=settings, **streams)
    child = partial(_become_command, [*map(os.fsdecode, arguments)], settings, prepare)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        return subprocess.Popen(
            ["chunkana"],  # noqa: S607  # a name: nothing is executed
            cwd=folder,
            preexec_fn=child,  # noqa: PLW1509  # which never returns
            restore_signals=False,  # signals that Python ignores stay ignored
            **streams,
        )


def _become_command(
    arguments: Sequence[str], env: dict[str, str], prepare: Callable[[], object]
) -> None:
    """Run the command, and end this process instead of executing another program."""
    os.closerange(3, 4096)  # of which one tells `subprocess` that the program has started
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["chunkana", *arguments]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout, sys.stderr = _stream_of(1, env), _stream_of(2, env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = 0
    try:
        prepare()
        entry.run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException:  # noqa: BLE001  # as Python does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


def _stream_of(descriptor: int, env: dict[str, str]) -> io.TextIOWrapper:
    """Return standard output or error as Python opens it."""
    raw, is_unbuffered = io.FileIO(descriptor, "w", closefd=False), "PYTHONUNBUFFERED" in env
    binary = cast("io.BufferedWriter", raw) if is_unbuffered else io.BufferedWriter(raw)
    return io.TextIOWrapper(
        binary,
        encoding=env.get("PYTHONIOENCODING", "utf-8"),
        errors="strict" if descriptor == 1 else "backslashreplace",
        line_buffering=raw.isatty() or descriptor > 1,
        write_through=is_unbuffered,
    )


def run(
    *arguments: Word,
    stdin: bytes = b"",
    folder: Path | None = None,
    env: dict[str, str] | None = None,
    prepare: Callable[[], object] = bool,
    stdout: Stream = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in pipes, in a copy of this process."""
    pipe = subprocess.PIPE
    with start(
        *arguments,
        folder=folder,
        env=env,
        prepare=prepare,
        stdin=pipe,
        stdout=stdout,
        stderr=pipe,
    ) as process:
        output, errors = process.communicate(stdin, timeout=_TIMEOUT)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def run_new(
    *words: Word,
    program: Sequence[str] = COMMAND,
    **options: Any,  # noqa: ANN401  # of `subprocess.run`
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a new process, in pipes."""
    given: dict[str, Any] = {"env": environment(), "capture_output": True, "timeout": _TIMEOUT}
    return subprocess.run([*program, *words], check=False, **given | options)


def piped(*arguments: Word, stdin: bytes = b"", folder: Path | None = None) -> str:
    """Return the output of the command in a pipe, after checking that it succeeds."""
    done = run(*arguments, stdin=stdin, folder=folder)
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    return done.stdout.decode("utf-8")


def output_of(*arguments: str | Path, stdin: bytes = b"", folder: Path | None = None) -> str:
    """Return the output of the command in this process, after checking that it succeeds."""
    with chdir(folder or Path.cwd()):
        done = CliRunner(env=dict.fromkeys(_SETTINGS)).invoke(
            APP, [str(argument) for argument in arguments], stdin, prog_name="chunkana"
        )
    assert (done.exit_code, without_summary(done.stderr)) == (0, ""), done.exception
    return done.stdout_bytes.decode("utf-8")


def without_summary(errors: str) -> str:
    """Return standard error without the summary line of `split` or `index`."""
    return _SUMMARY.sub("", errors)


def call(*arguments: str | Path) -> tuple[int, str, str]:
    """Return the exit code, output and errors of the command, run in this process."""
    done = CliRunner().invoke(APP, [str(argument) for argument in arguments], prog_name="chunkana")
    return done.exit_code, done.stdout, done.stderr


def error_of(*arguments: str | Path, code: int) -> str:
    """Return the one line that the command prints, on standard error."""
    exit_code, output, error = call(*arguments)
    assert (exit_code, output) == (code, ""), error
    assert error.startswith("chunkana: "), error
    assert error.count("\n") == 1, error
    return error.removeprefix("chunkana: ").rstrip("\n")
