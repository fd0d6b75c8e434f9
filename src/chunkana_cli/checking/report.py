"""The report of `validate` by document: lines for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from chunkana_batch.rows import hash_text
from chunkana_cli.checking.laws import find_violations
from chunkana_cli.checking.records import ChunkRecord
from chunkana_cli.errors import InputError
from chunkana_cli.reading.documents import AUTO, format_of_file, require_installed
from chunkana_cli.screen.naming import format_count
from chunkana_cli.screen.visible import on_one_line
from chunkana_core import Source, Violation, format_names
from chunkana_core.extending import Document, Format, parse_document

_HASH = "document_hash"  # a field of tables of chunks
_BROKEN_BY_DROPPING = {"lossless", "coverage"}
_DROPPING_NOTE = " (split --drop-duplicates leaves out text, which breaks lossless and coverage)"


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """The chunks of a document and their violations.

    Attributes:
        file: the name of the document.
        records: the chunks, by their keys.
        coverage: the share of the document's lines that the chunks contain, 0.0 to 1.0.
        unchecked: the laws that could not be checked.
        violations: the violations; their `chunk_id` is the key of a record.
    """

    file: str
    records: Mapping[str, ChunkRecord]
    coverage: float
    unchecked: list[str]
    violations: list[Violation]

    @property
    def chunk_count(self) -> int:
        """The number of chunks."""
        return len(self.records)

    @property
    def offset_count(self) -> int:
        """The number of chunks with offsets."""
        return sum(record.span is not None for record in self.records.values())

    @property
    def may_lack_duplicates(self) -> bool:
        """Whether the violations may come from chunks left out by `split --drop-duplicates`."""
        is_ours = any(_HASH in record.metadata for record in self.records.values())
        return is_ours and any(one.law in _BROKEN_BY_DROPPING for one in self.violations)

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation: file, chunk, law, message."""
        for violation in self.violations:
            record = self._record_of(violation)
            parts = (self.file, record.name if record else "all chunks", violation.law)
            yield ": ".join(map(on_one_line, (*parts, violation.message)))

    def to_dict(self) -> dict[str, object]:
        """Return the document as values for JSON."""
        return {
            "file": self.file,
            "chunks": self.chunk_count,
            "with_offsets": self.offset_count,
            "coverage": self.coverage,
            "not_checked": self.unchecked,
            "violations": [self._violation_dict(violation) for violation in self.violations],
        }

    def _violation_dict(self, violation: Violation) -> dict[str, object]:
        record = self._record_of(violation)
        return {
            "law": violation.law,
            "chunk": record.number if record else None,
            "chunk_id": record.chunk_id if record else "",
            "message": violation.message,
        }

    def _record_of(self, violation: Violation) -> ChunkRecord | None:
        return None if violation.chunk_id is None else self.records[violation.chunk_id]


def check_document(
    file: str, records: Sequence[ChunkRecord], source: str, limit: int | None
) -> CheckedDocument:
    """Check the chunks of a document.

    Args:
        file: the name of the document, which determines the format if no chunk has one.
        records: the chunks.
        source: the text of the document.
        limit: the largest size in characters, None if it is unknown.

    Raises:
        InputError: if the format is not installed, or the text has changed since it was chunked.
    """
    form = format_of_file(_format_of_chunks(records), file)
    require_installed(file, form, has_option=False)
    document = parse_document(source, form)
    formats = () if document.text == source else (_format_of_joined(document),)
    records = [replace(record, format=document.traits.name) for record in records]
    text = document.text
    hashes = {hash_ for record in records if isinstance(hash_ := record.metadata.get(_HASH), str)}
    if hashes and hashes != {hash_text(text)}:
        raise InputError(f"{file}: has changed since it was chunked")
    found = find_violations(records, document, limit, formats)
    by_key = {record.key: record for record in records}
    return CheckedDocument(file, by_key, found.coverage, found.unchecked, found.violations)


def _format_of_chunks(records: Sequence[ChunkRecord]) -> str:
    """Return the format that the chunks state, "auto" if they state none that is known."""
    stated = (record.metadata.get("format") for record in records)
    return next((str(name) for name in stated if name in format_names()), AUTO)


def _format_of_joined(document: Document) -> Format:
    """Return a format for a text extracted from a file, such as the cells of a notebook.

    The format returns the given document with the text replaced; stretches of the text may be
    blanked.
    """
    return Format(
        document.traits.name, lambda text: replace(document, source=Source.of(text), text=text)
    )


@dataclass(frozen=True, slots=True)
class FailedDocument:
    """A document that could not be read.

    Attributes:
        file: the name of the document, "" if its chunks have none.
        chunks: the number of its chunks.
        error: why the document could not be read.
    """

    file: str
    chunks: int
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """The report of all documents.

    Attributes:
        checked: the documents that could be read.
        unread: the documents that could not be read.
    """

    checked: Sequence[CheckedDocument]
    unread: Sequence[FailedDocument]

    @property
    def is_valid(self) -> bool:
        """Whether all documents could be read, and there are no violations."""
        return not (self.unread or any(document.violations for document in self.checked))

    def to_dict(self) -> dict[str, object]:
        """Return the report as values for JSON."""
        return {
            "valid": self.is_valid,
            "documents": [document.to_dict() for document in self.checked],
            "unread": [asdict(document) for document in self.unread],
        }

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation, and a summary."""
        for document in self.checked:
            yield from document.lines()
        chunks = format_count(sum(document.chunk_count for document in self.checked), "chunk")
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
        documents = [d for d in self.checked if d.offset_count < d.chunk_count]
        if not documents:
            return ""
        count = sum(document.chunk_count - document.offset_count for document in documents)
        unchecked = {law for document in documents for law in document.unchecked} - {"size"}
        laws = f"; not checked: {', '.join(sorted(unchecked))}" if unchecked else ""
        return f" ({format_count(count, 'chunk')} without offsets, checked by content alone{laws})"
