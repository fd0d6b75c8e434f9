"""The document index for framework adapters: stores, updates, searches and the index file."""

from chunkana_retrieval.indexing.calls import (
    Call,
    Procedure,
    call,
    call_in_thread,
    run,
    run_async,
)
from chunkana_retrieval.indexing.exclusion import UpdateLock
from chunkana_retrieval.indexing.index import DocumentIndex
from chunkana_retrieval.indexing.index_stores import IndexStores
from chunkana_retrieval.indexing.records import (
    DocumentRecord,
    LeafRecord,
    fingerprint,
    read_records,
    record_document,
)
from chunkana_retrieval.indexing.searching import (
    FoundLeaves,
    Question,
    RankingOptions,
    ReadingOptions,
    Relation,
    SearchKind,
    add_related_leaves,
    has_no_known_leaf,
    rank_leaves,
)
from chunkana_retrieval.indexing.snapshot import IndexFile, IndexSnapshot
from chunkana_retrieval.indexing.stores import (
    Leaf,
    LeafStore,
    MemoryRecords,
    Proposal,
    RecordStore,
)
from chunkana_retrieval.indexing.updating import (
    SourceDocuments,
    Update,
    UpdateReport,
    require_documents_left,
)

__all__ = [
    "Call",
    "DocumentIndex",
    "DocumentRecord",
    "FoundLeaves",
    "IndexFile",
    "IndexSnapshot",
    "IndexStores",
    "Leaf",
    "LeafRecord",
    "LeafStore",
    "MemoryRecords",
    "Procedure",
    "Proposal",
    "Question",
    "RankingOptions",
    "ReadingOptions",
    "RecordStore",
    "Relation",
    "SearchKind",
    "SourceDocuments",
    "Update",
    "UpdateLock",
    "UpdateReport",
    "add_related_leaves",
    "call",
    "call_in_thread",
    "fingerprint",
    "has_no_known_leaf",
    "rank_leaves",
    "read_records",
    "record_document",
    "require_documents_left",
    "run",
    "run_async",
]  # fmt: skip
