"""What checking finds, by document: as lines for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from chunkana_batch.rows import hash_text
from chunkana_cli.checking.laws import find_violations
from chunkana_cli.checking.records import ChunkRecord
from chunkana_cli.errors import InputError
from chunkana_cli.reading.documents import AUTO, format_of_file, require_installed
from chunkana_cli.screen.naming import counted
from chunkana_cli.screen.visible import on_one_line
from chunkana_core import Source, Violation
from chunkana_core.extending import Document, Format, parse_document

_HASH = "document_hash"  # a field of our tables
_BROKEN_BY_DROPPING = {"lossless", "coverage"}
_DROPPING_NOTE = " (split --drop-duplicates leaves out text, which breaks lossless and coverage)"


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """The chunks of a document and what is wrong with them.

    Attributes:
        file: the document's name.
        records: the chunks, by their keys.
        coverage: the share of the document's lines that they hold, 0.0 to 1.0.
        unchecked: the laws that could not be checked.
        violations: what is wrong; a `chunk_id` is the key of a record.
    """

    file: str
    records: Mapping[str, ChunkRecord]
    coverage: float
    unchecked: list[str]
    violations: list[Violation]

    @property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        return len(self.records)

    @property
    def offset_count(self) -> int:
        """How many chunks have offsets."""
        return sum(record.span is not None for record in self.records.values())

    @property
    def may_lack_duplicates(self) -> bool:
        """Whether what is wrong may be that `split --drop-duplicates` left chunks out."""
        is_ours = any(_HASH in record.metadata for record in self.records.values())
        return is_ours and any(one.law in _BROKEN_BY_DROPPING for one in self.violations)

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation: file, chunk, law, how."""
        for violation in self.violations:
            record = self._record_of(violation)
            parts = (self.file, record.name if record else "all chunks", violation.law)
            yield ": ".join(map(on_one_line, (*parts, violation.message)))

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON takes it."""
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
    """Check the chunks of a document, of a text, against a limit in characters if it is known.

    Raises:
        InputError: if its format needs what is not installed, or it is another text by now.
    """
    form = format_of_file(AUTO, file)
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


def _format_of_joined(document: Document) -> Format:
    """Return a format of a text that is not the file's, such as that of a notebook's cells.

    Of the text, in which stretches may be blank, it makes the document that the file's is.
    """
    return Format(
        document.traits.name, lambda text: replace(document, source=Source.of(text), text=text)
    )


@dataclass(frozen=True, slots=True)
class UnreadDocument:
    """A document that could not be read.

    Attributes:
        file: its name, "" where its chunks do not have it.
        chunks: how many chunks it has.
        error: why it could not be read.
    """

    file: str
    chunks: int
    error: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in all documents.

    Attributes:
        checked: the documents that could be read.
        unread: the others.
    """

    checked: Sequence[CheckedDocument]
    unread: Sequence[UnreadDocument]

    @property
    def is_valid(self) -> bool:
        """Whether all could be checked, and nothing is wrong."""
        return not (self.unread or any(document.violations for document in self.checked))

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON takes it."""
        return {
            "valid": self.is_valid,
            "documents": [document.to_dict() for document in self.checked],
            "unread": [asdict(document) for document in self.unread],
        }

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation, and a summary."""
        for document in self.checked:
            yield from document.lines()
        chunks = counted(sum(document.chunk_count for document in self.checked), "chunk")
        documents = counted(len(self.checked), "document")
        may_lack = any(document.may_lack_duplicates for document in self.checked)
        notes = self._offsets_note() + (_DROPPING_NOTE if may_lack else "")
        yield f"{chunks} of {documents}: {self._outcome()}{notes}"

    def _outcome(self) -> str:
        count = sum(len(document.violations) for document in self.checked)
        if self.unread:
            missing = counted(len(self.unread), "document")
            return f"{counted(count, 'violation')}; {missing} could not be read"
        return counted(count, "violation") if count else "nothing wrong"

    def _offsets_note(self) -> str:
        """Return how many chunks have no offsets, and which laws could therefore not be checked."""
        documents = [d for d in self.checked if d.offset_count < d.chunk_count]
        if not documents:
            return ""
        count = sum(document.chunk_count - document.offset_count for document in documents)
        unchecked = {law for document in documents for law in document.unchecked} - {"size"}
        laws = f"; not checked: {', '.join(sorted(unchecked))}" if unchecked else ""
        return f" ({counted(count, 'chunk')} without offsets, checked by content alone{laws})"
