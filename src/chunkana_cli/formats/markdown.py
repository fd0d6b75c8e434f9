"""Markdown output: the text of each chunk, after a comment with its place and length."""

from __future__ import annotations

from collections.abc import Iterator

from chunkana_cli.formats.format import Format, RowOptions, write_lines
from chunkana_cli.writing.json_text import to_json
from chunkana_core import Chunk, HierarchicalChunkingResult

# `--` and `>` would end a comment early.
_IN_COMMENT = {"--": "\\u002d\\u002d", ">": "\\u003e"}


def to_markdown(name: str, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield a marker, the exact text and a blank line for each leaf.

    A marker is a line `<!-- chunk {…} -->`. Its `length` is the number of code points of the text,
    so that a reader that counts them never treats text of a document as a marker.
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
    """Return the Markdown output of a document."""
    return ["".join(to_markdown(name, result)).encode()]


FORMAT = Format("markdown", (".md", ".markdown"), render, write_lines)
