"""Where documents come from: files, standard input, and the demo's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.errors import USAGE, InputError, fail, report
from chunkana_cli.reading.encodings import UTF_8, decode
from chunkana_cli.reading.inputs import read_bytes, read_standard_input
from chunkana_core import HierarchicalChunkingResult, format_names, format_of

STANDARD_INPUT = "-"
AUTO = "auto"  # the format that a file's name tells
InputFormat = Annotated[
    str,
    typer.Option("--from", metavar="FORMAT", help="What the files are; auto goes by their names."),
]
DEFAULT_QUESTION = "Which options limit the size of a chunk?"  # of the demo's own documents
_CODE = "python"  # a format that needs the extra for code
_INSTALL_CODE = 'pip install "chunkana-rag[code]"'
_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it is from.

    Attributes:
        name: the path as it was given, "-" for standard input.
        text: its characters; line ends and a BOM stay as they were.
        format: the name of its format.
    """

    name: str
    text: str
    format: str = "markdown"


def require_format(given: str) -> None:
    """End the command if a format is unknown, or needs what is not installed."""
    allowed = [AUTO, *format_names()]
    if given not in allowed:
        more = "" if _CODE in allowed else f"; more with {_INSTALL_CODE}"
        fail(f"--from is {given!r}; allowed: {', '.join(allowed)}{more}", USAGE)


def format_of_file(given: str, name: str) -> str:
    """Return the name of the format that is given, with "auto" that of a file.

    Standard input is Markdown, and a file of an unknown kind is plain text.
    """
    if given != AUTO:
        return given
    return "markdown" if name == STANDARD_INPUT else format_of(name) or "text"


def require_installed(name: str, form: str, *, has_option: bool = True) -> None:
    """Check that the format of a file is installed.

    Args:
        name: of the file.
        form: the name of its format, which is a known one.
        has_option: whether the user may name another format.

    Raises:
        InputError: if it is not; says what to install.
    """
    if form not in format_names():
        way_out = "; --from text takes it for plain text" if has_option else ""
        raise InputError(f"{name}: {form} needs {_INSTALL_CODE}{way_out}")


def report_fallback(name: str, asked: str, taken: str) -> bool:
    """Report a document that was chunked in another format than asked; tell whether it was."""
    if taken != asked:
        title = "standard input" if name == STANDARD_INPUT else name
        report(f"{title}: not valid {asked}, or too long for it; taken for plain text")
    return taken != asked


def report_fallbacks(
    documents: Iterable[Document], results: Iterable[HierarchicalChunkingResult]
) -> None:
    """Report the first document that was chunked in another format than its own."""
    for document, result in zip(documents, results, strict=True):
        if report_fallback(document.name, document.format, result.format):
            return


def read_document(name: str, given: str = AUTO, encoding: str = UTF_8) -> Document:
    """Read a document; see `read_text`.

    Args:
        name: of the file.
        given: the name of its format, or "auto".
        encoding: of its text.

    Raises:
        InputError: if it cannot be read, or its format is not installed.
    """
    text, form = read_text(name, encoding), format_of_file(given, name)
    require_installed(name, form)
    return Document(name, text, form)


def read_text(name: str, encoding: str, *, has_option: bool = True) -> str:
    """Read a file, or standard input if the name is "-".

    Args:
        name: of the file.
        encoding: of its text.
        has_option: whether the user may name its encoding.

    Raises:
        InputError: if it cannot be read, is too long or is not of this encoding.
    """
    is_standard_input = name == STANDARD_INPUT
    title = "standard input" if is_standard_input else name
    try:
        data = read_standard_input(title) if is_standard_input else read_bytes(name)
        return decode(data, encoding, title, has_option=has_option)
    except MemoryError:
        raise InputError(f"{title}: not enough memory to read it") from None


def default_documents() -> list[Document]:
    """Return the project's README and docs in a checkout, elsewhere the guide that is installed."""
    checkout = _PACKAGE.parents[1]
    readme = checkout / "README.md"
    if not (readme.is_file() and (checkout / "pyproject.toml").is_file()):
        return [_named("guide.md", _PACKAGE / "data")]
    docs = sorted((checkout / "docs").glob("*.md"))
    return [_named(path.relative_to(checkout).as_posix(), checkout) for path in (readme, *docs)]


def _named(name: str, folder: Path) -> Document:
    return replace(read_document(str(folder / name)), name=name)
