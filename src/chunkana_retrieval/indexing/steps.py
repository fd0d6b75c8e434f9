"""What is asked of stores while an index changes, so that one procedure serves all kinds of them.

A procedure is a generator that yields steps and is sent what each of them gives. It is run by
`run`, or by `run_async`, with a function that carries out a step in a framework's stores.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar, cast

from chunkana_retrieval.hits import Hit
from chunkana_retrieval.indexing.records import DocumentRecord, LeafRecord

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Leaf = tuple[DocumentRecord, LeafRecord]


class Proposal(NamedTuple):
    """A leaf that a vector store found.

    Attributes:
        document_id: of its document.
        leaf_id: in the vector store.
        score: of the search, in any unit, None for none.
    """

    document_id: str
    leaf_id: str
    score: float | None


class Step(Generic[T_co]):
    """Something that a store does; `T_co` is what it gives."""

    __slots__ = ()

    def ask(self) -> Generator[Step[object], object, T_co]:
        """Yield the step, and return what is sent for it."""
        return cast("T_co", (yield self))


Procedure = Generator[Step[object], object, T]


@dataclass(frozen=True, slots=True)
class ListDocuments(Step[Sequence[str]]):
    """Return the ids of all documents that there are records of."""


@dataclass(frozen=True, slots=True)
class ReadRecords(Step[Sequence[DocumentRecord]]):
    """Return the records of documents, without those that there are none of."""

    document_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class WriteRecords(Step[None]):
    """Put records in place of those of the same documents, and delete others.

    Attributes:
        records: what to write.
        deleted: ids of documents.
    """

    records: Sequence[DocumentRecord]
    deleted: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AddLeaves(Step[None]):
    """Embed leaves and put them into the vector store, which has none of their ids."""

    leaves: Sequence[Leaf]


@dataclass(frozen=True, slots=True)
class DeleteLeaves(Step[None]):
    """Delete leaves from the vector store; some of them may not be there."""

    leaf_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class FindLeaves(Step[Sequence[Proposal]]):
    """Return the leaves that the vector store finds, the best first."""

    asked: object


@dataclass(frozen=True, slots=True)
class FindWords(Step[Sequence[Hit]]):
    """Return so many leaves that the lexical index finds, the best first."""

    words: str
    count: int


@dataclass(frozen=True, slots=True)
class SaveChanges(Step[None]):
    """Write what is in memory to the folder of the index, if it has changed."""


def run(procedure: Procedure[T], perform: Callable[[Step[object]], object]) -> T:
    """Run a procedure to its end, and return what it returns; close it where a step fails."""
    with closing(procedure):
        try:
            step = next(procedure)
            while True:
                step = procedure.send(perform(step))
        except StopIteration as stop:
            return cast("T", stop.value)


async def run_async(
    procedure: Procedure[T], perform: Callable[[Step[object]], Awaitable[object]]
) -> T:
    """Run a procedure to its end, and return what it returns; close it where a step fails."""
    with closing(procedure):
        try:
            step = next(procedure)
            while True:
                step = procedure.send(await perform(step))
        except StopIteration as stop:
            return cast("T", stop.value)
