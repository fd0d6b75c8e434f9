"""The strategy for documents with code or tables."""

from __future__ import annotations

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.blocks import TRAITS, BlockKind
from chunkana_core.config import ChunkConfig
from chunkana_core.strategies.base import BaseStrategy

_AROUND_ATOM = 4


class CodeAwareStrategy(BaseStrategy):
    """Bind an atom to the paragraphs that explain it, and code to the output that follows."""

    name = "code_aware"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle documents with enough code, or any code block or table."""
        has_atoms = bool(analysis.code_block_count or analysis.table_count)
        return has_atoms or analysis.code_ratio >= config.code_threshold

    def binding(self, before: BlockKind, after: BlockKind) -> int:
        """Make it dearer to part an atom from its neighbours."""
        is_atom = [TRAITS[kind].oversize_reason is not None for kind in (before, after)]
        explains = BlockKind.PARAGRAPH in (before, after) and any(is_atom)
        return _AROUND_ATOM if explains or all(is_atom) else 0
