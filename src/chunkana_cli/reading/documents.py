"""Read documents from files and standard input, and find their formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.errors import USAGE, InputError, fail, report
from chunkana_cli.reading.encodings import UTF_8, decode
from chunkana_cli.reading.inputs import read_bytes, read_standard_input
from chunkana_cli.screen.naming import format_count
from chunkana_core import format_names, format_of

STANDARD_INPUT = "-"
AUTO = "auto"  # the format follows from the name of the file
InputFormat = Annotated[
    str,
    typer.Option("--from", metavar="FORMAT", help="The format of the files; auto: by their names."),
]
DEFAULT_QUESTION = "Which options limit the size of a chunk?"  # for the default documents
_CODE = "python"  # a format that needs the extra for code
_INSTALL_CODE = 'pip install "chunkana-rag[code]"'
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its name and format.

    Attributes:
        name: the path as the user wrote it, "-" for standard input.
        text: the text, with its original line ends and BOM.
        format: the name of the format.
    """

    name: str
    text: str
    format: str = "markdown"


def require_format(input_format: str) -> None:
    """End the command if a format is unknown or not installed."""
    allowed = [AUTO, *format_names()]
    if input_format not in allowed:
        more = "" if _CODE in allowed else f"; more with {_INSTALL_CODE}"
        fail(f"--from is {input_format!r}; allowed: {', '.join(allowed)}{more}", USAGE)


def format_of_file(input_format: str, name: str) -> str:
    """Return the requested format, or with "auto" the format that follows from the name of a file.

    Standard input has no suffix, and is Markdown.
    """
    return format_of(name) if input_format == AUTO else input_format


def require_installed(name: str, form: str, *, has_option: bool = True) -> None:
    """Check that the format of a file is installed.

    Args:
        name: the name of the file.
        form: the name of a known format.
        has_option: whether the command has the option --from.

    Raises:
        InputError: if the format is not installed; the message says what to install.
    """
    if form not in format_names():
        hint = "; --from text reads it as plain text" if has_option else ""
        raise InputError(f"{name}: {form} needs {_INSTALL_CODE}{hint}")


def report_misnamed(documents: Sequence[tuple[str, str]]) -> None:
    """Report documents that were chunked as plain text, since they are not valid in their format.

    Args:
        documents: the names of the documents and of their formats.
    """
    if not documents:
        return
    name, form = documents[0]
    title = "standard input" if name == STANDARD_INPUT else name
    others = len(documents) - 1
    more = f", like {format_count(others, 'other file')}" if others else ""
    report(f"{title}: not valid {form}, or too long for it; read as plain text{more}")


def read_document(name: str, input_format: str = AUTO, encoding: str = UTF_8) -> Document:
    """Read a document; see `read_text`.

    Args:
        name: the name of the file.
        input_format: the name of its format, or "auto".
        encoding: the encoding of its text.

    Raises:
        InputError: if the file cannot be read, or its format is not installed.
    """
    text, form = read_text(name, encoding), format_of_file(input_format, name)
    require_installed(name, form)
    return Document(name, text, form)


def read_text(name: str, encoding: str, *, has_option: bool = True) -> str:
    """Read a file, or standard input if the name is "-".

    Args:
        name: the name of the file.
        encoding: the encoding of its text.
        has_option: whether the command has the option --encoding.

    Raises:
        InputError: if the file cannot be read or decoded, or is too long.
    """
    is_standard_input = name == STANDARD_INPUT
    title = "standard input" if is_standard_input else name
    try:
        data = read_standard_input(title) if is_standard_input else read_bytes(name)
        return decode(data, encoding, title, has_option=has_option)
    except MemoryError:
        raise InputError(f"{title}: not enough memory to read it") from None


def default_documents() -> list[Document]:
    """Return the project's README and docs in a checkout, otherwise the installed guide."""
    checkout = _PACKAGE.parents[1]
    readme = checkout / "README.md"
    if not (readme.is_file() and (checkout / "pyproject.toml").is_file()):
        return [_named("guide.md", _PACKAGE / "data")]
    docs = sorted((checkout / "docs").glob("*.md"))
    return [_named(path.relative_to(checkout).as_posix(), checkout) for path in (readme, *docs)]


def _named(name: str, folder: Path) -> Document:
    return replace(read_document(str(folder / name)), name=name)
