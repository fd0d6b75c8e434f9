"""What commands do with many documents: read, chunk, go on where one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, TypeVar

import typer

from chunkana_batch import WorkerError, chunk_many
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.reading.documents import (
    AUTO,
    Document,
    format_of_file,
    read_document,
    report_fallback,
    require_format,
)
from chunkana_cli.reading.encodings import UTF_8
from chunkana_cli.reading.files import is_file
from chunkana_cli.reading.paths import find_files
from chunkana_cli.reading.tables import is_compressed_lines, is_parquet
from chunkana_cli.screen.naming import counted
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult, format_of

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
    """The documents of a command; counts those that failed.

    Attributes:
        names: of the files that were found.
        given: the name of their format, or "auto".
        encoding: of their texts.
        failures: how many arguments and files could not be found, read or chunked.
        has_made: whether any was chunked.
        has_fallback: whether any was chunked in another format than its own, which is said once.
    """

    names: Sequence[str]
    given: str = AUTO
    encoding: str = UTF_8
    failures: int = 0
    has_made: bool = field(default=False)
    has_fallback: bool = field(default=False)

    @classmethod
    def of(cls, arguments: Sequence[str], given: str, encoding: str = UTF_8) -> Batch:
        """Find the files that arguments mean; report those that mean none.

        Of the first file of a kind that is not known it is said that it is taken for plain text.
        """
        require_format(given)
        names, is_whole = find_files(arguments)
        unknown = [name for name in names if _is_unknown(name)]
        if unknown and given == AUTO:
            report(f"{unknown[0]}: of no known kind, taken for plain text; --from names another")
        return cls(names, given, encoding, 0 if is_whole else 1)

    def documents(self, names: Sequence[str] | None = None) -> Iterator[Document]:
        """Yield each file, or each of some; report those that cannot be read."""
        for name in self.names if names is None else names:
            try:
                document = read_document(name, self.given, self.encoding)
            except InputError as error:
                self.report_failure(str(error))
            else:
                yield replace(document, name=written_name(name))

    def with_text(self) -> list[Document]:
        """Return the files that have text; end the command where there are none."""
        documents = [*self.documents()]
        found = [document for document in documents if document.text.strip()]
        if documents and not found:
            name, others = documents[0].name, len(documents) - 1
            what = f"{name} and {counted(others, 'other')}: have" if others else f"{name}: has"
            self.report_failure(f"{what} no text to chunk")
        if not found:
            raise typer.Exit(FAILED)
        return found

    def chunked(  # noqa: PLR0913  # half of them are optional
        self,
        config: ChunkConfig,
        workers: int,
        make: Callable[[str, HierarchicalChunkingResult], T],
        progress: Callable[[int], object] | None = None,
        *,
        context: Context | None = None,
        names: Sequence[str] | None = None,
    ) -> Iterator[T]:
        """Yield what is made of each document, in order; report those that fail.

        Of the first that is not valid as what it should be it is said that it is plain text.

        Args:
            config: how to chunk.
            workers: the number of processes, 0 for one a processor.
            make: returns what is yielded, of the name of a document and its chunks.
            progress: is called with the number of documents done.
            context: what is embedded before each content.
            names: of the files to chunk; by default all.
        """
        format_of_document = partial(format_of_file, self.given)
        outcomes = chunk_many(
            ((document.name, document.text) for document in self.documents(names)),
            config,
            workers,
            make=partial(_with_format, make),
            context=context,
            format=format_of_document,
            progress=progress,
        )
        try:
            for outcome in outcomes:
                if outcome.value is None:
                    self.report_failure(f"{outcome.name}: cannot be chunked: {outcome.error}")
                else:
                    self.has_made = True
                    taken, made = outcome.value
                    self.has_fallback = self.has_fallback or report_fallback(
                        outcome.name, format_of_document(outcome.name), taken
                    )
                    yield made
        except WorkerError as error:
            fail(str(error))

    def require_any(self) -> None:
        """End the command with an error if files failed and none was chunked."""
        if not self.has_made:
            self.end()

    def end(self) -> None:
        """End the command with an error if a file failed."""
        if self.failures:
            raise typer.Exit(FAILED)

    def report_failure(self, message: str) -> None:
        """Report and count a file that failed."""
        report(message)
        self.failures += 1


def _with_format(
    make: Callable[[str, HierarchicalChunkingResult], T],
    name: str,
    result: HierarchicalChunkingResult,
) -> tuple[str, T]:
    """Return the format that a document was chunked in, and what is made of its chunks."""
    return result.format, make(name, result)


def _is_unknown(name: str) -> bool:
    is_table = is_parquet(name) or is_compressed_lines(name)
    return format_of(name) is None and is_file(name) and not is_table


def written_name(name: str) -> str:
    """Return a name as every format can write it: bytes that are no UTF-8 escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
