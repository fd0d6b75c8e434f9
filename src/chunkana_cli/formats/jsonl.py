"""Chunks for programs: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkana_cli.formats.format import Format, front_matter_of, write_bytes
from chunkana_cli.writing.written_json import to_json
from chunkana_core import HierarchicalChunkingResult


def to_jsonl(
    name: str, result: HierarchicalChunkingResult, keys: Sequence[str] = ()
) -> Iterator[str]:
    """Yield a line of JSON for each leaf: file, content, text, metadata."""
    front_matter = front_matter_of(result, keys)
    for chunk in result.get_leaves():
        fields = {
            "file": name,
            "content": chunk.content,
            "text": chunk.text,
            "metadata": chunk.metadata | front_matter,
        }
        yield to_json(fields) + "\n"


def render(keys: Sequence[str], name: str, result: HierarchicalChunkingResult) -> bytes:
    """Return the lines of a document."""
    return "".join(to_jsonl(name, result, keys)).encode()


FORMAT = Format(render, write_bytes, has_metadata=True)
