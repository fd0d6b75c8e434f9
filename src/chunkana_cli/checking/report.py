"""What was found, by document; for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_cli.checking.given import Given
from chunkana_cli.checking.laws import Violation, violations_of
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
        violations: what is wrong.
    """

    file: str
    chunks: int
    with_offsets: int
    coverage: float
    violations: list[Violation]

    @classmethod
    def of(cls, file: str, chunks: Sequence[Given], source: str, limit: int | None) -> Checked:
        """Check the chunks of a document."""
        coverage = validate_content_coverage(chunks, source).coverage
        placed = sum(chunk.span is not None for chunk in chunks)
        return cls(file, len(chunks), placed, coverage, violations_of(chunks, source, limit))

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


def summary(checked: Sequence[Checked]) -> str:
    """Return a line on all documents."""
    chunks = counted(sum(document.chunks for document in checked), "chunk")
    wrong = sum(len(document.violations) for document in checked)
    said = counted(wrong, "violation") if wrong else "nothing wrong"
    blind = sum(document.chunks - document.with_offsets for document in checked)
    note = f" ({counted(blind, 'chunk')} without offsets, checked by content alone)"
    return f"{chunks} of {counted(len(checked), 'document')}: {said}{note if blind else ''}"
