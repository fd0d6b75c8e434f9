"""Open the output of a command: a file, standard output, or a progress bar."""

from __future__ import annotations

import errno
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from chunkana_cli.inputs.files import STANDARD_INPUT, identities_of, identity_of
from chunkana_cli.output.replacing import open_replacing
from chunkana_cli.streams import USAGE, discard_standard_output, fail

if TYPE_CHECKING:
    from rich.console import Console

STANDARD_OUTPUT = "-"
ANY_WIDTH = 10**6  # columns; lines in a pipe are not wrapped
_TITLE = "standard output"  # in messages
_MIN_DOCUMENTS = 10  # fewer documents are done before a bar is drawn
# JSON allows these in strings, but `str.splitlines` and some terminals treat some as line ends,
# and UTF-8 cannot encode surrogates.
_LINE_ENDS_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def require_other_files(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """End the command if an output file is an input, under the same or another name or link."""
    known = identities_of(name for name in inputs if name != STANDARD_INPUT)
    for output in outputs:
        if output != STANDARD_OUTPUT and identity_of(output) in known:
            fail(f"{output}: is one of the inputs, and would be replaced", USAGE)


def make_folder(folder: Path) -> None:
    """Make a folder, with those that it is in; end the command if that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        fail(f"{folder}: cannot be made: {getattr(error, 'strerror', None) or error}")


@contextmanager
def open_output(name: str) -> Iterator[BinaryIO]:
    """Open a file for bytes, or standard output if its name is "-".

    A file is replaced only after everything is written.
    """
    if name == STANDARD_OUTPUT:
        with _reporting_errors(_TITLE):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    else:
        with _reporting_errors(name), open_replacing(Path(name)) as file:
            yield file


def to_json(fields: object, indent: int | None = None) -> str:
    """Return JSON that UTF-8 can encode, without line ends except those of the indentation."""
    line = json.dumps(fields, ensure_ascii=False, indent=indent)
    return _LINE_ENDS_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", line)


def write_json(value: object) -> None:
    """Write a value as indented JSON to standard output."""
    with open_output(STANDARD_OUTPUT) as out:
        out.write(to_json(value, indent=2).encode() + b"\n")


@contextmanager
def open_text() -> Iterator[TextIO]:
    """Open standard output for text; in a pipe, with UTF-8."""
    with _reporting_errors(_TITLE):
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = None if sys.stdout.isatty() else "utf-8"
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        yield sys.stdout
        sys.stdout.flush()


@contextmanager
def open_console(width_of_pipe: int = ANY_WIDTH) -> Iterator[Console]:
    """Open standard output as a rich console, in a pipe with the given width; see `open_text`."""
    from rich.console import Console  # noqa: PLC0415  # slow; plain text does not need it

    with open_text() as out:
        yield Console(highlight=False, width=None if out.isatty() else width_of_pipe)


def print_titled(texts: Iterable[tuple[str, str]]) -> None:
    """Print texts below their titles; titles are coloured at a terminal, pipes get exact texts."""
    if not (sys.stdout and sys.stdout.isatty()):
        with open_text() as out:
            out.write("\n\n".join(f"{title}\n\n{text}" for title, text in texts) + "\n")
        return
    from rich.text import Text  # noqa: PLC0415

    with open_console() as console:
        shown = (Text.assemble((title, "bold cyan"), "\n\n", text) for title, text in texts)
        console.print(Text("\n\n").join(shown), soft_wrap=True)


@contextmanager
def progress_bar(count: int, *, is_shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, if that is a terminal; remove it at the end.

    Args:
        count: the number of all documents.
        is_shown: False if results are printed to the same terminal meanwhile.

    Yields:
        A function to call with the number of documents done.
    """
    if not is_shown or count < _MIN_DOCUMENTS or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415  # slow to load; needed for a bar only
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    columns = (*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Documents", total=count)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def _reporting_errors(title: str) -> Iterator[None]:
    """End the command with a message if writing fails."""
    if sys.stdout is None and title == _TITLE:
        fail(f"{title}: is closed")
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader closed the pipe; Typer exits silently
            raise
        if title == _TITLE:
            discard_standard_output()
        fail(f"{title}: cannot be written: {_reason(title, error)}")


def _reason(title: str, error: OSError) -> str:
    """Return why a file cannot be written; if its folder is missing, name the folder."""
    folder = Path(title).parent
    if isinstance(error, FileNotFoundError) and not exists(folder):
        return f"the folder {folder} does not exist"
    return error.strerror or str(error)
