"""Chunk documents, and reserve room for the metadata that LlamaIndex embeds with each chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.schema import BaseNode

from chunkana_core import Chunker, ConfigurationError, Context, HierarchicalChunkingResult
from chunkana_core.extending import SourceFile
from chunkana_llamaindex.parsing.checks import warn_of_long_metadata, warn_of_misnamed
from chunkana_llamaindex.parsing.metadata import is_continued
from chunkana_llamaindex.parsing.node_template import NodeTemplate
from chunkana_llamaindex.parsing.origin import text_of


@dataclass(frozen=True, slots=True)
class DocumentChunker:
    """Chunks documents; the other attributes are options of `ChunkanaNodeParser`.

    Attributes:
        chunker: the chunker of the core.
        has_context: whether chunks have contexts.
    """

    chunker: Chunker
    format: str
    has_context: bool
    source_label: str | Callable[..., Any] | None
    introductions: bool
    front_matter_keys: tuple[str, ...]

    def chunk_with_template(
        self, document: BaseNode, template: NodeTemplate
    ) -> tuple[HierarchicalChunkingResult, bool]:
        """Return a document's chunks, and whether their sizes include the document's metadata."""
        for context, is_counted in self._candidate_contexts(document, template):
            with suppress(ConfigurationError):  # the reserved text takes over half of the limit
                return self._chunk_in_context(document, context), is_counted
        return self._chunk_in_context(document, None), False

    def chunk(self, document: BaseNode, reserved: str = "") -> HierarchicalChunkingResult:
        """Return a document's chunks, with the size of a reserved text included.

        Args:
            document: a Document, or a TextNode that contains a part of one.
            reserved: the text that is embedded before each chunk; if it takes over half of the
                limit, a warning is emitted and its size is not included.
        """
        context = self._context(document, has_context=self.has_context)
        try:
            result = self._chunk_in_context(document, replace(context, reserved=reserved))
        except ConfigurationError:  # the reserved text takes over half of the limit
            warn_of_long_metadata([document.node_id], self.chunker.config.max_chunk_size)
            result = self._chunk_in_context(document, context)
        is_misnamed = result.format != self.file(document).format
        warn_of_misnamed([document.node_id] if is_misnamed else [])
        return result

    def file(self, document: BaseNode) -> SourceFile:
        """Return the source file of a document, with the format to parse it in."""
        return SourceFile.of(document.metadata, self.format, self.chunker.fallback)

    def passage_label(self, document: BaseNode, result: HierarchicalChunkingResult) -> str:
        """Return the label of a document's passages, "" if the format has headings."""
        title, label = SourceFile.of(document.metadata, result.format).title, self._label(document)
        return title if label is None else title and label

    def front_matter(self, result: HierarchicalChunkingResult) -> dict[str, object]:
        """Return the values of a document's front matter for `front_matter_keys`."""
        items = result.front_matter.items()
        return {key: value for key, value in items if key in self.front_matter_keys}

    def _chunk_in_context(
        self, document: BaseNode, context: Context | None
    ) -> HierarchicalChunkingResult:
        file, chunk = self.file(document), self.chunker.chunk_hierarchical
        return chunk(text_of(document), file.format, file.name, context=context)

    def _context(self, document: BaseNode, *, has_context: bool) -> Context:
        """Return the context options of a document."""
        if not has_context:
            return Context(breadcrumb=False, introduction=False)
        introduction = self.introductions and not is_continued(document)
        return Context(self._label(document), introduction=introduction)

    def _candidate_contexts(
        self, document: BaseNode, template: NodeTemplate
    ) -> Iterator[tuple[Context, bool]]:
        """Yield context options to try, each with whether it includes the document's metadata."""
        full = self._context(document, has_context=template.header_context != "none")
        empty = self._context(document, has_context=False)
        yield replace(full, reserved=template.reserved_text()), True
        yield replace(empty, reserved=template.reserved_text(with_context=False)), True
        yield replace(full, reserved=template.without_document_metadata().reserved_text()), False

    def _label(self, document: BaseNode) -> str | None:
        """Return the label that `source_label` gives a document, None for its path."""
        if callable(self.source_label):
            returned: str | None = self.source_label(document)
            return returned
        if not self.source_label:
            return self.source_label
        label = document.metadata.get(self.source_label)
        return None if label is None else str(label)
