"""Repair of an index: what is not damaged is written to a new database."""

from __future__ import annotations

from chunkana_retrieval.errors import warn
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import (
    DamagedError,
    DocumentRow,
    Tokenize,
    from_name,
    record_of,
    split_digests,
)
from chunkana_retrieval.index.storage.tables import Connection


def copy_intact(source: Connection, target: Connection, tokenize: Tokenize) -> list[str]:
    """Copy the documents that can be read to an empty index, and return the ids of the others.

    Their words are found again in their texts. A warning counts the documents without a readable
    id.
    """
    state, copied, damaged = tables.read_state(source), list[str](), list[str]()
    for name, fingerprint, stored in tables.stored_records(source):
        try:
            document_id = from_name(name)
        except DamagedError:
            continue
        try:
            record = record_of(name, fingerprint, stored)
            row = DocumentRow.of(record, tokenize, has_vectors=state.kind == "vectors")
            vectors = dict(tables.vectors(source, split_digests(row.leaves.digests)))
        except DamagedError:
            damaged.append(document_id)
        else:
            copied.append(document_id)
            tables.add_vectors(target, vectors)
            tables.write_documents(target, [row])
    tables.set_strays(target, tables.strays(source))
    tables.write_state(target, state)
    if nameless := state.documents - len(copied) - len(damaged):
        warn(f"the ids of {nameless} deleted documents cannot be read: give all to `update`")
    return damaged
