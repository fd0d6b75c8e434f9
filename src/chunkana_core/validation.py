"""Check any list of chunks, also another tool's, against what the laws promise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.chunks import Chunk, ValidationResult
from chunkana_core.config import ChunkConfig
from chunkana_core.coverage import line_recall
from chunkana_core.document import Document
from chunkana_core.errors import InvariantViolationError, require_str
from chunkana_core.facts import code_blocks
from chunkana_core.headings import LARGEST_SHARE
from chunkana_core.parsing import parse
from chunkana_core.repeating import leaves_fence_open, missing_fence
from chunkana_core.result import HierarchicalChunkingResult

_ENOUGH = 0.95  # of the source's lines


class HasContent(Protocol):
    """Anything with a text to show."""

    @property
    def content(self) -> str:
        """The text."""


def validate_content_coverage(chunks: Sequence[HasContent], text: str) -> ValidationResult:
    """Check that the chunks hold at least 95 % of the source's lines; see `line_recall`."""
    require_str("text", text)
    coverage = line_recall([chunk.content for chunk in chunks], text)
    errors = [] if coverage >= _ENOUGH else [f"coverage is {coverage:.1%}, less than {_ENOUGH:.0%}"]
    return ValidationResult(not errors, tuple(errors), coverage=coverage)


def validate_no_dangling_headers(chunks: Sequence[HasContent]) -> ValidationResult:
    """Check that no chunk but the last ends with a heading, by parsing what the chunks show.

    A heading dangles unless the next chunk starts with one of its level or above, which shows
    that its section is empty, or all chunks are headings.
    """
    rows = [[b for b in parse(chunk.content).blocks if not b.depth] for chunk in chunks]
    if all(block.kind is BlockKind.HEADING for row in rows for block in row):
        return ValidationResult()
    errors = tuple(
        f"chunk {number} ends with the heading {row[-1].info!r}"
        for number, (row, following) in enumerate(pairwise(rows))
        if row and _dangles(row[-1], following)
    )
    return ValidationResult(not errors, errors)


def validate_tree(result: HierarchicalChunkingResult) -> ValidationResult:
    """Check that chunks form one tree, linked in both directions, in document order."""
    chunks = {chunk.chunk_id: chunk for chunk in result.chunks}
    errors = []
    if len(chunks) != len(result.chunks):
        errors.append("ids are not unique")
    roots = [chunk.chunk_id for chunk in result.chunks if chunk.links.parent_id is None]
    if roots != ([result.root_id] if chunks else []):
        errors.append(f"roots are {roots}, not {result.root_id!r} alone")
    reached: set[str] = set()
    waiting = {result.root_id}
    while waiting := (waiting & chunks.keys()) - reached:
        reached |= waiting
        waiting = {child for i in waiting for child in chunks[i].links.children_ids}
    if reached != chunks.keys():
        errors.append("not every chunk is reachable from the root")
    errors += (error for chunk in result.chunks for error in _link_errors(chunk, chunks))
    return ValidationResult(not errors, tuple(errors))


@dataclass(frozen=True, slots=True)
class InvariantValidator:
    """Checks chunks of this package against the laws.

    Attributes:
        config: how they were chunked.
        strict: whether a violation is raised.
    """

    config: ChunkConfig
    strict: bool = False

    def validate(self, chunks: Sequence[Chunk], text: str) -> ValidationResult:
        """Check the leaves among chunks: exact, lossless, within the limit, nothing dangling.

        Raises:
            InvariantViolationError: if `strict` and something is violated.
        """
        require_str("text", text)
        document = Document.parse(text)
        leaves = [chunk for chunk in chunks if chunk.is_leaf]
        dangling = list(self._dangling(document, leaves[:-1]))
        errors = (
            *_loss_errors(leaves, text),
            *(error for leaf in leaves for error in self._leaf_errors(document, leaf)),
            *(sentence for sentence, is_long in dangling if not is_long),
        )
        if self.strict and errors:
            raise InvariantViolationError(errors)
        notes = tuple(sentence for sentence, is_long in dangling if is_long)
        coverage = line_recall([leaf.content for leaf in leaves], text)
        return ValidationResult(not errors, errors, notes, coverage)

    def _leaf_errors(self, document: Document, leaf: Chunk) -> Iterator[str]:
        text, size = document.text, self.config.length_function(leaf.content)
        if text[leaf.span.start : leaf.span.end] != leaf.text:
            yield f"chunk {leaf.chunk_id}: its text is not what stands at its span"
        if size > self.config.max_chunk_size and leaf.oversize_reason is None:
            yield f"chunk {leaf.chunk_id} has size {size} > {self.config.max_chunk_size}"
        if self._leaves_fence_open(document, leaf):
            yield f"chunk {leaf.chunk_id} opens a fence that it does not close"

    def _leaves_fence_open(self, document: Document, leaf: Chunk) -> bool:
        """Tell whether a leaf opens a fence that the source closes, and that it could close."""
        # A BOM further down in the document is text, but may not be where the content is alone.
        readings = (leaf.content, f"\n{leaf.content}")[: 1 + bool(leaf.span.start)]
        if not document.top or not all(map(leaves_fence_open, readings)):
            return not document.top and leaves_fence_open(leaf.content)
        end, text = leaf.span.end, document.text
        code = code_blocks(document, leaf.span)[-1:]
        if any(block.is_open and not text[block.end : end].strip("> \t\r\n") for block in code):
            return False
        closed = self.config.length_function(leaf.content + missing_fence(leaf.content))
        is_stray = document.block_at(end - 1).kind is not BlockKind.FENCED_CODE  # it was cut out
        return not (is_stray and closed > self.config.max_chunk_size)

    def _dangling(self, document: Document, leaves: Sequence[Chunk]) -> Iterator[tuple[str, bool]]:
        """Yield a sentence for each heading that dangles, and whether it is too long not to."""
        for leaf in leaves if document.top and not document.is_only_headings else ():
            position = document.positions(leaf.span)[-1]
            heading, following = document.top[position], document.top[position + 1 :][:1]
            if _dangles(heading, following):
                is_long = self._is_long(document, position)
                yield f"chunk {leaf.chunk_id} ends with the heading {heading.info!r}", is_long

    def _is_long(self, document: Document, position: int) -> bool:
        """Tell whether the headings before the next body are too long to go with it."""
        first = end = position
        while first and document.top[first - 1].kind is BlockKind.HEADING:
            first -= 1
        while end < len(document.top) and not document.top[end].is_content:
            end += 1
        run = document.text[document.start_of(first) : document.start_of(end)]
        return self.config.length_function(run) > self.config.max_chunk_size // LARGEST_SHARE


def _loss_errors(leaves: Sequence[Chunk], text: str) -> Iterator[str]:
    end = 0
    for leaf in leaves:
        if leaf.span.start < end:
            yield f"chunk {leaf.chunk_id} overlaps the one before it"
        if text[end : leaf.span.start].strip():
            yield f"text before chunk {leaf.chunk_id}, from {end} on, is in no chunk"
        end = max(end, leaf.span.end)
    if text[end:].strip():
        yield f"text from {end} on is in no chunk"


def _dangles(block: Block, following: Sequence[Block]) -> bool:
    """Tell whether a block is a heading, and what follows does not show its section empty."""
    if block.kind is not BlockKind.HEADING or not following:
        return False
    return following[0].kind is not BlockKind.HEADING or following[0].level > block.level


def _link_errors(chunk: Chunk, chunks: dict[str, Chunk]) -> Iterator[str]:
    children = [chunks[i] for i in chunk.links.children_ids if i in chunks]
    if len(children) != len(chunk.links.children_ids):
        yield f"chunk {chunk.chunk_id} has children that do not exist"
    ids = (None, *chunk.links.children_ids, None)
    for child, before, after in zip(children, ids, ids[2:], strict=False):
        links = child.links
        if links.parent_id != chunk.chunk_id:
            yield f"chunk {child.chunk_id} does not name its parent {chunk.chunk_id}"
        if (links.prev_sibling_id, links.next_sibling_id) != (before, after):
            yield f"chunk {child.chunk_id} is not linked to its siblings"
        if child.span.start < chunk.span.start or child.span.end > chunk.span.end:
            yield f"chunk {child.chunk_id} is not inside its parent {chunk.chunk_id}"
    if any(a.span.start > b.span.start for a, b in pairwise(children)):
        yield f"children of chunk {chunk.chunk_id} are not in document order"
