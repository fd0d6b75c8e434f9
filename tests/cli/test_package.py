"""The package: how it is imported, run and called."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import pytest

from chunkana_cli.main import app
from tests.cli.command import output_of, run


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("name", ["typer", "rich", "bm25s", "jinja2"])
def test_without_the_extra_the_error_says_what_to_install(name: str) -> None:
    done = python(f"import sys; sys.modules[{name!r}] = None; import chunkana_cli")
    assert done.stderr.splitlines()[-1] == (
        f'ImportError: chunkana_cli needs {name}: pip install "chunkana-rag[cli]"'
    )


def test_importing_prints_nothing_and_loads_nothing_heavy() -> None:
    done = python("import chunkana_cli.main, sys; print('numpy' in sys.modules)")
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_the_core_needs_none_of_it() -> None:
    code = "import chunkana_core, sys; print({'typer', 'rich', 'bm25s'} & set(sys.modules))"
    assert python(code).stdout == "set()\n"


def test_the_script_is_installed() -> None:
    (script,) = entry_points(group="console_scripts", name="chunkana")
    assert script.load() is app


def test_version() -> None:
    assert output_of("--version") == f"chunkana {version('chunkana-rag')}\n"


def test_help_names_the_commands() -> None:
    output = output_of("--help")
    assert all(f"  {name} " in output for name in ("split", "tree", "view", "demo"))


def test_without_arguments_it_helps() -> None:
    done = run()
    assert done.returncode == 2
    assert b"Usage: chunkana" in done.stdout + done.stderr
