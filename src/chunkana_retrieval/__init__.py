"""From hits to what is read; knows no framework."""

from chunkana_retrieval.assembly import assemble
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.merging import MergedHit, Parent, merge_hits
from chunkana_retrieval.passages import Passage
from chunkana_retrieval.scores import propagate_scores

__all__ = ["Hit", "MergedHit", "Parent", "Passage", "assemble", "merge_hits", "propagate_scores"]
