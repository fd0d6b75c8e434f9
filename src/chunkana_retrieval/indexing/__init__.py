"""The life of an index, for who maps it to a framework: records, updates, searches, one file."""

from chunkana_retrieval.indexing.exclusion import UpdateLock
from chunkana_retrieval.indexing.record_stores import MemoryRecords, RecordStore
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
    has_no_known_leaf,
    rank_leaves,
    with_surroundings,
)
from chunkana_retrieval.indexing.snapshot import IndexFile, IndexSnapshot
from chunkana_retrieval.indexing.source_files import SourceFile, require_installed
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

__all__ = [
    "AddLeaves",
    "DeleteLeaves",
    "DocumentRecord",
    "IndexFile",
    "IndexSnapshot",
    "LeafRecord",
    "ListDocuments",
    "MemoryRecords",
    "Proposal",
    "RankingOptions",
    "ReadRecords",
    "RecordStore",
    "SourceFile",
    "Step",
    "Update",
    "UpdateLock",
    "UpdateReport",
    "WriteRecords",
    "damaged_record",
    "fingerprint",
    "has_no_known_leaf",
    "rank_leaves",
    "record_document",
    "require_different",
    "require_installed",
    "run",
    "run_async",
    "with_surroundings",
]  # fmt: skip
