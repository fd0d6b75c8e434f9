"""Where a text to be parsed comes from, also where it is itself a part of a document."""

from __future__ import annotations

from typing import NamedTuple

from llama_index.core.schema import BaseNode, MetadataMode, RelatedNodeInfo, TextNode

from chunkana_core import Span
from chunkana_llamaindex.parsing.metadata import UNKNOWN_LINE, is_ours


class Origin(NamedTuple):
    """What is known of a document or node before it is parsed.

    Attributes:
        node_id: what ids of its parts are made from.
        source: the document that it is, or is a part of.
        start: the offset of its text in that document, None where it cannot be known.
        first_line: the number of its first line there, None where it cannot be known.
    """

    node_id: str
    source: RelatedNodeInfo
    start: int | None
    first_line: int | None

    @classmethod
    def of(cls, document: BaseNode) -> Origin:
        """Look at a document or node."""
        source, start = document.source_node, _start(document)
        if source is None and start is None:
            start = 0  # it is a source itself
        line = document.metadata["start_line"] if is_ours(document) else UNKNOWN_LINE
        first_line = 1 if start == 0 else line if start is not None and line else None
        if source is not None:
            lean = source.model_copy(update={"metadata": {}})  # which each node would store
            return cls(document.node_id, lean, start, first_line)
        own = RelatedNodeInfo(
            node_id=document.node_id, node_type=document.get_type(), hash=_hash(document)
        )
        return cls(document.node_id, own, start, first_line)

    def offsets(self, span: Span | None) -> tuple[int, int] | tuple[None, None]:
        """Return start and end in the document for a span of the text, None where unknown."""
        if span is None or self.start is None:
            return None, None
        return self.start + span.start, self.start + span.end

    def line(self, number: int) -> int:
        """Return the number of a line in the document for one in the text, 0 where unknown."""
        return UNKNOWN_LINE if self.first_line is None else self.first_line + number - 1


def text_of(node: BaseNode) -> str:
    """Return the text of a document or node, without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def _start(node: BaseNode) -> int | None:
    """Return where the text of a part starts, None if it does not say so or has more than that."""
    if not isinstance(node, TextNode) or node.start_char_idx is None:
        return None
    is_exact = node.end_char_idx in {None, node.start_char_idx + len(node.text)}
    return node.start_char_idx if is_exact else None


def _hash(document: BaseNode) -> str | None:
    """Return a document's hash, None where LlamaIndex cannot make one: of lone surrogates."""
    try:
        return document.hash
    except UnicodeEncodeError:
        return None
