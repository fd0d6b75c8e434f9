"""Read and chunk the documents of a command; a failed document is reported and skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, TypeVar

import typer

from chunkana_batch import DocumentError, WorkerError, chunk_many
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.reading.documents import (
    AUTO,
    Document,
    format_of_file,
    read_document,
    report_misnamed,
    require_format,
)
from chunkana_cli.reading.encodings import UTF_8
from chunkana_cli.reading.files import is_file
from chunkana_cli.reading.paths import find_files
from chunkana_cli.reading.tables import is_compressed_lines, is_parquet
from chunkana_cli.screen.naming import format_count
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult
from chunkana_core.extending import describe_unknown, unknown_kind

T = TypeVar("T")
_AUTO = "auto"
_MAX_JOBS = 1000  # more processes help on no machine, and fail on some
_MAX_DIGITS = 20  # int() is slow for very long numbers
Jobs = Annotated[
    str,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; auto or 0: one for each processor."),
]


def workers_of(jobs: str) -> int:
    """Parse `--jobs`; return the number of processes, 0 for one for each processor."""
    if jobs == _AUTO:
        return 0
    is_number = jobs.isascii() and jobs.isdigit() and len(jobs) <= _MAX_DIGITS
    if not (is_number and int(jobs) <= _MAX_JOBS):
        fail(f"--jobs is {jobs!r}; allowed: a whole number from 0 to {_MAX_JOBS}, or auto", USAGE)
    return int(jobs)


@dataclass(slots=True)
class Batch:
    """The documents of a command, with a count of failures.

    Attributes:
        names: the names of the files that were found.
        input_format: the name of their format, or "auto".
        encoding: the encoding of their texts.
        failures: the number of arguments and files that could not be found, read or chunked.
        has_chunked: whether any document was chunked.
    """

    names: Sequence[str]
    input_format: str = AUTO
    encoding: str = UTF_8
    failures: int = 0
    has_chunked: bool = field(default=False)

    @classmethod
    def of(cls, arguments: Sequence[str], input_format: str, encoding: str = UTF_8) -> Batch:
        """Find the files of the arguments; report arguments without files.

        The number of files of unknown formats is reported too; such files are plain text.
        """
        require_format(input_format)
        names, is_complete = find_files(arguments)
        if input_format == AUTO and (message := describe_unknown(map(_unknown_kind, names))):
            report(f"{message}; set another format with --from")
        return cls(names, input_format, encoding, 0 if is_complete else 1)

    def documents(self, names: Sequence[str] | None = None) -> Iterator[Document]:
        """Read and yield the named files, by default all; report those that cannot be read."""
        for name in self.names if names is None else names:
            try:
                document = read_document(name, self.input_format, self.encoding)
            except InputError as error:
                self.report_failure(str(error))
            else:
                yield replace(document, name=escape_name(name))

    def nonempty_documents(self) -> list[Document]:
        """Return the documents that have text; end the command if there are none."""
        documents = [*self.documents()]
        found = [document for document in documents if document.text.strip()]
        if documents and not found:
            name, others = documents[0].name, len(documents) - 1
            what = f"{name} and {format_count(others, 'other')}: have" if others else f"{name}: has"
            self.report_failure(f"{what} no text to chunk")
        if not found:
            raise typer.Exit(FAILED)
        return found

    def chunk(  # noqa: PLR0913  # half of them are optional
        self,
        config: ChunkConfig,
        workers: int,
        make: Callable[[str, HierarchicalChunkingResult], T],
        progress: Callable[[int], object] | None = None,
        *,
        context: Context | None = None,
        documents: Iterable[Document] | None = None,
    ) -> Iterator[T]:
        """Chunk documents and yield the value of `make` for each, in order; report failures.

        Documents that are not valid in their formats are chunked as plain text, and reported.

        Args:
            config: the chunking options.
            workers: the number of processes, 0 for one for each processor.
            make: a function of the name and the chunks of a document.
            progress: a function that is called with the number of documents done.
            context: the context that is embedded before each content.
            documents: the documents to chunk; by default those of all files.
        """
        documents = self.documents() if documents is None else documents
        format_of_document = partial(format_of_file, self.input_format)
        misnamed: list[tuple[str, str]] = []
        outcomes = chunk_many(
            ((document.name, document.text) for document in documents),
            config,
            workers,
            make=partial(_add_format, make),
            context=context,
            format=format_of_document,
            progress=progress,
        )
        try:
            for outcome in outcomes:
                if outcome.value is None:
                    self.report_failure(str(DocumentError(outcome.name, outcome.error or "")))
                else:
                    self.has_chunked = True
                    format_name, value = outcome.value
                    requested = format_of_document(outcome.name)
                    if format_name != requested:
                        misnamed.append((outcome.name, requested))
                    yield value
            report_misnamed(misnamed)
        except WorkerError as error:
            fail(str(error))

    def chunk_documents(
        self,
        config: ChunkConfig,
        context: Context | None = None,
        documents: Iterable[Document] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[tuple[Document, HierarchicalChunkingResult]]:
        """Chunk documents in this process, and yield each with its chunks; see `chunk`."""
        current: dict[str, Document] = {}

        def read() -> Iterator[Document]:
            for document in self.documents() if documents is None else documents:
                current[document.name] = document
                yield document

        chunked = self.chunk(config, 1, _named, progress, context=context, documents=read())
        for name, result in chunked:
            yield current.pop(name), result

    def require_any(self) -> None:
        """End the command with an error if files failed and none was chunked."""
        if not self.has_chunked:
            self.end()

    def end(self) -> None:
        """End the command with an error if a file failed."""
        if self.failures:
            raise typer.Exit(FAILED)

    def report_failure(self, message: str) -> None:
        """Report and count a file that failed."""
        report(message)
        self.failures += 1


def _named(name: str, result: HierarchicalChunkingResult) -> tuple[str, HierarchicalChunkingResult]:
    return name, result


def _add_format(
    make: Callable[[str, HierarchicalChunkingResult], T],
    name: str,
    result: HierarchicalChunkingResult,
) -> tuple[str, T]:
    """Return the format that a document was chunked in, and the value of `make`."""
    return result.format, make(name, result)


def _unknown_kind(name: str) -> str:
    """Return the suffix or file name of a file of an unknown format, "" for all else."""
    is_table = is_parquet(name) or is_compressed_lines(name)
    return unknown_kind(name) if is_file(name) and not is_table else ""


def escape_name(name: str) -> str:
    """Return a file name that every output format can encode: bytes other than UTF-8 escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
