"""A postprocessor that hands over what is best read of nodes, within a budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Annotated, Any

from llama_index.core.bridge.pydantic import ConfigDict, Field, field_validator
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from pydantic import SkipValidation

from chunkana_core import Span
from chunkana_core.extending import split_header_path
from chunkana_llamaindex.parsing.metadata import HEADER_PATH, MARKDOWN, own_keys
from chunkana_llamaindex.reading.passages import PassageTemplate
from chunkana_retrieval import (
    Hit,
    Passage,
    SourceFile,
    assemble_mixed,
    shared_metadata,
)


class ContextAssembler(BaseNodePostprocessor):
    r"""Makes passages of nodes that a search found: as much of the best as fits into a budget.

    The rule is that of `chunkana_retrieval.assemble`: slices of the documents in their order, each
    passage under its path once, nothing twice. Nodes are those of `ChunkanaNodeParser`, leaves
    and parents, in the order of any retriever or postprocessor. Others are handed over
    whole, at their place in the ranking, or left out where they do not fit. What a language model
    reads, `"\n\n".join(node.get_content(MetadataMode.LLM) for node in nodes)`, never measures more
    than the budget.

    A passage has the document's metadata, read and embedded as in its nodes, and `spans`, `lines`,
    `start_line`, `end_line`, `path` and `chunk_ids`, which are neither; of a key that the document
    has too, its own value stays.

    Raises:
        ValueError: when made, for values that are not allowed and for unknown arguments.
        ConfigurationError: when asked, for `sources` that are not what the nodes are from.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = Field(
        default=6000, ge=0, strict=True, description="The most that is read may measure."
    )
    length_function: Callable[[str], float] = Field(
        default=len, exclude=True, description="Measures a text, in characters by default."
    )
    sources: Annotated[Mapping[str, str] | Callable[[str], str] | None, SkipValidation] = Field(
        default=None,
        exclude=True,
        description="Texts of documents by id, or a function that returns one; joins neighbours.",
    )

    @field_validator("sources", mode="before")
    @classmethod
    def _require_texts(cls, sources: object) -> object:
        if sources is not None and not isinstance(sources, Mapping) and not callable(sources):
            raise ValueError("sources is no mapping, no function and not None")
        return sources

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which it is serialised."""
        return "ChunkanaContextAssembler"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        """Return passages, documents in the order of their best node."""
        found = [_hit(node) or node.node.get_content(MetadataMode.LLM) for node in nodes]
        templates = _templates(nodes, found)

        def node_of(passage: Passage) -> TextNode:
            return templates[passage.document_id].node(passage)

        parts = assemble_mixed(
            found,
            self.budget,
            self.length_function,
            self.sources,
            lambda passage: node_of(passage).get_content(MetadataMode.LLM),
        )
        return [
            nodes[part] if isinstance(part, int) else templates[part.document_id].scored_node(part)
            for part in parts
        ]


def _hit(found: NodeWithScore) -> Hit | None:
    """Return a leaf or parent as a hit; None for what is none, or was changed."""
    node = found.node
    if not isinstance(node, TextNode) or node.source_node is None:
        return None
    own, start, end = _own_metadata(node), node.start_char_idx, node.end_char_idx
    if "prefix_chars" not in own or start is None or end is None or not 0 <= start < end:
        return None
    prefix = int(own["prefix_chars"])
    text = node.text[prefix : prefix + end - start]
    if len(text) < end - start:
        return None
    written, title = (
        own.get("path"),
        SourceFile.of(_documents_metadata(node), own.get("format", MARKDOWN)).title,
    )
    path = json.loads(written) if written else split_header_path(str(own.get(HEADER_PATH)))
    hit = Hit(
        node.node_id,
        nan if found.score is None else found.score,
        document_id=node.source_node.node_id,
        span=Span(start, end),
        path=(title, *path) if title else tuple(path),
        text=text,
    )
    context = own.get("context", "")
    before = node.text[:prefix].removeprefix(f"{context}\n\n" if context else "")
    return hit.with_metadata(own, before)


def _templates(
    nodes: Sequence[NodeWithScore], found: Sequence[Hit | str]
) -> dict[str, PassageTemplate]:
    """Return by document what its passages have of its nodes."""
    known = [
        (hit.document_id, one.node)
        for one, hit in zip(nodes, found, strict=True)
        if isinstance(hit, Hit) and isinstance(one.node, TextNode)
    ]
    best = dict(reversed(known))
    shared = shared_metadata((name, _documents_metadata(node)) for name, node in known)
    return {name: PassageTemplate(best[name], metadata) for name, metadata in shared.items()}


def _documents_metadata(node: BaseNode) -> dict[str, Any]:
    """Return the metadata of a node that its document has."""
    own = _own_metadata(node)
    return {key: value for key, value in node.metadata.items() if key not in own}


def _own_metadata(node: BaseNode) -> dict[str, Any]:
    """Return the metadata that a node has of this package, and not of its document.

    A key of ours that a language model sees is the document's: ours are excluded, but for the path.
    """
    ours = own_keys(node.metadata).intersection(node.excluded_llm_metadata_keys) | {HEADER_PATH}
    return {key: value for key, value in node.metadata.items() if key in ours}
