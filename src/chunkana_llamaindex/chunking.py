"""Chunk documents, with the text that LlamaIndex embeds before each chunk counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode

from chunkana_core import Chunker, ConfigurationError, Context, HierarchicalChunkingResult
from chunkana_core.extending import SourceFile
from chunkana_llamaindex.nodes import SourceText
from chunkana_retrieval.adapting import label_of, warn_of


@dataclass(frozen=True, slots=True)
class DocumentChunker:
    """Chunks the documents of one run of a parser, and warns of some of them at its end.

    Attributes:
        chunker: the chunker of the core.
        format: the name of a format for all documents, "auto" for that of each file.
        has_context: whether chunks have contexts.
        source_label: the label of contexts, as in `ChunkanaNodeParser`.
        introductions: whether contexts include the section's first sentence.
        too_long: the ids of documents whose embedded metadata take over half of the limit.
        misnamed: the ids of documents that are not in the format of their file name.
    """

    chunker: Chunker
    format: str
    has_context: bool
    source_label: str | Callable[..., Any] | None
    introductions: bool
    too_long: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)

    def chunk(self, document: BaseNode, reserved: str = "") -> HierarchicalChunkingResult:
        """Return a document's chunks.

        Args:
            document: a Document, or a TextNode that contains a part of one.
            reserved: the text that is embedded before each chunk; its size counts unless it takes
                over half of the limit.
        """
        file, source = self.file(document), SourceText.of(document)
        context = self._context(document, file, source)
        form = "text" if source.is_inside_block else file.format
        chunk = partial(self.chunker.chunk_hierarchical, source.text, form, file.name)
        try:
            result = chunk(context=replace(context, reserved=reserved))
        except ConfigurationError:
            result = chunk(context=context)
            self.too_long.append(document.node_id)  # its reserved text is over half of the limit
        if result.format != form:
            self.misnamed.append(document.node_id)
        return result

    def _context(self, document: BaseNode, file: SourceFile, source: SourceText) -> Context:
        """Return the context options of a document; titles above its text follow the label."""
        if not self.has_context:
            return Context(breadcrumb=False, introduction=False)
        label = self.label(document)
        if source.path:
            above = Context(file.label if label is None else label)
            label = above.format_breadcrumb("", source.path)
        is_continued = document.metadata.get("continued_from_header") is True
        return Context(label, introduction=self.introductions and not is_continued)

    def file(self, document: BaseNode) -> SourceFile:
        """Return the source file of a document, with the format to parse it in."""
        return SourceFile.of(document.metadata, self.format, self.chunker.fallback)

    def label(self, document: BaseNode) -> str | None:
        """Return the label that `source_label` gives a document, None for its path."""
        return label_of(self.source_label, document, document.metadata)

    def fits(self, node: BaseNode) -> bool:
        """Return whether the embedded text of a node is within the limit."""
        config = self.chunker.config
        text = node.get_content(metadata_mode=MetadataMode.EMBED)
        return config.length_function(text) <= config.max_chunk_size

    def warn(self) -> None:
        """Warn of the documents that were chunked since the last warning."""
        limit = self.chunker.config.max_chunk_size
        warn_of(
            self.too_long,
            f"has embedded metadata that takes over half of max_chunk_size ({limit}): leaves are "
            "measured without it; see excluded_embed_metadata_keys",
        )
        warn_of(
            self.misnamed, "is not in the format of its file name, or too long for it: see `format`"
        )
        self.too_long.clear()
        self.misnamed.clear()
