"""Postprocessors of search results: assemble passages within a budget, propagate scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, nan
from typing import Annotated, Any

from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from pydantic import InstanceOf

from chunkana_core import Span
from chunkana_core.extending import SourceFile, split_header_path
from chunkana_llamaindex.documents import NodeFormat, llm_text
from chunkana_llamaindex.nodes import HEADER_PATH, own_keys
from chunkana_retrieval import Hit, assemble_mixed, propagate_scores, shared_metadata
from chunkana_retrieval.adapting import hits_in_sources

_Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
_Count = Annotated[int, Field(strict=True, ge=1)]


class ContextAssembler(BaseNodePostprocessor):
    r"""Assembles the nodes of a search into passages: the best nodes that fit into a budget.

    The rules are those of `chunkana_retrieval.assemble`: a passage consists of slices of a document
    in their order, below their path, and no text is repeated. The nodes are leaves and parents of
    `ChunkanaNodeParser`, in the order of any retriever or postprocessor. Any other node is returned
    unchanged at its rank, or omitted if it does not fit; so are, with a warning, nodes that are not
    in `sources`. The text for the language model,
    `"\n\n".join(node.get_content(MetadataMode.LLM) for node in nodes)`, never exceeds the budget.

    A passage has the metadata of its document, with the same excluded keys as its nodes, and the
    keys `spans`, `lines`, `start_line`, `end_line`, `path` and `chunk_ids`, which are neither
    embedded nor passed to the language model. If the document has one of these keys, its value
    takes precedence.

    Raises:
        ValueError: at construction, for unknown arguments and values that are not allowed.
    """

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", use_attribute_docstrings=True
    )

    budget: Annotated[float, Field(strict=True, ge=0)] = 6000
    """The size limit of all passages together."""
    length_function: Callable[[str], float] = Field(default=len, exclude=True)
    """Returns the size of a text; by default in characters."""
    sources: InstanceOf[Mapping[str, str]] | Callable[[str], str] | None = Field(
        default=None, exclude=True
    )
    """The texts of documents by id, or a function that returns the text for an id; used to join
    neighbouring slices."""

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
        hits, source = [*map(_to_hit, nodes)], None
        if self.sources is not None:
            hits, source = hits_in_sources(hits, self.sources)
        given = [*zip(hits, nodes, strict=True)]
        found = [hit or one.node.get_content(MetadataMode.LLM) for hit, one in given]
        formats = _formats([(hit.document_id, one.node) for hit, one in given if hit])
        budget, length = self.budget, self.length_function
        parts = assemble_mixed(found, budget, length, source, llm_text(formats))
        return [
            nodes[part] if isinstance(part, int) else formats[part.document_id].passage(part)
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
    path = split_header_path(str(own.get(HEADER_PATH)))
    title = SourceFile.of(_document_metadata(node), own.get("format", "markdown")).title
    hit = Hit(
        node.node_id,
        nan if scored.score is None else scored.score,
        document_id=node.source_node.node_id,
        span=Span(start, end),
        path=(title, *path) if title else path,
        text=text,
    )
    context = own.get("context", "")
    before = node.text[:prefix].removeprefix(f"{context}\n\n" if context else "")
    return hit.with_metadata(own, before)


def _formats(found: Sequence[tuple[str, BaseNode]]) -> dict[str, NodeFormat]:
    """Return the formats of passages, those of the best node of each document, by its id."""
    best = {name: node for name, node in reversed(found) if isinstance(node, TextNode)}
    shared = shared_metadata((name, _document_metadata(node)) for name, node in found)
    return {name: NodeFormat(best[name], metadata) for name, metadata in shared.items()}


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


class ScorePropagation(BaseNodePostprocessor):
    """Ranks nodes by their own score and the best scores in their section and document.

    The rule is that of `chunkana_retrieval.propagate_scores`, for any scores of which higher is
    better. The best `top_k` nodes are ranked; all other nodes follow in their previous order. Equal
    scores are ranked by document and offset. The section of a node is identified by its document
    and its metadata `section_id`. A node without a section is ranked by its own score and the best
    one in its document, a node without a document by its own score only.

    The returned nodes are copies with the new scores. Nodes without a finite score are returned
    unchanged after all other nodes, in their previous order.

    Raises:
        ValueError: at construction, for unknown arguments and values that are not allowed.

    >>> from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
    >>> def found(text, document, score):
    ...     source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
    ...     return NodeWithScore(node=TextNode(text=text, relationships=source), score=score)
    >>> nodes = [found("a", "x", 0.9), found("b", "y", 0.7), found("c", "x", 0.69)]
    >>> [node.text for node in ScorePropagation().postprocess_nodes(nodes)]
    ['a', 'c', 'b']
    """

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    section_weight: _Weight = 0.4
    """The weight of the best score in the section."""
    document_weight: _Weight = 0.2
    """The weight of the best score in the document."""
    top_k: _Count = 30
    """The number of the best nodes that are ranked."""
    top_n: _Count | None = None
    """The number of nodes to return; None for all."""

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaScorePropagation"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        """Return nodes in their new order, those without a finite score last."""
        scored = [node for node in nodes if _is_scored(node)]
        others = [node for node in nodes if not _is_scored(node)]
        ranked = propagate_scores(
            [_numbered_hit(number, node) for number, node in enumerate(scored)],
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            top_k=self.top_k,
        )
        best = [scored[int(hit.node_id)].model_copy(update={"score": hit.score}) for hit in ranked]
        return [*best, *others][: self.top_n]


def _is_scored(node: NodeWithScore) -> bool:
    return node.score is not None and isfinite(node.score)


def _numbered_hit(number: int, scored: NodeWithScore) -> Hit:
    """Return a node as a hit whose id is a number; without a document, it is in one alone."""
    node, source = scored.node, scored.node.source_node
    section = node.metadata.get("section_id")
    start = (node.start_char_idx or 0) if isinstance(node, TextNode) else 0
    return Hit(
        str(number),
        scored.get_score(),
        document_id=f"\0{number:09}" if source is None else source.node_id,
        section_id=None if section is None or source is None else str(section),
        span=Span(start, start),
    )
