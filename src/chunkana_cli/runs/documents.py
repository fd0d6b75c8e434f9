"""The chunks of documents as `split` writes them, and their counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Any

from chunkana_cli.formats.format import Format, RowOptions
from chunkana_cli.runs.manifest import DocumentEntry
from chunkana_cli.screen.naming import counted
from chunkana_core import HierarchicalChunkingResult

_DIGEST_SIZE = 16  # bytes: two contents have one by chance with a probability of 2**-64 or less


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """What is written of a document.

    Attributes:
        file: its name.
        rendered: what its format writes of it.
        chunks: how many chunks it has.
        over_limit: how many of them are over the limit.
        digests: of the content of each chunk, for formats with rows.
    """

    file: str
    rendered: Any
    chunks: int
    over_limit: int
    digests: tuple[bytes, ...] = ()

    @classmethod
    def of_entry(cls, entry: DocumentEntry, rendered: object = None) -> SplitDocument:
        """Return a document of an earlier run, with what its format wrote of it."""
        data, size = entry.digests, _DIGEST_SIZE
        digests = tuple(data[start : start + size] for start in range(0, len(data), size))
        return cls(entry.file, rendered, entry.chunks, entry.over_limit, digests)

    def to_entry(self, file_hash: str) -> DocumentEntry:
        """Return what a manifest has of the document, whose file has a hash."""
        digests = b"".join(self.digests)
        return DocumentEntry(self.file, file_hash, self.chunks, self.over_limit, digests)


def render_document(
    form: Format, options: RowOptions, file: str, result: HierarchicalChunkingResult
) -> SplitDocument:
    """Render the chunks of a document and count them; runs in any process."""
    leaves = result.get_leaves()
    over_limit = sum(leaf.oversize_reason is not None for leaf in leaves)
    digests = tuple(map(_digest, (leaf.content for leaf in leaves))) if form.rows else ()
    rendered = form.render(options, file, result)
    return SplitDocument(file, rendered, len(leaves), over_limit, digests)


_digest_of = partial(blake2b, digest_size=_DIGEST_SIZE)


def _digest(content: str) -> bytes:
    return _digest_of(content.encode("utf-8", "surrogatepass")).digest()


def without_duplicates(form: Format, documents: Iterable[SplitDocument]) -> Iterator[SplitDocument]:
    """Yield documents without the chunks whose content an earlier one of any document has."""
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
    """Counts what was written.

    Attributes:
        files: documents that were written.
        chunks: of these, those dropped as duplicates included.
        over_limit: of the chunks.
        repeated: chunks whose content an earlier chunk has.
    """

    files: int = 0
    chunks: int = 0
    over_limit: int = 0
    repeated: int = 0
    _seen: set[bytes] = field(default_factory=set)

    def count(self, documents: Iterable[SplitDocument]) -> Iterator[SplitDocument]:
        """Count documents as they pass."""
        for document in documents:
            self.files += 1
            self.chunks += document.chunks
            self.over_limit += document.over_limit
            new = set(document.digests) - self._seen
            self.repeated += len(document.digests) - len(new)
            self._seen |= new
            yield document

    def line(self, errors: int, seconds: float, *, drops: bool) -> str:
        """Return the line that ends a run.

        Args:
            errors: how many files could not be found, read or chunked.
            seconds: that the run took.
            drops: whether repeated contents were left out.
        """
        repeated = f" ({self.repeated:,} repeated{', left out' if drops else ''})"
        return ", ".join([
            counted(self.files, "file"),
            counted(self.chunks, "chunk") + (repeated if self.repeated else ""),
            f"{self.over_limit:,} over the limit",
            counted(errors, "error"),
            f"{seconds:.1f} seconds",
        ])  # fmt: skip
