"""Text output for people: the content of each chunk below a line that describes it."""

from __future__ import annotations

from collections.abc import Iterator

from chunkana_cli.formats.format import Format, RowOptions, write_lines
from chunkana_cli.screen.naming import format_count
from chunkana_cli.screen.visible import on_one_line, visible
from chunkana_core import Chunk, HierarchicalChunkingResult


def to_text(name: str, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield a heading for the document, and each leaf under a line that describes it."""
    leaves = result.get_leaves()
    counts = f"{format_count(len(leaves), 'chunk')}, {format_count(len(result.text), 'character')}"
    strategy = f", strategy {result.strategy_used}" if leaves else ""
    yield f"════ {on_one_line(name)}: {counts}{strategy}\n\n"
    for number, chunk in enumerate(leaves, 1):
        yield f"──── {number}/{len(leaves)}  {_describe(chunk)}\n\n"
        yield visible(chunk.content) + "\n\n"


def _describe(chunk: Chunk) -> str:
    lines = f"lines {chunk.text_start_line}-{chunk.text_end_line}"
    facts = [
        on_one_line(chunk.header_path),
        lines,
        f"{len(chunk.content):,} characters",
        chunk.chunk_id,
    ]
    if chunk.split_index:
        facts.append("continued")
    if chunk.oversize_reason is not None:
        facts.append(f"oversize: {chunk.oversize_reason}")
    return "  ".join(facts)


def render(_options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[bytes]:
    """Return the text output of a document."""
    return ["".join(to_text(name, result)).encode()]


FORMAT = Format("text", (".txt", ".text"), render, write_lines)
