"""Leaves, nodes and pages of children as JSON-able dicts, and the JSON Schema that describes them.

A dict says what `Chunk.metadata` says, under the same keys but for "id" and "level", and once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from chunkana_core.errors import require_number
from chunkana_core.tree.chunks import Chunk

VERSION = 1  # of the form, to be raised with any change of its keys: the schema allows no others
PAGE_SIZE = 64  # children of a page, like those of a merge tree's parent
_PREVIEW = 80  # code points at most
_SCHEMA = "result.schema.json"

# What is said of leaves and nodes alike: by its key, the one of `Chunk.metadata`.
_PLACE = {
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
_NOT_IN_METADATA = {  # of a leaf, since it is said beside it
    *_PLACE.values(),
    "chunk_id",
    "name",  # the title
    "indexable",
    *("format", "strategy", "validation"),  # the document's
    *("is_root", "is_leaf", "children_ids"),  # which tell leaves from nodes
}


def leaf_dict(leaf: Chunk) -> dict[str, object]:
    """Return a leaf: where it is, what it says, and its other metadata."""
    metadata = leaf.metadata
    return {
        "id": leaf.chunk_id,
        **_place(metadata),
        "indexable": leaf.indexable,
        "context": leaf.context,
        "content": leaf.content,
        "text_offset": leaf.text_offset,
        "metadata": {key: metadata[key] for key in metadata if key not in _NOT_IN_METADATA},
    }


def hierarchy_dict(chunks: Sequence[Chunk], page_size: int | None) -> dict[str, object]:
    """Return the nodes among chunks in pre-order, by their ids, each with a page of its children.

    Args:
        chunks: the root first.
        page_size: how many children a page has, None for one page of all.
    """
    _require_page_size(page_size)
    nodes = {
        chunk.chunk_id: _place(chunk.metadata)
        | {"children": children_dict(chunk.links.children_ids, 1, page_size)}
        for chunk in chunks
        if not chunk.is_leaf
    }
    root_id = chunks[0].chunk_id if chunks else None
    return {"root_id": root_id, "page_size": page_size, "nodes": nodes}


def children_dict(ids: Sequence[str], page: int, page_size: int | None) -> dict[str, object]:
    """Return a page of children: their total, the ids on the page, the number of the next page.

    Args:
        ids: of all children.
        page: its number, from 1; a page after the last one is empty.
        page_size: how many children a page has, None for one page of all.
    """
    require_number("page", page, 1)
    _require_page_size(page_size)
    size = len(ids) if page_size is None else page_size
    stop = page * size
    following = page + 1 if stop < len(ids) else None
    return {"total": len(ids), "ids": list(ids[stop - size : stop]), "next": following}


def tree_dict(chunks: Sequence[Chunk]) -> dict[str, object]:
    """Return chunks in pre-order as nested dicts, {} where there are none."""
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
    schema: dict[str, object] = json.loads(files(__package__).joinpath(_SCHEMA).read_text("utf-8"))
    return schema


def _require_page_size(page_size: int | None) -> None:
    """Raise a ConfigurationError unless it is None or a number of at least 1."""
    if page_size is not None:
        require_number("page_size", page_size, 1, words="None or {}")


def _preview(content: str) -> str:
    return content if len(content) <= _PREVIEW else content[: _PREVIEW - 1].rstrip() + "…"


def _place(metadata: Mapping[str, object]) -> dict[str, object]:
    """Return where a chunk is in the tree and in the source."""
    return {key: metadata[name] for key, name in _PLACE.items()}
