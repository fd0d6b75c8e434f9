"""A run of `split`: from files to one file of chunks."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import BinaryIO, cast

from chunkana_cli.errors import report
from chunkana_cli.formats.format import Format, RowOptions
from chunkana_cli.reading.batch import Batch
from chunkana_cli.runs.documents import (
    SplitDocument,
    Summary,
    render_document,
    without_duplicates,
)
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.output import open_output, require_other_file
from chunkana_core import ChunkConfig, Context


@dataclass(slots=True)
class Run:
    """A run of `split`: its arguments, and a summary of the chunks written.

    Attributes:
        batch: the files.
        config: the chunking options.
        context: the context that is embedded before each content, None for none.
        workers: the number of processes, 0 for one for each processor.
        form: the output format.
        options: the fields to write.
        drops_duplicates: whether to leave out chunks that repeat the content of an earlier chunk.
        summary: counts of the documents and chunks written.
    """

    batch: Batch
    config: ChunkConfig
    context: Context | None
    workers: int
    form: Format
    options: RowOptions
    drops_duplicates: bool = False
    summary: Summary = field(default_factory=Summary)
    _started: float = field(default_factory=monotonic)

    def write(self, output: str, *, is_compressed: bool, is_bar_shown: bool) -> None:
        """Chunk all files and write the chunks."""
        require_other_file(output, self.batch.names)
        with (
            open_output(output) as out,
            progress_bar(len(self.batch.names), is_shown=is_bar_shown) as progress,
            _compressed(out, is_needed=is_compressed) as written,
        ):
            self.write_documents(self.chunk(self.batch.names, progress), written)
            self.batch.require_any()  # ends the command before the output file is replaced

    def chunk(
        self, names: Sequence[str], progress: Callable[[int], object]
    ) -> Iterator[SplitDocument]:
        """Chunk some files of the batch, and yield their rendered chunks in order."""
        make = partial(render_document, self.form, self.options)
        return self.batch.chunk(
            self.config,
            self.workers,
            make,
            progress,
            context=self.context,
            documents=self.batch.documents(names),
        )

    def write_documents(self, documents: Iterable[SplitDocument], out: BinaryIO) -> None:
        """Count and write documents."""
        documents = self.summary.count(documents)
        if self.drops_duplicates:
            documents = without_duplicates(self.form, documents)
        self.form.write(self.options, (document.rendered for document in documents), out)

    def end(self) -> None:
        """Report the summary, and end the command with an error if a file failed."""
        seconds = monotonic() - self._started
        report(self.summary.line(self.batch.failures, seconds, drops=self.drops_duplicates))
        self.batch.end()


@contextmanager
def _compressed(out: BinaryIO, *, is_needed: bool) -> Iterator[BinaryIO]:
    """Compress what is written to a file, without a timestamp: the bytes are reproducible."""
    if not is_needed:
        yield out
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as compressed:
        yield cast("BinaryIO", compressed)
