"""Explain the chunks of a document: the steps of the stages, the cuts and their alternatives."""

from chunkana_explain.explaining import explain
from chunkana_explain.explanation import Alternative, Cut, Explanation, Step

__all__ = ["Alternative", "Cut", "Explanation", "Step", "explain"]
