"""The metadata of the nodes that this package makes: its keys, and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict

from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from chunkana_core import ConfigurationError

UNKNOWN_LINE: Final = 0
NO_INDEX: Final = -1  # of what is no leaf
MARKDOWN: Final = "markdown"
NOTEBOOK: Final = "notebook"
_SUMMARY: Final = "document"

MetadataKeys = Literal["short", "full"]


class NodeMetadata(TypedDict):
    r"""What a node says of itself: each field is a key, in this order.

    The order is fixed, because LlamaIndex makes hashes of the metadata as written.

    Attributes:
        context: of a leaf what is embedded before its text: the path of headings, "Guide >
            Install", a blank line, the first sentence of the section around it. "" for parents,
            and where there is none or it has no room.
        path: the titles from the outermost heading on, as a JSON list, because a vector store
            takes no list.
        header_path: "/Guide/Install", a "/" in a title written "\\/", and a "\\" as "\\\\": for
            filters, by prefix too, and what of ours a language model reads.
        header_level: of the section's heading, 1 to 6; 0 for the document.
        content_type: "text", "code", "table", "list", "math", "html", "mixed" or "preamble"; of
            parents "section", of the document's own node "document".
        format: of the document: "markdown", "text", "json", "python" and so on.
        kind: of source code, what it is the definition of or in: "class", "method" and so on; ""
            for none.
        name: what that is called, "" for none.
        container: the name of the container that holds all of its text, such as "note" or "Tabs";
            "" for none, and for parents.
        anchor: the id that the source gives the heading, else its slug as on GitHub.
        chunk_id: unique in the document.
        chunk_index: the leaf's number in the document, from 0; -1 for what is no leaf.
        section_id: the same for all nodes of a section.
        parent_section_id: of the section around it, "" for none: the outline, where
            relationships are what auto-merging may use.
        start_line: the first line of the text in the source, from 1; 0 where it is unknown.
        end_line: the last one.
        prefix_chars: how much of the text stands before the exact slice of the source: headings and
            header rows that are repeated, a fence, a context.
        continued_from_header: whether it continues a section that was split.
        allow_oversize: whether it may exceed the limit.
        oversize_reason: why, "" for no reason.
        cell: of a notebook, the number of its first cell, from 1, with its first line in it and the
            last cell with the last line; 0 of what is no leaf of a notebook.
    """

    context: str
    path: str
    header_path: str
    header_level: int
    content_type: str
    format: str
    kind: str
    name: str
    container: str
    anchor: str
    chunk_id: str
    chunk_index: int
    section_id: str
    parent_section_id: str
    start_line: int
    end_line: int
    prefix_chars: int
    continued_from_header: bool
    allow_oversize: bool
    oversize_reason: str
    cell: int
    cell_start_line: int
    cell_end: int
    cell_end_line: int


KEYS: Final = tuple(NodeMetadata.__annotations__)
_CELLS: Final = ("cell", "cell_start_line", "cell_end", "cell_end_line")
# What only `metadata="full"` has; cells are in all nodes of a notebook.
_FULL: Final = frozenset({"path", "header_level", "allow_oversize", "oversize_reason", *_CELLS})
_SHORT: Final = tuple(key for key in KEYS if key not in _FULL)
CONTEXT: Final = "context"  # of our keys, the one that is embedded
HEADER_PATH: Final = "header_path"  # of our keys, the one that a language model sees


def keys_of(metadata: MetadataKeys, format_name: str = MARKDOWN) -> tuple[str, ...]:
    """Return the keys of ours that nodes have of a document in a format, in their order.

    Raises:
        ConfigurationError: unless `metadata` is "short" or "full".
    """
    if metadata not in ("short", "full"):
        raise ConfigurationError("metadata", metadata, "'short' or 'full'")
    if metadata == "full":
        return KEYS
    return (*_SHORT, *_CELLS) if format_name == NOTEBOOK else _SHORT


def own_keys(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys that are ours in the metadata of a node that this package made."""
    if metadata.keys() >= set(KEYS):
        return frozenset(KEYS)
    return frozenset(keys_of("short", str(metadata.get("format"))))


def is_ours(node: BaseNode) -> bool:
    """Tell whether a node, to be parsed further, was made by this package."""
    metadata = node.metadata
    return metadata.keys() >= own_keys(metadata) and isinstance(metadata["start_line"], int)


def is_continued(node: BaseNode) -> bool:
    """Tell whether a node, to be parsed further, does not begin as its section does."""
    return is_ours(node) and bool(node.metadata["continued_from_header"])


def is_summary(node: BaseNode) -> bool:
    """Tell whether a node is a document's title and summary, which is apart from the tree."""
    is_apart = node.relationships.keys() == {NodeRelationship.SOURCE}
    is_nowhere = isinstance(node, TextNode) and node.start_char_idx is None
    return is_apart and is_nowhere and node.metadata.get("content_type") == _SUMMARY


def leaves_of(nodes: list[BaseNode]) -> list[BaseNode]:
    """Return what to index: neither parents nor summaries."""
    return [node for node in get_leaf_nodes(nodes) if not is_summary(node)]
