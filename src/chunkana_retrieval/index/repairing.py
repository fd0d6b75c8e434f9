"""Repair of an index: damaged documents are deleted, and a user's vector store is refilled."""

from __future__ import annotations

from chunkana_retrieval.errors import warn
from chunkana_retrieval.index import tables
from chunkana_retrieval.index.columns import DamagedError, from_name
from chunkana_retrieval.index.database import Database
from chunkana_retrieval.index.stores import LeafStore, add_leaves, delete_leaves
from chunkana_retrieval.index.tables import Connection

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
        deleted.append(name)
        try:
            words, digests = document.contents()
        except DamagedError:
            continue
        if len(words) == postings[document.number] and vectors.issuperset(digests):
            deleted.remove(name)
            kept.add(document.number)
            used += digests
    tables.keep_documents(connection, kept, used)
    tables.require_integrity(connection)
    tables.write_state(connection, state)
    if nameless:
        warn(f"the ids of {nameless} deleted documents cannot be read: give all to `update`")
    return deleted


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
