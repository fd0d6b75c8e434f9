"""`chunkana validate`: hold chunks against the laws, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.checking.given import Given, read_given
from chunkana_cli.checking.report import Checked, Report, Unread
from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.documents import STANDARD_INPUT, read_document
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.files import exists, is_file
from chunkana_cli.options import AsJson
from chunkana_cli.output import STANDARD_OUTPUT, open_output, write_json

EPILOG = epilog(
    "validate chunks.jsonl",
    "validate others.jsonl --source README.md --max-chunk-size 1000",
    "split README.md | chunkana validate - --json",
    codes="0 nothing wrong; 1 a law is broken, or a file could not be read; 2 a wrong call",
)


def validate(
    chunks: Annotated[
        str, typer.Argument(metavar="CHUNKS.jsonl", help="One JSON object a line; - for stdin.")
    ],
    *,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The document of all chunks, whatever they say."),
    ] = None,
    max_chunk_size: Annotated[
        int | None,
        typer.Option(min=32, help="The limit, in characters.", show_default="not checked"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check chunks of any tool against their documents.

    An object needs a text: content, page_content or text. Its document is --source, or what its
    file, source or file_path names. With offsets (start_char, start_char_idx, start_index or start,
    and the like for the end), of itself or of its metadata, it is also checked that the text is
    exact and nothing is lost or twice; ids and links, where there are any, by the tree. One line
    for each violation: file, chunk, law, how.
    """
    if chunks == source == STANDARD_INPUT:
        fail("standard input (-) can be read only once", USAGE)
    rows = _read(chunks)
    if not rows and source is None:
        fail(f"{chunks}: has no chunks, and without --source nothing says of what")
    documents, folder = _by_document(rows, source), Path(chunks).parent
    found = _checked(documents, folder, max_chunk_size, is_named=source is not None)
    _print(found, as_json=as_json)
    if not found.is_valid:
        raise typer.Exit(FAILED)


def _read(chunks: str) -> list[Given]:
    try:
        return list(read_given(chunks, read_document(chunks).text))
    except InputError as error:
        fail(str(error))


def _by_document(rows: Sequence[Given], source: str | None) -> dict[str, list[Given]]:
    documents: dict[str, list[Given]] = {} if source is None else {source: []}
    for row in rows:
        documents.setdefault(row.file if source is None else source, []).append(row)
    return documents


def _checked(
    documents: dict[str, list[Given]], folder: Path, limit: int | None, *, is_named: bool
) -> Report:
    checked, unread = [], []
    for name, rows in documents.items():
        try:
            text = read_document(name).text if is_named else _named_by_chunks(name, folder)
            checked.append(Checked.of(name, rows, text, limit))
        except InputError as error:
            report(str(error) if is_named else f"{error}; name the document with --source")
            unread.append(Unread(name, len(rows), str(error)))
    return Report(checked, unread)


def _named_by_chunks(name: str, folder: Path) -> str:
    """Read a document, from where the command runs or beside the chunks."""
    if not name:
        raise InputError("some chunks name no file")
    if name == STANDARD_INPUT:
        raise InputError("some chunks are of standard input")
    beside = folder / name
    is_beside = not exists(name) and is_file(beside)
    return read_document(str(beside) if is_beside else name).text


def _print(found: Report, *, as_json: bool) -> None:
    if as_json:
        write_json(found.to_dict())
        return
    with open_output(STANDARD_OUTPUT) as out:
        out.write("\n".join([*found.lines(), ""]).encode())
