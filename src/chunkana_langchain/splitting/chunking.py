"""Chunking of LangChain documents, apart from LangChain's splitter class."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version

from langchain_core.documents import Document

from chunkana_core import Chunker, Context, HierarchicalChunkingResult, Span
from chunkana_core.extending import SourceFile
from chunkana_langchain.splitting.mapping import DocumentMapper
from chunkana_langchain.splitting.options import (
    HeaderContext,
    MappingOptions,
    SourceLabel,
    describe_rule,
    label_of,
    warn_of_misnamed,
)
from chunkana_langchain.splitting.origin import Origin
from chunkana_langchain.splitting.outline import MARKDOWN, TITLED

_JSON, _NOTEBOOK = "json", "notebook"
# A text for which different length functions most likely return different sizes.
_PROBE = "Tokens of `user_id`, 1,250 items\n\n|---|\tétude 日本語"


@cache
def _installed_version() -> str:
    return version("chunkana-rag")


@dataclass(frozen=True, slots=True)
class DocumentChunker:
    """A chunker of LangChain documents; for the other attributes see `ChunkanaSplitter`.

    Attributes:
        chunker: the core's chunker.
        mapping: the options of the conversion of chunks to documents.
    """

    chunker: Chunker
    mapping: MappingOptions
    format: str
    header_context: HeaderContext
    source_label: SourceLabel
    introductions: bool
    front_matter_keys: frozenset[str]

    def mapper(self, document: Document, origin: Origin) -> DocumentMapper:
        """Chunk a document and return the mapper of its chunks; warn if its format is not valid."""
        # A chunk of a notebook is not a notebook itself.
        form = MARKDOWN if origin.format == _NOTEBOOK else origin.format
        file = SourceFile.of(document.metadata, form or self.format, self.chunker.fallback)
        given = self._label(document)
        label = file.label if given is None else given
        result, context = self._chunk(origin, file.format, label)
        if not origin.format and result.format != file.format:
            warn_of_misnamed(file, result.format)
        if result.format == _NOTEBOOK:  # the chunked text consists of the cells, not of the JSON
            whole = Span(0, len(result.text))
            origin = replace(origin, text=result.text, source_part=whole)
        if self.front_matter_keys:
            values = result.front_matter.items()
            copied = {name: value for name, value in values if name in self.front_matter_keys}
            origin = replace(origin, metadata=copied | origin.metadata)
        is_titled = (origin.format or result.format) in TITLED
        return DocumentMapper.of(result, origin, self.mapping, context, "" if is_titled else label)

    def _chunk(
        self, origin: Origin, format_name: str, label: str
    ) -> tuple[HierarchicalChunkingResult, Context | None]:
        """Return the chunks of a text and the options of their contexts, None for no contexts."""
        context = None
        if self.header_context == "breadcrumb":
            # When a chunk is split further, its title and the headings above it become the label.
            above = tuple([heading.title for heading in origin.above])
            context = Context(
                Context(label).format_breadcrumb(origin.title, above),
                # The header path found in a part of a JSON text is not its path in the whole text.
                breadcrumb=origin.format != _JSON,
                introduction=self.introductions and not origin.is_continued,
            )
        chunk = self.chunker.chunk_hierarchical
        return chunk(origin.text, format_name, context=context), context

    def _label(self, document: Document) -> str | None:
        return label_of(document, self.source_label)

    def describe(self, document: Document) -> str:
        """Return a description of all that a document's chunks depend on except text and metadata.

        The length function is described by its name and by its result for a sample text.
        """
        length = self.chunker.config.length_function
        names = [getattr(length, name, "") for name in ("__module__", "__qualname__")]
        described = {
            "version": _installed_version(),
            "config": self.chunker.config.to_dict(),
            "length_function": [*names, length(_PROBE)],
            "header_context": self.header_context,
            "label": self._label(document),
            "format": self.format,
            "fallback": self.chunker.fallback,
            "introductions": self.introductions,
            "front_matter_keys": sorted(self.front_matter_keys),
            "has_all_keys": self.mapping.has_all_keys,
            "max_parent_size": self.mapping.max_parent_size,
            "strip_whitespace": self.mapping.strips_whitespace,
            "plugins": [*map(describe_rule, self.chunker.plugins)],
        }
        return json.dumps(described, sort_keys=True)
