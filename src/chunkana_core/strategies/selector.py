"""Which strategy chunks a document."""

from __future__ import annotations

from dataclasses import dataclass

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.config import AUTO, ChunkConfig
from chunkana_core.errors import ConfigurationError, require_type
from chunkana_core.strategies.base import BaseStrategy
from chunkana_core.strategies.code_aware import CodeAwareStrategy
from chunkana_core.strategies.fallback import FallbackStrategy
from chunkana_core.strategies.structural import StructuralStrategy


@dataclass(frozen=True, slots=True)
class StrategySelector:
    """Selects by the configured name or, with "auto", the first that handles the document.

    Attributes:
        registered: strategies of the user's own; one replaces a built-in one of its name.
    """

    registered: tuple[BaseStrategy, ...] = ()

    def __post_init__(self) -> None:
        """Check that these are strategies."""
        for strategy in self.registered:
            require_type("strategies", strategy, BaseStrategy, "instances of BaseStrategy")

    def get_available_strategies(self) -> tuple[BaseStrategy, ...]:
        """Return all strategies in the order in which they are asked."""
        built_in = CodeAwareStrategy(), StructuralStrategy(), FallbackStrategy()
        by_name = {strategy.name: strategy for strategy in (*built_in, *self.registered)}
        return tuple(sorted(by_name.values(), key=lambda strategy: strategy.priority))

    def select(self, analysis: ContentAnalysis, config: ChunkConfig) -> BaseStrategy:
        """Return the strategy for a document.

        Raises:
            ConfigurationError: if the configured name is not registered, or with "auto" none of
                the strategies handles the document.
        """
        available = self.get_available_strategies()
        for strategy in available:
            is_asked = config.strategy == AUTO and strategy.can_handle(analysis, config)
            if is_asked or config.strategy == strategy.name:
                return strategy
        names = ", ".join([AUTO, *(strategy.name for strategy in available)])
        raise ConfigurationError("strategy", config.strategy, names)
