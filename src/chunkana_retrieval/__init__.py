"""From hits to what is read, and the life of an index; knows no framework."""

from chunkana_retrieval.assembly import assemble
from chunkana_retrieval.errors import IndexFileError
from chunkana_retrieval.fusion import fuse
from chunkana_retrieval.hits import Hit, repeated_rows
from chunkana_retrieval.indexing.records import (
    DocumentRecord,
    LeafRecord,
    damaged_record,
    fingerprint,
    record_document,
    require_different,
)
from chunkana_retrieval.indexing.searching import (
    Proposal,
    RankingOptions,
    rank_leaves,
)
from chunkana_retrieval.indexing.snapshot import IndexSnapshot
from chunkana_retrieval.indexing.steps import (
    AddLeaves,
    DeleteLeaves,
    ListDocuments,
    ReadRecords,
    Step,
    WriteRecords,
    run,
    run_async,
)
from chunkana_retrieval.indexing.updating import Update, UpdateReport
from chunkana_retrieval.lexical.documents import LexicalEntry
from chunkana_retrieval.lexical.index import LexicalIndex
from chunkana_retrieval.lexical.words import find_words, words_of
from chunkana_retrieval.merging import MergedHit, Parent, merge_hits
from chunkana_retrieval.mixed import assemble_mixed
from chunkana_retrieval.passages import Passage
from chunkana_retrieval.scores import propagate_hits, propagate_scores

__all__ = [
    "AddLeaves", "DeleteLeaves", "DocumentRecord", "Hit", "IndexFileError", "IndexSnapshot",
    "LeafRecord", "LexicalEntry", "LexicalIndex", "ListDocuments", "MergedHit", "Parent", "Passage",
    "Proposal", "RankingOptions", "ReadRecords", "Step", "Update", "UpdateReport", "WriteRecords",
    "assemble", "assemble_mixed", "damaged_record", "find_words", "fingerprint", "fuse",
    "merge_hits", "propagate_hits", "propagate_scores", "rank_leaves", "record_document",
    "repeated_rows", "require_different", "run", "run_async", "words_of",
]  # fmt: skip
