"""LlamaIndex's node parser over the core: exact nodes, linked as auto-merging needs them."""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document, NodeRelationship, TextNode
from llama_index.core.utils import get_tqdm_iterable
from pydantic import ConfigDict, Field, model_validator

from chunkana_core import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker
from chunkana_core import Document as MarkdownDocument
from chunkana_llamaindex import keys
from chunkana_llamaindex.callables import Function
from chunkana_llamaindex.embedded import Embedded, HeaderContext, text_of
from chunkana_llamaindex.mapping import blank_node, to_nodes

_ALGORITHM = 1  # raised when the same options give other nodes, so that caches are not used
_OF_THE_CORE = (
    "max_chunk_size", "min_chunk_size", "atomic_blocks", "strategy", "merge_boundary_level",
    "min_content_after_header", "oversize_tolerance", "code_threshold", "structure_threshold",
)  # fmt: skip


class MarkdownHierarchyNodeParser(NodeParser):
    r"""Parses Markdown documents into leaves and the parents that retrieval may merge them into.

    Sizes are in characters, or in tokens with `tokenizer`; what is embedded with a node's text,
    its breadcrumb and the document's own metadata, counts. `None` is the core's default.

    Raises:
        ValueError: for an unknown argument or a value that is not allowed; when asked to parse,
            for two documents with one id.

    >>> from llama_index.core import Document
    >>> parser = MarkdownHierarchyNodeParser(max_chunk_size=200)
    >>> text = "# Guide\n\n## Install\n\nRun pip.\n\n## Use\n\nImport it.\n"
    >>> nodes = parser.get_nodes_from_documents([Document(text=text)])
    >>> [node.metadata["breadcrumb"] for node in nodes if node.parent_node]
    ['Guide > Install', 'Guide > Use']
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    max_chunk_size: int = Field(default=1000, description="The largest leaf, as it is embedded.")
    min_chunk_size: int | None = Field(default=None, description="Smaller leaves are merged.")
    atomic_blocks: Literal["keep", "split"] = Field(
        default="keep", description="Whether code, tables and math stay whole at any size."
    )
    strategy: str = Field(default="auto", description="How documents are drafted.")
    merge_boundary_level: int = Field(
        default=2, description="Small leaves are not merged across headings of it or above."
    )
    min_content_after_header: int | None = Field(
        default=None, description="Parts with less text of their own are avoided."
    )
    oversize_tolerance: float = Field(default=0.0, description="Keeps sections whole so far over.")
    code_threshold: float = Field(default=0.3, description="From which share of code on it counts.")
    structure_threshold: int = Field(default=3, description="From how many headings on they count.")
    tokenizer: Function | None = Field(
        default=None, description="Returns the tokens of a text; sizes are in tokens then."
    )
    max_parent_size: int | None = Field(default=None, description="The largest parent.")
    include_parents: bool = Field(default=True, description="Whether there are parents.")
    include_document_node: bool = Field(
        default=False, description="Whether title and summary are a node besides."
    )
    header_context: HeaderContext = Field(
        default="metadata",
        description="How the heading path is embedded: in metadata, in the text, or not at all.",
    )
    id_func: Function = Field(
        default=default_id_func,
        description="Makes ids from a number and a document; by default they are deterministic.",
    )
    algorithm: int = Field(default=_ALGORITHM, description="What made nodes; for cache keys.")

    @model_validator(mode="before")
    @classmethod
    def _require_known(cls, values: Any) -> Any:
        if isinstance(values, dict):
            for name in values.keys() - cls.model_fields.keys():
                if name in {"chunk_size", "chunk_overlap"}:
                    raise ValueError(
                        f"{name} is not an argument: sizes are max_chunk_size, in characters or, "
                        "with tokenizer, in tokens; for overlap see PrevNextNodePostprocessor"
                    )
                allowed = ", ".join(sorted(cls.model_fields))
                raise ValueError(f"unknown argument {name!r}; allowed: {allowed}")
        return values

    @model_validator(mode="after")
    def _configure(self) -> MarkdownHierarchyNodeParser:
        self._config()
        if self.max_parent_size is not None and self.max_parent_size < 1:
            raise ValueError(f"max_parent_size is {self.max_parent_size}; allowed: at least 1")
        return self

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which it is serialised."""
        return "MarkdownHierarchyNodeParser"

    @classmethod
    def from_defaults(cls, **options: Any) -> MarkdownHierarchyNodeParser:
        """Make a parser, as LlamaIndex's own are made."""
        return cls(**options)

    def __getstate__(self) -> dict[str, Any]:
        """Refuse to be pickled without a function, which the base class would leave out."""
        pickle.dumps((self.tokenizer, self.id_func))
        return super().__getstate__()

    def _config(self) -> ChunkConfig:
        """Return the core's configuration."""
        options = {name: getattr(self, name) for name in _OF_THE_CORE}
        return ChunkConfig(length_function=self._length if self.tokenizer else len, **options)

    def _length(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(text) if self.tokenizer is None else len(self.tokenizer(text))

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        """Return finished nodes, document after document."""
        _require_unique(nodes)
        _warn_of_clashes(nodes)
        chunker = MarkdownChunker(self._config())
        parsed: list[BaseNode] = []
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            parsed += self._parse(document, chunker)
        if self.id_func is not default_id_func:
            _rename(parsed, [self.id_func(n, node) for n, node in enumerate(parsed)])
        return parsed

    def _parse(self, document: BaseNode, chunker: MarkdownChunker) -> list[TextNode]:
        markdown = MarkdownDocument.parse(text_of(document))
        blank = blank_node(document, include_metadata=self.include_metadata)
        titles = (section.title for section in markdown.sections)
        embedded = Embedded.of(
            self.header_context, markdown.title, titles, blank, has_metadata=self.include_metadata
        )
        limit = self.max_chunk_size
        if not embedded.fits(chunker.config.length_function, limit):
            warnings.warn(
                f"the metadata of document {document.node_id} takes over half of max_chunk_size "
                f"({limit}); leaves are measured without it",
                stacklevel=6,
            )
            return self._nodes(chunker.chunk_document(markdown), document, embedded)
        result = chunker.chunk_document(markdown, prefix=embedded.prefix)
        return self._nodes(result, document, replace(embedded, is_counted=True))

    def _nodes(
        self, result: HierarchicalChunkingResult, document: BaseNode, embedded: Embedded
    ) -> list[TextNode]:
        return to_nodes(
            result,
            document,
            include_parents=self.include_parents,
            include_document_node=self.include_document_node,
            include_prev_next_rel=self.include_prev_next_rel,
            max_parent_size=self.max_parent_size,
            embedded=embedded,
        )

    def _postprocess_parsed_nodes(
        self,
        nodes: list[BaseNode],
        parent_doc_map: dict[str, Document],  # noqa: ARG002
    ) -> list[BaseNode]:
        """Return the nodes as they are: the base class would search for their offsets."""
        return nodes


def _require_unique(documents: Sequence[BaseNode]) -> None:
    counts = Counter(document.node_id for document in documents)
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise ValueError(f"several documents have the id {repeated[0]!r}; ids have to be unique")


def _warn_of_clashes(documents: Sequence[BaseNode]) -> None:
    clashing = {name for d in documents for name in d.metadata if name in keys.OWN}
    own = {name for d in documents if keys.CHUNK_ID in d.metadata for name in keys.OWN}
    if names := sorted(clashing - own):
        warnings.warn(f"documents keep their own metadata {', '.join(names)}", stacklevel=5)


def _rename(nodes: Sequence[BaseNode], ids: Sequence[str]) -> None:
    """Give nodes other ids, in their relationships too."""
    new = {node.node_id: made for node, made in zip(nodes, ids, strict=True)}
    if len(set(ids)) < len(ids):
        raise ValueError("id_func gave one id to several nodes")
    renamed: set[int] = set()
    for node in nodes:
        node.id_ = new[node.node_id]
        for kind, related in node.relationships.items():
            if kind is NodeRelationship.SOURCE:
                continue
            for info in related if isinstance(related, list) else [related]:
                if id(info) not in renamed:
                    renamed.add(id(info))
                    info.node_id = new[info.node_id]
