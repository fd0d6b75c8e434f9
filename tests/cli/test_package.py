"""The package: how it is imported, run and called."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest

from chunkana_cli import commands
from chunkana_cli.entry import run as run_command
from chunkana_cli.main import COMMANDS
from tests.cli.command import call, environment, output_of, piped, run

ROOT = Path(__file__).parents[2]
# What is slow to load, and is for one command or format alone.
_HEAVY = {"langchain_text_splitters", "llama_index", "multiprocessing", "numpy", "pyarrow"}


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("name", ["typer", "rich", "numpy", "jinja2"])
def test_without_the_extra_the_error_says_what_to_install(name: str) -> None:
    """In one line, also before options are read."""
    start = "import chunkana_cli.entry; chunkana_cli.entry.run()"
    done = python(f"import sys; sys.modules[{name!r}] = None; sys.argv = ['', '--help']; {start}")
    assert done.stderr == (
        f'chunkana: this command needs {name}: pip install "chunkana-rag[cli]"\n'
    )
    assert (done.stdout, done.returncode) == ("", 1)


def test_help_prints_nothing_else_and_loads_nothing_heavy() -> None:
    assert _loaded_by("--help") & _HEAVY == set()


def test_a_command_loads_no_other() -> None:
    loaded = _loaded_by("ask", "--help")
    assert {name for name in COMMANDS if f"chunkana_cli.commands.{name}" in loaded} == {"ask"}


@pytest.mark.parametrize("command", [("ask", "-q", "tea"), ("outline",)])
def test_an_index_is_read_without_a_console(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tea\n\nBoil water.\n", encoding="utf-8")
    index = str(tmp_path / "index")
    call("index", tmp_path, "-o", index)
    loaded = _loaded_by(command[0], index, *command[1:])
    assert "chunkana_retrieval.index" in loaded
    assert loaded & {"jinja2", "rich"} == set()


def _loaded_by(*arguments: str) -> set[str]:
    """Return the names of the modules that the command has loaded at its end."""
    code = (
        "import atexit, sys\n"
        f"sys.argv = ['chunkana', *{arguments!r}]\n"
        "atexit.register(lambda: print('\\n', *sys.modules))\n"
        "from chunkana_cli.entry import run\n"
        "run()"
    )
    done = python(code)
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.splitlines()[-1].split())


def test_the_core_needs_none_of_it() -> None:
    code = "import chunkana_core, sys; print({'typer', 'rich', 'numpy'} & set(sys.modules))"
    assert python(code).stdout == "set()\n"


def test_the_script_is_the_entry_that_signals_do_not_break() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    script = EntryPoint("chunkana", project["scripts"]["chunkana"], "console_scripts")
    assert script.load() is run_command


def test_version() -> None:
    assert piped("--version") == f"chunkana {version('chunkana-rag')}\n"


def test_help_names_the_commands() -> None:
    modules = {file.stem for file in Path(commands.__file__).parent.glob("[!_]*.py")}
    assert modules == set(COMMANDS)
    output = output_of("--help")
    assert all(f"  {name} " in output for name in COMMANDS)


def test_without_arguments_it_helps() -> None:
    done = run()
    assert done.returncode == 2
    assert b"Usage: chunkana" in done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_examples_and_exit_codes(command: str) -> None:
    code, output, _ = call(command, "--help")
    assert code == 0
    examples = [line for line in output.splitlines() if line.startswith("    chunkana ")]
    assert any(f"chunkana {command}" in example for example in examples)
    assert "Exit codes: 0 " in output


@pytest.mark.parametrize(
    ("shell", "words"),
    [("bash", {"COMP_WORDS": "chunkana sp", "COMP_CWORD": "1"}),
     ("zsh", {"_TYPER_COMPLETE_ARGS": "chunkana sp"}),
     ("fish", {"_TYPER_COMPLETE_ARGS": "chunkana sp", "_TYPER_COMPLETE_FISH_ACTION": "get-args"})],
)  # fmt: skip
def test_shells_complete_commands(shell: str, words: dict[str, str]) -> None:
    done = run(env=environment(**words, _CHUNKANA_COMPLETE=f"complete_{shell}"))
    assert b"split" in done.stdout
    assert b"tree" not in done.stdout


def test_completion_can_be_shown_for_a_shell() -> None:
    done = run(env=environment(_CHUNKANA_COMPLETE="source_bash"))
    assert b"_CHUNKANA_COMPLETE=complete_bash" in done.stdout
    assert "--show-completion" in output_of("--help")
