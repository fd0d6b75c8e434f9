"""The metadata keys that this package adds to nodes, and their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypedDict

from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from chunkana_core import ConfigurationError

UNKNOWN_LINE: Final = 0
NO_INDEX: Final = -1  # of a node that is not a leaf
MARKDOWN: Final = "markdown"
NOTEBOOK: Final = "notebook"
_SUMMARY: Final = "document"

MetadataKeys = Literal["short", "full"]


class NodeMetadata(TypedDict):
    r"""The metadata that this package adds to a node; each field is a key.

    The order of the keys is fixed, because LlamaIndex hashes the metadata in their order.

    Attributes:
        context: the context that is embedded before the text of a leaf: the breadcrumb, such as
            "guide.md > Guide > Install", a blank line, and the first sentence of the section
            around the leaf; "" for parents, and for leaves without a context or room for it.
        path: the titles from the outermost heading on, as a JSON list, because vector stores do
            not accept lists.
        header_path: the titles as "/Guide/Install", with "\\/" for a "/" and "\\\\" for a "\\" in a
            title: for filters, also by prefix, and the only added key that language models see.
        header_level: the level of the section's heading, 1 to 6; 0 for the document.
        content_type: "text", "code", "table", "list", "math", "html", "mixed" or "preamble";
            "section" for parents, "document" for the node of the document's summary.
        format: the format of the document: "markdown", "text", "json", "python" and so on.
        kind: in source code, the kind of the definition that the node is or belongs to: "class",
            "method" and so on; "" for none.
        name: the name of that definition, "" for none.
        container: the name of the container that contains the whole text, such as "note" or
            "Tabs"; "" for none, and for parents.
        anchor: the heading's id in the source, or its slug as on GitHub.
        chunk_id: an id that is unique in the document.
        chunk_index: the position among the leaves of the document, from 0; -1 for other nodes.
        section_id: an id that all nodes of a section share.
        parent_section_id: the id of the parent section in the outline, "" for none; relationships
            link the parents of auto-merging instead.
        start_line: the first line of the text in the source, from 1; 0 if it is unknown.
        end_line: the last line of the text in the source; 0 if it is unknown.
        prefix_chars: the number of characters before the exact slice of the source: repeated
            headings and header rows, a fence, a context.
        continued_from_header: whether the leaf continues a section that was split.
        allow_oversize: whether the leaf may exceed the limit.
        oversize_reason: the reason for this, "" for none.
        cell: the number of the first notebook cell of a leaf, from 1; 0 for all other nodes, as for
            the next three keys.
        cell_start_line: the leaf's first line in that cell, from 1.
        cell_end: the number of the last cell.
        cell_end_line: the leaf's last line in that cell.
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
# The keys that only `metadata="full"` adds, except that all nodes of notebooks have cells.
_FULL: Final = frozenset({"path", "header_level", "allow_oversize", "oversize_reason", *_CELLS})
_SHORT: Final = tuple(key for key in KEYS if key not in _FULL)
CONTEXT: Final = "context"  # the only added key that is embedded
HEADER_PATH: Final = "header_path"  # the only added key that language models see


def keys_of(metadata: MetadataKeys, format_name: str = MARKDOWN) -> tuple[str, ...]:
    """Return the keys that are added to the nodes of a document in a format, in their order.

    Raises:
        ConfigurationError: unless `metadata` is "short" or "full".
    """
    if metadata not in ("short", "full"):
        raise ConfigurationError("metadata", metadata, "'short' or 'full'")
    if metadata == "full":
        return KEYS
    return (*_SHORT, *_CELLS) if format_name == NOTEBOOK else _SHORT


def own_keys(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys that this package added to the metadata of one of its nodes."""
    if metadata.keys() >= set(KEYS):
        return frozenset(KEYS)
    return frozenset(keys_of("short", str(metadata.get("format"))))


def is_chunkana_node(node: BaseNode) -> bool:
    """Return whether this package created a node, which is now parsed again."""
    metadata = node.metadata
    return metadata.keys() >= own_keys(metadata) and isinstance(metadata["start_line"], int)


def is_continued(node: BaseNode) -> bool:
    """Return whether this package created a node that continues a split section."""
    return is_chunkana_node(node) and bool(node.metadata["continued_from_header"])


def is_summary(node: BaseNode) -> bool:
    """Return whether a node has a document's title and summary, and is outside the tree."""
    is_unlinked = node.relationships.keys() == {NodeRelationship.SOURCE}
    has_no_offset = isinstance(node, TextNode) and node.start_char_idx is None
    return is_unlinked and has_no_offset and node.metadata.get("content_type") == _SUMMARY


def leaves_of(nodes: list[BaseNode]) -> list[BaseNode]:
    """Return the leaves to index, without parents and summaries."""
    return [node for node in get_leaf_nodes(nodes) if not is_summary(node)]
