"""Properties shared by all nodes of a document, and the text that LlamaIndex embeds with a leaf."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from types import NoneType
from typing import Final, Literal

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_llamaindex.parsing.metadata import CONTEXT, HEADER_PATH, is_chunkana_node, own_keys

HeaderContext = Literal["metadata", "text", "none"]
_TEXT_TEMPLATE: Final = TextNode.model_fields["text_template"].default
# The context and the content of a trial node: Unicode noncharacters, which do not occur in texts.
_CONTEXT_MARK, _CONTENT_MARK = "\ufdd0", "\ufdd1"
_MARKS: Final = re.compile(f"[{_CONTEXT_MARK}{_CONTENT_MARK}]")
_IMMUTABLE: Final = (str, int, float, bool, NoneType)
_BLANK_LINE: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """The properties shared by all nodes of a document.

    Attributes:
        node: a node without text, with the metadata, excluded keys, templates and separator.
        header_context: where the context of a leaf is embedded. "metadata" is replaced by "none" if
            nodes have no metadata, if the document has or excludes the key `context`, or if one of
            its templates does not write values unchanged.
        keys: the metadata keys that this package adds to nodes; empty if nodes have no metadata.
    """

    node: TextNode
    header_context: HeaderContext
    keys: Sequence[str]

    @classmethod
    def of(
        cls, document: BaseNode, header_context: HeaderContext, keys: Sequence[str]
    ) -> NodeTemplate:
        """Return the template of a document's nodes; without keys, nodes have no metadata."""
        node = _empty_node(document, keys)
        if header_context == "metadata":
            used = {*node.metadata, *node.excluded_embed_metadata_keys}
            is_written = _CONTEXT_MARK in _embedded_text(node, with_context=True)
            if CONTEXT in used or not keys or not is_written:
                header_context = "none"
        return cls(node, header_context, keys)

    def reserved_text(self, *, with_context: bool = True) -> str:
        """Return a text of the size that LlamaIndex embeds in addition to `chunk.embedded`.

        It begins with the text that a template writes between context and content, or after both,
        on separate lines, and ends with the text that LlamaIndex embeds in front.

        Args:
            with_context: whether leaves have contexts; a leaf may have no context in any case.
        """
        without_context = _join_reversed(
            *_MARKS.split(_embedded_text(self.node, with_context=False))
        )
        if self.header_context != "metadata" or not with_context:
            return without_context
        first, *following = _MARKS.split(_embedded_text(self.node, with_context=True))
        including_context = _join_reversed(
            first, *(text.replace(_BLANK_LINE, "", 1) for text in following)
        )
        return max(without_context, including_context, key=len)

    def without_document_metadata(self) -> NodeTemplate:
        """Return a copy of the template without the document's metadata."""
        node = self.node.model_copy(update={"metadata": {}})
        return replace(self, node=node)

    def with_metadata(self, added: Mapping[str, object]) -> NodeTemplate:
        """Return a copy of the template with more metadata, excluded for embedding and for LLMs.

        If the document has one of the keys, its value takes precedence.
        """
        node = self.node
        new = {name: value for name, value in added.items() if name not in node.metadata}
        if not self.keys:
            return self
        excluded = {
            field: list(dict.fromkeys([*getattr(node, field), *new]))
            for field in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
        }
        values = {"metadata": {**node.metadata, **new}, **excluded}
        return replace(self, node=node.model_copy(update=values))

    def metadata(self, own: Mapping[str, object]) -> dict[str, object]:
        """Return the metadata of a node: those of its document first, which take precedence."""
        shared = self.node.metadata
        if not all(isinstance(value, _IMMUTABLE) for value in shared.values()):
            shared = deepcopy(shared)
        return {**shared, **{key: own[key] for key in self.keys if key not in shared}}

    def excluded_from_embedding(self, context: str) -> list[str]:
        """Return the keys excluded from embedding for a node with a context, "" for no context."""
        excluded = self.node.excluded_embed_metadata_keys
        is_embedded = context and self.header_context == "metadata"
        is_excluded = is_embedded or CONTEXT in self.node.metadata or CONTEXT in excluded
        return excluded[:] if is_excluded else [*excluded, CONTEXT]

    def excluded_from_llm(self, context: str) -> list[str]:
        """Return the keys excluded for language models; with the path if the node's text has it."""
        excluded = self.node.excluded_llm_metadata_keys
        is_in_text = context and self.header_context == "text"
        is_added = HEADER_PATH not in excluded and HEADER_PATH not in self.node.metadata
        return [*excluded, HEADER_PATH] if is_in_text and is_added else excluded[:]


def _empty_node(document: BaseNode, keys: Sequence[str]) -> TextNode:
    """Return a node without text that has the metadata and formatting fields of a document.

    If the document is a node of this package, the metadata that the package added are omitted.
    """
    stale = own_keys(document.metadata) if is_chunkana_node(document) else frozenset()
    metadata = {key: value for key, value in document.metadata.items() if key not in stale}
    added = [key for key in keys if key not in metadata]
    not_embedded = [
        *(key for key in document.excluded_embed_metadata_keys if key not in stale),
        *(key for key in added if key != CONTEXT),
    ]
    not_for_llm = [
        *(key for key in document.excluded_llm_metadata_keys if key not in stale),
        *(key for key in added if key != HEADER_PATH),
    ]
    return TextNode(
        metadata=metadata if keys else {},
        excluded_embed_metadata_keys=list(dict.fromkeys(not_embedded)),
        excluded_llm_metadata_keys=list(dict.fromkeys(not_for_llm)),
        metadata_seperator=document.metadata_separator,  # LlamaIndex's spelling
        metadata_template=document.metadata_template,
        text_template=getattr(document, "text_template", _TEXT_TEMPLATE),
    )


def _embedded_text(node: TextNode, *, with_context: bool) -> str:
    """Return the text that LlamaIndex embeds for a node whose context and content are marks."""
    metadata = {**node.metadata, CONTEXT: _CONTEXT_MARK} if with_context else node.metadata
    trial = node.model_copy(update={"text": _CONTENT_MARK, "metadata": metadata})
    return trial.get_content(MetadataMode.EMBED)


def _join_reversed(first: str, *following: str) -> str:
    """Join texts in reverse order, without empty ones, so that the first one is at the end."""
    return "\n".join([*filter(None, reversed(following)), first])
