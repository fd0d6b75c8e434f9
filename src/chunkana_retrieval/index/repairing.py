"""Repair of an index: damaged documents are deleted, and a user's vector store is refilled."""

from __future__ import annotations

from chunkana_retrieval.index import tables
from chunkana_retrieval.index.columns import DamagedError, from_name
from chunkana_retrieval.index.database import Database
from chunkana_retrieval.index.stores import LeafStore, add_leaves, delete_leaves
from chunkana_retrieval.index.tables import Connection

_BATCH = 64  # documents that are read together


def delete_damaged(connection: Connection) -> list[str]:
    """Delete the documents of which anything is damaged, and return their ids."""
    state = tables.read_state(connection)
    vectors = tables.delete_damaged_vectors(connection)
    postings = tables.intact_postings(connection)
    damaged, used = dict[int, str](), list[bytes]()
    for document in tables.all_documents(connection):
        try:
            words, digests = document.contents()
            is_intact = len(words) == postings[document.number] and vectors.issuperset(digests)
        except DamagedError:
            is_intact = False
        if is_intact:
            used += digests
        else:
            damaged[document.number] = _shown(document.name)
    tables.delete_numbers(connection, damaged, used)
    tables.write_state(connection, state)
    tables.require_integrity(connection)
    return [*damaged.values()]


def _shown(name: bytes) -> str:
    """Return the id of a document, or what can be read of it."""
    try:
        return from_name(name)
    except DamagedError as error:
        return str(error)


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
