"""A user's vector store, as an index uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from chunkana_retrieval.index.records import DocumentLeaf
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.database import Database

_BATCH = 1000  # leaves that a store is given together; some take at most 5,000
_DOCUMENTS = 64  # documents that are read together


class StoreHit(NamedTuple):
    """A leaf that a user's vector store found.

    Attributes:
        document_id: the id of the leaf's document.
        leaf_id: the id of the leaf in the vector store.
        score: the score of the search in any unit, None if the store returns no scores.
    """

    document_id: str
    leaf_id: str
    score: float | None


class LeafStore(Protocol):
    """A user's vector store, which keeps leaves under the leaf ids of their records."""

    def add(self, leaves: Sequence[DocumentLeaf]) -> None:
        """Embed leaves and store them, each in place of the one with the same id."""
        ...

    def delete(self, leaf_ids: Sequence[str]) -> None:
        """Delete leaves by their ids; unknown ids are ignored."""
        ...

    def missing(self, leaf_ids: Sequence[str]) -> Sequence[str]:
        """Return the ids of the leaves that the store lacks, none if it cannot tell."""
        ...


def add_leaves(store: LeafStore, leaves: Sequence[DocumentLeaf]) -> None:
    """Add leaves to a store, some at a time."""
    for start in range(0, len(leaves), _BATCH):
        store.add(leaves[start : start + _BATCH])


def delete_leaves(store: LeafStore, leaf_ids: Sequence[str]) -> None:
    """Delete leaves from a store, some at a time."""
    for start in range(0, len(leaf_ids), _BATCH):
        store.delete(leaf_ids[start : start + _BATCH])


def restore_leaves(database: Database, store: LeafStore) -> None:
    """Store all leaves of an index in a user's vector store again, and delete its strays."""
    with database.reading() as connection:
        names, strays = tables.document_names(connection), tables.strays(connection)
    delete_leaves(store, strays)
    for start in range(0, len(names), _DOCUMENTS):
        with database.reading() as connection:
            records = tables.read_records(connection, names[start : start + _DOCUMENTS]).values()
        leaves = [(record, leaf) for record in records for leaf in record.leaves]
        delete_leaves(store, [leaf.leaf_id for _, leaf in leaves])
        add_leaves(store, leaves)
    with database.writing() as connection:
        tables.set_strays(connection, ())
