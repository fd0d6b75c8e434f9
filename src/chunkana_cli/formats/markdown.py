"""The documents themselves, with a comment before each chunk that says where it ends."""

from __future__ import annotations

from collections.abc import Iterator

from chunkana_cli.formats.format import Format, RowOptions, write_lines
from chunkana_cli.writing.written_json import to_json
from chunkana_core import Chunk, HierarchicalChunkingResult

# `--` and `>` would end a comment early.
_IN_COMMENT = {"--": "\\u002d\\u002d", ">": "\\u003e"}


def to_markdown(name: str, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield each leaf's exact text below its marker, and a blank line.

    A marker is a line `<!-- chunk {…} -->`. Its `length` says how many code points follow it, so
    that nothing in a document can be taken for a marker by who counts.
    """
    leaves = result.get_leaves()
    for number, chunk in enumerate(leaves, 1):
        yield f"{_marker(name, number, len(leaves), chunk)}\n{chunk.text}\n\n"


def _marker(name: str, number: int, count: int, chunk: Chunk) -> str:
    fields = to_json(
        {
            "file": name,
            "chunk": number,
            "of": count,
            "id": chunk.chunk_id,
            "path": chunk.header_path,
            "lines": [chunk.text_start_line, chunk.text_end_line],
            "start": chunk.span.start,
            "length": len(chunk.span),
        }
    )
    for characters, escaped in _IN_COMMENT.items():
        fields = fields.replace(characters, escaped)
    return f"<!-- chunk {fields} -->"


def render(_options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[bytes]:
    """Return a document with its markers."""
    return ["".join(to_markdown(name, result)).encode()]


FORMAT = Format("markdown", (".md", ".markdown"), render, write_lines)
