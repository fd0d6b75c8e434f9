"""The strategy for everything else."""

from __future__ import annotations

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.config import ChunkConfig
from chunkana_core.strategies.base import BaseStrategy


class FallbackStrategy(BaseStrategy):
    """Fill chunks with paragraphs, then sentences, then words."""

    name = "fallback"
    priority = 3

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        """Handle any document."""
        return True
