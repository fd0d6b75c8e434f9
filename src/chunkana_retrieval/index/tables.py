"""The tables of an index, and every statement over them.

Documents have numbers, which stay when they change. The leaves of a document are known by their
positions in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from secrets import randbits
from typing import Any, Literal, NamedTuple, TypeVar

from chunkana_retrieval.index.columns import (
    DocumentRow,
    LeafArrays,
    StoredDocument,
    columns_of,
    is_sealed,
    is_sealed_posting,
    leaf_arrays_of,
    record_of,
    seal,
    seal_posting,
    split_digests,
    to_bytes,
    to_text,
    unseal,
    words_of_document,
)
from chunkana_retrieval.index.records import DocumentRecord

SCHEMA = """
CREATE TABLE state(version INTEGER, kind TEXT, size INTEGER, model TEXT, options TEXT);
CREATE TABLE document(
    number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, version INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, leaves BLOB NOT NULL, words BLOB NOT NULL, record BLOB NOT NULL,
    text BLOB NOT NULL);
CREATE INDEX document_version ON document(version);
CREATE TABLE posting(
    word BLOB, document INTEGER, leaves BLOB NOT NULL, PRIMARY KEY (word, document)
) WITHOUT ROWID;
CREATE TABLE vector(text BLOB PRIMARY KEY, uses INTEGER NOT NULL, numbers BLOB NOT NULL);
CREATE INDEX vector_unused ON vector(uses) WHERE uses = 0;
CREATE TABLE stray(leaf_id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO state VALUES (0, '', 0, '', '');
"""
_MOST_VALUES = 500  # of one statement; SQLite allows at least 999
_Value = TypeVar("_Value", bytes, str, int)
Kind = Literal["", "words", "vectors", "store"]
Connection = sqlite3.Connection


class State(NamedTuple):
    """The state of an index.

    Attributes:
        version: a number that each change replaces by another one.
        kind: where the leaves' vectors are: "words" for nowhere, "vectors" for this database,
            "store" for a user's vector store; "" before the first update.
        size: the numbers of a vector; 0 for no vectors yet.
        model: the name of the embedding model, "" if it is not known.
        options: the description of the chunking options.
    """

    version: int
    kind: Kind
    size: int
    model: str
    options: str


def read_state(connection: Connection) -> State:
    """Return the state of an index."""
    (row,) = connection.execute("SELECT version, kind, size, model, options FROM state")
    return State(*row)


def write_state(connection: Connection, state: State) -> None:
    """Write the state of an index, with a new version."""
    query = "UPDATE state SET (version, kind, size, model, options) = (?, ?, ?, ?, ?)"
    connection.execute(query, state._replace(version=_new_version()))


def versions(connection: Connection) -> dict[int, int]:
    """Return the version of each document, by its number in ascending order."""
    return dict(sorted(connection.execute("SELECT number, version FROM document")))


def document_names(connection: Connection) -> list[str]:
    """Return the ids of all documents, in the order in which they were added."""
    rows = connection.execute("SELECT number, name FROM document")
    return [to_text(name) for _, name in sorted(rows)]


def has_documents(connection: Connection) -> bool:
    """Return whether any document is stored."""
    ((has_any,),) = connection.execute("SELECT EXISTS (SELECT 1 FROM document)")
    return bool(has_any)


def fingerprints(connection: Connection, names: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of those of the documents that are stored, by their ids."""
    query = "SELECT name, fingerprint FROM document WHERE name IN"
    return {to_text(row[0]): row[1] for row in _select(connection, query, map(to_bytes, names))}


def leaf_arrays(connection: Connection, numbers: Iterable[int]) -> Iterator[tuple[int, LeafArrays]]:
    """Yield the numbers of documents and what is known of their leaves.

    Raises:
        DamagedError: naming a document.
    """
    query = "SELECT number, name, leaves FROM document WHERE number IN"
    for number, name, stored in _select(connection, query, numbers):
        yield number, leaf_arrays_of(to_text(name), stored)


def read_records(connection: Connection, names: Iterable[str]) -> dict[str, DocumentRecord]:
    """Return the records of those of the documents that are stored, by their ids.

    Raises:
        DamagedError: naming a document.
    """
    query = "SELECT name, fingerprint, record, text FROM document WHERE name IN"
    rows = _select(connection, query, map(to_bytes, names))
    return {to_text(row[0]): record_of(*row) for row in rows}


def postings(connection: Connection, word: str) -> tuple[list[int], list[bytes]]:
    """Return the numbers of the documents with a word, and its sealed postings in each of them."""
    query = "SELECT document, leaves FROM posting WHERE word = ?"
    rows = connection.execute(query, [to_bytes(word)]).fetchall()
    return [row[0] for row in rows], [row[1] for row in rows]


def known_digests(connection: Connection, digests: Iterable[bytes]) -> set[bytes]:
    """Return those digests of texts that have a vector."""
    query = "SELECT text FROM vector WHERE text IN"
    return {digest for (digest,) in _select(connection, query, digests)}


def vectors(connection: Connection, digests: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield digests of texts, and their vectors as little-endian float32.

    Raises:
        DamagedError: for a vector that was changed.
    """
    query = "SELECT text, numbers FROM vector WHERE text IN"
    for digest, stored in _select(connection, query, digests):
        yield digest, unseal(stored, digest, digest)


def add_vectors(connection: Connection, found: Mapping[bytes, bytes]) -> None:
    """Add the vectors of texts, which no leaf uses yet."""
    rows = [(digest, seal(numbers, digest)) for digest, numbers in found.items()]
    connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, 0, ?)", rows)


def write_documents(connection: Connection, rows: Sequence[DocumentRow]) -> None:
    """Write documents, each in place of the one with the same id."""
    version = _new_version()
    names = [to_bytes(row.record.document_id) for row in rows]
    query = "SELECT name, number FROM document WHERE name IN"
    numbers = dict(_select(connection, query, names))
    ((last,),) = connection.execute("SELECT coalesce(max(number), 0) FROM document")
    new = [name for name in names if name not in numbers]
    by_name = dict(zip(names, rows, strict=True))
    _clear(connection, {number: by_name[name] for name, number in numbers.items()})
    numbers |= {name: number for number, name in enumerate(new, last + 1)}
    numbered = [(numbers[name], row) for name, row in by_name.items()]
    connection.executemany(
        "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (columns_of(number, row, version) for number, row in numbered),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO posting VALUES (?, ?, ?)",
        sorted(
            (to_bytes(word), number, seal_posting(word, number, leaves))
            for number, row in numbered
            for word, leaves in row.postings.items()
        ),
    )
    _count_uses(connection, (row.digests for row in rows), 1)


def delete_documents(connection: Connection, names: Iterable[str]) -> None:
    """Delete documents by their ids."""
    query = "SELECT number FROM document WHERE name IN"
    numbers = [number for (number,) in _select(connection, query, map(to_bytes, names))]
    _clear(connection, dict.fromkeys(numbers))
    connection.executemany("DELETE FROM document WHERE number = ?", ((n,) for n in numbers))


def delete_unused_vectors(connection: Connection) -> None:
    """Delete the vectors that no leaf uses."""
    connection.execute("DELETE FROM vector WHERE uses = 0")


def strays(connection: Connection) -> list[str]:
    """Return the ids of leaves that a user's vector store may still have, but no document."""
    return [leaf_id for (leaf_id,) in connection.execute("SELECT leaf_id FROM stray")]


def set_strays(connection: Connection, leaf_ids: Iterable[str]) -> None:
    """Replace the ids that `strays` returns."""
    connection.execute("DELETE FROM stray")
    connection.executemany("INSERT OR IGNORE INTO stray VALUES (?)", ((one,) for one in leaf_ids))


def _new_version() -> int:
    """Return a number that no other version has."""
    return randbits(62)


def _clear(connection: Connection, successors: Mapping[int, DocumentRow | None]) -> None:
    """Delete the words of documents that their successors lack, and what they use of vectors."""
    query = "SELECT number, name, words, leaves FROM document WHERE number IN"
    for number, name, words, leaves in [*_select(connection, query, successors)]:
        successor = successors[number]
        kept: Collection[str] = successor.postings if successor else ()
        gone = [word for word in words_of_document(name, words) if word not in kept]
        rows = ((to_bytes(word), number) for word in gone)
        connection.executemany("DELETE FROM posting WHERE word = ? AND document = ?", rows)
        arrays = leaf_arrays_of(to_text(name), leaves)
        _count_uses(connection, [arrays.digests], -1)


def _count_uses(connection: Connection, digests: Iterable[bytes], change: int) -> None:
    """Count texts that leaves use, or no longer use."""
    query = "UPDATE vector SET uses = uses + ? WHERE text = ?"
    rows = ((change, digest) for joined in digests for digest in split_digests(joined))
    connection.executemany(query, rows)


def _select(connection: Connection, query: str, values: Iterable[_Value]) -> Iterator[Any]:
    """Yield the rows of a query whose last condition is that a column has one of the values."""
    given = [*values]
    for start in range(0, len(given), _MOST_VALUES):
        some = given[start : start + _MOST_VALUES]
        marks = ",".join("?" * len(some))
        yield from connection.execute(f"{query} ({marks})", some)


def all_documents(connection: Connection) -> Iterator[StoredDocument]:
    """Yield all documents as they are stored."""
    query = "SELECT number, name, fingerprint, leaves, words, record, text FROM document"
    return map(StoredDocument._make, connection.execute(query))


def damaged_postings(connection: Connection) -> set[int]:
    """Return the numbers of the documents that have changed postings."""
    rows = connection.execute("SELECT word, document, leaves FROM posting")
    return {row[1] for row in rows if not is_sealed_posting(*row)}


def delete_damaged_vectors(connection: Connection) -> set[bytes]:
    """Delete vectors that were changed, and return the digests of the texts of the others."""
    kept, damaged = set[bytes](), list[bytes]()
    for digest, stored in connection.execute("SELECT text, numbers FROM vector"):
        (kept.add if is_sealed(stored, digest) else damaged.append)(digest)
    connection.executemany("DELETE FROM vector WHERE text = ?", ((one,) for one in damaged))
    return kept


def delete_numbers(connection: Connection, numbers: Collection[int], used: Iterable[bytes]) -> None:
    """Delete documents by their numbers without reading them, and count the uses of vectors again.

    Args:
        connection: the connection.
        numbers: the numbers of the documents.
        used: the digests of the texts of all other documents.
    """
    given = [*numbers]
    for start in range(0, len(given), _MOST_VALUES):
        some = given[start : start + _MOST_VALUES]
        marks = ",".join("?" * len(some))
        connection.execute(f"DELETE FROM posting WHERE document IN ({marks})", some)
        connection.execute(f"DELETE FROM document WHERE number IN ({marks})", some)
    connection.execute("UPDATE vector SET uses = 0")
    _count_uses(connection, [b"".join(used)], 1)
