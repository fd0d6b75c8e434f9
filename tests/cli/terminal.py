"""The command at a pseudo-terminal."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from tests.cli.command import environment, start


def at_terminal(*arguments: str, folder: Path, columns: int, **settings: str) -> str:
    """Return the output of the command at a terminal of a width, with escape codes."""
    code, output = ended_at_terminal(*arguments, folder=folder, columns=columns, **settings)
    assert code == 0, output
    return output


def ended_at_terminal(
    *arguments: str, folder: Path, columns: int, **settings: str
) -> tuple[int, str]:
    """Return the exit code and the output of the command at a terminal."""
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    fcntl = pytest.importorskip("fcntl")
    termios = pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = environment(**{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | settings)
    with start(
        *arguments, folder=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        output = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return process.returncode, output.decode("utf-8")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other side is closed
        return b""
