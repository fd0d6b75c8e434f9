"""Repair of an index: damaged documents are deleted, and a user's vector store is refilled."""

from __future__ import annotations

from chunkana_retrieval.errors import warn
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import DamagedError, StoredDocument, from_name
from chunkana_retrieval.index.storage.database import Database
from chunkana_retrieval.index.storage.tables import Connection
from chunkana_retrieval.index.stores import LeafStore, add_leaves, delete_leaves

_BATCH = 64  # documents that are read together


def delete_damaged(connection: Connection) -> list[str]:
    """Delete all documents of which anything is damaged, and return their ids.

    A warning counts the documents whose ids are damaged, too.
    """
    state = tables.read_state(connection)
    vectors = tables.delete_damaged_vectors(connection)
    postings = tables.intact_postings(connection)
    deleted, kept, used, nameless = list[str](), set[int](), list[bytes](), 0
    for document in tables.all_documents(connection):
        try:
            name = from_name(document.name)
        except DamagedError:
            nameless += 1
            continue
        digests = _intact_digests(document, postings[document.number], vectors)
        if digests is None:
            deleted.append(name)
        else:
            kept.add(document.number)
            used += digests
    tables.keep_documents(connection, kept, used)
    tables.require_integrity(connection)
    tables.write_state(connection, state)
    if nameless:
        warn(f"the ids of {nameless} deleted documents cannot be read: give all to `update`")
    return deleted


def _intact_digests(
    document: StoredDocument, word_count: int, vectors: set[bytes]
) -> list[bytes] | None:
    """Return the digests of a document's texts, None if anything of it is damaged.

    Args:
        document: the document.
        word_count: the number of its words whose postings are not damaged.
        vectors: the digests of the texts that have a vector.
    """
    try:
        words, digests = document.contents()
    except DamagedError:
        return None
    return digests if len(words) == word_count and vectors.issuperset(digests) else None


def restore_leaves(database: Database, store: LeafStore) -> None:
    """Store all leaves of an index in a user's vector store again, and delete its strays."""
    with database.reading() as connection:
        names, strays = tables.document_names(connection), tables.strays(connection)
    delete_leaves(store, strays)
    for start in range(0, len(names), _BATCH):
        with database.reading() as connection:
            records = tables.read_records(connection, names[start : start + _BATCH]).values()
        leaves = [(record, leaf) for record in records for leaf in record.leaves]
        delete_leaves(store, [leaf.leaf_id for _, leaf in leaves])
        add_leaves(store, leaves)
    with database.writing() as connection:
        tables.set_strays(connection, ())
