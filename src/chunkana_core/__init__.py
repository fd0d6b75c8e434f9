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
from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import Section, SectionRange
from chunkana_core.document.paths import (
    SectionPath,
    find_common_prefix,
    format_header_path,
    is_parent_child,
    is_sibling,
    merge_sections,
    split_header_path,
)
from chunkana_core.document.traits import FormatTraits, Merging
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.strategies import (
    BaseStrategy,
    StrategySelector,
)
from chunkana_core.errors import (
    ChunkanaError,
    ConfigurationError,
    FormatError,
    FormatWarning,
    InputTypeError,
    InvariantViolationError,
    InvariantWarning,
    StrategyError,
)
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.table import Format, format_names, format_of, parse_document
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.builder import HierarchyBuilder
from chunkana_core.tree.chunks import Chunk, ChunkLevel, Links
from chunkana_core.tree.merge_tree import MergeNode, MergeTree
from chunkana_core.tree.result import HierarchicalChunkingResult, TocEntry
from chunkana_core.violations import ValidationResult, Violation

__all__ = [
    "BaseStrategy", "Block", "BlockKind", "BlockRule", "Chunk", "ChunkConfig", "ChunkLevel",
    "ChunkanaError", "Chunker", "ConfigurationError", "ContentAnalysis", "Context", "Document",
    "Draft", "Format", "FormatError", "FormatTraits", "FormatWarning", "HierarchicalChunkingResult",
    "HierarchyBuilder", "InputTypeError", "InvariantValidator", "InvariantViolationError",
    "InvariantWarning", "Links", "MarkdownChunker", "MergeNode", "MergeTree", "Merging", "Section",
    "SectionPath", "SectionRange", "Source", "Span", "StrategyError", "StrategySelector",
    "TocEntry", "ValidationResult", "Violation",
    "analyze_markdown", "chunk_file", "chunk_hierarchical", "chunk_markdown",
    "find_common_prefix", "format_header_path", "format_names", "format_of", "is_parent_child",
    "is_sibling", "merge_sections", "parse_document", "parse_markdown", "split_header_path",
    "validate_content_coverage", "validate_no_dangling_headers", "validate_tree",
]  # fmt: skip
