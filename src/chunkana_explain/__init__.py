"""Why each cut is where it is."""

from chunkana_explain.explaining import explain
from chunkana_explain.explanation import Alternative, Cut, Explanation, Step

__all__ = ["Alternative", "Cut", "Explanation", "Step", "explain"]
