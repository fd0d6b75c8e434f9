"""Run the command without administrator rights, so that file permissions apply."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

import pytest

from tests.cli.command import run

# Linux's numbers: the version of its capabilities, CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
_VERSION, _READ_ALL = 0x20080522, 1 << 1 | 1 << 2


def run_without_rights(*arguments: str | Path, folder: Path) -> CompletedProcess[bytes]:
    """Run the command with file permissions enforced; skip the test where that is impossible."""
    if os.name == "nt":
        pytest.skip("needs POSIX modes")
    if not _are_rights_dropped():
        pytest.skip("whoever runs this may read all")
    return run(*arguments, folder=folder, prepare=_drop_rights)


@cache
def _are_rights_dropped() -> bool:
    with TemporaryDirectory() as folder:
        Path(folder, "a.md").touch(mode=0o000)
        return run("split", "a.md", folder=Path(folder), prepare=_drop_rights).returncode == 1


def _drop_rights() -> None:
    """Give up the rights of an administrator to read and write all files, on Linux."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        header, data = (ctypes.c_uint32 * 2)(_VERSION, 0), (ctypes.c_uint32 * 6)()
        libc.capget(header, data)
        for number in (0, 1):  # the rights in effect, and those that `os.access` goes by
            data[number] &= ~_READ_ALL
        libc.capset(header, data)
