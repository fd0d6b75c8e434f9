"""From hits to what is read; knows no framework."""

from chunkana_retrieval.merging import Hit, MergedHit, Parent, merge_hits
from chunkana_retrieval.scores import propagate_scores

__all__ = ["Hit", "MergedHit", "Parent", "merge_hits", "propagate_scores"]
