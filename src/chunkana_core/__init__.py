"""Exact chunks of Markdown and other texts for retrieval, and their hierarchy."""

from chunkana_core.checking.trees import validate_tree
from chunkana_core.checking.validation import (
    InvariantValidator,
    validate_content_coverage,
    validate_no_dangling_headers,
)
from chunkana_core.chunker import (
    Chunker,
    MarkdownChunker,
    analyze_markdown,
    chunk_file,
    chunk_hierarchical,
    chunk_markdown,
)
from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import Context
from chunkana_core.document.analysis import ContentAnalysis
from chunkana_core.document.location import TocEntry
from chunkana_core.document.paths import (
    SectionPath,
    find_common_prefix,
    is_parent_child,
    merge_sections,
)
from chunkana_core.errors import (
    ChunkanaError,
    ChunkanaWarning,
    ConfigurationError,
    InputTypeError,
    InvariantViolationError,
)
from chunkana_core.formats.registry import format_names, format_of
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.builder import HierarchyBuilder
from chunkana_core.tree.chunks import Chunk, ChunkLevel, Links
from chunkana_core.tree.merge_tree import MergeNode, MergeTree
from chunkana_core.tree.result import HierarchicalChunkingResult
from chunkana_core.violations import ValidationResult, Violation

__all__ = [
    "Chunk", "ChunkConfig", "ChunkLevel", "ChunkanaError", "ChunkanaWarning", "Chunker",
    "ConfigurationError", "ContentAnalysis", "Context", "HierarchicalChunkingResult",
    "HierarchyBuilder", "InputTypeError", "InvariantValidator", "InvariantViolationError", "Links",
    "MarkdownChunker", "MergeNode", "MergeTree", "SectionPath", "Source", "Span", "TocEntry",
    "ValidationResult", "Violation", "analyze_markdown", "chunk_file", "chunk_hierarchical",
    "chunk_markdown", "find_common_prefix", "format_names", "format_of", "is_parent_child",
    "merge_sections", "validate_content_coverage", "validate_no_dangling_headers", "validate_tree",
]  # fmt: skip
