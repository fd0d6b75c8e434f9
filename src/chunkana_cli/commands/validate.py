"""`chunkana validate`: check the chunks of any tool against the laws."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import exists, isfile
from pathlib import Path
from typing import Annotated

import typer

from chunkana_batch.rows import hash_text
from chunkana_cli.inputs.batch import AUTO, format_of_file, require_installed
from chunkana_cli.inputs.files import STANDARD_INPUT, UTF_8, InputError, read_text
from chunkana_cli.options import AsJson, InputEncoding, epilog
from chunkana_cli.output.output import STANDARD_OUTPUT, open_output, progress_bar, write_json
from chunkana_cli.streams import FAILED, USAGE, fail, format_count, on_one_line, report
from chunkana_cli.validating.laws import find_violations
from chunkana_cli.validating.records import ChunkRecord, read_records
from chunkana_core import Source, Violation, format_names
from chunkana_core.extending import Document, Format, parse_document

EPILOG = epilog(
    "validate chunks.jsonl",
    "validate others.jsonl --source README.md --max-chunk-size 1000",
    "split README.md | chunkana validate - --json",
    codes="0 nothing wrong; 1 a law is broken, or a file could not be read; 2 invalid usage",
)
_HASH = "document_hash"  # a field of tables of chunks
_BROKEN_BY_DROPPING = {"lossless", "coverage"}
_DROPPING_NOTE = " (split --drop-duplicates leaves out text, which breaks lossless and coverage)"


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
    documents: dict[str, list[ChunkRecord]] = {} if source is None else {source: []}
    try:
        for record in read_records(chunks):
            documents.setdefault(record.file if source is None else source, []).append(record)
    except InputError as error:
        fail(str(error))
    if not documents:
        fail(f"{chunks}: has no chunks; name their document with --source")
    folder = Path(chunks).parent if source is None else None
    result = _check_documents(documents, folder, max_chunk_size, encoding)
    if as_json:
        write_json(result.to_dict())
    else:
        with open_output(STANDARD_OUTPUT) as out:
            out.write("\n".join([*result.lines(), ""]).encode())
    if not result.is_valid:
        sys.exit(FAILED)


def _check_documents(
    documents: Mapping[str, Sequence[ChunkRecord]],
    folder: Path | None,
    limit: int | None,
    encoding: str,
) -> _Report:
    """Check each readable document, and report unreadable ones.

    Args:
        documents: the chunks by the name of their document.
        folder: the folder of the file of chunks; None if the user named the document.
        limit: the largest size in characters, None if it is unknown.
        encoding: the encoding of the documents.
    """
    checked, unread = list[_CheckedDocument](), list[dict[str, object]]()
    with progress_bar(len(documents)) as progress:
        for number, (name, records) in enumerate(documents.items(), 1):
            try:
                path = name if folder is None else _find_named_by_chunks(name, folder)
                text = read_text(path, encoding)
                checked.append(_check_document(name, records, text, limit))
            except InputError as error:
                hint = "" if folder is None else "; name the document with --source"
                report(f"{error}{hint}")
                unread.append({"file": name, "chunks": len(records), "error": str(error)})
            progress(number)
    return _Report(checked, unread)


def _find_named_by_chunks(name: str, folder: Path) -> str:
    """Return the path of a document, relative to the working directory or to the chunks."""
    if not name:
        raise InputError("some chunks name no file")
    if name == STANDARD_INPUT:
        raise InputError("some chunks are of standard input")
    beside = folder / name
    return str(beside) if not exists(name) and isfile(beside) else name


def _check_document(
    file: str, records: Sequence[ChunkRecord], source: str, limit: int | None
) -> _CheckedDocument:
    """Check the chunks of a document.

    Args:
        file: the name of the document, which determines the format if no chunk has one.
        records: the chunks.
        source: the text of the document.
        limit: the largest size in characters, None if it is unknown.

    Raises:
        InputError: if the format is not installed, or the text has changed since it was chunked.
    """
    stated = (record.metadata.get("format") for record in records)
    known = (str(name) for name in stated if name in format_names())
    form = format_of_file(next(known, AUTO), file)
    require_installed(file, form)
    document = parse_document(source, form)
    formats = () if document.text == source else (_format_of_joined(document),)
    records = [replace(record, format=document.traits.name) for record in records]
    hashes = {hash_ for record in records if isinstance(hash_ := record.metadata.get(_HASH), str)}
    if hashes and hashes != {hash_text(document.text)}:
        raise InputError(f"{file}: has changed since it was chunked")
    return _CheckedDocument(file, records, *find_violations(records, document, limit, formats))


def _format_of_joined(document: Document) -> Format:
    """Return a format for a text extracted from a file, such as the cells of a notebook.

    The format returns the given document with the text replaced; stretches of the text may be
    blanked.
    """
    return Format(
        document.traits.name, lambda text: replace(document, source=Source.of(text), text=text)
    )


@dataclass(frozen=True, slots=True)
class _CheckedDocument:
    """The chunks of a document and their violations.

    Attributes:
        file: the name of the document.
        records: the chunks.
        violations: the violations; their `chunk_id` is the key of a record.
        unchecked: the laws that could not be checked.
        coverage: the share of the document's lines that the chunks contain, 0.0 to 1.0.
    """

    file: str
    records: Sequence[ChunkRecord]
    violations: list[Violation]
    unchecked: list[str]
    coverage: float

    @property
    def offset_count(self) -> int:
        """The number of chunks with offsets."""
        return sum(record.span is not None for record in self.records)

    @property
    def may_lack_duplicates(self) -> bool:
        """Whether the violations may come from chunks left out by `split --drop-duplicates`."""
        is_ours = any(_HASH in record.metadata for record in self.records)
        return is_ours and any(one.law in _BROKEN_BY_DROPPING for one in self.violations)

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation: file, chunk, law, message."""
        for violation, record in self._broken():
            parts = (self.file, record.name if record else "all chunks", violation.law)
            yield ": ".join(map(on_one_line, (*parts, violation.message)))

    def to_dict(self) -> dict[str, object]:
        """Return the document as values for JSON."""
        return {
            "file": self.file,
            "chunks": len(self.records),
            "with_offsets": self.offset_count,
            "coverage": self.coverage,
            "not_checked": self.unchecked,
            "violations": [
                {
                    "law": violation.law,
                    "chunk": record.number if record else None,
                    "chunk_id": record.chunk_id if record else "",
                    "message": violation.message,
                }
                for violation, record in self._broken()
            ],
        }

    def _broken(self) -> Iterator[tuple[Violation, ChunkRecord | None]]:
        """Yield each violation with its chunk, None for one of all chunks."""
        records = {record.key: record for record in self.records}
        for violation in self.violations:
            yield violation, records.get(violation.chunk_id or "")


@dataclass(frozen=True, slots=True)
class _Report:
    """The report of all documents: those that were checked, and those that could not be read."""

    checked: Sequence[_CheckedDocument]
    unread: Sequence[Mapping[str, object]]

    @property
    def is_valid(self) -> bool:
        """Whether all documents could be read, and there are no violations."""
        return not (self.unread or any(document.violations for document in self.checked))

    def to_dict(self) -> dict[str, object]:
        """Return the report as values for JSON."""
        documents = [document.to_dict() for document in self.checked]
        return {"valid": self.is_valid, "documents": documents, "unread": self.unread}

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation, and a summary."""
        for document in self.checked:
            yield from document.lines()
        chunks = format_count(sum(len(document.records) for document in self.checked), "chunk")
        documents = format_count(len(self.checked), "document")
        may_lack = any(document.may_lack_duplicates for document in self.checked)
        notes = self._offsets_note() + (_DROPPING_NOTE if may_lack else "")
        yield f"{chunks} of {documents}: {self._outcome()}{notes}"

    def _outcome(self) -> str:
        count = sum(len(document.violations) for document in self.checked)
        if self.unread:
            missing = format_count(len(self.unread), "document")
            return f"{format_count(count, 'violation')}; {missing} could not be read"
        return format_count(count, "violation") if count else "nothing wrong"

    def _offsets_note(self) -> str:
        """Return a note on the chunks without offsets and the laws not checked for them."""
        documents = [one for one in self.checked if one.offset_count < len(one.records)]
        if not documents:
            return ""
        count = sum(len(document.records) - document.offset_count for document in documents)
        unchecked = {law for document in documents for law in document.unchecked} - {"size"}
        laws = f"; not checked: {', '.join(sorted(unchecked))}" if unchecked else ""
        return f" ({format_count(count, 'chunk')} without offsets, checked by content alone{laws})"
