"""The index: documents, their leaves, words and vectors in one SQLite database."""

try:
    import numpy as np  # noqa: F401
except ImportError as error:
    raise ImportError('an index needs numpy: pip install "chunkana-rag[retrieval]"') from error

from chunkana_retrieval.index.documents import IndexDocument, OutlineEntry, describe_chunker
from chunkana_retrieval.index.embedding import Embedder
from chunkana_retrieval.index.index import Index
from chunkana_retrieval.index.records import (
    LEAF_KEYS,
    DocumentRecord,
    Leaf,
    LeafRecord,
    SourceDocuments,
    fingerprint,
    record_document,
)
from chunkana_retrieval.index.searching.found import Found, add_related_leaves
from chunkana_retrieval.index.searching.options import (
    MergingOptions,
    Order,
    ReadingOptions,
    Relation,
    SearchKind,
    SearchOptions,
)
from chunkana_retrieval.index.stores import LeafStore, Proposal
from chunkana_retrieval.index.threads import RunOnLoop, call_in_thread
from chunkana_retrieval.index.updating import UpdateReport

__all__ = [
    "LEAF_KEYS", "DocumentRecord", "Embedder", "Found", "Index", "IndexDocument", "Leaf",
    "LeafRecord", "LeafStore", "MergingOptions", "Order", "OutlineEntry", "Proposal",
    "ReadingOptions", "Relation", "RunOnLoop", "SearchKind", "SearchOptions", "SourceDocuments",
    "UpdateReport", "add_related_leaves", "call_in_thread", "describe_chunker", "fingerprint",
    "record_document",
]  # fmt: skip
