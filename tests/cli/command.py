"""The command as a process in a pipe, and inside of the tests' own process, which is faster.

A process loads all that the command needs, which takes most of a second; so `piped` and `run` are
for what only a process shows: streams, encodings, names in bytes, processes of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from chunkana_cli.main import app

COMMAND = (sys.executable, "-m", "chunkana_cli")
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


def environment(**changes: str) -> dict[str, str]:
    """Return the environment without variables that change the look of output."""
    return {k: v for k, v in os.environ.items() if k not in _SETTINGS} | changes


def run(
    *arguments: str | bytes | Path,
    stdin: bytes = b"",
    folder: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a pipe."""
    return subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        check=False,
        timeout=_TIMEOUT,
    )


def piped(*arguments: str | bytes | Path, stdin: bytes = b"", folder: Path | None = None) -> str:
    """Return the output of the command in a pipe, after checking that it succeeds."""
    done = run(*arguments, stdin=stdin, folder=folder)
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    return done.stdout.decode("utf-8")


def output_of(*arguments: str | Path, stdin: bytes = b"", folder: Path | None = None) -> str:
    """Return the output of the command in this process, after checking that it succeeds."""
    with chdir(folder or Path.cwd()):
        done = CliRunner(env=dict.fromkeys(_SETTINGS)).invoke(
            app, [str(argument) for argument in arguments], stdin, prog_name="chunkana"
        )
    assert (done.exit_code, without_summary(done.stderr)) == (0, ""), done.exception
    return done.stdout_bytes.decode("utf-8")


_SUMMARY = re.compile(r"^chunkana: \d[\d,]* files?, .* seconds\n\Z", re.MULTILINE)


def without_summary(errors: str) -> str:
    """Return standard error without the summary line of `split`."""
    return _SUMMARY.sub("", errors)


def call(*arguments: str | Path) -> tuple[int, str, str]:
    """Return the exit code, output and errors of the command, run in this process."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="chunkana")
    return done.exit_code, done.stdout, done.stderr


def error_of(*arguments: str | Path, code: int) -> str:
    """Return the one line that the command prints, on standard error."""
    exit_code, output, error = call(*arguments)
    assert (exit_code, output) == (code, ""), error
    assert error.startswith("chunkana: "), error
    assert error.count("\n") == 1, error
    return error.removeprefix("chunkana: ").rstrip("\n")
