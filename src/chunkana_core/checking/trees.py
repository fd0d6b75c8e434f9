"""Validation of the tree: one root, links that agree, document order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from chunkana_core.arguments import require_type
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.result import HierarchicalChunkingResult
from chunkana_core.violations import ValidationResult, Violation


def validate_tree(result: HierarchicalChunkingResult) -> ValidationResult:
    """Check that the chunks form one tree, with consistent links, in document order.

    All violations have the law `tree`.

    Raises:
        InputTypeError: if `result` is not a result.
    """
    require_type("result", result, HierarchicalChunkingResult)
    chunks = {chunk.chunk_id: chunk for chunk in result.chunks}
    errors = [Violation("tree", None, message) for message in _messages(result, chunks)]
    for chunk in result.chunks:
        errors += _link_violations(chunk, chunks)
    return ValidationResult(not errors, tuple(errors))


def _messages(result: HierarchicalChunkingResult, chunks: Mapping[str, Chunk]) -> Iterator[str]:
    """Yield messages about the tree as a whole."""
    if len(chunks) != len(result.chunks):
        yield "ids are not unique"
    roots = [chunk.chunk_id for chunk in result.chunks if chunk.links.parent_id is None]
    if roots != ([result.root_id] if chunks else []):
        yield f"roots are {roots}, not {result.root_id!r} alone"
    if _reachable_ids(result.root_id, chunks) != chunks.keys():
        yield "not every chunk is reachable from the root"


def _reachable_ids(root_id: str, chunks: Mapping[str, Chunk]) -> set[str]:
    """Return the ids of all chunks reachable by links to children, which may be cyclic."""
    reached: set[str] = set()
    waiting = {root_id}
    while waiting := (waiting & chunks.keys()) - reached:
        reached |= waiting
        waiting = {child for i in waiting for child in chunks[i].links.children_ids}
    return reached


def _link_violations(chunk: Chunk, chunks: Mapping[str, Chunk]) -> Iterator[Violation]:
    """Yield violations between a chunk and its children."""
    children = [chunks[i] for i in chunk.links.children_ids if i in chunks]
    if len(children) != len(chunk.links.children_ids):
        yield Violation("tree", chunk.chunk_id, "has children that do not exist")
    ids = (None, *chunk.links.children_ids, None)
    for child, before, after in zip(children, ids, ids[2:], strict=False):
        links, parent = child.links, f"its parent {chunk.chunk_id}"
        if links.parent_id != chunk.chunk_id:
            yield Violation("tree", child.chunk_id, f"does not name {parent}")
        if (links.prev_sibling_id, links.next_sibling_id) != (before, after):
            yield Violation("tree", child.chunk_id, "is not linked to its siblings")
        if child.span.start < chunk.span.start or child.span.end > chunk.span.end:
            yield Violation("tree", child.chunk_id, f"is not inside {parent}")
    if any(a.span.start > b.span.start for a, b in pairwise(children)):
        yield Violation("tree", chunk.chunk_id, "has children out of document order")
