"""Chunks for programs: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator

from chunkana_cli.formats.format import Format, write_bytes
from chunkana_cli.written_json import to_json
from chunkana_core import HierarchicalChunkingResult


def to_jsonl(name: str, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield a line of JSON for each leaf: file, content, text, metadata."""
    for chunk in result.get_leaves():
        fields = {
            "file": name,
            "content": chunk.content,
            "text": chunk.text,
            "metadata": chunk.metadata,
        }
        yield to_json(fields) + "\n"


def render(name: str, result: HierarchicalChunkingResult) -> bytes:
    """Return the lines of a document."""
    return "".join(to_jsonl(name, result)).encode()


FORMAT = Format(render, write_bytes)
