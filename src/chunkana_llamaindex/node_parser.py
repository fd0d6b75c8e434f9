"""A LlamaIndex node parser: converts documents to exact nodes, linked for auto-merging."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from operator import attrgetter
from typing import Any, Final, Literal, Self, TypeVar, cast

from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import (
    BaseNode,
    Document,
    NodeRelationship,
    TextNode,
    TransformComponent,
)
from llama_index.core.utils import get_tqdm_iterable
from pydantic import ConfigDict, StrictFloat, StrictInt, computed_field, model_validator

from chunkana_core import (
    Chunk,
    ChunkConfig,
    Chunker,
    HierarchicalChunkingResult,
    MergeNode,
    Span,
)
from chunkana_core.extending import (
    SourceFile,
    derive_uuid,
    require_installed,
    require_known_arguments,
)
from chunkana_llamaindex.chunking import DocumentChunker
from chunkana_llamaindex.functions import Function, KeyOrFunction, Rule, token_count
from chunkana_llamaindex.nodes import (
    KEYS,
    SUMMARY,
    HeaderContext,
    MetadataKeys,
    NodeTemplate,
    front_matter_of,
    is_chunkana_node,
    leaves_of,
    link_nodes,
    metadata_reader,
    source_of,
)
from chunkana_retrieval.adapting import (
    require_documents,
    require_parent_size,
    warn_of_clashes,
    warn_of_unknown,
)
from chunkana_retrieval.index import by_unique_id

_Node = TypeVar("_Node", bound=BaseNode)
_ALGORITHM = 9  # increased when the same options yield different nodes, to invalidate caches
_SIZES: Final = "max_chunk_size for leaves, in characters or, with tokenizer, in tokens"
_OTHER_NAMES: Final = {
    "chunk_size": _SIZES,
    "chunk_sizes": f"{_SIZES}, and max_parent_size for parents, which are whole sections",
    "chunk_overlap": "PrevNextNodePostprocessor, which adds neighbours to the nodes that are found",
    "headers_to_split_on": "merge_boundary_level, the headings across which leaves are not merged",
}


class ChunkanaNodeParser(NodeParser):
    r"""Parses documents of any format into leaves, and parents that auto-merging can return.

    The format follows from the path in the metadata `file_path`, `file_name`, `source` or
    `filename`, otherwise from the media type in `file_type`, `mime_type` or `content_type`. Other
    files are plain text, with a warning that counts them; documents without a path, web pages, and
    files that readers convert, such as PDF, are Markdown. The path is also the label that stands
    first in the context of a leaf.

    Sizes are in characters, or in tokens with `tokenizer`, and include the context and the
    document's metadata that are embedded with the text of a node. `None` is the core's default.

    A node of this package that fits is returned as it is, without links to other nodes. The parts
    of one that does not fit have its header path before their own.

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

    model_config = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", use_attribute_docstrings=True
    )

    format: str = "auto"
    """The name of a format for all documents."""
    fallback: str = "text"
    """The format of files of no known format, and of files not valid in theirs."""
    max_chunk_size: StrictInt = 1000
    """The size limit of the embedded text of a leaf."""
    min_chunk_size: StrictInt | None = None
    """Smaller leaves are merged."""
    atomic_blocks: Literal["keep", "split"] = "split"
    """Whether code, tables and math stay whole at any size."""
    code_cuts: Literal["lines", "syntax"] = "lines"
    """Where code is cut."""
    strategy: str = "auto"
    """The name of the strategy."""
    merge_boundary_level: StrictInt = 2
    """The headings across which leaves are never merged."""
    min_content_after_header: StrictInt | None = None
    """The size below which a part is too short."""
    oversize_tolerance: StrictFloat = 0.0
    """How far a section may exceed the limit."""
    code_threshold: StrictFloat = 0.3
    """The fraction of code that selects code_aware."""
    structure_threshold: StrictInt = 3
    """The number of headings that selects structural."""
    plugins: tuple[Rule, ...] = ()
    """Your own block rules for Markdown."""
    tokenizer: Function | None = None
    """Returns the tokens of a text; sizes are then in tokens."""
    max_parent_size: StrictInt | None = None
    """The size limit of parents."""
    include_parents: bool = True
    """Whether to return parents."""
    include_document_node: bool = False
    """Whether to return an additional node with title and summary."""
    header_context: HeaderContext = "metadata"
    """Where the context of a leaf is stored for embedding: metadata, text or none."""
    metadata: MetadataKeys = "short"
    """Which keys are added: "short" for what retrieval uses, "full" for all."""
    source_label: KeyOrFunction | None = None
    """The label before the breadcrumb instead of the path: a metadata key or a function of a
    document; "" for none."""
    introductions: bool = True
    """Whether contexts include the section's first sentence."""
    front_matter_keys: tuple[str, ...] = ()
    """Keys of front matter that are copied into the metadata."""
    id_func: Function = default_id_func
    """Returns an id for a number and a document; by default ids are deterministic."""

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
            require_known_arguments(values, cls.model_fields, _OTHER_NAMES)
        return values

    @model_validator(mode="after")
    def _check(self) -> ChunkanaNodeParser:
        self.document_chunker().chunker.chunk("", self.format)
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

    def document_chunker(self) -> DocumentChunker:
        """Return the chunker of a run's documents with the options of this parser."""
        names = {option.name for option in fields(ChunkConfig)} & type(self).model_fields.keys()
        length = partial(token_count, self.tokenizer) if self.tokenizer else len
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        config = ChunkConfig(**options, length_function=length)
        is_stored = self.include_metadata or self.header_context == "text"
        return DocumentChunker(
            Chunker(config, plugins=self.plugins, fallback=self.fallback),
            self.format,
            is_stored and self.header_context != "none",
            self.source_label,
            self.introductions,
        )

    def check_files(self, documents: Iterable[BaseNode]) -> None:
        """Raise an ImportError for the first document whose format needs a missing extra.

        Warn of files whose formats are not known, with their number.
        """
        files = [SourceFile.of(one.metadata, self.format, self.fallback) for one in documents]
        require_installed(files)
        warn_of_unknown(files, self.fallback)

    def get_nodes_from_documents(
        self, documents: Sequence[Document], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Return the nodes of documents in order, each parent before its children.

        Raises:
            ConfigurationError: naming the first item that is not a document.
        """
        return super().get_nodes_from_documents(
            [*documents_by_id(documents).values()], show_progress, **kwargs
        )

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        """Return the complete nodes of documents, in order."""
        documents = documents_by_id(nodes).values()
        self._warn_of_clashes(documents)
        self.check_files(documents)
        chunker = self.document_chunker()
        parsed: list[BaseNode] = []
        for document in get_tqdm_iterable(documents, show_progress, "Parsing nodes"):
            parsed += self._nodes_of(document, chunker, len(parsed))
        allowed = "ids of id_func that differ"
        by_unique_id(parsed, attrgetter("node_id"), "id of two nodes", allowed)
        chunker.warn()
        return parsed

    def _nodes_of(
        self, document: BaseNode, chunker: DocumentChunker, first_number: int
    ) -> Sequence[BaseNode]:
        """Return the nodes of a document, numbered from `first_number`."""
        is_node = isinstance(document, TextNode) and is_chunkana_node(document)
        if is_node and chunker.fits(document):
            links = {NodeRelationship.SOURCE: source_of(document)}
            return [document.model_copy(update={"relationships": links}, deep=True)]
        reserved = self._template(document, "", {}).reserved_text()  # the same in all formats
        result = chunker.chunk(document, reserved)
        return self.nodes_of(result, document, first_number)

    def nodes_of(
        self, result: HierarchicalChunkingResult, document: BaseNode, first_number: int = 0
    ) -> list[TextNode]:
        """Return the nodes of a document that the core has chunked; see `to_nodes`."""
        front_matter = front_matter_of(result, self.front_matter_keys)
        template = self._template(document, result.format, front_matter)
        nodes: dict[str, TextNode] = {}

        def add(name: str, chunk: Chunk, text: str, span: Span | None) -> None:
            node_id = derive_uuid(document.node_id, name)
            if self.id_func is not default_id_func:
                node_id = str(self.id_func(first_number + len(nodes), document))
            nodes[name] = template.node_of(chunk, node_id, text, span)

        if self.include_parents:
            tree = result.merge_tree(self.max_parent_size).nodes
        else:
            tree = tuple(map(MergeNode, result.get_flat_chunks()))
        for merge_node in tree:
            chunk = merge_node.chunk
            text = chunk.embedded if self.header_context == "text" else chunk.content
            add(chunk.chunk_id, chunk, text if merge_node.is_leaf else chunk.text, chunk.span)
        link_nodes(tree, nodes, has_neighbours=self.include_prev_next_rel)
        if self.include_document_node and result.root_id:
            root = result.chunks[0]
            add(SUMMARY, root, root.content, None)
        return [*nodes.values()]

    def _template(
        self, document: BaseNode, file_format: str, front_matter: Mapping[str, object]
    ) -> NodeTemplate:
        reader = metadata_reader(self.metadata, file_format) if self.include_metadata else None
        return NodeTemplate.of(document, self.header_context, reader, front_matter)

    def _warn_of_clashes(self, documents: Iterable[BaseNode]) -> None:
        """Warn of documents whose metadata have keys that this package would add."""
        theirs = (one.metadata for one in documents if not is_chunkana_node(one))
        warn_of_clashes(metadata_reader(self.metadata).names, theirs)

    def _postprocess_parsed_nodes(
        self,
        nodes: list[BaseNode],
        parent_doc_map: dict[str, Document],  # noqa: ARG002
    ) -> list[BaseNode]:
        """Return the nodes unchanged; the base class would search for their offsets."""
        return nodes


class MarkdownHierarchyNodeParser(ChunkanaNodeParser):
    """A `ChunkanaNodeParser` that parses all documents as Markdown, whatever their file names."""

    format: Literal["markdown"] = "markdown"
    """The format: Markdown."""

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "MarkdownHierarchyNodeParser"


def to_nodes(
    result: HierarchicalChunkingResult,
    document: BaseNode,
    parser: ChunkanaNodeParser | None = None,
) -> list[TextNode]:
    """Return the nodes of a document: each parent before its children, leaves in document order.

    The contexts are those of the chunks; there are none unless the core was given a `Context`.
    The document's own metadata is embedded too; its size counts only if `Context.reserved` has it.

    Args:
        result: the core's result for the document's text.
        document: a Document, or a TextNode that contains a part of one.
        parser: the options of metadata, parents and ids; by default `ChunkanaNodeParser()`.

    Returns:
        Nodes with ids, metadata, offsets in the source, and relationships.
    """
    return (parser or ChunkanaNodeParser()).nodes_of(result, document)


class LeafNodes(TransformComponent):
    """Keeps the leaves among nodes of `ChunkanaNodeParser`, without parents and summaries.

    An `IngestionPipeline` adds every node to the vector store. There, the text of parents would be
    embedded a second time, and parents would be found instead of their children. Store parents in a
    separate document store: the one of the pipeline contains documents.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaLeafNodes"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002
        """Return the leaves among nodes."""
        return leaves_of(list(nodes))


def documents_by_id(documents: Iterable[_Node]) -> dict[str, _Node]:
    """Return documents by their ids.

    Raises:
        ConfigurationError: for an item that is not a document, or if two ids are equal.
    """
    sources = "SimpleDirectoryReader(…).load_data() reads a folder's"
    example = 'SimpleDirectoryReader(…).load_data(), or Document(text="# Text")'
    kind = cast("type[_Node]", BaseNode)
    checked = require_documents(documents, kind, sources, example)
    allowed = "documents with different ids"
    return by_unique_id(checked, attrgetter("node_id"), "id of two documents", allowed)
