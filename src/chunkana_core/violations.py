"""Results of validation: violations of laws."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Law = Literal["exact", "lossless", "size", "heading", "fence", "tree", "coverage"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated law; `str()` of it is a sentence.

    Attributes:
        law: `"exact"`, `"lossless"`, `"size"`, `"heading"`, `"fence"`, `"tree"` or `"coverage"`.
        chunk_id: the id of the chunk that violates the law; None if it is not a single chunk.
        message: a description; with a `chunk_id`, a predicate whose subject is that chunk.

    >>> str(Violation("size", "85b73057", "has size 120, over the limit of 100"))
    'chunk 85b73057 has size 120, over the limit of 100'
    """

    law: Law
    chunk_id: str | None
    message: str

    def __str__(self) -> str:
        return self.message if self.chunk_id is None else f"chunk {self.chunk_id} {self.message}"


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The result of validating chunks.

    Attributes:
        valid: whether there are no errors.
        errors: violations of laws.
        warnings: deviations that the laws allow.
        coverage: share of the source lines of 20 or more characters found in the chunks, 0 to 1.
    """

    valid: bool = True
    errors: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    coverage: float = 1.0

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a JSON-able dict, each violation as a dict of its fields."""
        lists = {"errors": self.errors, "warnings": self.warnings}
        return asdict(self) | {name: [asdict(v) for v in found] for name, found in lists.items()}
