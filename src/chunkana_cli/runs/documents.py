"""The rendered chunks of documents in a run of `split`, duplicates, and the summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Any

from chunkana_cli.formats.format import Format, RowOptions
from chunkana_cli.runs.manifest import DocumentEntry
from chunkana_cli.screen.naming import format_count
from chunkana_core import HierarchicalChunkingResult

_DIGEST_SIZE = 16  # bytes: no two contents among billions are likely to have the same digest


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A document that is ready to be written.

    Attributes:
        file: the name of the file.
        rendered: the chunks, rendered by the output format.
        chunks: the number of chunks.
        over_limit: the number of chunks over the limit.
        digests: a digest of the content of each chunk, for formats with rows.
    """

    file: str
    rendered: Any
    chunks: int
    over_limit: int
    digests: tuple[bytes, ...] = ()

    @classmethod
    def of_entry(cls, entry: DocumentEntry, rendered: object = None) -> SplitDocument:
        """Return a document of an earlier run, with its rendered chunks."""
        data, size = entry.digests, _DIGEST_SIZE
        digests = tuple(data[start : start + size] for start in range(0, len(data), size))
        return cls(entry.file, rendered, entry.chunks, entry.over_limit, digests)

    def to_entry(self, file_hash: str) -> DocumentEntry:
        """Return the manifest entry of the document."""
        digests = b"".join(self.digests)
        return DocumentEntry(self.file, file_hash, self.chunks, self.over_limit, digests)


def render_document(
    form: Format, options: RowOptions, file: str, result: HierarchicalChunkingResult
) -> SplitDocument:
    """Render and count the chunks of a document; called in worker processes."""
    leaves = result.get_leaves()
    over_limit = sum(leaf.oversize_reason is not None for leaf in leaves)
    digests = tuple(map(_digest, (leaf.content for leaf in leaves))) if form.rows else ()
    rendered = form.render(options, file, result)
    return SplitDocument(file, rendered, len(leaves), over_limit, digests)


_digest_of = partial(blake2b, digest_size=_DIGEST_SIZE)


def _digest(content: str) -> bytes:
    return _digest_of(content.encode("utf-8", "surrogatepass")).digest()


def without_duplicates(form: Format, documents: Iterable[SplitDocument]) -> Iterator[SplitDocument]:
    """Yield documents without chunks that repeat the content of an earlier chunk."""
    seen: set[bytes] = set()
    for document in documents:
        numbers = []
        for number, digest in enumerate(document.digests):
            if digest not in seen:
                seen.add(digest)
                numbers.append(number)
        if form.rows is not None and len(numbers) < document.chunks:
            rendered = form.rows.select(document.rendered, numbers)
            document = replace(document, rendered=rendered)  # noqa: PLW2901
        yield document


@dataclass(slots=True)
class Summary:
    """Counts of the documents and chunks of a run.

    Attributes:
        files: the number of documents written.
        chunks: the number of their chunks, including dropped duplicates.
        over_limit: the number of chunks over the limit.
        repeated: the number of chunks that repeat the content of an earlier chunk.
    """

    files: int = 0
    chunks: int = 0
    over_limit: int = 0
    repeated: int = 0
    _seen: set[bytes] = field(default_factory=set)

    def count(self, documents: Iterable[SplitDocument]) -> Iterator[SplitDocument]:
        """Count documents and yield them unchanged."""
        for document in documents:
            self.files += 1
            self.chunks += document.chunks
            self.over_limit += document.over_limit
            new = set(document.digests) - self._seen
            self.repeated += len(document.digests) - len(new)
            self._seen |= new
            yield document

    def line(self, errors: int, seconds: float, *, drops: bool) -> str:
        """Return the summary as one line.

        Args:
            errors: the number of files that could not be found, read or chunked.
            seconds: the duration of the run.
            drops: whether repeated chunks were left out.
        """
        repeated = f" ({self.repeated:,} repeated{', left out' if drops else ''})"
        return ", ".join([
            format_count(self.files, "file"),
            format_count(self.chunks, "chunk") + (repeated if self.repeated else ""),
            f"{self.over_limit:,} over the limit",
            format_count(errors, "error"),
            f"{seconds:.1f} seconds",
        ])  # fmt: skip
