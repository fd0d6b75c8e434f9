"""Exact Markdown chunks for retrieval, and their hierarchy."""

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.blocks import Block, BlockKind
from chunkana_core.chunker import (
    MarkdownChunker,
    analyze_markdown,
    chunk_file,
    chunk_hierarchical,
    chunk_markdown,
)
from chunkana_core.chunks import Chunk, ChunkLevel, Links, ValidationResult
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.errors import (
    ChunkanaError,
    ConfigurationError,
    InputTypeError,
    InvariantViolationError,
    InvariantWarning,
    StrategyError,
    WorkerError,
)
from chunkana_core.evidence import share_evidence
from chunkana_core.explanation import Alternative, Cut, Explanation, Step
from chunkana_core.hierarchy import HierarchyBuilder
from chunkana_core.introductions import Introductions
from chunkana_core.labels import SourceLabel, label_of
from chunkana_core.many import Outcome, chunk_many
from chunkana_core.merge_tree import MergeNode, MergeTree
from chunkana_core.outline import (
    Section,
    SectionPath,
    find_common_prefix,
    is_parent_child,
    is_sibling,
    merge_sections,
)
from chunkana_core.result import HierarchicalChunkingResult, TocEntry
from chunkana_core.source import Source, Span
from chunkana_core.strategies import (
    BaseStrategy,
    CodeAwareStrategy,
    FallbackStrategy,
    StrategySelector,
    StructuralStrategy,
)
from chunkana_core.validation import (
    InvariantValidator,
    validate_content_coverage,
    validate_no_dangling_headers,
    validate_tree,
)

__all__ = [
    "Alternative", "BaseStrategy", "Block", "BlockKind", "Chunk", "ChunkConfig", "ChunkLevel",
    "ChunkanaError", "CodeAwareStrategy", "ConfigurationError", "ContentAnalysis", "Cut",
    "Document", "Draft", "Explanation", "FallbackStrategy", "HierarchicalChunkingResult",
    "HierarchyBuilder", "InputTypeError", "Introductions", "InvariantValidator",
    "InvariantViolationError", "InvariantWarning", "Links", "MarkdownChunker", "MergeNode",
    "MergeTree", "Outcome", "Section", "SectionPath", "Source", "SourceLabel", "Span", "Step",
    "StrategyError", "StrategySelector", "StructuralStrategy", "TocEntry", "ValidationResult",
    "WorkerError", "analyze_markdown", "chunk_file", "chunk_hierarchical", "chunk_many",
    "chunk_markdown", "find_common_prefix", "is_parent_child", "is_sibling", "label_of",
    "merge_sections", "share_evidence", "validate_content_coverage",
    "validate_no_dangling_headers", "validate_tree",
]  # fmt: skip
