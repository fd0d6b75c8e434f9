"""Documents chunked by the core, with what LlamaIndex embeds besides counted as far as it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.schema import BaseNode

from chunkana_core import Chunker, ConfigurationError, Context, HierarchicalChunkingResult
from chunkana_llamaindex.parsing.checks import warn_of_long_metadata, warn_of_misnamed
from chunkana_llamaindex.parsing.metadata import is_continued
from chunkana_llamaindex.parsing.node_template import NodeTemplate
from chunkana_llamaindex.parsing.origin import text_of
from chunkana_retrieval import SourceFile


@dataclass(frozen=True, slots=True)
class DocumentChunker:
    """Chunks documents; all but the chunker are options of `ChunkanaNodeParser`.

    Attributes:
        chunker: the core's.
        has_context: whether chunks have contexts.
    """

    chunker: Chunker
    format: str
    has_context: bool
    source_label: str | Callable[..., Any] | None
    introductions: bool
    front_matter_keys: tuple[str, ...]

    def chunk_below(
        self, document: BaseNode, template: NodeTemplate
    ) -> tuple[HierarchicalChunkingResult, bool]:
        """Return a document's chunks, and whether its own metadata is counted with them."""
        for context, is_counted in self._contexts(document, template):
            with suppress(ConfigurationError):  # it reserves more than half of the limit
                return self._chunked(document, context), is_counted
        return self._chunked(document, None), False

    def chunk(self, document: BaseNode, reserved: str = "") -> HierarchicalChunkingResult:
        """Return the core's chunks of a document, as they are embedded without its metadata.

        Args:
            document: a Document, or a TextNode that is a part of one.
            reserved: what is embedded before each chunk besides; measured, unless it takes over
                half of the limit.
        """
        context = self._context(document, has_context=self.has_context)
        try:
            result = self._chunked(document, replace(context, reserved=reserved))
        except ConfigurationError:  # it reserves more than half of the limit
            warn_of_long_metadata([document.node_id], self.chunker.config.max_chunk_size)
            result = self._chunked(document, context)
        is_misnamed = result.format != self.file(document).format
        warn_of_misnamed([document.node_id] if is_misnamed else [])
        return result

    def file(self, document: BaseNode) -> SourceFile:
        """Return the file that a document is from, in the format in which it is chunked."""
        return SourceFile.of(document.metadata, self.format)

    def passage_label(self, document: BaseNode, result: HierarchicalChunkingResult) -> str:
        """Return what names a document above its passages, where it has no headings; else ""."""
        title = SourceFile.of(document.metadata, result.format).title
        return title and (self._label(document) or title)

    def front_matter(self, result: HierarchicalChunkingResult) -> dict[str, object]:
        """Return what a document's front matter says under the keys that are asked for."""
        named = result.front_matter.items()
        return {name: value for name, value in named if name in self.front_matter_keys}

    def _chunked(self, document: BaseNode, context: Context | None) -> HierarchicalChunkingResult:
        file, chunk = self.file(document), self.chunker.chunk_hierarchical
        return chunk(text_of(document), file.format, file.label, context=context)

    def _context(self, document: BaseNode, *, has_context: bool) -> Context:
        """Return what is embedded before the leaves of a document."""
        if not has_context:
            return Context(breadcrumb=False, introduction=False)
        introduction = self.introductions and not is_continued(document)
        return Context(self._label(document), introduction=introduction)

    def _contexts(
        self, document: BaseNode, template: NodeTemplate
    ) -> Iterator[tuple[Context, bool]]:
        """Yield contexts to try, each with whether it counts the document's own metadata."""
        full = self._context(document, has_context=template.header_context != "none")
        nothing = self._context(document, has_context=False)
        yield replace(full, reserved=template.reserved()), True
        yield replace(nothing, reserved=template.reserved(with_context=False)), True
        yield replace(full, reserved=template.without_document_metadata().reserved()), False

    def _label(self, document: BaseNode) -> str:
        """Return what names the source of a document, "" for nothing."""
        if callable(self.source_label):
            named: str = self.source_label(document)
            return named
        label = document.metadata.get(self.source_label) if self.source_label else None
        return "" if label is None else str(label)
