"""What was found, by document; for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from chunkana_cli.checking.given import Given
from chunkana_cli.checking.laws import Violation, not_checked, violations_of
from chunkana_cli.checking.places import indexed
from chunkana_cli.naming import counted
from chunkana_cli.visible import on_one_line
from chunkana_core import validate_content_coverage


@dataclass(frozen=True, slots=True)
class Checked:
    """The chunks of a document and what is wrong with them.

    Attributes:
        file: the document's name.
        chunks: how many there are.
        with_offsets: how many of them have offsets.
        coverage: the share of the document's lines that they hold.
        not_checked: the laws of which they do not say enough.
        violations: what is wrong.
    """

    file: str
    chunks: int
    with_offsets: int
    coverage: float
    not_checked: list[str]
    violations: list[Violation]

    @classmethod
    def of(cls, file: str, chunks: Sequence[Given], source: str, limit: int | None) -> Checked:
        """Check the chunks of a document."""
        coverage = validate_content_coverage(chunks, indexed(chunks, source)).coverage
        placed = sum(chunk.span is not None for chunk in chunks)
        unchecked = not_checked(chunks, source, limit)
        found = violations_of(chunks, source, limit)
        return cls(file, len(chunks), placed, coverage, unchecked, found)

    def lines(self) -> Iterator[str]:
        """Yield a line for each violation: file, chunk, law, how."""
        for violation in self.violations:
            chunk = violation.chunk.name if violation.chunk else "all chunks"
            message = on_one_line(violation.message)
            yield f"{on_one_line(self.file)}: {on_one_line(chunk)}: {violation.law}: {message}"

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON takes it."""
        return {
            "file": self.file,
            "chunks": self.chunks,
            "with_offsets": self.with_offsets,
            "coverage": self.coverage,
            "not_checked": self.not_checked,
            "violations": [
                {
                    "law": violation.law,
                    "chunk": violation.chunk.number if violation.chunk else None,
                    "chunk_id": violation.chunk.chunk_id if violation.chunk else "",
                    "message": violation.message,
                }
                for violation in self.violations
            ],
        }


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that could not be read.

    Attributes:
        file: its name, "" where its chunks say none.
        chunks: how many of it were given.
        error: why.
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

    checked: Sequence[Checked]
    unread: Sequence[Unread]

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
        """Yield a line for each violation, and one on all documents."""
        for document in self.checked:
            yield from document.lines()
        chunks = counted(sum(document.chunks for document in self.checked), "chunk")
        of_all = f"{chunks} of {counted(len(self.checked), 'document')}"
        yield f"{of_all}: {self._found()}{_blindness(self.checked)}"

    def _found(self) -> str:
        wrong = sum(len(document.violations) for document in self.checked)
        if self.unread:
            missing = counted(len(self.unread), "document")
            return f"{counted(wrong, 'violation')}; {missing} could not be read"
        return counted(wrong, "violation") if wrong else "nothing wrong"


def _blindness(checked: Sequence[Checked]) -> str:
    """Return a note on chunks without offsets, and what could therefore not be checked."""
    blind = [document for document in checked if document.with_offsets < document.chunks]
    if not blind:
        return ""
    count = sum(document.chunks - document.with_offsets for document in blind)
    unchecked = {law for document in blind for law in document.not_checked} - {"size"}
    laws = f"; not checked: {', '.join(sorted(unchecked))}" if unchecked else ""
    return f" ({counted(count, 'chunk')} without offsets, checked by content alone{laws})"
