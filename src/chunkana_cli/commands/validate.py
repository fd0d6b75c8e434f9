"""`chunkana validate`: check the chunks of any tool against the laws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.checking.records import ChunkRecord, read_records
from chunkana_cli.checking.report import FailedDocument, Report, check_document
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.options import AsJson, epilog
from chunkana_cli.reading.documents import STANDARD_INPUT, read_text
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.files import exists, is_file
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.output import STANDARD_OUTPUT, open_output, write_json

EPILOG = epilog(
    "validate chunks.jsonl",
    "validate others.jsonl --source README.md --max-chunk-size 1000",
    "split README.md | chunkana validate - --json",
    codes="0 nothing wrong; 1 a law is broken, or a file could not be read; 2 invalid usage",
)


def validate(
    chunks: Annotated[
        str,
        typer.Argument(metavar="CHUNKS", help="JSON lines or Parquet; - for stdin."),
    ],
    *,
    source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The document of all chunks; overrides their fields."),
    ] = None,
    max_chunk_size: Annotated[
        int | None,
        typer.Option(min=32, help="The limit, in characters.", show_default="not checked"),
    ] = None,
    encoding: InputEncoding = UTF_8,
    as_json: AsJson = False,
) -> None:
    """Check chunks of any tool against their documents.

    Each object needs a text: content, page_content or text. Its document is --source, or the file
    in its field file, source or file_path. If the object or its metadata has offsets (start_char,
    start_char_idx, start_index or start, and likewise for the end), the text must be exact, and
    nothing lost or repeated. If there are ids and links, they must match the tree. One line is
    printed for each violation: file, chunk, law, message.
    """
    if chunks == source == STANDARD_INPUT:
        fail("standard input (-) can be read only once", USAGE)
    records = _read_records(chunks)
    if not records and source is None:
        fail(f"{chunks}: has no chunks; name their document with --source")
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
    """Group chunks by the name of their document; `source`, if given, is that of all chunks."""
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
    """Check each readable document, and report unreadable ones.

    Args:
        documents: the chunks by the name of their document.
        folder: the folder of the file of chunks.
        limit: the largest size in characters, None if it is unknown.
        encoding: the encoding of the documents.
        is_named: whether the user named the document with --source.
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
                unread.append(FailedDocument(name, len(records), str(error)))
            progress(number)
    return Report(checked, unread)


def _find_named_by_chunks(name: str, folder: Path) -> str:
    """Return the path of a document, relative to the working directory or to the chunks."""
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
