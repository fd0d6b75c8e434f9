"""Ranking, merging and assembly of search hits, without a framework.

The subpackage `chunkana_retrieval.indexing` has the index that the adapters use.
"""

from chunkana_retrieval.errors import IndexFileError, UnknownLeavesWarning
from chunkana_retrieval.fusion import fuse
from chunkana_retrieval.hits import Hit, opened_titles, repeated_rows, repeated_signature
from chunkana_retrieval.lexical.documents import LexicalEntry
from chunkana_retrieval.lexical.index import LexicalIndex
from chunkana_retrieval.lexical.words import find_words, words_of
from chunkana_retrieval.merging import MergedHit, Parent, merge_hits
from chunkana_retrieval.reading.assembly import assemble
from chunkana_retrieval.reading.mixed import assemble_mixed
from chunkana_retrieval.reading.passages import Passage, shared_metadata
from chunkana_retrieval.scores import Place, propagate_hits, propagate_scores, rank_scores

__all__ = [
    "Hit",
    "IndexFileError",
    "LexicalEntry",
    "LexicalIndex",
    "MergedHit",
    "Parent",
    "Passage",
    "Place",
    "UnknownLeavesWarning",
    "assemble",
    "assemble_mixed",
    "find_words",
    "fuse",
    "merge_hits",
    "opened_titles",
    "propagate_hits",
    "propagate_scores",
    "rank_scores",
    "repeated_rows",
    "repeated_signature",
    "shared_metadata",
    "words_of",
]  # fmt: skip
