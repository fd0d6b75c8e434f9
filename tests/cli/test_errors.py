"""Errors of the command: messages on standard error, and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from chunkana_cli.main import app
from chunkana_core import ChunkConfig, chunker, format_names
from chunkana_core.context.context import ContextWriter
from chunkana_core.extending import BaseStrategy, Document, Stages
from chunkana_core.formats import registry
from chunkana_core.stages import run_stages
from tests.cli.command import COMMAND, call, environment, error_of, run, run_new
from tests.cli.rights import run_without_rights

needs_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="a device that is always full, as Linux has it"
)
READERS = ("split", "tree", "view", "explain", "stats", "compare", "demo")
WAY_OUT = "; --encoding names another, such as latin-1"
NOT_UTF_8 = (
    f"chunkana: standard input: not UTF-8: byte 0x80 at offset 3 (line 3){WAY_OUT}\n".encode()
)
CHUNKERS = ("split", "tree", "stats")  # of many files


@pytest.mark.parametrize("command", [*READERS, "ask"])
def test_a_document_that_cannot_be_chunked_is_named_and_the_others_go_on(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_unless_forbidden(
        document: Document, strategy: BaseStrategy, config: ChunkConfig, contexts: ContextWriter
    ) -> Stages:
        if "forbidden" in document.text:
            raise RecursionError("nested too deeply")
        return run_stages(document, strategy, config, contexts)

    monkeypatch.setattr(chunker, "run_stages", run_unless_forbidden)
    for name, text in {"a": "Tea.", "b": "A forbidden tea.", "c": "Milk."}.items():
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    options: dict[str, tuple[str | Path, ...]] = {
        "ask": ("-q", "tea", "--json"),
        "demo": ("-q", "tea"),
        "view": ("-o", tmp_path / "d"),
    }
    code, output, error = call(command, tmp_path, *options.get(command, ()))
    assert code == 1
    failed = (
        f"chunkana: {tmp_path / 'b.md'}: cannot be chunked: RecursionError: nested too deeply\n"
    )
    assert re.sub(r"chunkana: 2 files.*\n", "", error) == failed
    if command == "view":
        output = (tmp_path / "d" / "index.html").read_text("utf-8")
    assert "a.md" in output
    assert "c.md" in output or command == "ask"


@pytest.mark.parametrize(
    "arguments", [["split", "-o", ""], ["view", "-o", ""], ["split", "-o", "out/", "--since", ""]]
)
def test_an_empty_name_is_not_the_current_folder(arguments: list[str]) -> None:
    option = "--since" if "--since" in arguments else "--output"
    message = f"{option} is ''; allowed: the name of a file or folder"
    assert error_of(*arguments, __file__, code=2) == message


@pytest.mark.parametrize("command", READERS)
def test_a_missing_file(command: str) -> None:
    assert error_of(command, "no/such.md", code=1) == "no/such.md: no such file"


@pytest.mark.parametrize("command", READERS)
def test_a_folder_without_files_of_known_kinds(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").touch()
    kinds = ", ".join(format_names())
    message = f"{tmp_path}: no file of a known type ({kinds}); name files or a pattern"
    code, _, error = call(command, tmp_path)
    assert (code, error) == (1, f"chunkana: {message}\n")


@pytest.mark.parametrize("command", READERS)
def test_a_pattern_that_matches_nothing(command: str, tmp_path: Path) -> None:
    pattern = f"{tmp_path}/**/*.md"
    code, _, error = call(command, pattern)
    assert (code, error) == (1, f"chunkana: {pattern}: this pattern matches no file\n")


@pytest.mark.parametrize("command", READERS)
def test_a_file_that_is_not_utf_8(command: str, tmp_path: Path) -> None:
    path = tmp_path / "latin.md"
    path.write_bytes("# Grö\n\nße".encode("latin-1"))
    message = f"{path}: not UTF-8: byte 0xf6 at offset 4 (line 1){WAY_OUT}"
    assert error_of(command, path, code=1) == message


@pytest.mark.parametrize("command", READERS)
def test_standard_input_that_is_not_utf_8(command: str) -> None:
    done = CliRunner().invoke(app, [command, "-"], b"a\n\n\x80", prog_name="chunkana")
    assert (done.exit_code, done.stdout_bytes, done.stderr_bytes) == (1, b"", NOT_UTF_8)


def test_as_a_process_it_fails_alike() -> None:
    done = run("split", "-", stdin=b"a\n\n\x80")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", NOT_UTF_8)


@pytest.fixture
def _without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the packages of the extra for code."""
    monkeypatch.setattr(registry, "find_spec", lambda module: None)  # noqa: ARG005


@pytest.mark.usefixtures("_without_code")
@pytest.mark.parametrize("command", READERS)
def test_without_the_extra_the_way_out_is_an_option(command: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n", encoding="utf-8")
    install = 'python needs pip install "chunkana-rag[code]"; --from text reads it as plain text'
    code, _, error = call(command, path)
    assert (code, error) == (1, f"chunkana: {path}: {install}\n")
    assert call(command, path, "--from=text")[0] == 0


@pytest.mark.usefixtures("_without_code")
def test_without_the_extra_validate_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text(json.dumps({"text": "x = 1", "file": "a.py"}) + "\n", encoding="utf-8")
    code, _, error = call("validate", chunks)
    assert code == 1
    assert 'a.py: python needs pip install "chunkana-rag[code]"; name the document' in error


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch(mode=0o000)
    done = run_without_rights("split", "a.md", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"chunkana: a.md: Permission denied\n"


def test_names_that_no_file_can_have() -> None:
    assert error_of("split", "a" * 5000, code=1).endswith(": File name too long")
    assert error_of("split", "a\0b", code=1) == "a\\x00b: no such file"


def test_a_name_that_is_not_utf_8_or_has_control_characters() -> None:
    done = run("split", b"a\xff\x1b[31m\n.md")
    message = b"chunkana: a\\udcff\\x1b[31m .md: no such file\n"
    assert (done.returncode, done.stderr) == (1, message)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--max-chunk-size=31", "--max-chunk-size is 31; allowed: a whole number of at least 32"),
        ("--min-chunk-size=-1", "--min-chunk-size is -1; allowed: a whole number from 0"),
        ("--code-threshold=2", "--code-threshold is 2.0; allowed: a number from 0.0 to 1.0"),
    ],
)
@pytest.mark.parametrize("command", READERS)
def test_a_value_out_of_range(command: str, option: str, message: str) -> None:
    assert error_of(command, "-", option, code=2).startswith(message)


def test_no_example_of_the_help_gives_an_option_its_default() -> None:
    commands = get_group(app).commands
    assert "compare" in commands
    for name, command in commands.items():
        defaults = {opt: str(param.default) for param in command.params for opt in param.opts}
        given = re.findall(r"(--[a-z-]+) ([^\s-]\S*)", command.epilog or "")
        assert [pair for pair in given if defaults.get(pair[0]) == pair[1]] == [], name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["split"], "Missing argument"),
        (["split", "--max-chunk-size=many", "-"], "Invalid value for '--max-chunk-size'"),
        (["split", "--format=xml", "-"], "Invalid value for '--format'"),
        (["split", "--strategy=best", "-"], "Invalid value for '--strategy'"),
        (["split", "--no-such-option", "-"], "No such option"),
        (["compare"], "Missing argument"),
        (
            ["split", "--jobs=many", "-"],
            "--jobs is 'many'; allowed: a whole number from 0 to 1000, or auto",
        ),
        (["split", "--jobs=3000000000", "-"], "allowed: a whole number from 0 to 1000, or auto"),
        (["split", f"--jobs={'9' * 5000}", "-"], "allowed: a whole number from 0 to 1000, or auto"),
        (["split", "--format=parquet", "-"], "--format parquet"),
        (["validate", "a.jsonl", "--max-chunk-size=3"], "Invalid value for '--max-chunk-size'"),
        (["validate"], "Missing argument"),
        (["demo", "--hits=0"], "Invalid value for '--hits'"),
        (["no-such-command"], "No such command 'no-such-command'"),
    ],
)
def test_a_wrong_call(arguments: list[str], message: str) -> None:
    code, output, error = call(*arguments)
    assert (code, output) == (2, "")
    assert message in error


def test_a_document_without_text_has_no_demo(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("\n \n", encoding="utf-8")
    assert error_of("demo", path, code=1) == f"{path}: has no text to chunk"


FULL = b"chunkana: standard output: cannot be written: No space left on device\n"


@needs_full_device
@pytest.mark.parametrize("command", READERS)
def test_a_full_disk(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            app([command, str(tmp_path / "a.md")], prog_name="chunkana")
    assert (ended.value.code, capfdbinary.readouterr().err) == (1, FULL)


@needs_full_device
def test_a_full_disk_as_a_process(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "split", "a.md"],
            cwd=tmp_path,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, FULL)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("split - <&-", "standard input: is closed"),
        ("split README.md >&-", "standard output: is closed"),
        ("tree README.md >&-", "standard output: is closed"),
    ],
)
def test_closed_streams(command: str, message: str) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m chunkana_cli {command}', sys.executable],  # noqa: S607
        cwd=root,
        env=environment(),
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr.decode()) == (1, f"chunkana: {message}\n")


LONG = "a" * 300 + ".md"  # more bytes than a file name has


def test_names_that_are_too_long_everywhere(tmp_path: Path) -> None:
    document = tmp_path / "a.md"
    document.write_text("# A\n\nText.\n", encoding="utf-8")
    too_long = "File name too long"
    assert too_long in error_of("split", document, "-o", tmp_path / LONG, code=1)
    assert too_long in error_of("view", document, "-o", tmp_path / LONG, code=1)
    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text(json.dumps({"text": "Text.", "file": LONG}) + "\n", encoding="utf-8")
    code, _, error = call("validate", chunks)
    assert (code, error.count("\n")) == (1, 1)
    assert too_long in error


@needs_full_device
def test_help_that_cannot_be_written_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "--help"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, FULL)


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    "redirected", ["2>&-", pytest.param("2>/dev/full", marks=needs_full_device)]
)
def test_the_command_goes_on_where_nobody_can_be_told_of_errors(
    redirected: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m chunkana_cli split no.md a.md {redirected}', sys.executable],  # noqa: S607
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["file"] == "a.md"


SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
KILLED = pytest.param(getattr(signal, "SIGKILL", None), -9, id="SIGKILL")  # not on Windows
needs_signals = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")


@needs_signals
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
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@needs_signals
@pytest.mark.parametrize(("number", "code"), [*SIGNALS, KILLED])
def test_a_signal_leaves_no_process_behind(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """The end of standard error comes when the last process that holds it is gone."""
    # As large as what is sent to a process at once, so that there are some.
    (tmp_path / "a.md").write_text("# A\n\nText.\n\n" * 20_000, encoding="utf-8")
    os.mkfifo(tmp_path / "b")
    process = subprocess.Popen(
        [*COMMAND, "split", "a.md", "b", "--jobs=2"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process, (tmp_path / "b").open("wb"):  # once it reads there, it handles signals
        process.send_signal(number)
        try:
            output, error = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, output, error) == (code, b"", b"")


def test_a_process_that_is_lost_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif os.environ.get('LOST'):\n    import multiprocessing.process as p\n"
        "    p.BaseProcess._bootstrap = lambda *a, **k: os._exit(9)\n",
        encoding="utf-8",
    )
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    env = environment(PYTHONPATH=paths, LOST="1")
    done = run_new("split", "a.md", "--jobs=2", cwd=tmp_path, env=env)
    message = b"chunkana: a worker process was killed, perhaps for lack of memory\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", message)


def test_a_failure_leaves_the_output_as_it_was(tmp_path: Path) -> None:
    output = tmp_path / "chunks.jsonl"
    output.write_text("before\n", encoding="utf-8")
    output.chmod(0o640)
    assert error_of("split", tmp_path / "no.md", "-o", output, code=1).endswith("no such file")
    assert output.read_text(encoding="utf-8") == "before\n"
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to(output)
    assert call("split", tmp_path / "no.md", tmp_path / "a.md", "-o", link)[0] == 1
    assert json.loads(output.read_text(encoding="utf-8"))["content"] == "# A\n\nText."
    assert link.is_symlink()
    assert output.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "chunks.jsonl", "link"]


def test_pages_that_cannot_be_written_do_not_keep_others_from_it(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.md").write_text("# A\n\nText.\n", encoding="utf-8")
    pages = tmp_path / "pages"
    (pages / "a.html").mkdir(parents=True)
    code, _, error = call("view", tmp_path / "a.md", tmp_path / "b.md", "-o", pages)
    assert code == 1
    assert error == f"chunkana: {pages}/a.html: cannot be written: Is a directory\n"
    assert (pages / "b.html").is_file()
    assert (pages / "index.html").is_file()


def test_no_page_is_written_over_an_input_that_a_link_leads_to(tmp_path: Path) -> None:
    documents = [tmp_path / "a.md", tmp_path / "b.md"]
    for path in documents:
        path.write_text("# A\n\nText.\n", encoding="utf-8")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").symlink_to(documents[1])
    message = error_of("view", *documents, "-o", pages, code=2)
    assert message == f"{pages}/a.html: is one of the inputs, and would be replaced"
