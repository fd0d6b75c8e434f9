"""Leaves, nodes and pages of children as JSON-able dicts, and their JSON Schema.

The dicts have the keys of `Chunk.metadata`, except "id" and "level", and no value twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from chunkana_core.errors import require_number
from chunkana_core.tree.chunks import Chunk

VERSION = 1  # of the keys; any change of keys needs a new one, as the schema allows no others
PAGE_SIZE = 64  # children, the default number as in a merge tree
_MAX_PREVIEW_LENGTH = 80  # code points
_SCHEMA_FILE = "result.schema.json"

# The fields of leaves and of nodes: key in the dict, key in `Chunk.metadata`.
_SHARED_KEYS = {
    "parent_id": "parent_id",
    "title": "title",
    "level": "header_level",
    "path": "path",
    "anchor": "anchor",
    "kind": "kind",
    "start_char": "start_char",
    "end_char": "end_char",
    "text_start_line": "text_start_line",
    "text_end_line": "text_end_line",
}
_OMITTED_KEYS = {  # of "metadata" in a leaf's dict, which has these values elsewhere
    *_SHARED_KEYS.values(),
    "chunk_id",
    "name",  # equals the title
    "indexable",
    *("format", "strategy", "validation"),  # of the document
    *("is_root", "is_leaf", "children_ids"),  # known from the place in the result
}


def leaf_dict(leaf: Chunk) -> dict[str, object]:
    """Return the dict of a leaf: position, context, content and other metadata."""
    metadata = leaf.metadata
    return {
        "id": leaf.chunk_id,
        **_shared_fields(metadata),
        "indexable": leaf.indexable,
        "context": leaf.context,
        "content": leaf.content,
        "text_offset": leaf.text_offset,
        "metadata": {key: metadata[key] for key in metadata if key not in _OMITTED_KEYS},
    }


def hierarchy_dict(chunks: Sequence[Chunk], page_size: int | None) -> dict[str, object]:
    """Return the dict of the nodes, by id, each with the first page of its children.

    Args:
        chunks: all chunks in pre-order.
        page_size: the number of children per page, None for all on one page.
    """
    _require_page_size(page_size)
    nodes = {
        chunk.chunk_id: _shared_fields(chunk.metadata)
        | {"children": children_dict(chunk.links.children_ids, 1, page_size)}
        for chunk in chunks
        if not chunk.is_leaf
    }
    root_id = chunks[0].chunk_id if chunks else None
    return {"root_id": root_id, "page_size": page_size, "nodes": nodes}


def children_dict(ids: Sequence[str], page: int, page_size: int | None) -> dict[str, object]:
    """Return a page of children: their total, the ids on the page, the number of the next page.

    Args:
        ids: the ids of all children.
        page: the number of the page, from 1; a page after the last one is empty.
        page_size: the number of children per page, None for all on one page.
    """
    require_number("page", page, 1)
    _require_page_size(page_size)
    size = len(ids) if page_size is None else page_size
    stop = page * size
    next_page = page + 1 if stop < len(ids) else None
    return {"total": len(ids), "ids": list(ids[stop - size : stop]), "next": next_page}


def tree_dict(chunks: Sequence[Chunk]) -> dict[str, object]:
    """Return chunks in pre-order as nested dicts, {} if there are none."""
    dicts: dict[str, dict[str, object]] = {}
    for chunk in reversed(chunks):
        dicts[chunk.chunk_id] = {
            "id": chunk.chunk_id,
            "content_preview": _preview(chunk.content),
            "header_path": chunk.header_path,
            "level": int(chunk.links.hierarchy_level),
            "children": [dicts[child] for child in chunk.links.children_ids],
        }
    return dicts[chunks[0].chunk_id] if chunks else {}


def read_schema() -> dict[str, object]:
    """Return the JSON Schema of a result."""
    text = files(__package__).joinpath(_SCHEMA_FILE).read_text("utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def _require_page_size(page_size: int | None) -> None:
    """Raise a ConfigurationError unless the page size is None or a number of at least 1."""
    if page_size is not None:
        require_number("page_size", page_size, 1, words="None or {}")


def _preview(content: str) -> str:
    is_short = len(content) <= _MAX_PREVIEW_LENGTH
    return content if is_short else content[: _MAX_PREVIEW_LENGTH - 1].rstrip() + "…"


def _shared_fields(metadata: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that dicts of leaves and of nodes share."""
    return {key: metadata[name] for key, name in _SHARED_KEYS.items()}
