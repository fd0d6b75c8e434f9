"""The source document of a text to parse, and the offset and line of the text in it."""

from __future__ import annotations

from typing import NamedTuple

from llama_index.core.schema import BaseNode, MetadataMode, RelatedNodeInfo, TextNode

from chunkana_core import Span
from chunkana_llamaindex.parsing.metadata import UNKNOWN_LINE, is_chunkana_node


class Origin(NamedTuple):
    """The origin of a text: a document, or a node that contains a part of a document.

    Attributes:
        node_id: the id of the document or node, from which the ids of its nodes are derived.
        source: the document.
        start: the offset of the text in the document, None if it is unknown.
        first_line: the number of the text's first line in the document, None if it is unknown.
    """

    node_id: str
    source: RelatedNodeInfo
    start: int | None
    first_line: int | None

    @classmethod
    def of(cls, document: BaseNode) -> Origin:
        """Return the origin of a document or node."""
        source, start = document.source_node, _start(document)
        if source is None and start is None:
            start = 0  # a whole document
        line = document.metadata["start_line"] if is_chunkana_node(document) else UNKNOWN_LINE
        first_line = 1 if start == 0 else line if start is not None and line else None
        if source is not None:
            # Otherwise each node would store a copy of the document's metadata.
            bare = source.model_copy(update={"metadata": {}})
            return cls(document.node_id, bare, start, first_line)
        own = RelatedNodeInfo(
            node_id=document.node_id, node_type=document.get_type(), hash=_hash(document)
        )
        return cls(document.node_id, own, start, first_line)

    def offsets(self, span: Span | None) -> tuple[int, int] | tuple[None, None]:
        """Convert a span of the text to offsets in the document, None if they are unknown."""
        if span is None or self.start is None:
            return None, None
        return self.start + span.start, self.start + span.end

    def line(self, number: int) -> int:
        """Convert a line number of the text to one of the document, 0 if it is unknown."""
        return UNKNOWN_LINE if self.first_line is None else self.first_line + number - 1


def text_of(node: BaseNode) -> str:
    """Return the text of a document or node, without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def _start(node: BaseNode) -> int | None:
    """Return the offset of a node in its document.

    None if the node has no offset, or its text is not exactly a slice of the document.
    """
    if not isinstance(node, TextNode) or node.start_char_idx is None:
        return None
    is_exact = node.end_char_idx in {None, node.start_char_idx + len(node.text)}
    return node.start_char_idx if is_exact else None


def _hash(document: BaseNode) -> str | None:
    """Return the hash of a document, None if lone surrogates prevent LlamaIndex from hashing it."""
    try:
        return document.hash
    except UnicodeEncodeError:
        return None
