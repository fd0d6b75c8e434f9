"""Whether the ids and links of chunks are those of their document's tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from chunkana_cli.checking.records import ChunkRecord
from chunkana_core import HierarchyBuilder, Source, Violation
from chunkana_core.extending import Format

_LINKS = ("parent_id", "prev_sibling_id", "next_sibling_id")


def has_tree(records: Sequence[ChunkRecord]) -> bool:
    """Tell whether all chunks have an id and a parent."""
    return all(record.chunk_id and "parent_id" in record.metadata for record in records)


def find_tree_violations(
    records: Sequence[ChunkRecord], source: str, formats: Sequence[Format] = ()
) -> Iterator[Violation]:
    """Yield where ids are not unique, else where links differ from those of the document's tree.

    The tree is built anew, from where the chunks stand in their document.
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
