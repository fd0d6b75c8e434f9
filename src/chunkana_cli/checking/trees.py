"""Whether chunks say of the tree what their document says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chunkana_cli.checking.given import Given
from chunkana_core import Chunk, HierarchyBuilder, validate_tree

_LINKS = ("parent_id", "prev_sibling_id", "next_sibling_id")


def has_tree(given: Sequence[Given]) -> bool:
    """Tell whether chunks have ids and links."""
    return all(chunk.chunk_id and "parent_id" in chunk.metadata for chunk in given)


def tree_errors(
    given: Sequence[Given], leaves: Sequence[Chunk], source: str
) -> Iterator[tuple[Given | None, str]]:
    """Yield what is wrong with ids and links.

    The tree is built anew, from where the chunks stand in their document.
    """
    counts = Counter(chunk.chunk_id for chunk in given)
    yield from ((c, "its id is not its own") for c in given if counts[c.chunk_id] > 1)
    if len(counts) < len(given):
        return
    named = [replace(leaf, chunk_id=c.chunk_id) for c, leaf in zip(given, leaves, strict=True)]
    result = HierarchyBuilder().build(named, source)
    yield from ((None, error) for error in validate_tree(result).errors)
    for chunk in given:
        leaf = result.get_chunk(chunk.chunk_id)
        for link in _LINKS:
            said, is_so = chunk.metadata.get(link), getattr(leaf and leaf.links, link)
            if said != is_so:
                yield chunk, f"its {link} is {said!r}, not {is_so!r}"
