"""What commands do with many documents: read, chunk, go on where one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

import typer

from chunkana_batch import WorkerError, chunk_many
from chunkana_cli.documents import read_document
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.paths import find_files
from chunkana_core import ChunkConfig, HierarchicalChunkingResult

T = TypeVar("T")
_AUTO = "auto"
_MOST_JOBS = 1000  # no machine gains by more, and some fail
_MOST_DIGITS = 20  # more would be slow to read
Jobs = Annotated[
    str,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; auto or 0 for one a processor."),
]


def workers_of(jobs: str) -> int:
    """Return the number that `--jobs` means, 0 for as many as there are processors."""
    if jobs == _AUTO:
        return 0
    is_number = jobs.isascii() and jobs.isdigit() and len(jobs) <= _MOST_DIGITS
    if not (is_number and int(jobs) <= _MOST_JOBS):
        fail(f"--jobs is {jobs!r}; allowed: a whole number from 0 to {_MOST_JOBS}, or auto", USAGE)
    return int(jobs)


@dataclass(slots=True)
class Batch:
    """The documents of a command; remembers whether any failed.

    Attributes:
        names: of the files that were found.
        has_failed: whether a file could not be found, read or chunked.
        has_made: whether any was chunked.
    """

    names: Sequence[str]
    has_failed: bool = field(default=False)
    has_made: bool = field(default=False)

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Batch:
        """Find the files that arguments mean; report those that mean none."""
        names, is_whole = find_files(arguments)
        return cls(names, not is_whole)

    def documents(self) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each file; report those that cannot be read."""
        for name in self.names:
            try:
                yield _written(name), read_document(name).text
            except InputError as error:
                self._report(str(error))

    def chunked(
        self,
        config: ChunkConfig,
        workers: int,
        make: Callable[[str, HierarchicalChunkingResult], T],
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each document, in order; report those that fail."""
        outcomes = chunk_many(self.documents(), config, workers, make=make, progress=progress)
        try:
            for outcome in outcomes:
                if outcome.value is None:
                    self._report(f"{outcome.name}: cannot be chunked: {outcome.error}")
                else:
                    self.has_made = True
                    yield outcome.value
        except WorkerError as error:
            fail(str(error))

    def require_any(self) -> None:
        """End the command with an error if files failed and none was chunked."""
        if not self.has_made:
            self.end()

    def end(self) -> None:
        """End the command with an error if a file failed."""
        if self.has_failed:
            raise typer.Exit(FAILED)

    def _report(self, message: str) -> None:
        report(message)
        self.has_failed = True


def _written(name: str) -> str:
    """Return a name as every format can write it: bytes that are no UTF-8 escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
