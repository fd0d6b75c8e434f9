"""A run of `split`: from files to one file of chunks, and a summary."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from time import monotonic
from typing import Any, BinaryIO, cast

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.inputs.manifest import DocumentEntry
from chunkana_cli.output.output import open_output, progress_bar, require_other_files
from chunkana_cli.runs.format import Format, RowOptions
from chunkana_cli.streams import format_count, report
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult

_DIGEST_SIZE = 16  # bytes: no two contents among billions are likely to have the same digest
Rendered = tuple[DocumentEntry, Any]  # the chunks of a document, rendered by the output format


def render_document(
    form: Format, options: RowOptions, file: str, result: HierarchicalChunkingResult
) -> Rendered:
    """Render and count the chunks of a document; called in worker processes."""
    leaves = result.get_leaves()
    over_limit = sum(leaf.oversize_reason is not None for leaf in leaves)
    digests = b"".join(_digest(leaf.content) for leaf in leaves) if form.read else b""
    entry = DocumentEntry(file, "", len(leaves), over_limit, digests)
    return entry, form.render(options, file, result)


def _digest(content: str) -> bytes:
    data = content.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=_DIGEST_SIZE).digest()


def _digests_of(entry: DocumentEntry) -> list[bytes]:
    """Return a digest of the content of each chunk, none for formats without rows."""
    starts = range(0, len(entry.digests), _DIGEST_SIZE)
    return [entry.digests[start : start + _DIGEST_SIZE] for start in starts]


def _without_duplicates(documents: Iterable[Rendered]) -> Iterator[Rendered]:
    """Yield documents without rows that repeat the content of an earlier chunk."""
    seen: set[bytes] = set()
    for entry, rows in documents:
        new = []
        for row, digest in zip(rows, _digests_of(entry), strict=True):
            if digest not in seen:
                seen.add(digest)
                new.append(row)
        yield entry, new


@dataclass(slots=True)
class Run:
    """A run of `split`: its arguments, and the documents written.

    Attributes:
        batch: the files.
        config: the chunking options.
        context: the context that is embedded before each content, None for none.
        workers: the number of processes, 0 for one for each processor.
        form: the output format.
        options: the fields to write.
        drops_duplicates: whether to leave out chunks that repeat the content of an earlier chunk.
        entries: the documents written, with the number of their chunks including duplicates.
    """

    batch: Batch
    config: ChunkConfig
    context: Context | None
    workers: int
    form: Format
    options: RowOptions
    drops_duplicates: bool = False
    entries: list[DocumentEntry] = field(default_factory=list)
    _started: float = field(default_factory=monotonic)

    def write(self, output: str, *, is_compressed: bool, is_bar_shown: bool) -> None:
        """Chunk all files and write the chunks."""
        require_other_files([output], self.batch.names)
        with (
            open_output(output) as out,
            progress_bar(len(self.batch.names), is_shown=is_bar_shown) as progress,
            # Without a timestamp, the bytes are reproducible.
            gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0)
            if is_compressed
            else nullcontext(out) as written,
        ):
            self.write_documents(self.chunk(self.batch.names, progress), cast("BinaryIO", written))
            self.batch.require_any()  # ends the command before the output file is replaced

    def chunk(self, names: Sequence[str], progress: Callable[[int], object]) -> Iterator[Rendered]:
        """Chunk some files of the batch, and yield their rendered chunks in order."""
        return self.batch.chunk(
            self.config,
            self.workers,
            partial(render_document, self.form, self.options),
            progress,
            context=self.context,
            documents=self.batch.documents(names),
        )

    def write_documents(self, documents: Iterable[Rendered], out: BinaryIO) -> None:
        """Write documents."""
        if self.drops_duplicates:
            documents = _without_duplicates(documents)
        self.form.write(self.options, self._note(documents), out)

    def _note(self, documents: Iterable[Rendered]) -> Iterator[Any]:
        for entry, rendered in documents:
            self.entries.append(entry)
            yield rendered

    def report_summary(self) -> None:
        """Report the numbers of files, chunks and errors, and the duration."""
        digests = [digest for entry in self.entries for digest in _digests_of(entry)]
        repeated = len(digests) - len(set(digests))
        note = f" ({repeated:,} repeated{', left out' if self.drops_duplicates else ''})"
        chunks = format_count(sum(entry.chunks for entry in self.entries), "chunk")
        facts = [
            format_count(len(self.entries), "file"),
            chunks + (note if repeated else ""),
            f"{sum(entry.over_limit for entry in self.entries):,} over the limit",
            format_count(self.batch.failures, "error"),
            f"{monotonic() - self._started:.1f} seconds",
        ]
        report(", ".join(facts))
