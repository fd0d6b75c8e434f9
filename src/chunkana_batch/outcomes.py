"""The outcome of a document: the value that was made of its chunks, or why it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from chunkana_core import ChunkanaError, Chunker, HierarchicalChunkingResult, InputTypeError

T = TypeVar("T")
Make = Callable[[str, HierarchicalChunkingResult], T]
FormatChoice = str | Callable[[str], str]

# What a text can fail with, or the caller's length function or `make` on it; memory may be enough
# for the next one. Other errors are mistakes in a program or its end, which no other document would
# survive either.
DOCUMENT_ERRORS = (
    ChunkanaError,
    ArithmeticError,
    ImportError,  # of what its format needs
    LookupError,
    OSError,
    MemoryError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The value that was made of one of many documents, or the error by which it failed.

    Attributes:
        name: the document's.
        value: returned by `make`; None if the document failed.
        error: the error's type and message; None if the document did not fail.
    """

    name: str
    value: T | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """The chunking of a document, and the call of `make` with its result."""

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
    """Return the type of an error and its message, which Python does not give a lack of memory."""
    message = "not enough memory" if isinstance(error, MemoryError) else error
    return f"{type(error).__name__}: {message}"


def require_pairs(documents: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield documents; raise an InputTypeError at one that is no pair, as a str of length 2."""
    for document in documents:
        match document:
            case (name, text):
                yield cast("tuple[str, str]", (name, text))
            case _:
                raise InputTypeError("documents", document, "pairs of a name and a text")
