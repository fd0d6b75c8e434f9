"""A LlamaIndex node parser: converts documents to exact nodes, linked for auto-merging."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Literal, Self

from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document
from llama_index.core.utils import get_tqdm_iterable
from pydantic import ConfigDict, Field, computed_field, model_validator

from chunkana_core import ChunkConfig, Chunker, HierarchicalChunkingResult
from chunkana_core.extending import SourceFile, StrategySelector, require_installed
from chunkana_llamaindex.parsing import checks
from chunkana_llamaindex.parsing.callables import (
    Function,
    LabelFunction,
    Rule,
    Tokenizer,
    token_count,
)
from chunkana_llamaindex.parsing.chunking import DocumentChunker
from chunkana_llamaindex.parsing.mapping import NodeMapper
from chunkana_llamaindex.parsing.metadata import KEYS, MetadataKeys, keys_of
from chunkana_llamaindex.parsing.node_template import HeaderContext, NodeTemplate
from chunkana_llamaindex.parsing.origin import Origin
from chunkana_retrieval.checks import require_parent_size
from chunkana_retrieval.errors import warn_of_unknown

_ALGORITHM = 8  # increased when the same options yield different nodes, to invalidate caches


class ChunkanaNodeParser(NodeParser):
    r"""Parses documents of any format into leaves, and parents that auto-merging can return.

    The format follows from the path in the metadata `file_path`, `file_name`, `source` or
    `filename`, otherwise from the media type in `file_type`, `mime_type` or `content_type`. Other
    files are plain text, with a warning that counts them; documents without a path, web pages, and
    files that readers convert, such as PDF, are Markdown. The path is also the label that stands
    first in the context of a leaf.

    Sizes are in characters, or in tokens with `tokenizer`, and include the context and the
    document's metadata that are embedded with the text of a node. `None` is the core's default.

    Raises:
        ValueError: for an unknown argument or a value that is not allowed; when parsing, for two
            documents with the same id.
        ImportError: before anything is parsed, if the extra that a format needs is not installed.

    >>> from llama_index.core import Document
    >>> parser = ChunkanaNodeParser(max_chunk_size=120)
    >>> text = "class Tea:\n    def boil(self):\n        return 100\n"
    >>> (node,) = parser([Document(text=text, metadata={"file_path": "src/tea.py"})])
    >>> node.metadata["context"], node.metadata["kind"], node.metadata["name"]
    ('src/tea.py > Tea', 'class', 'Tea')
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    format: str = Field(default="auto", description="The name of a format for all documents.")
    fallback: str = Field(
        default="text",
        description="The format of files of no known format, and of files not valid in theirs.",
    )
    max_chunk_size: int = Field(
        strict=True, default=1000, description="The size limit of the embedded text of a leaf."
    )
    min_chunk_size: int | None = Field(
        strict=True, default=None, description="Smaller leaves are merged."
    )
    atomic_blocks: Literal["keep", "split"] = Field(
        default="split", description="Whether code, tables and math stay whole at any size."
    )
    code_cuts: Literal["lines", "syntax"] = Field(default="lines", description="Where code is cut.")
    strategy: str = Field(default="auto", description="The name of the strategy.")
    merge_boundary_level: int = Field(
        strict=True, default=2, description="The headings across which leaves are never merged."
    )
    min_content_after_header: int | None = Field(
        strict=True, default=None, description="The size below which a part is too short."
    )
    oversize_tolerance: float = Field(
        strict=True, default=0.0, description="How far a section may exceed the limit."
    )
    code_threshold: float = Field(
        strict=True, default=0.3, description="The fraction of code that selects code_aware."
    )
    structure_threshold: int = Field(
        strict=True, default=3, description="The number of headings that selects structural."
    )
    plugins: tuple[Rule, ...] = Field(default=(), description="Your own block rules for Markdown.")
    tokenizer: Tokenizer | None = Field(
        default=None, description="Returns the tokens of a text; sizes are then in tokens."
    )
    max_parent_size: int | None = Field(
        strict=True, default=None, description="The size limit of parents."
    )
    include_parents: bool = Field(default=True, description="Whether to return parents.")
    include_document_node: bool = Field(
        default=False, description="Whether to return an additional node with title and summary."
    )
    header_context: HeaderContext = Field(
        default="metadata",
        description="Where the context of a leaf is stored for embedding: metadata, text or none.",
    )
    metadata: MetadataKeys = Field(
        default="short",
        description='Which keys are added: "short" for what retrieval uses, "full" for all.',
    )
    source_label: LabelFunction | None = Field(
        default=None,
        description="The label before the breadcrumb instead of the path: a metadata key or a "
        'function of a document; "" for none.',
    )
    introductions: bool = Field(
        default=True, description="Whether contexts include the section's first sentence."
    )
    front_matter_keys: tuple[str, ...] = Field(
        default=(), description="Keys of front matter that are copied into the metadata."
    )
    id_func: Function = Field(
        default=default_id_func,
        description="Returns an id for a number and a document; by default ids are deterministic.",
    )

    @computed_field(description="The version of the algorithm, for cache keys.")  # type: ignore[prop-decorator]
    @property
    def algorithm(self) -> int:
        """The current version of the algorithm; the value in a serialised parser is ignored."""
        return _ALGORITHM

    @model_validator(mode="before")
    @classmethod
    def _require_known(cls, values: Any) -> Any:
        if isinstance(values, dict):
            values = {name: value for name, value in values.items() if name != "algorithm"}
            for name in values.keys() - cls.model_fields.keys():
                raise ValueError(
                    checks.unknown_argument_message(name, values[name], cls.model_fields)
                )
        return values

    @model_validator(mode="after")
    def _check(self) -> ChunkanaNodeParser:
        self.document_chunker().chunker.chunk("", self.format)
        registered = StrategySelector().get_available_strategies()
        names = ("auto", *(strategy.name for strategy in registered))
        if self.strategy not in names:
            raise ValueError(f"strategy is {self.strategy!r}; allowed: {', '.join(names)}")
        if clashing := sorted(set(KEYS).intersection(self.front_matter_keys)):
            raise ValueError(f"front_matter_keys has {', '.join(clashing)}, which every node has")
        require_parent_size(self.max_parent_size, "max_chunk_size", self.max_chunk_size)
        if self.include_document_node and not self.include_metadata:
            raise ValueError("include_document_node needs include_metadata, which links that node")
        return self

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaNodeParser"

    @classmethod
    def from_defaults(cls, **options: Any) -> Self:
        """Return a parser with the given options, like LlamaIndex's own parsers."""
        return cls(**options)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling; raise an error if a function cannot be pickled.

        The base class would silently omit such a function.
        """
        pickle.dumps((self.tokenizer, self.id_func, self.source_label, self.plugins))
        return super().__getstate__()

    def _config(self) -> ChunkConfig:
        """Return the core's configuration."""
        return ChunkConfig(
            max_chunk_size=self.max_chunk_size,
            min_chunk_size=self.min_chunk_size,
            atomic_blocks=self.atomic_blocks,
            code_cuts=self.code_cuts,
            strategy=self.strategy,
            merge_boundary_level=self.merge_boundary_level,
            min_content_after_header=self.min_content_after_header,
            oversize_tolerance=self.oversize_tolerance,
            code_threshold=self.code_threshold,
            structure_threshold=self.structure_threshold,
            length_function=partial(token_count, self.tokenizer) if self.tokenizer else len,
        )

    def document_chunker(self) -> DocumentChunker:
        """Return the chunker of documents with the options of this parser."""
        return DocumentChunker(
            Chunker(self._config(), plugins=self.plugins, fallback=self.fallback),
            self.format,
            self.header_context != "none",
            self.source_label,
            self.introductions,
            self.front_matter_keys,
        )

    def get_nodes_from_documents(
        self, documents: Sequence[Document], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Return the nodes of documents in order, each parent before its children.

        Raises:
            ConfigurationError: naming the first item that is not a document.
        """
        documents = checks.require_documents(documents)
        return super().get_nodes_from_documents(documents, show_progress, **kwargs)

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        """Return the complete nodes of documents, in order."""
        checks.require_unique(nodes, "documents")
        checks.warn_of_clashes(nodes, keys_of(self.metadata))
        self.check_files(nodes)
        chunker = self.document_chunker()
        parsed: list[BaseNode] = []
        too_long: list[str] = []
        misnamed: list[str] = []
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            form = chunker.file(document).format
            keys = keys_of(self.metadata, form) if self.include_metadata else ()
            template = NodeTemplate.of(document, self.header_context, keys)
            result, is_counted = chunker.chunk_with_template(document, template)
            if not is_counted:
                too_long.append(document.node_id)
            if result.format != form:
                misnamed.append(document.node_id)
            if self.front_matter_keys:
                template = template.with_metadata(chunker.front_matter(result))
            parsed += self._mapper(result, document, template, len(parsed)).nodes()
        checks.require_unique(parsed, "nodes, made by id_func,")
        checks.warn_of_long_metadata(too_long, self.max_chunk_size)
        checks.warn_of_misnamed(misnamed)
        return parsed

    def check_files(self, documents: Iterable[BaseNode]) -> None:
        """Raise an ImportError for the first document whose format needs a missing extra.

        Warn of files whose formats are not known, with their number.
        """
        files = [SourceFile.of(one.metadata, self.format, self.fallback) for one in documents]
        require_installed(files)
        warn_of_unknown(files, self.fallback)

    def _mapper(
        self,
        result: HierarchicalChunkingResult,
        document: BaseNode,
        template: NodeTemplate,
        first_number: int,
    ) -> NodeMapper:
        def node_id(number: int) -> str:
            return str(self.id_func(first_number + number, document))

        return NodeMapper(
            result,
            Origin.of(document),
            template,
            None if self.id_func is default_id_func else node_id,
            include_parents=self.include_parents,
            include_document_node=self.include_document_node,
            include_prev_next_rel=self.include_prev_next_rel,
            max_parent_size=self.max_parent_size,
        )

    def _postprocess_parsed_nodes(
        self,
        nodes: list[BaseNode],
        parent_doc_map: dict[str, Document],  # noqa: ARG002
    ) -> list[BaseNode]:
        """Return the nodes unchanged; the base class would search for their offsets."""
        return nodes


class MarkdownHierarchyNodeParser(ChunkanaNodeParser):
    """A `ChunkanaNodeParser` that parses all documents as Markdown, whatever their file names."""

    format: Literal["markdown"] = Field(default="markdown", description="The format: Markdown.")

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "MarkdownHierarchyNodeParser"
