"""`chunkana validate`: hold chunks against the laws, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.checking.records import ChunkRecord, read_records
from chunkana_cli.checking.report import Report, UnreadDocument, check_document
from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.options import AsJson
from chunkana_cli.reading.documents import STANDARD_INPUT, read_text
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.files import exists, is_file
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.output import STANDARD_OUTPUT, open_output, write_json

EPILOG = epilog(
    "validate chunks.jsonl",
    "validate others.jsonl --source README.md --max-chunk-size 1000",
    "split README.md | chunkana validate - --json",
    codes="0 nothing wrong; 1 a law is broken, or a file could not be read; 2 a wrong call",
)


def validate(
    chunks: Annotated[
        str,
        typer.Argument(metavar="CHUNKS", help="JSON lines or Parquet; - for stdin."),
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
    encoding: InputEncoding = UTF_8,
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
    records = _read_records(chunks)
    if not records and source is None:
        fail(f"{chunks}: has no chunks, and without --source nothing says of what")
    documents, folder = _group_by_document(records, source), Path(chunks).parent
    result = _check_documents(
        documents, folder, max_chunk_size, encoding, is_named=source is not None
    )
    _print(result, as_json=as_json)
    if not result.is_valid:
        raise typer.Exit(FAILED)


def _read_records(chunks: str) -> list[ChunkRecord]:
    try:
        return list(read_records(chunks))
    except InputError as error:
        fail(str(error))


def _group_by_document(
    records: Sequence[ChunkRecord], source: str | None
) -> dict[str, list[ChunkRecord]]:
    """Return chunks by the name of their document, which is `source` if there is one."""
    documents: dict[str, list[ChunkRecord]] = {} if source is None else {source: []}
    for record in records:
        documents.setdefault(record.file if source is None else source, []).append(record)
    return documents


def _check_documents(
    documents: dict[str, list[ChunkRecord]],
    folder: Path,
    limit: int | None,
    encoding: str,
    *,
    is_named: bool,
) -> Report:
    """Check each document that can be read, and report the others.

    Args:
        documents: chunks by the name of their document.
        folder: where the file of chunks is.
        limit: the largest size in characters; None where it is not known.
        encoding: of the documents.
        is_named: whether the user named the document.
    """
    checked, unread = [], []
    with progress_bar(len(documents)) as progress:
        for number, (name, records) in enumerate(documents.items(), 1):
            try:
                path = name if is_named else _find_named_by_chunks(name, folder)
                text = read_text(path, encoding)
                checked.append(check_document(name, records, text, limit))
            except InputError as error:
                report(str(error) if is_named else f"{error}; name the document with --source")
                unread.append(UnreadDocument(name, len(records), str(error)))
            progress(number)
    return Report(checked, unread)


def _find_named_by_chunks(name: str, folder: Path) -> str:
    """Return the path of a document, from where the command runs or beside the chunks."""
    if not name:
        raise InputError("some chunks name no file")
    if name == STANDARD_INPUT:
        raise InputError("some chunks are of standard input")
    beside = folder / name
    is_beside = not exists(name) and is_file(beside)
    return str(beside) if is_beside else name


def _print(result: Report, *, as_json: bool) -> None:
    if as_json:
        write_json(result.to_dict())
        return
    with open_output(STANDARD_OUTPUT) as out:
        out.write("\n".join([*result.lines(), ""]).encode())
