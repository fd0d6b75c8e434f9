"""A document's hierarchy as nested dicts."""

from __future__ import annotations

from chunkana_core import Chunk, HierarchicalChunkingResult


def to_tree(name: str, result: HierarchicalChunkingResult) -> dict[str, object]:
    """Return a document and its chunks, each with its children; no root for a blank one."""
    nodes: dict[str, dict[str, object]] = {}
    for chunk in reversed(result.chunks):  # children come after their parents
        children = [nodes[child] for child in chunk.links.children_ids]
        nodes[chunk.chunk_id] = _fields(chunk) | {"children": children}
    return {
        "file": name,
        "title": result.title,
        "characters": len(result.text),
        "chunks": len(result.get_leaves()),
        "root": nodes.get(result.root_id),
    }


def _fields(chunk: Chunk) -> dict[str, object]:
    return {
        "id": chunk.chunk_id,
        "title": chunk.title,
        "section_id": chunk.section_id,
        "parent_section_id": chunk.parent_section_id,
        "path": list(chunk.section.path),
        "header_path": chunk.header_path,
        "header_level": chunk.section.level,
        "content_type": chunk.content_type,
        "container": chunk.container,
        "is_leaf": chunk.is_leaf,
        "size": chunk.size if chunk.is_leaf else len(chunk.span),
        "start_char": chunk.span.start,
        "end_char": chunk.span.end,
        "start_line": chunk.text_start_line,
        "end_line": chunk.text_end_line,
        "oversize_reason": chunk.oversize_reason,
    }
