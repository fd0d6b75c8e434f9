"""What all nodes of one document share, and what LlamaIndex embeds besides a leaf's own text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from types import NoneType
from typing import Final, Literal

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_llamaindex.parsing.metadata import CONTEXT, HEADER_PATH, is_ours, own_keys

HeaderContext = Literal["metadata", "text", "none"]
_TEXT_TEMPLATE: Final = TextNode.model_fields["text_template"].default
# Unicode noncharacters, which stand in no text, as the context and the content of a trial node.
_CONTEXT_MARK, _CONTENT_MARK = "\ufdd0", "\ufdd1"
_MARKS: Final = re.compile(f"[{_CONTEXT_MARK}{_CONTENT_MARK}]")
_IMMUTABLE: Final = (str, int, float, bool, NoneType)
_BLANK_LINE: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """What all nodes of a document share: its metadata, excluded keys, templates and separator.

    Attributes:
        node: a node without text that has all these.
        header_context: where a leaf's context is embedded. It is "none" in place of "metadata"
            where nodes have no metadata, and where the document has or excludes the key `context`
            or has a template that does not write a value as it is.
        keys: those of ours that nodes have; none where they have no metadata, nor the document's.
    """

    node: TextNode
    header_context: HeaderContext
    keys: Sequence[str]

    @classmethod
    def of(
        cls, document: BaseNode, header_context: HeaderContext, keys: Sequence[str]
    ) -> NodeTemplate:
        """Return the template of a document's nodes; without keys they have no metadata."""
        node = _without_text(document, keys)
        if header_context == "metadata":
            taken = {*node.metadata, *node.excluded_embed_metadata_keys}
            is_written = _CONTEXT_MARK in _embedded(node, with_context=True)
            if CONTEXT in taken or not keys or not is_written:
                header_context = "none"
        return cls(node, header_context, keys)

    def reserved(self, *, with_context: bool = True) -> str:
        """Return what LlamaIndex embeds in front of `chunk.embedded`.

        What a template writes between context and content, or behind both, counts as well, and
        so stands in front here, on lines of its own.

        Args:
            with_context: whether leaves have contexts; some may be left without one in any case.
        """
        alone = _in_front(*_MARKS.split(_embedded(self.node, with_context=False)))
        if self.header_context != "metadata" or not with_context:
            return alone
        first, *others = _MARKS.split(_embedded(self.node, with_context=True))
        below = _in_front(first, *(text.replace(_BLANK_LINE, "", 1) for text in others))
        return max(alone, below, key=len)

    def without_document_metadata(self) -> NodeTemplate:
        """Return the same template for a document that has no metadata."""
        node = self.node.model_copy(update={"metadata": {}})
        return replace(self, node=node)

    def with_metadata(self, added: Mapping[str, object]) -> NodeTemplate:
        """Return the same template with more metadata, which is neither embedded nor read.

        Of a key that the document has, its own value stays.
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
        """Return the metadata of a node: the document's in front, whose values stay."""
        shared = self.node.metadata
        if not all(isinstance(value, _IMMUTABLE) for value in shared.values()):
            shared = deepcopy(shared)
        return {**shared, **{key: own[key] for key in self.keys if key not in shared}}

    def excluded_from_embedding(self, context: str) -> list[str]:
        """Return the keys that are not embedded with a node that has a context, "" for none."""
        excluded = self.node.excluded_embed_metadata_keys
        is_embedded = context and self.header_context == "metadata"
        is_excluded = is_embedded or CONTEXT in self.node.metadata or CONTEXT in excluded
        return excluded[:] if is_excluded else [*excluded, CONTEXT]

    def excluded_from_reading(self, context: str) -> list[str]:
        """Return the keys that a language model does not see: the path, if the text says it."""
        excluded = self.node.excluded_llm_metadata_keys
        is_said = context and self.header_context == "text" and HEADER_PATH not in excluded
        is_ours = is_said and HEADER_PATH not in self.node.metadata
        return [*excluded, HEADER_PATH] if is_ours else excluded[:]


def _without_text(document: BaseNode, keys: Sequence[str]) -> TextNode:
    """Return a node that has the metadata, excluded keys, templates and separator of a document.

    What a node of this package says of itself, when it is parsed again, is left out.
    """
    stale = own_keys(document.metadata) if is_ours(document) else frozenset()
    metadata = {key: value for key, value in document.metadata.items() if key not in stale}
    ours = [key for key in keys if key not in metadata]
    not_embedded = [
        *(key for key in document.excluded_embed_metadata_keys if key not in stale),
        *(key for key in ours if key != CONTEXT),
    ]
    not_read = [
        *(key for key in document.excluded_llm_metadata_keys if key not in stale),
        *(key for key in ours if key != HEADER_PATH),
    ]
    return TextNode(
        metadata=metadata if keys else {},
        excluded_embed_metadata_keys=list(dict.fromkeys(not_embedded)),
        excluded_llm_metadata_keys=list(dict.fromkeys(not_read)),
        metadata_seperator=document.metadata_separator,  # the field's alias is spelled so
        metadata_template=document.metadata_template,
        text_template=getattr(document, "text_template", _TEXT_TEMPLATE),
    )


def _embedded(node: TextNode, *, with_context: bool) -> str:
    """Return what LlamaIndex embeds of a node whose context and content are marks."""
    metadata = {**node.metadata, CONTEXT: _CONTEXT_MARK} if with_context else node.metadata
    trial = node.model_copy(update={"text": _CONTENT_MARK, "metadata": metadata})
    return trial.get_content(MetadataMode.EMBED)


def _in_front(first: str, *others: str) -> str:
    """Return texts as one that ends in the first, which is what stands in front of the rest."""
    return "\n".join([*filter(None, reversed(others)), first])
