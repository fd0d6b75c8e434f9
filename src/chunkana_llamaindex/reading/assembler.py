"""A postprocessor that assembles the best nodes of a search into passages within a budget."""

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
from chunkana_core.extending import SourceFile, split_header_path
from chunkana_llamaindex.nodes import HEADER_PATH, own_keys
from chunkana_llamaindex.reading.passages import PassageTemplate
from chunkana_retrieval import (
    Hit,
    Passage,
    assemble_mixed,
    shared_metadata,
)


class ContextAssembler(BaseNodePostprocessor):
    r"""Assembles the nodes of a search into passages: the best nodes that fit into a budget.

    The rules are those of `chunkana_retrieval.assemble`: a passage consists of slices of a document
    in their order, below their path, and no text is repeated. The nodes are leaves and parents of
    `ChunkanaNodeParser`, in the order of any retriever or postprocessor. Any other node is returned
    unchanged at its rank, or omitted if it does not fit. The text for the language model,
    `"\n\n".join(node.get_content(MetadataMode.LLM) for node in nodes)`, never exceeds the budget.

    A passage has the metadata of its document, with the same excluded keys as its nodes, and the
    keys `spans`, `lines`, `start_line`, `end_line`, `path` and `chunk_ids`, which are neither
    embedded nor passed to the language model. If the document has one of these keys, its value
    takes precedence.

    Raises:
        ValueError: at construction, for unknown arguments and values that are not allowed.
        ConfigurationError: at a query, if `sources` are not the texts that the nodes come from.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = Field(
        default=6000, ge=0, strict=True, description="The size limit of all passages together."
    )
    length_function: Callable[[str], float] = Field(
        default=len,
        exclude=True,
        description="Returns the size of a text; by default in characters.",
    )
    sources: Annotated[Mapping[str, str] | Callable[[str], str] | None, SkipValidation] = Field(
        default=None,
        exclude=True,
        description="The texts of documents by id, or a function that returns the text for an id; "
        "used to join neighbouring slices.",
    )

    @field_validator("sources", mode="before")
    @classmethod
    def _require_texts(cls, sources: object) -> object:
        if sources is not None and not isinstance(sources, Mapping) and not callable(sources):
            raise ValueError("sources is no mapping, no function and not None")
        return sources

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaContextAssembler"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        """Return passages, with documents in the order of their best nodes."""
        hits = [_to_hit(node) or node.node.get_content(MetadataMode.LLM) for node in nodes]
        templates = _templates(nodes, hits)

        def llm_text(passage: Passage) -> str:
            return templates[passage.document_id].node(passage).get_content(MetadataMode.LLM)

        parts = assemble_mixed(
            hits,
            self.budget,
            self.length_function,
            self.sources,
            llm_text,
        )
        return [
            nodes[part] if isinstance(part, int) else templates[part.document_id].scored_node(part)
            for part in parts
        ]


def _to_hit(scored: NodeWithScore) -> Hit | None:
    """Convert a leaf or parent to a hit; None for any other node, or one whose text was changed."""
    node = scored.node
    if not isinstance(node, TextNode) or node.source_node is None:
        return None
    own, start, end = _own_metadata(node), node.start_char_idx, node.end_char_idx
    if "prefix_chars" not in own or start is None or end is None or not 0 <= start < end:
        return None
    prefix = int(own["prefix_chars"])
    text = node.text[prefix : prefix + end - start]
    if len(text) < end - start:
        return None
    title = SourceFile.of(_document_metadata(node), own.get("format", "markdown")).title
    as_json = own.get("path")
    try:
        path = json.loads(as_json) if as_json else split_header_path(str(own.get(HEADER_PATH)))
    except (RecursionError, TypeError, ValueError):
        return None
    hit = Hit(
        node.node_id,
        nan if scored.score is None else scored.score,
        document_id=node.source_node.node_id,
        span=Span(start, end),
        path=(title, *path) if title else tuple(path),
        text=text,
    )
    context = own.get("context", "")
    before = node.text[:prefix].removeprefix(f"{context}\n\n" if context else "")
    return hit.with_metadata(own, before)


def _templates(
    nodes: Sequence[NodeWithScore], hits: Sequence[Hit | str]
) -> dict[str, PassageTemplate]:
    """Return the template of the passages of each document, by document id."""
    hit_nodes = [
        (hit.document_id, scored.node)
        for scored, hit in zip(nodes, hits, strict=True)
        if isinstance(hit, Hit) and isinstance(scored.node, TextNode)
    ]
    best = dict(reversed(hit_nodes))
    shared = shared_metadata((name, _document_metadata(node)) for name, node in hit_nodes)
    return {name: PassageTemplate(best[name], metadata) for name, metadata in shared.items()}


def _document_metadata(node: BaseNode) -> dict[str, Any]:
    """Return the metadata of a node that come from its document."""
    own = _own_metadata(node)
    return {key: value for key, value in node.metadata.items() if key not in own}


def _own_metadata(node: BaseNode) -> dict[str, Any]:
    """Return the metadata of a node that this package added.

    All keys of this package except the header path are excluded for language models; a key that is
    not excluded therefore comes from the document.
    """
    ours = own_keys(node.metadata).intersection(node.excluded_llm_metadata_keys) | {HEADER_PATH}
    return {key: value for key, value in node.metadata.items() if key in ours}
