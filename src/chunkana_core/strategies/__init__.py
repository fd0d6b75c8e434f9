"""The strategies: they differ in what they bind, and share one packing routine."""

from chunkana_core.strategies.base import BaseStrategy
from chunkana_core.strategies.code_aware import CodeAwareStrategy
from chunkana_core.strategies.fallback import FallbackStrategy
from chunkana_core.strategies.selector import StrategySelector
from chunkana_core.strategies.structural import StructuralStrategy

__all__ = [
    "BaseStrategy",
    "CodeAwareStrategy",
    "FallbackStrategy",
    "StrategySelector",
    "StructuralStrategy",
]
