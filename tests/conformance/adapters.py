"""What both adapters do with documents before an index: split them, and assemble what was found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, cast

from chunkana_core import ChunkConfig, Chunker, Context, HierarchicalChunkingResult
from chunkana_core.fields import Output
from tests.conformance.frameworks import Answer, frameworks

Native = Any  # an object of a framework's
Metadata = Mapping[str, Native]
CORES = ("min_chunk_size", "atomic_blocks", "strategy")  # options that adapters hand on as they are


class Piece(NamedTuple):
    """A leaf or parent, as a framework has it.

    Attributes:
        native: the framework's object.
        id: its id.
        document_id: the id of its document.
        parent_id: the id of its parent, None if it has none.
        text: what is read.
        embedded: what is embedded, without the document's metadata.
        start: the offset of the text in the document, without what stands before it.
        end: the offset of its end.
        metadata: its metadata.
        children: the number of its children.
    """

    native: Native
    id: str
    document_id: str
    parent_id: str | None
    text: str
    embedded: str
    start: int
    end: int
    metadata: Metadata
    children: int

    @property
    def context(self) -> str:
        """What is embedded before the content, without the blank line after it."""
        return self.embedded.partition("\n\n")[0]

    @property
    def own(self) -> str:
        """The text without what stands before the exact text."""
        return self.text[self.metadata["prefix_chars"] :]

    def is_exact(self, text: str) -> bool:
        """Tell whether it has the slice of a text, and the lines, that its metadata name."""
        start, end, metadata = self.start, self.end, self.metadata
        lines = (text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1)
        is_slice = 0 <= start < end <= len(text) and self.own.startswith(text[start:end])
        return is_slice and (metadata["start_line"], metadata["end_line"]) == lines


class Split(NamedTuple):
    """Leaves, and the parents that have children."""

    leaves: list[Piece]
    parents: list[Piece]


class Adapter(ABC):
    """How the suite calls what an adapter has besides its retriever.

    Attributes:
        name: its name in the ids of tests.
        output: the output of the table of fields that its metadata have.
        names: the framework's names of arguments by the names of the suite.
        reserved: what the framework embeds before each context.
        overlap: the option by which leaves overlap, where there is one.
        splitter: the class that splits documents.
        assembler: the class that assembles passages.
    """

    name: ClassVar[str]
    output: ClassVar[Output]
    names: ClassVar[Mapping[str, str]]
    reserved: ClassVar[str] = ""
    overlap: ClassVar[Metadata] = {}

    def __repr__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def splitter(self) -> Native: ...

    @property
    @abstractmethod
    def assembler(self) -> Native: ...

    @abstractmethod
    def document(self, text: str, metadata: Metadata, name: str | None = None) -> Native:
        """Return a document whose metadata are not embedded; its name is its id, if it has one.

        Metadata are not read by language models either, but for keys that the adapter has too.
        """

    @abstractmethod
    def arguments(self, options: Metadata) -> dict[str, Native]:
        """Return options of the suite as the framework has them."""

    @abstractmethod
    def run(self, splitter: Native, documents: Iterable[Native]) -> Split:
        """Split documents or pieces."""

    @abstractmethod
    def of_result(
        self, result: HierarchicalChunkingResult, document: Native, **options: Native
    ) -> list[Piece]:
        """Return the leaves of a result of the core."""

    @abstractmethod
    def compress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        """Return the passages of what a search found, the best first."""

    @abstractmethod
    async def acompress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        """Do what `compress` does, asynchronously."""

    @abstractmethod
    def changed(self, piece: Piece, text: str | None = None, **metadata: Native) -> Native:
        """Return a copy of a piece with another text or further metadata."""

    @abstractmethod
    def foreign(self, text: str) -> Native:
        """Return a piece of another splitter."""

    def make(self, **options: Native) -> Native:
        """Return what splits documents."""
        return self.splitter(**self.arguments(options))

    def split(self, text: str, given: Metadata | None = None, /, **options: Native) -> Split:
        """Split a text of a document with given metadata."""
        return self.run(self.make(**options), [self.document(text, given or {})])

    def leaves(self, text: str, name: str, /, **options: Native) -> list[Piece]:
        """Return the leaves of a text in a file."""
        return self.split(text, {"source": name}, **options).leaves

    def assemble(self, found: Iterable[Piece | Native], **options: Native) -> list[Answer]:
        """Assemble pieces and other documents of the framework, the best first."""
        natives = [one.native if isinstance(one, Piece) else one for one in found]
        return self.compress(self.assembler(**options), natives)

    def core(self, text: str, name: str, options: Metadata) -> HierarchicalChunkingResult:
        """Return what the core makes of a text with the same options."""
        given: dict[str, Any] = {key: options[key] for key in CORES if key in options}
        size, length = options["max_chunk_size"], options.get("length", len)
        config = ChunkConfig(
            max_chunk_size=size, length_function=length, **{"atomic_blocks": "split", **given}
        )
        context = Context(breadcrumb=False, introduction=False)
        if options.get("has_context", True):
            context = Context(
                options.get("source_label"),
                introduction=options.get("introductions", True),
                reserved=self.reserved,
            )
        chunker = Chunker(config, context)
        return chunker.chunk_hierarchical(text, options.get("format", "auto"), path=name)


_ADAPTERS = {
    "langchain": ("over_langchain_splitter", ["LangChainAdapter"]),
    "llamaindex": ("over_node_parser", ["LlamaIndexAdapter", "LlamaIndexTextAdapter"]),
}


def adapters() -> list[Adapter]:
    """Return the adapters whose frameworks are installed."""
    found: list[Adapter] = []
    for framework in frameworks():
        module, kinds = _ADAPTERS.get(framework.name, ("adapters", []))
        of_module = import_module(f"tests.conformance.{module}")
        found += [cast("Adapter", getattr(of_module, kind)()) for kind in kinds]
    return found
