"""Where a text to be parsed comes from, also where it is itself a part of a document."""

from __future__ import annotations

from typing import NamedTuple

from llama_index.core.schema import BaseNode, MetadataMode, RelatedNodeInfo, TextNode

from chunkana_core import Span
from chunkana_llamaindex.metadata import is_ours


class Origin(NamedTuple):
    """What is known of a document or node before it is parsed.

    Attributes:
        node_id: what ids of its parts are made from.
        source: the document that it is, or is a part of.
        start: the offset of its text in that document, None where it cannot be known.
        first_line: the number of its first line there.
    """

    node_id: str
    source: RelatedNodeInfo
    start: int | None
    first_line: int

    @classmethod
    def of(cls, document: BaseNode) -> Origin:
        """Look at a document or node."""
        source = document.source_node
        line = document.metadata["start_line"] if is_ours(document) else 1
        if source is not None:
            return cls(document.node_id, _lean(source), _start(document), line)
        own = RelatedNodeInfo(
            node_id=document.node_id, node_type=document.get_type(), hash=_hash(document)
        )
        return cls(document.node_id, own, _start(document) or 0, line)

    def offsets(self, span: Span | None) -> tuple[int, int] | tuple[None, None]:
        """Return start and end in the document for a span of the text, None where unknown."""
        if span is None or self.start is None:
            return None, None
        return self.start + span.start, self.start + span.end

    def line(self, number: int) -> int:
        """Return the number of a line in the document for one in the text."""
        return self.first_line + number - 1


def text_of(node: BaseNode) -> str:
    """Return the text of a document or node, without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def _start(node: BaseNode) -> int | None:
    """Return where the text of a part starts, None if it does not say so or has more than that."""
    if not isinstance(node, TextNode) or node.start_char_idx is None:
        return None
    is_exact = node.end_char_idx in {None, node.start_char_idx + len(node.text)}
    return node.start_char_idx if is_exact else None


def _lean(info: RelatedNodeInfo) -> RelatedNodeInfo:
    """Return the same without metadata, which would be stored with each node."""
    return info.model_copy(update={"metadata": {}})


def _hash(document: BaseNode) -> str | None:
    """Return a document's hash, None where LlamaIndex cannot make one: of lone surrogates."""
    try:
        return document.hash
    except UnicodeEncodeError:
        return None
