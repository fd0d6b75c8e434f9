"""Errors of the command: messages on standard error, and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from multiprocessing import process as processes
from pathlib import Path
from subprocess import PIPE

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from chunkana_core import ChunkConfig, chunker, format_names
from chunkana_core.context.context import ContextWriter
from chunkana_core.extending import BaseStrategy, Document, StageResults
from chunkana_core.formats import registry
from chunkana_core.stages import run_stages
from tests.cli.command import APP, call, error_of, run, run_new, start
from tests.cli.rights import run_without_rights

needs_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="a device that is always full, as Linux has it"
)
needs_posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell and signals")
EACH_READER = pytest.mark.parametrize(
    "command", ["split", "tree", "view", "explain", "stats", "compare", "demo"]
)
WAY_OUT = "; --encoding names another, such as latin-1"
INSTALL = 'python needs pip install "chunkana-rag[code]"'
FULL = b"chunkana: standard output: cannot be written: No space left on device\n"
LONG = "a" * 300 + ".md"  # more bytes than a file name has


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a document, in which commands work."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command", ["split", "tree", "explain", "stats", "compare", "demo", "ask", "view -o d"]
)
def test_a_document_that_cannot_be_chunked_is_named_and_the_others_go_on(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_unless_forbidden(
        document: Document, strategy: BaseStrategy, config: ChunkConfig, contexts: ContextWriter
    ) -> StageResults:
        if "forbidden" in document.text:
            raise RecursionError("nested too deeply")
        return run_stages(document, strategy, config, contexts)

    monkeypatch.setattr(chunker, "run_stages", run_unless_forbidden)
    for name, text in {"a": "Tea.", "b": "A forbidden tea.", "c": "Milk."}.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    question = ("-q", "tea") if command in ("ask", "demo") else ()
    code, output, error = call(*command.split(), "a.md", "b.md", "c.md", *question)
    failed = "chunkana: b.md: cannot be chunked: RecursionError: nested too deeply\n"
    assert (code, re.sub(r"chunkana: 2 files.*\n", "", error)) == (1, failed)
    shown = (folder / "d/index.html").read_text("utf-8") if command == "view -o d" else output
    assert "a.md" in shown
    assert "c.md" in shown or command == "ask"


@EACH_READER
def test_what_cannot_be_read_is_one_line(command: str, folder: Path) -> None:
    (folder / "images").mkdir()
    (folder / "images" / "a.png").touch()
    (folder / "latin.md").write_bytes("# Grö\n\nße".encode("latin-1"))
    problems = {
        "no/such.md": "no such file",
        "images": f"no file of a known type ({', '.join(format_names())}); name files or a pattern",
        "images/**/*.md": "this pattern matches no file",
        "latin.md": f"not UTF-8: byte 0xf6 at offset 4 (line 1){WAY_OUT}",
    }
    for name, problem in problems.items():
        code, _, error = call(command, name)
        assert (code, error) == (1, f"chunkana: {name}: {problem}\n")
    done = CliRunner().invoke(APP, [command, "-"], b"a\n\n\x80", prog_name="chunkana")
    message = f"chunkana: standard input: not UTF-8: byte 0x80 at offset 3 (line 3){WAY_OUT}\n"
    assert (done.exit_code, done.stdout_bytes, done.stderr) == (1, b"", message)


@EACH_READER
def test_without_the_extra_the_way_out_is_an_option(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _module: None)
    (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
    code, _, error = call(command, "a.py")
    message = f"chunkana: a.py: {INSTALL}; --from text reads it as plain text\n"
    assert (code, error) == (1, message)
    assert call(command, "a.py", "--from=text")[0] == 0


@pytest.mark.parametrize(
    ("name", "problem"), [("a.py", f"{INSTALL}; name the document"), (LONG, "File name too long")]
)
def test_a_document_that_validate_cannot_read(
    name: str, problem: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _module: None)
    (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
    Path("chunks.jsonl").write_text(json.dumps({"text": "x = 1", "file": name}), encoding="utf-8")
    code, _, error = call("validate", "chunks.jsonl")
    assert (code, error.count("\n")) == (1, 1)
    assert f"{name}: {problem}" in error


def test_names_that_no_file_can_have(folder: Path) -> None:
    assert error_of("split", "a" * 5000, code=1).endswith(": File name too long")
    assert error_of("split", "a\0b", code=1) == "a\\x00b: no such file"
    for command in ("split", "view"):
        assert "File name too long" in error_of(command, "a.md", "-o", LONG, code=1)
    done = run("split", b"a\xff\x1b[31m\n.md", folder=folder)
    message = b"chunkana: a\\udcff\\x1b[31m .md: no such file\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "shut.md").touch(mode=0o000)
    done = run_without_rights("split", "shut.md", folder=folder)
    message = b"chunkana: shut.md: Permission denied\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", message)


def test_no_example_of_the_help_gives_an_option_its_default() -> None:
    commands = get_group(APP).commands
    assert "compare" in commands
    for name, command in commands.items():
        defaults = {opt: str(param.default) for param in command.params for opt in param.opts}
        given = re.findall(r"(--[a-z-]+) ([^\s-]\S*)", command.epilog or "")
        assert [pair for pair in given if defaults.get(pair[0]) == pair[1]] == [], name


OUT_OF_RANGE = {
    "--max-chunk-size=31": "--max-chunk-size is 31; allowed: a whole number of at least 32",
    "--min-chunk-size=-1": "--min-chunk-size is -1; allowed: a whole number from 0",
    "--code-threshold=2": "--code-threshold is 2.0; allowed: a number from 0.0 to 1.0",
}


@EACH_READER
def test_a_value_out_of_range(command: str) -> None:
    for option, message in OUT_OF_RANGE.items():
        assert error_of(command, "-", option, code=2).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("split", "Missing argument"),
        ("split --max-chunk-size=many -", "Invalid value for '--max-chunk-size'"),
        ("split --format=xml -", "Invalid value for '--format'"),
        ("split --strategy=best -", "Invalid value for '--strategy'"),
        ("split --no-such-option -", "No such option"),
        ("compare", "Missing argument"),
        ("split --jobs=many -",
         "--jobs is 'many'; allowed: a whole number from 0 to 1000, or auto"),
        ("split --jobs=3000000000 -", "allowed: a whole number from 0 to 1000, or auto"),
        (f"split --jobs={'9' * 5000} -", "allowed: a whole number from 0 to 1000, or auto"),
        ("split --format=parquet -", "--format parquet"),
        ("split - -", "standard input (-) can be read only once"),
        ("split -o= a.md", "--output is ''; allowed: the name of a file or folder"),
        ("view -o= a.md", "--output is ''; allowed: the name of a file or folder"),
        ("split -o out/ --since= a.md", "--since is ''; allowed: the name of a file or folder"),
        ("validate a.jsonl --max-chunk-size=3", "Invalid value for '--max-chunk-size'"),
        ("validate", "Missing argument"),
        ("validate - --source=-", "standard input (-) can be read only once"),
        ("demo --hits=0", "Invalid value for '--hits'"),
        ("ask a.md -q tea --budget=0", "Invalid value for '--budget'"),
        ("ask a.md", "Missing option '--question'"),
        ("no-such-command", "No such command 'no-such-command'"),
    ],
)  # fmt: skip
def test_a_wrong_call(arguments: str, message: str) -> None:
    code, output, error = call(*arguments.replace("-o= ", "-o  ").split(" "))
    assert (code, output) == (2, "")
    assert message in error


@needs_full_device
@EACH_READER
def test_a_full_disk(command: str, folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        for arguments in ([command, "a.md"], [command, "--help"]):
            done = run(*arguments, folder=folder, stdout=full)
            assert (done.returncode, done.stderr) == (1, FULL)


@needs_posix
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("split - <&-", "standard input: is closed"),
        ("split a.md >&-", "standard output: is closed"),
        ("tree a.md >&-", "standard output: is closed"),
    ],
)
def test_closed_streams(command: str, message: str, folder: Path) -> None:
    done = run_new(
        program=["sh", "-c", f'"$0" -m chunkana_cli {command}', sys.executable], cwd=folder
    )
    assert (done.returncode, done.stderr.decode()) == (1, f"chunkana: {message}\n")


@needs_posix
@pytest.mark.parametrize("closed", ["2>&-", pytest.param("2>/dev/full", marks=needs_full_device)])
def test_the_command_goes_on_where_nobody_can_be_told_of_errors(closed: str, folder: Path) -> None:
    script = f'"$0" -m chunkana_cli split no.md a.md {closed}'
    done = run_new(program=["sh", "-c", script, sys.executable], cwd=folder)
    assert (done.returncode, json.loads(done.stdout)["file"]) == (1, "a.md")


SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
KILLED = pytest.param(getattr(signal, "SIGKILL", None), -9, id="SIGKILL")  # not on Windows


@needs_posix
@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_while_it_is_loaded(number: signal.Signals, code: int) -> None:
    script = (
        "import sys, os\n"
        "class Sender:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer':\n"
        f"            os.kill(os.getpid(), {int(number)})\n"
        "import chunkana_cli\n"
        "sys.meta_path.insert(0, Sender())\n"
        "from chunkana_cli.entry import run\n"
        "run()"
    )
    done = run_new(program=[sys.executable, "-c", script])
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@needs_posix
@pytest.mark.parametrize(("number", "code"), [*SIGNALS, KILLED])
def test_a_signal_leaves_no_process_behind(number: signal.Signals, code: int, folder: Path) -> None:
    """The end of standard error comes when the last process that holds it is gone."""
    # As large as what is sent to a process at once, so that there are some.
    (folder / "a.md").write_text("# A\n\nText.\n\n" * 20_000, encoding="utf-8")
    os.mkfifo(folder / "b")
    process = start("split", "a.md", "b", "--jobs=2", folder=folder, stdout=PIPE, stderr=PIPE)
    with process, (folder / "b").open("wb"):  # once it reads there, it handles signals
        process.send_signal(number)
        try:
            output, error = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, output, error) == (code, b"", b"")


def lose_processes() -> None:
    """End every process that is started from now on as if it was killed."""
    setattr(processes.BaseProcess, "_bootstrap", lambda *_, **__: os._exit(9))  # noqa: B010


@needs_posix
def test_a_process_that_is_lost_is_one_line(folder: Path) -> None:
    done = run("split", "a.md", "--jobs=2", folder=folder, prepare=lose_processes)
    message = b"chunkana: a worker process was killed, perhaps for lack of memory\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", message)


def test_a_failure_leaves_the_output_as_it_was(folder: Path) -> None:
    output, link = folder / "chunks.jsonl", folder / "link"
    output.write_text("before\n", encoding="utf-8")
    output.chmod(0o640)
    assert error_of("split", "no.md", "-o", output, code=1).endswith("no such file")
    assert output.read_text(encoding="utf-8") == "before\n"
    link.symlink_to(output)
    assert call("split", "no.md", "a.md", "-o", link)[0] == 1
    assert json.loads(output.read_text(encoding="utf-8"))["content"] == "# A\n\nText."
    assert link.is_symlink()
    assert output.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["a.md", "chunks.jsonl", "link"]


def test_pages_that_cannot_be_written_do_not_keep_others_from_it(folder: Path) -> None:
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    (folder / "pages" / "a.html").mkdir(parents=True)
    code, _, error = call("view", "a.md", "b.md", "-o", "pages")
    message = "chunkana: pages/a.html: cannot be written: Is a directory\n"
    assert (code, error) == (1, message)
    names = sorted(path.name for path in (folder / "pages").iterdir())
    assert names == ["a.html", "b.html", "index.html"]


@pytest.mark.parametrize("arguments", ["split a.md b.md -o out/a.html", "view a.md b.md -o out"])
def test_no_input_that_a_link_leads_to_is_replaced(arguments: str, folder: Path) -> None:
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    (folder / "out").mkdir()
    (folder / "out" / "a.html").symlink_to(folder / "b.md")
    form = ["--format=jsonl"] if arguments.startswith("split") else []
    message = error_of(*arguments.split(), *form, code=2)
    assert message == "out/a.html: is one of the inputs, and would be replaced"
    assert (folder / "b.md").read_text("utf-8") == "# B\n"
