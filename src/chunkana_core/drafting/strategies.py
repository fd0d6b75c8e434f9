"""Strategies: the documents each handles, its drafts, and the blocks it keeps together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from chunkana_core.arguments import require_each
from chunkana_core.config import AUTO, ChunkConfig
from chunkana_core.document.analysis import ContentAnalysis
from chunkana_core.document.blocks import TRAITS, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.drafting import costs
from chunkana_core.drafting.drafts import Draft, require_tiling, section_drafts
from chunkana_core.errors import ConfigurationError

_PARAGRAPH = {BlockKind.PARAGRAPH}
_ATOMS_AND_PARAGRAPH = {kind for kind in BlockKind if TRAITS[kind].oversize_reason} | _PARAGRAPH


class BaseStrategy(ABC):
    """A chunking strategy; subclass it and register an instance with the chunker.

    Attributes:
        name: its name in `ChunkConfig.strategy` and in the metadata of chunks.
        priority: with "auto", strategies are tried by priority, from the lowest number.
    """

    name: ClassVar[str]
    priority: ClassVar[int]

    @abstractmethod
    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Return whether the strategy suits a document."""

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        """Return the initial drafts, which tile the document: by default its sections."""
        return section_drafts(document)

    def minimum_draft_size(self, config: ChunkConfig) -> int:
        """Return the size under which drafts are merged, by default `min_chunk_size`."""
        return config.min_chunk

    def extra_cut_cost(self, before: BlockKind, after: BlockKind) -> int:  # noqa: ARG002
        """Return the extra cost of a cut between two neighbouring blocks, by default 0."""
        return 0


class CodeAwareStrategy(BaseStrategy):
    """Keep atoms with the paragraphs that explain them, and code with the output after it."""

    name = "code_aware"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle documents with enough code, or any code block or table."""
        has_atoms = bool(analysis.code_block_count or analysis.table_count)
        return has_atoms or analysis.code_ratio >= config.code_threshold

    def extra_cut_cost(self, before: BlockKind, after: BlockKind) -> int:
        """Return an extra cost for a cut between an atom and a neighbouring atom or paragraph."""
        kinds = {before, after}
        is_explained = kinds <= _ATOMS_AND_PARAGRAPH and kinds != _PARAGRAPH
        return costs.EXPLAINED_ATOM if is_explained else 0


class StructuralStrategy(BaseStrategy):
    """Keep the own text of each section together."""

    name = "structural"
    priority = 2

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle documents with enough headings of more than one level."""
        return analysis.header_count >= config.structure_threshold and analysis.max_header_depth > 1


class FallbackStrategy(BaseStrategy):
    """Fill chunks with whole sections, across deeper headings; larger sections are split."""

    name = "fallback"
    priority = 3

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        """Handle any document."""
        return True

    def minimum_draft_size(self, config: ChunkConfig) -> int:
        """Return the limit, so that drafts of any size are merged if they fit together."""
        return config.max_chunk_size


@dataclass(frozen=True, slots=True)
class StrategySelector:
    """Selects the strategy of the configured name or, with "auto", the first suitable one.

    Attributes:
        registered: the user's strategies; they replace built-in ones of the same name.
    """

    registered: tuple[BaseStrategy, ...] = ()

    def __post_init__(self) -> None:
        """Check that all registered objects are strategies."""
        require_each("strategies", self.registered, BaseStrategy)

    def get_available_strategies(self) -> tuple[BaseStrategy, ...]:
        """Return all strategies in the order of their priority."""
        built_in = CodeAwareStrategy(), StructuralStrategy(), FallbackStrategy()
        by_name = {strategy.name: strategy for strategy in (*built_in, *self.registered)}
        return tuple(sorted(by_name.values(), key=lambda strategy: strategy.priority))

    def select(self, analysis: ContentAnalysis, config: ChunkConfig) -> BaseStrategy:
        """Return the strategy for a document.

        Raises:
            ConfigurationError: if no strategy has the configured name, or with "auto" none
                suits the document.
        """
        available = self.get_available_strategies()
        for strategy in available:
            is_suitable = config.strategy == AUTO and strategy.can_handle(analysis, config)
            if is_suitable or config.strategy == strategy.name:
                return strategy
        names = ", ".join([AUTO, *(strategy.name for strategy in available)])
        raise ConfigurationError("strategy", config.strategy, names)


def make_drafts(document: Document, strategy: BaseStrategy, config: ChunkConfig) -> list[Draft]:
    """Return the drafts of a document by a strategy.

    Raises:
        ExtensionError: if they do not tile the document.
    """
    drafts = strategy.apply(document, config)
    require_tiling(drafts, document, strategy.name)
    return drafts
