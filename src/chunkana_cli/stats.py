"""Statistics of chunks: sizes, content types, chunks over the limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from chunkana_core import HierarchicalChunkingResult

_BINS = 10  # of a histogram, up to the limit


@dataclass(frozen=True, slots=True)
class Oversize:
    """A chunk over the limit, with its reason."""

    file: str
    chunk_id: str
    lines: tuple[int, int]
    size: int
    reason: str


@dataclass(frozen=True, slots=True)
class FileStats:
    """The statistics of a document, or of several.

    Attributes:
        file: the name of the document, "" for several.
        characters: the length of the source; for a table of chunks, the end of the last chunk.
        sizes: the sizes of all chunks, ascending.
        kinds: the number of chunks of each content type.
        oversize: the chunks over the limit.
    """

    file: str
    characters: int
    sizes: tuple[int, ...]
    kinds: Counter[str]
    oversize: tuple[Oversize, ...]

    @classmethod
    def of(cls, name: str, result: HierarchicalChunkingResult) -> FileStats:
        """Return the statistics of a chunked document."""
        leaves = result.get_leaves()
        oversize = tuple(
            Oversize(name, c.chunk_id, (c.text_start_line, c.text_end_line), c.size, reason)
            for c in leaves
            if (reason := c.oversize_reason) is not None
        )
        sizes = tuple(sorted(chunk.size for chunk in leaves))
        kinds = Counter(chunk.content_type for chunk in leaves)
        return cls(name, len(result.text), sizes, kinds, oversize)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, object]]) -> Iterator[FileStats]:
        """Yield the statistics of each document in a table of chunks sorted by document.

        Raises:
            KeyError: if a column is missing.
        """
        for name, group in groupby(rows, lambda row: str(row["file"] or row["document_id"])):
            chunks = [row for row in group if row["error"] is None]
            oversize = tuple(
                Oversize(
                    name,
                    str(row["chunk_id"]),
                    (_to_int(row["start_line"]), _to_int(row["end_line"])),
                    _to_int(row["size"]),
                    str(row["oversize_reason"]),
                )
                for row in chunks
                if row["oversize_reason"] is not None
            )
            sizes = tuple(sorted(_to_int(row["size"]) for row in chunks))
            kinds = Counter(str(row["content_type"]) for row in chunks)
            end = max((_to_int(row["end_char"]) for row in chunks), default=0)
            yield cls(name, end, sizes, kinds, oversize)

    @classmethod
    def total(cls, parts: Sequence[FileStats]) -> FileStats:
        """Return the statistics of several documents together."""
        kinds = sum((part.kinds for part in parts), Counter[str]())
        sizes = tuple(sorted(size for part in parts for size in part.sizes))
        oversize = tuple(chunk for part in parts for chunk in part.oversize)
        return cls("", sum(part.characters for part in parts), sizes, kinds, oversize)

    @property
    def spread(self) -> dict[str, float]:
        """The smallest, median, 90th percentile and largest size; empty without chunks."""
        if not self.sizes:
            return {}
        middle = median(self.sizes)
        ninetieth = self.sizes[-(-9 * len(self.sizes) // 10) - 1]  # the nearest rank
        return {"min": self.sizes[0], "median": middle, "p90": ninetieth, "max": self.sizes[-1]}

    def histogram(self, limit: int) -> list[tuple[int, int | None, int]]:
        """Return the smallest size, the largest size and the number of chunks of each bin.

        The last bin contains the chunks over the limit; its largest size is None.
        """
        edges = [limit * i // _BINS for i in range(_BINS + 1)]
        bins = [(low + 1, high) for low, high in pairwise(edges)]
        counts = [(low, high, _count_between(self.sizes, low, high)) for low, high in bins]
        return [*counts, (limit + 1, None, sum(size > limit for size in self.sizes))]

    def to_dict(self, limit: int) -> dict[str, object]:
        """Return the statistics as values for JSON."""
        return {
            **({"file": self.file} if self.file else {}),
            "characters": self.characters,
            "chunks": len(self.sizes),
            "sizes": self.spread,
            "kinds": dict(self.kinds.most_common()),
            "oversize": [_oversize_dict(chunk) for chunk in self.oversize],
            "histogram": [
                {"from": low, "to": high, "chunks": count}
                for low, high, count in self.histogram(limit)
            ],
        }


def _to_int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _count_between(sizes: Iterable[int], low: int, high: int) -> int:
    return sum(low <= size <= high for size in sizes)


def _oversize_dict(chunk: Oversize) -> dict[str, object]:
    return {
        "file": chunk.file,
        "chunk_id": chunk.chunk_id,
        "start_line": chunk.lines[0],
        "end_line": chunk.lines[1],
        "size": chunk.size,
        "reason": chunk.reason,
    }
