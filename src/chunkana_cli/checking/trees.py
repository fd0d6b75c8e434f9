"""Check the ids and links of chunks against the tree of their document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from chunkana_cli.checking.records import ChunkRecord
from chunkana_core import HierarchyBuilder, Source, Violation
from chunkana_core.extending import Format

_LINKS = ("parent_id", "prev_sibling_id", "next_sibling_id")


def has_tree(records: Sequence[ChunkRecord]) -> bool:
    """Return whether all chunks have an id and a parent."""
    return all(record.chunk_id and "parent_id" in record.metadata for record in records)


def find_tree_violations(
    records: Sequence[ChunkRecord], source: str, formats: Sequence[Format] = ()
) -> Iterator[Violation]:
    """Yield a violation for each repeated id; if ids are unique, for each wrong link.

    The links are compared with a tree that is built from the spans of the chunks.
    """
    counts = Counter(record.chunk_id for record in records)
    if len(counts) == len(records):
        yield from _link_violations(records, source, formats)
    for record in records:
        if counts[record.chunk_id] > 1:
            yield Violation("tree", record.key, "has the id of another chunk")


def _link_violations(
    records: Sequence[ChunkRecord], source: str, formats: Sequence[Format]
) -> Iterator[Violation]:
    document = Source.of(source)
    leaves = [record.to_chunk(document, record.chunk_id) for record in records]
    result = HierarchyBuilder(formats=formats).build(leaves, source)
    links = {chunk.chunk_id: chunk.links for chunk in result.chunks}
    for record in records:
        for name in _LINKS:
            stated, actual = record.metadata.get(name), getattr(links[record.chunk_id], name)
            if stated != actual:
                yield Violation("tree", record.key, f"has the {name} {stated!r}, not {actual!r}")
