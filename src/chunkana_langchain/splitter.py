"""LangChain's text splitter over the core: exact offsets, headings above, a tree to merge over."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    InputTypeError,
    MarkdownChunker,
    SourceLabel,
    label_of,
)
from chunkana_core import Document as MarkdownDocument
from chunkana_langchain import keys
from chunkana_langchain.context import HeaderContext, Headings, require_context, require_label
from chunkana_langchain.identity import source_keys
from chunkana_langchain.mapping import HierarchicalDocuments, Mapper
from chunkana_langchain.origin import Origin

_LEAST = 32  # the core's smallest limit
_PARENTS = 4  # how many chunks' size a parent may have

# Where they differ from the core's defaults; see docs/retrieval.md.
_FOR_RETRIEVAL: dict[str, Any] = {"atomic_blocks": "split"}


class ChunkanaSplitter(TextSplitter):
    r"""Splits Markdown into documents with exact offsets and the headings above them.

    Args:
        chunk_size: the largest `page_content`, in units of `length_function`, at least 32.
            Header context and overlap count; only code, tables and math that are kept whole may
            exceed it, and say so in their metadata.
        chunk_overlap: how much of the chunk before goes in front of the content, at most: prose
            of the same section from a sentence on, never code, tables or HTML.
        length_function: measures a text; characters by default.
        keep_separator: without effect, since separators always stay.
        add_start_index: whether `start_index` is in the metadata: where the chunk's text starts
            in the page content that was split.
        strip_whitespace: whether indentation at a chunk's start goes, unless it is code's.
        header_context: what goes in front of the content: "breadcrumb", the title and full path
            on a line; "stack", the headings above those that it starts with; "none".
        source_label: what goes before the title in a breadcrumb: a key of the documents' metadata,
            such as "source", or a function of a document that returns a text.
        introductions: whether below a breadcrumb stands the first sentence of the section around
            the chunk, where the chunk does not hold it itself.
        header_keys: whether the metadata has "Header 1" to "Header 6".
        max_parent_size: the size of the text of the largest parent of `split_hierarchical`,
            without what goes in front; by default four times `chunk_size`.
        options: of `chunkana_core.ChunkConfig`, but for the size, overlap and measure, with its
            defaults; but `atomic_blocks` is "split", since what embeds chunks cuts off long ones.

    Raises:
        ValueError: for a size or overlap that is not allowed, naming the argument, its value and
            what is allowed; for other options it is a ConfigurationError.
        TypeError: for an unknown argument.

    >>> splitter = ChunkanaSplitter(chunk_size=100)
    >>> for document in splitter.create_documents(["# Guide\n\n## Install\n\nRun pip.\n"]):
    ...     print(repr(document.page_content))
    'Guide > Install\n\n# Guide\n\n## Install\n\nRun pip.'
    """

    def __init__(
        self,
        chunk_size: int = 1000,
        chunk_overlap: int = 0,
        length_function: Callable[[str], int] = len,
        keep_separator: bool | Literal["start", "end"] = False,
        add_start_index: bool = False,
        strip_whitespace: bool = False,
        *,
        header_context: HeaderContext = "breadcrumb",
        source_label: SourceLabel[Document] = None,
        introductions: bool = True,
        header_keys: bool = False,
        max_parent_size: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            chunk_size,
            chunk_overlap,
            length_function,
            keep_separator,
            add_start_index,
            strip_whitespace,
        )
        require_context(header_context)
        require_label(source_label, header_context)
        self._header_context = header_context
        self._source_label = source_label
        self._introductions = introductions
        self._header_keys = header_keys
        self._max_parent_size = max_parent_size
        if max_parent_size is not None and not max_parent_size >= 1:
            raise ConfigurationError("max_parent_size", max_parent_size, "None or at least 1")
        config = self._config(options)
        self._room = config.max_chunk_size
        self._chunker = MarkdownChunker(config)

    def _config(self, options: dict[str, Any]) -> ChunkConfig:
        """Return the core's configuration: room for the overlap is left beside the content."""
        allowed = ChunkConfig().to_dict().keys() - {"max_chunk_size", "overlap_size", "debug"}
        for name in options.keys() - allowed:
            raise TypeError(f"unknown argument {name!r}; allowed are {', '.join(sorted(allowed))}")
        room = self._chunk_size - self._chunk_overlap
        if self._chunk_overlap:
            room -= self._length_function("\n\n")
        if self._chunk_size < _LEAST:
            raise ConfigurationError("chunk_size", self._chunk_size, f"at least {_LEAST}")
        if room < _LEAST:
            most = f"at most {self._chunk_overlap - (_LEAST - room)} with this chunk_size"
            raise ConfigurationError("chunk_overlap", self._chunk_overlap, most)
        return ChunkConfig(
            max_chunk_size=room,
            overlap_size=self._chunk_overlap,
            length_function=self._length_function,
            **_FOR_RETRIEVAL | options,
        )

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = (),
        **kwargs: Any,
    ) -> ChunkanaSplitter:
        """Make a splitter that counts tokens of tiktoken's.

        Text that looks like a special token is counted as text, where the base class by default
        raises an error.
        """
        special = set[str]() if allowed_special is None else allowed_special
        return super().from_tiktoken_encoder(
            encoding_name, model_name, special, disallowed_special, **kwargs
        )

    def split_text(self, text: str) -> list[str]:
        """Return the page contents that `create_documents` gives."""
        return [document.page_content for document in self.create_documents([text])]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Return the chunks of texts, each with a copy of its text's metadata and more.

        Raises:
            ConfigurationError: if a text is no str, or there are not as many metadatas as texts.
        """
        metadatas = metadatas or [{}] * len(texts)
        if len(metadatas) != len(texts):
            raise ConfigurationError("metadatas", metadatas, f"one for each of {len(texts)} texts")
        documents = []
        for text, metadata in zip(texts, metadatas, strict=True):
            if not isinstance(text, str):
                raise InputTypeError("text", text, "a str")
            documents.append(Document(page_content=text, metadata=metadata))
        return self.split_documents(documents)

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Return the chunks of documents; chunks of ours among them are split further."""
        return [leaf for mapper in self._mappers(documents) for leaf in mapper.leaves()]

    def split_hierarchical(self, documents: Iterable[Document]) -> HierarchicalDocuments:
        """Return the chunks of documents, and the parents that retrieval may read instead."""
        mappers = list(self._mappers(documents))
        return HierarchicalDocuments(
            [leaf for mapper in mappers for leaf in mapper.leaves()],
            [parent for mapper in mappers for parent in mapper.parents()],
        )

    def _mappers(self, documents: Iterable[Document]) -> Iterator[Mapper]:
        """Return what maps each document; warn once of metadata keys that are ours too."""
        documents = list(documents)
        origins = list(map(Origin.of, documents, source_keys(documents)))
        own = keys.OWN | set(keys.HEADERS if self._header_keys else ())
        if clashing := own & set().union(*(origin.kept for origin in origins)):
            names = ", ".join(sorted(clashing))
            warnings.warn(f"metadata of the documents keeps its own {names}", stacklevel=3)
        return map(self._mapper, documents, origins)

    def _mapper(self, document: Document, origin: Origin) -> Mapper:
        parsed = MarkdownDocument.parse(origin.text)
        headings = Headings.of(
            self._header_context,
            parsed,
            origin,
            self._length_function,
            self._room,
            label=label_of(document, document.metadata, self._source_label),
            has_introductions=self._introductions and not origin.is_continued,
        )
        prefix = None if self._header_context == "none" else headings.prefix
        return Mapper(
            self._chunker.chunk_document(parsed, prefix=prefix),
            origin,
            headings,
            with_index=self._add_start_index,
            with_headers=self._header_keys,
            strip=self._strip_whitespace,
            chunk_size=self._chunk_size,
            length=self._length_function,
            max_parent_size=self._max_parent_size or _PARENTS * self._chunk_size,
        )
