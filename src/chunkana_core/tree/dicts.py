"""Leaves, nodes and pages of children as JSON-able dicts, and their JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from chunkana_core.arguments import require_number
from chunkana_core.fields import FieldReader
from chunkana_core.tree.chunks import Chunk

VERSION = 1  # of the keys; any change of keys needs a new one, as the schema allows no others
PAGE_SIZE = 64  # children, the default number as in a merge tree
_MAX_PREVIEW_LENGTH = 80  # code points
_SCHEMA_FILE = "result.schema.json"

_LEAF = FieldReader.of("json")
_METADATA = FieldReader.of("json_metadata")
_NODE = FieldReader.of("json_node")


def leaf_dict(leaf: Chunk) -> dict[str, object]:
    """Return the dict of a leaf: position, context, content and other metadata."""
    return {**_LEAF.values(leaf), "metadata": _METADATA.values(leaf)}


def hierarchy_dict(chunks: Sequence[Chunk], page_size: int | None) -> dict[str, object]:
    """Return the dict of the nodes, by id, each with the first page of its children.

    Args:
        chunks: all chunks in pre-order.
        page_size: the number of children per page, None for all on one page.
    """
    require_number("page_size", page_size, 1, kind=int | None)
    nodes = {
        chunk.chunk_id: _NODE.values(chunk)
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
    require_number("page", page, 1, kind=int)
    require_number("page_size", page_size, 1, kind=int | None)
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
    """Return the JSON Schema of a result, with the fields of leaves and nodes."""
    schema = json.loads(files(__package__).joinpath(_SCHEMA_FILE).read_text("utf-8"))
    for name, reader in (("chunk", _LEAF), ("metadata", _METADATA), ("node", _NODE)):
        definition: dict[str, object] = schema["$defs"][name]
        properties: dict[str, object] = schema["$defs"][name]["properties"]
        properties |= {field.name: field.json_schema for field in reader.fields}
        definition |= {"required": [*properties], "additionalProperties": False}
    whole: dict[str, object] = schema
    return whole


def _preview(content: str) -> str:
    is_short = len(content) <= _MAX_PREVIEW_LENGTH
    return content if is_short else content[: _MAX_PREVIEW_LENGTH - 1].rstrip() + "…"
