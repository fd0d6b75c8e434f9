"""Other processes, each of which calls one function with values of JSON's.

`python -m tests.conformance.processes MODULE:FUNCTION ARGUMENTS` prints what it returns as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

from tests import corpora
from tests.conformance.frameworks import Native
from tests.rights import DROP_AND_RUN

Task = Callable[..., object]


def start(task: Task, *arguments: object, has_rights: bool = True) -> subprocess.Popen[str]:
    """Call a function in another process; without rights, files have to allow what it does."""
    name = f"{task.__module__}:{task.__name__}"
    command = [sys.executable, "-m", __name__, name, json.dumps(arguments)]
    if not has_rights:
        command = [sys.executable, "-c", DROP_AND_RUN, *command]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=corpora.REPOSITORY, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def result(process: subprocess.Popen[str], sent: str = "") -> Native:
    """Return what the function returned."""
    out, err = process.communicate(sent, timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def run(task: Task, *arguments: object, has_rights: bool = True) -> Native:
    """Call a function in another process, and return what it returned."""
    return result(start(task, *arguments, has_rights=has_rights))


def say(line: str) -> None:
    """Write a line for the process that started this one."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    module, _, function = sys.argv[1].partition(":")
    say(json.dumps(getattr(import_module(module), function)(*json.loads(sys.argv[2]))))
