"""The task of chunking one document, and its outcome: a value or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, cast

from chunkana_core import (
    ChunkanaError,
    Chunker,
    HierarchicalChunkingResult,
    InputTypeError,
)

T = TypeVar("T")
Make = Callable[[str, HierarchicalChunkingResult], T]
FormatChoice = str | Callable[[str], str]
OnError = Literal["raise", "skip"]

# Errors that fail one document only, raised by its chunking, the caller's length function or
# `make`. MemoryError is one of them because the next document may be smaller. Any other error is a
# bug or the end of the program, and would stop every other document too.
DOCUMENT_ERRORS = (
    ChunkanaError,
    ArithmeticError,
    ImportError,  # an optional dependency of the document's format is missing
    LookupError,
    OSError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class DocumentError(ChunkanaError):
    """A document could not be chunked; raised with `on_error="raise"`.

    Attributes:
        name: the name or id of the document, None if it has none.
        error: why it could not be chunked.
    """

    def __init__(self, name: str | None, error: str) -> None:
        super().__init__(name, error)  # from which it is unpickled
        self.name, self.error = name, error

    def __str__(self) -> str:
        return f"{self.name or 'a document'}: cannot be chunked: {self.error}"


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The value made from one document, or the error that it failed with.

    Attributes:
        name: the name of the document.
        value: the value that `make` returned, None if the document failed.
        error: the type and the message of the error, None if the document did not fail.
    """

    name: str
    value: T | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """The work on each document: chunk it, and call `make` with the result."""

    chunker: Chunker
    make: Make[T]
    format: FormatChoice

    def run(self, name: str, text: str) -> Outcome[T]:
        """Return the outcome of a document."""
        try:
            format_name = self.format(name) if callable(self.format) else self.format
            result = self.chunker.chunk_hierarchical(text, format_name, str(name))
            return Outcome(name, self.make(name, result))
        except DOCUMENT_ERRORS as error:
            return Outcome(name, None, describe_error(error))


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an error."""
    # A MemoryError raised by Python has no message.
    message = "not enough memory" if isinstance(error, MemoryError) else error
    return f"{type(error).__name__}: {message}"


def raise_errors(outcomes: Iterable[Outcome[T]]) -> Iterator[Outcome[T]]:
    """Yield outcomes; raise a DocumentError for the first document that failed."""
    for outcome in outcomes:
        if outcome.error is not None:
            raise DocumentError(outcome.name, outcome.error)
        yield outcome


def require_pairs(documents: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield documents; raise an InputTypeError for any that is not a pair.

    A str of length 2 is not a pair.
    """
    for document in documents:
        match document:
            case (name, text):
                yield cast("tuple[str, str]", (name, text))
            case _:
                raise InputTypeError("documents", document, "pairs of a name and a text")
