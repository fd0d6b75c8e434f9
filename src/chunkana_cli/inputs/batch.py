"""Read and chunk the documents of a command; a failed document is reported and skipped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os.path import isfile
from typing import TypeVar

from chunkana_batch import DocumentError, WorkerError, chunk_many
from chunkana_cli.inputs.arguments import find_files
from chunkana_cli.inputs.files import UTF_8, InputError, escape_name, read_text, title_of
from chunkana_cli.inputs.tables import is_compressed_lines, is_parquet
from chunkana_cli.streams import FAILED, USAGE, fail, format_count, report
from chunkana_core import (
    ChunkConfig,
    Context,
    HierarchicalChunkingResult,
    format_names,
    format_of,
)
from chunkana_core.extending import describe_unknown_file_types, unknown_file_type

T = TypeVar("T")
AUTO = "auto"  # the format follows from the name of the file
_CODE = "python"  # a format that needs the extra for code
_INSTALL_CODE = 'pip install "chunkana-rag[code]"'


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its name and format.

    Attributes:
        name: the path as the user wrote it, "-" for standard input.
        text: the text, with its original line ends and BOM.
        format: the name of the format.
    """

    name: str
    text: str
    format: str = "markdown"


def format_of_file(input_format: str, name: str) -> str:
    """Return the requested format, or with "auto" the format that follows from the name of a file.

    Standard input has no suffix, and is Markdown.
    """
    return format_of(name) if input_format == AUTO else input_format


def require_installed(name: str, form: str, hint: str = "") -> None:
    """Raise an InputError that says what to install if the format of a file is not installed."""
    if form not in format_names():
        raise InputError(f"{name}: {form} needs {_INSTALL_CODE}{hint}")


@dataclass
class Batch:
    """The documents of a command, with a count of failures.

    Attributes:
        arguments: what the user named: files, folders, patterns, "-".
        input_format: the name of their format, or "auto".
        encoding: the encoding of their texts.
        failures: the number of arguments and files that could not be found, read or chunked.
        has_chunked: whether any document was chunked.
    """

    arguments: Sequence[str]
    input_format: str = AUTO
    encoding: str = UTF_8
    failures: int = 0
    has_chunked: bool = False

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the files; arguments without files are reported when they are asked for.

        The number of files of unknown formats is reported too; such files are plain text.
        """
        allowed = [AUTO, *format_names()]
        if self.input_format not in allowed:
            more = "" if _CODE in allowed else f"; more with {_INSTALL_CODE}"
            fail(f"--from is {self.input_format!r}; allowed: {', '.join(allowed)}{more}", USAGE)
        names, is_complete = find_files(self.arguments)
        if self.input_format == AUTO and (
            message := describe_unknown_file_types(map(_unknown_file_type, names))
        ):
            report(f"{message}; set another format with --from")
        self.failures += not is_complete
        return names

    def documents(self, names: Sequence[str] | None = None) -> Iterator[Document]:
        """Read and yield the named files, by default all; report those that cannot be read."""
        for name in self.names if names is None else names:
            try:
                text, form = read_text(name, self.encoding), format_of_file(self.input_format, name)
                require_installed(name, form, "; --from text reads it as plain text")
            except InputError as error:
                self.report_failure(str(error))
            else:
                yield Document(escape_name(name), text, form)

    def nonempty_documents(self) -> list[Document]:
        """Return the documents that have text; end the command if there are none."""
        documents = [*self.documents()]
        found = [document for document in documents if document.text.strip()]
        if documents and not found:
            name, others = documents[0].name, len(documents) - 1
            what = f"{name} and {format_count(others, 'other')}: have" if others else f"{name}: has"
            self.report_failure(f"{what} no text to chunk")
        if not found:
            sys.exit(FAILED)
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
        misnamed: list[str] = []
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
                    if format_name != format_of_document(outcome.name):
                        misnamed.append(outcome.name)
                    yield value
        except WorkerError as error:
            fail(str(error))
        self.report_misnamed(misnamed)

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

    def report_misnamed(self, names: Sequence[str]) -> None:
        """Report documents that were chunked as plain text, as they are not valid in the format."""
        if names:
            form, others = format_of_file(self.input_format, names[0]), len(names) - 1
            more = f", like {format_count(others, 'other file')}" if others else ""
            title = title_of(names[0])
            report(f"{title}: not valid {form}, or too long for it; read as plain text{more}")

    def require_any(self) -> None:
        """End the command with an error if files failed and none was chunked."""
        if not self.has_chunked:
            self.end()

    def end(self) -> None:
        """End the command with an error if a file failed."""
        if self.failures:
            sys.exit(FAILED)

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


def _unknown_file_type(name: str) -> str:
    """Return the suffix or file name of a file of an unknown format, "" for all else."""
    is_table = is_parquet(name) or is_compressed_lines(name)
    return unknown_file_type(name) if isfile(name) and not is_table else ""
