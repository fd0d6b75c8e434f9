"""The LangChain text splitter, with exact offsets, header context and parents for merging."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, get_args

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunkana_core import (
    ChunkanaWarning,
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
    InputTypeError,
)
from chunkana_core.extending import (
    HEADED_FORMATS,
    BlockRule,
    SourceFile,
    derive_uuid,
    require_choice,
    require_each,
    require_installed,
    require_known_arguments,
    require_number,
    require_type,
)
from chunkana_langchain import keys
from chunkana_langchain.documents import DocumentMapper, MappingOptions
from chunkana_langchain.identity import source_keys
from chunkana_langchain.keys import is_chunk
from chunkana_langchain.origin import Origin
from chunkana_retrieval import adapting
from chunkana_retrieval.index import describe_chunker

HeaderContext = Literal["breadcrumb", "none"]
SourceLabel = str | Callable[[Document], str | None] | None

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


class HierarchicalDocuments(NamedTuple):
    """Leaves to index, and the parents by which retrieval may replace them.

    `parents` is for a `BaseStore`: `store.mset(parents)`. It contains the `chunkana_parent_id` of
    each leaf; that of a leaf without a parent is the leaf's own id.
    """

    leaves: list[Document]
    parents: list[tuple[str, Document]]


def splitter_arguments() -> set[str]:
    """Return the names of the splitter's arguments: its own and those of the core's options."""
    return {*adapting.names_of(ChunkanaSplitter)}.union(ChunkConfig().to_dict().keys() - _EXCLUDED)


class ChunkanaSplitter(TextSplitter):
    r"""A text splitter for documents of any format, with exact offsets and header context.

    The format of a document is determined by the path in its metadata `file_path`, `file_name`,
    `source` or `filename`, else by the media type in `file_type`, `mime_type` or `content_type`.
    Other files are plain text, with a warning that counts them; documents without a path, web
    pages, and files that loaders convert, such as PDF, are Markdown.

    A chunk that fits is returned as it is. Of one that does not fit, the exact text is split: the
    parts have its header path before their own, and offsets and lines in the source.

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
        require_known_arguments(options, splitter_arguments(), _OTHER_NAMES)
        require_number("chunk_size", chunk_size, kind=int)
        require_number("chunk_overlap", chunk_overlap, kind=int)
        sizes = (chunk_size, chunk_overlap, length_function)
        super().__init__(*sizes, keep_separator, add_start_index, strip_whitespace)
        require_choice("header_context", header_context, get_args(HeaderContext))
        _require_label(source_label, header_context)
        require_choice("metadata", metadata, get_args(keys.MetadataKeys))
        _require_keys(front_matter_keys)
        adapting.require_parent_size(max_parent_size, "chunk_size", chunk_size)
        self._chunker = Chunker(self._config(options), plugins=plugins, fallback=fallback)
        self._chunker.chunk("", format)  # raises an error for an unknown or not installed format
        self._options = self._mapping_options(
            max_parent_size, has_header_keys=header_keys, has_all_keys=metadata == "full"
        )
        self._format, self._source_label = format, source_label
        self._has_context, self._introductions = header_context == "breadcrumb", introductions
        self._front_matter_keys = tuple(front_matter_keys)

    def _mapping_options(
        self, max_parent_size: int | None, *, has_header_keys: bool, has_all_keys: bool
    ) -> MappingOptions:
        return MappingOptions(
            self._chunk_size,
            self._chunker.config.size_of,
            max_parent_size or _PARENT_SIZE * self._chunk_size,
            has_overlap=self._chunk_overlap > 0,
            has_start_index=self._add_start_index,
            has_header_keys=has_header_keys,
            has_all_keys=has_all_keys,
            strips_whitespace=self._strip_whitespace,
        )

    def _config(self, options: dict[str, Any]) -> ChunkConfig:
        """Return the core's configuration, with the overlap subtracted from the chunk size."""
        content_size = self._chunk_size - self._chunk_overlap
        if self._chunk_overlap:
            content_size -= ChunkConfig(length_function=self._length_function).size_of("\n\n")
        if self._chunk_size < _MIN_CHUNK_SIZE:
            raise ConfigurationError("chunk_size", self._chunk_size, f"at least {_MIN_CHUNK_SIZE}")
        if content_size < _MIN_CHUNK_SIZE:
            most = self._chunk_overlap - (_MIN_CHUNK_SIZE - content_size)
            allowed = f"at most {most} with this chunk_size"
            raise ConfigurationError("chunk_overlap", self._chunk_overlap, allowed)
        return ChunkConfig(
            max_chunk_size=content_size,
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
        """Return the chunks of documents.

        A document that is a chunk already is returned as it is if it fits, otherwise the exact text
        in it is split: the chunks have offsets and lines in the source, and paths below that of the
        chunk.
        """
        found: list[Document] = []
        for document, origin in self._origins(documents):
            fitting = self._copy_if_it_fits(document, origin)
            found += [fitting] if fitting else self._mapper(document, origin).leaves()
        return found

    def split_hierarchical(self, documents: Iterable[Document]) -> HierarchicalDocuments:
        """Return the chunks of documents, and the parents by which retrieval may replace them.

        A chunk that fits is a leaf without a parent.
        """
        found = HierarchicalDocuments([], [])
        for document, origin in self._origins(documents):
            if fitting := self._copy_if_it_fits(document, origin):
                fitting.metadata |= {keys.PARENT_ID: fitting.id, keys.CHILD_COUNT: 0}
                found.leaves.append(fitting)
                found.parents.append((str(fitting.id), fitting.model_copy(deep=True)))
            else:
                mapper = self._mapper(document, origin)
                found.leaves.extend(mapper.leaves())
                found.parents.extend(mapper.parents())
        return found

    def check_documents(self, documents: Sequence[Document]) -> None:
        """Raise an ImportError for the first document whose format needs a missing extra.

        Warn of files whose formats are not known, with their number, and of likely mistakes.
        """
        whole = [one for one in documents if not is_chunk(one.metadata)]
        fallback = self._chunker.fallback
        files = [SourceFile.of(one.metadata, self._format, fallback) for one in whole]
        require_installed(files)
        adapting.warn_of_unknown(files, fallback)
        if part := next(filter(is_of_other_splitter, documents), None):
            adapting.warn(
                f"{part.metadata.get('source', 'a document')!r} has the `start_index` of another "
                "splitter: lines and offsets are counted in this piece, not in its source; split "
                "whole documents, as a loader returns them"
            )
        label = self._source_label
        known = set[str]().union(*(document.metadata for document in documents))
        if label and isinstance(label, str) and documents and label not in known:
            adapting.warn(
                f"source_label is {label!r}, a key that no document's metadata have, so labels are "
                f"the documents' paths; the keys are: {', '.join(sorted(known)) or 'none'}"
            )

    def map_document(self, document: Document, key: str) -> DocumentMapper:
        """Chunk a document and return the mapper of its chunks; their ids depend on the key."""
        return self._mapper(document, Origin.of(document, key))

    def describe(self, document: Document) -> str:
        """Return a description of what chunks depend on besides the text and its metadata."""
        return f"{self._label(document)!r} {self.description}"

    @cached_property
    def description(self) -> str:
        """The options as JSON."""
        own = {
            "has_context": self._has_context,
            "format": self._format,
            "introductions": self._introductions,
            "front_matter_keys": sorted(self._front_matter_keys),
            "has_all_keys": self._options.has_all_keys,
            "max_parent_size": self._options.max_parent_size,
            "strip_whitespace": self._options.strips_whitespace,
        }
        return describe_chunker(self._chunker) + json.dumps(own)

    def _origins(self, documents: Iterable[Document]) -> Iterator[tuple[Document, Origin]]:
        """Return documents with their texts to split; warn first of likely mistakes in them."""
        documents = require_documents(documents)
        self.check_documents(documents)
        origins = [*map(Origin.of, documents, source_keys(documents))]
        adapting.warn_of_clashes(
            self._options.metadata_names(), (one.callers_keys for one in origins)
        )
        return zip(documents, origins, strict=True)

    def _copy_if_it_fits(self, document: Document, origin: Origin) -> Document | None:
        """Return a copy of a chunk that fits, None for any other document.

        Its id is that of the chunk, but another one if the chunk is given again.
        """
        text = document.page_content
        if not origin.chunk_format or self._options.length(text) > self._chunk_size:
            return None
        name = document.id if document.id == origin.key else derive_uuid(origin.key, "")
        return Document(page_content=text, metadata=keys.copied(document.metadata), id=name)

    def _mapper(self, document: Document, origin: Origin) -> DocumentMapper:
        """Chunk a document and return the mapper of its chunks; warn if its format is not valid."""
        form = origin.chunk_format or self._format
        file = SourceFile.of(document.metadata, form, self._chunker.fallback)
        given = self._label(document)
        label = file.label if given is None else given
        context = self._context(origin, label)
        result = self._chunker.chunk_hierarchical(origin.text, file.format, context=context)
        if not origin.chunk_format and result.format != file.format:
            actual = "Markdown" if result.format == "markdown" else "plain text"
            name = f"{file.name or 'a document'} is not valid {file.format}"
            adapting.warn(ChunkanaWarning(f"{name}, or too long for it, and chunked as {actual}"))
        if self._front_matter_keys:
            values = result.front_matter
            copied = {name: values[name] for name in self._front_matter_keys if name in values}
            origin = replace(origin, metadata=copied | origin.metadata)
        title = "" if (origin.chunk_format or result.format) in HEADED_FORMATS else label
        return DocumentMapper.of(result, origin, self._options, context, title)

    def _context(self, origin: Origin, label: str) -> Context | None:
        """Return the options of contexts; above a chunk its title and headings are the label."""
        if not self._has_context:
            return None
        introduction = self._introductions and not origin.is_continued
        above = Context(label).format_breadcrumb(origin.title, origin.above)
        return Context(above, introduction=introduction)

    def _label(self, document: Document) -> str | None:
        return adapting.label_of(self._source_label, document, document.metadata)


def to_documents(
    result: HierarchicalChunkingResult,
    document_metadata: Mapping[str, Any] | None = None,
    *,
    metadata: keys.MetadataKeys = "short",
) -> list[Document]:
    r"""Return the chunks to index of a result of the core as LangChain documents.

    Args:
        result: the core's result for a document; the page contents are the chunks' `embedded`.
        document_metadata: the metadata of the document, which are copied to each chunk.
        metadata: the keys to add, "short" or "full", as for `ChunkanaSplitter`.

    >>> from chunkana_core import chunk_hierarchical
    >>> [d.page_content for d in to_documents(chunk_hierarchical("# A\n\nText.\n"))]
    ['# A\n\nText.']
    """
    require_choice("metadata", metadata, get_args(keys.MetadataKeys))
    whole = Document(page_content=result.text, metadata=dict(document_metadata or {}))
    origin = Origin.of(whole, *source_keys([whole]))
    label = "" if result.format in HEADED_FORMATS else SourceFile.of(whole.metadata).label
    options = MappingOptions(result.max_chunk_size, has_all_keys=metadata == "full")
    return [*DocumentMapper.of(result, origin, options, label=label).leaves()]


def require_documents(documents: Iterable[Document]) -> list[Document]:
    """Return documents as a list; raise an InputTypeError for another type."""
    given: object = documents
    shown = repr(str(given)) if isinstance(given, str | PurePath) else "…"
    sources = (
        f"TextLoader({shown}).load() of a file, "
        f"DirectoryLoader({shown}, loader_cls=TextLoader).load() of a folder"
    )
    example = 'TextLoader("README.md").load(), or Document("# Text")'
    return adapting.require_documents(documents, Document, sources, example)


def is_of_other_splitter(document: Document) -> bool:
    """Return whether a document's metadata are those of a piece from another splitter."""
    return keys.START_INDEX in document.metadata and not is_chunk(document.metadata)


def _require_label(source_label: object, header_context: str) -> None:
    """Raise an error for a source label of another type, or one without breadcrumbs."""
    if source_label is not None and header_context != "breadcrumb":
        allowed = 'None unless header_context="breadcrumb"'
        raise ConfigurationError("source_label", source_label, allowed)
    if not callable(source_label):
        allowed = "None, a key of metadata or a callable"
        require_type("source_label", source_label, str | None, allowed)


def _require_keys(front_matter_keys: Sequence[str]) -> None:
    """Raise an error unless the keys are a list of str without Chunkana's own metadata keys."""
    require_each("front_matter_keys", front_matter_keys, str, "a list or tuple of str")
    if not keys.OWN.isdisjoint(front_matter_keys):
        allowed = f"any but {', '.join(sorted(keys.OWN))}"
        raise ConfigurationError("front_matter_keys", front_matter_keys, allowed)
