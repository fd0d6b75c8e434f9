"""The LangChain text splitter, with exact offsets, header context and parents for merging."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal, get_args

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, InputTypeError
from chunkana_core.extending import BlockRule, SourceFile, require_installed
from chunkana_langchain import keys
from chunkana_langchain.identity import source_keys
from chunkana_langchain.splitting.chunking import DocumentChunker
from chunkana_langchain.splitting.mapping import DocumentMapper
from chunkana_langchain.splitting.options import (
    HeaderContext,
    MappingOptions,
    SourceLabel,
    require_documents,
    require_keys,
    require_label,
    warn_of_clashes,
    warn_of_label,
    warn_of_pieces,
)
from chunkana_langchain.splitting.origin import Origin, is_chunk
from chunkana_langchain.splitting.results import HierarchicalDocuments
from chunkana_retrieval.checks import (
    names_of,
    require_choice,
    require_count,
    require_known,
    require_parent_size,
)
from chunkana_retrieval.errors import warn_of_unknown

_MIN_CHUNK_SIZE = 32  # the core's smallest limit
_PARENT_SIZE = 4  # the default size limit of parents, in multiples of the chunk size
_EXCLUDED = {"max_chunk_size", "overlap_size", "debug"}  # options of the core, not of the splitter
_OTHER_NAMES = {
    "max_chunk_size": "chunk_size",
    "max_size": "chunk_size",
    "overlap_size": "chunk_overlap",
    "overlap": "chunk_overlap",
    "tokenizer": "length_function, which returns how many tokens a text has",
    "headers_to_split_on": "header_keys=True, for `Header 1` and so on in the metadata",
    "language": "format, the name of a format",
}
# Defaults that differ from the core's; see docs/retrieval.md.
_DEFAULTS: dict[str, Any] = {"atomic_blocks": "split"}


def splitter_arguments() -> set[str]:
    """Return the names of the splitter's arguments: its own and those of the core's options."""
    return {*names_of(ChunkanaSplitter)}.union(ChunkConfig().to_dict().keys() - _EXCLUDED)


class ChunkanaSplitter(TextSplitter):
    r"""A text splitter for documents of any format, with exact offsets and header context.

    The format of a document is determined by the path in its metadata `file_path`, `file_name`,
    `source` or `filename`, else by the media type in `file_type`, `mime_type` or `content_type`.
    Other files are plain text, with a warning that counts them; documents without a path, web
    pages, and files that loaders convert, such as PDF, are Markdown. Chunks that are split further
    keep their format.

    Args:
        chunk_size: the largest size of a `page_content`, in units of `length_function`, at least
            32. Header context and overlap count; only code, tables and math that are kept whole may
            exceed the size, which their metadata show.
        chunk_overlap: the largest size of the overlap before the content: whole sentences of prose
            from the previous chunk in the same section, never code, tables or HTML.
        length_function: returns the size of a text; by default in characters.
        keep_separator: without effect, since separators are always kept.
        add_start_index: whether to add `start_index` to the metadata: the offset of the chunk's
            text in the page content that was split.
        strip_whitespace: whether to remove indentation at a chunk's start, except in code.
        header_context: the header context before the content: "breadcrumb" for one line with the
            title and the full header path, or "none".
        source_label: the label before the title in a breadcrumb: a metadata key, such as "title",
            or a function that returns a label for a document; "" for none. By default, and for None
            in the metadata or from the function, the label is the path: of an absolute path or a
            URL, the last two parts.
        introductions: whether to add the first sentence of the section that the chunk continues, or
            of a section around it, below the breadcrumb.
        header_keys: whether to add "Header 1" to "Header 6" to the metadata.
        metadata: the keys to add to the metadata: "short" for those that filters, citations and
            retrievers use, "full" for all.
        front_matter_keys: the front matter keys to copy into the metadata of a document's chunks,
            unless the metadata already have the key.
        format: the name of the format of all documents; "auto" to determine it from the metadata.
        fallback: the name of the format of files whose format is not known, and of JSON and
            notebooks that do not load.
        plugins: further block rules for Markdown.
        max_parent_size: the largest size of the text of a parent of `split_hierarchical`, without
            header context; by default four times `chunk_size`.
        options: options of `chunkana_core.ChunkConfig`, except size, overlap and length function.
            The defaults are the same, except that `atomic_blocks` is "split", since embedding
            models truncate long texts.

    Raises:
        ValueError: for an invalid size or overlap, naming the argument, its value and the allowed
            values; for other options a ConfigurationError.
        TypeError: for an unknown argument.
        ImportError: if the extra that a format needs is not installed; for documents, before any is
            split, naming the first one.

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
        source_label: SourceLabel = None,
        introductions: bool = True,
        header_keys: bool = False,
        metadata: keys.MetadataKeys = "short",
        front_matter_keys: Sequence[str] = (),
        format: str = "auto",  # noqa: A002 -- as the core calls it
        fallback: str = "text",
        plugins: Iterable[BlockRule] = (),
        max_parent_size: int | None = None,
        **options: Any,
    ) -> None:
        require_known(options, splitter_arguments(), _OTHER_NAMES)
        require_count("chunk_size", chunk_size)
        require_count("chunk_overlap", chunk_overlap)
        sizes = (chunk_size, chunk_overlap, length_function)
        super().__init__(*sizes, keep_separator, add_start_index, strip_whitespace)
        require_choice("header_context", header_context, get_args(HeaderContext))
        require_label(source_label, header_context)
        require_choice("metadata", metadata, get_args(keys.MetadataKeys))
        require_keys(front_matter_keys)
        chunker = Chunker(self._config(options), plugins=plugins, fallback=fallback)
        chunker.chunk("", format)  # raises an error for an unknown or not installed format
        self._documents = DocumentChunker(
            chunker,
            self._mapping(max_parent_size, chunker.config.size_of, metadata, has_keys=header_keys),
            format,
            header_context,
            source_label,
            introductions,
            frozenset(front_matter_keys),
        )

    def _mapping(
        self,
        max_parent_size: int | None,
        length: Callable[[str], int],
        metadata: keys.MetadataKeys,
        *,
        has_keys: bool,
    ) -> MappingOptions:
        """Return the options of the conversion; `has_keys` adds "Header 1" to "Header 6"."""
        require_parent_size(max_parent_size, "chunk_size", self._chunk_size)
        return MappingOptions(
            self._chunk_size,
            length,
            max_parent_size or _PARENT_SIZE * self._chunk_size,
            has_overlap=self._chunk_overlap > 0,
            has_start_index=self._add_start_index,
            has_header_keys=has_keys,
            has_all_keys=metadata == "full",
            strips_whitespace=self._strip_whitespace,
        )

    def _config(self, options: dict[str, Any]) -> ChunkConfig:
        """Return the core's configuration, with the overlap subtracted from the chunk size."""
        room = self._chunk_size - self._chunk_overlap
        if self._chunk_overlap:
            room -= ChunkConfig(length_function=self._length_function).size_of("\n\n")
        if self._chunk_size < _MIN_CHUNK_SIZE:
            raise ConfigurationError("chunk_size", self._chunk_size, f"at least {_MIN_CHUNK_SIZE}")
        if room < _MIN_CHUNK_SIZE:
            most = f"at most {self._chunk_overlap - (_MIN_CHUNK_SIZE - room)} with this chunk_size"
            raise ConfigurationError("chunk_overlap", self._chunk_overlap, most)
        return ChunkConfig(
            max_chunk_size=room,
            overlap_size=self._chunk_overlap,
            length_function=self._length_function,
            **_DEFAULTS | options,
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
        """Return a splitter whose sizes are in tiktoken tokens.

        Text that looks like a special token is counted as text; the base class raises an error by
        default.
        """
        special = set[str]() if allowed_special is None else allowed_special
        return super().from_tiktoken_encoder(
            encoding_name, model_name, special, disallowed_special, **kwargs
        )

    def split_text(self, text: str) -> list[str]:
        """Return the page contents of the chunks that `create_documents` returns."""
        return [document.page_content for document in self.create_documents([text])]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Return the chunks of texts, with copies of the texts' metadata and Chunkana's keys.

        Raises:
            ConfigurationError: if a text is not a str, or if the numbers of texts and metadatas
                differ.
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
        """Return the chunks of documents; documents that are chunks already are split further."""
        return [leaf for mapper in self._mappers(documents) for leaf in mapper.leaves()]

    def split_hierarchical(self, documents: Iterable[Document]) -> HierarchicalDocuments:
        """Return the chunks of documents, and the parents by which retrieval may replace them."""
        mappers = list(self._mappers(documents))
        return HierarchicalDocuments(
            [leaf for mapper in mappers for leaf in mapper.leaves()],
            [parent for mapper in mappers for parent in mapper.parents()],
        )

    def check_files(self, documents: Iterable[Document]) -> None:
        """Raise an ImportError for the first document whose format needs a missing extra.

        Warn of files whose formats are not known, with their number.
        """
        form, fallback = self._documents.format, self._documents.chunker.fallback
        whole = (document.metadata for document in documents if not is_chunk(document))
        files = [SourceFile.of(metadata, form, fallback) for metadata in whole]
        require_installed(files)
        warn_of_unknown(files, fallback)

    def warn_of_label(self, documents: Sequence[Document]) -> None:
        """Warn of a source label that is not a metadata key of any document."""
        warn_of_label(documents, self._documents.source_label)

    def map_document(self, document: Document, key: str) -> DocumentMapper:
        """Chunk a document and return the mapper of its chunks; their ids depend on the key."""
        return self._documents.mapper(document, Origin.of(document, key))

    def describe(self, document: Document) -> str:
        """Return a description of all options that a document's chunks depend on."""
        return self._documents.describe(document)

    def _mappers(self, documents: Iterable[Document]) -> Iterator[DocumentMapper]:
        """Yield the mapper of each document; warn first of likely mistakes in the documents."""
        documents = require_documents(documents)
        self.check_files(documents)
        origins = list(map(Origin.of, documents, source_keys(documents)))
        own = keys.OWN - (frozenset() if self._documents.mapping.has_all_keys else keys.FULL)
        own |= set(keys.HEADERS if self._documents.mapping.has_header_keys else ())
        warn_of_clashes(own & set().union(*(origin.caller_keys for origin in origins)))
        warn_of_pieces(documents)
        self.warn_of_label(documents)
        return map(self._documents.mapper, documents, origins)
