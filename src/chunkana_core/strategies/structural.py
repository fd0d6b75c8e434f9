"""The strategy for documents with a heading structure."""

from __future__ import annotations

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.config import ChunkConfig
from chunkana_core.strategies.base import BaseStrategy


class StructuralStrategy(BaseStrategy):
    """Keep a section with its own text."""

    name = "structural"
    priority = 2

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle documents with enough headings of more than one level."""
        return analysis.header_count >= config.structure_threshold and analysis.max_header_depth > 1
