"""The tables of an index, and every statement over them.

Documents have numbers, which stay when they change. The leaves of a document are known by their
positions in it.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from secrets import randbits
from typing import Any, Literal, NamedTuple, TypeVar

from chunkana_retrieval.index.records import DocumentRecord
from chunkana_retrieval.index.storage.columns import (
    DamagedError,
    DocumentRow,
    LeafArrays,
    columns_of,
    from_name,
    leaf_arrays_of,
    posting_seal,
    record_of,
    seal,
    seal_posting,
    split_digests,
    to_bytes,
    to_name,
    unseal,
    words_of_document,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS state(
    version INTEGER, kind TEXT, size INTEGER, model TEXT, options TEXT, tokenizer TEXT,
    documents INTEGER, seal BLOB);
CREATE TABLE IF NOT EXISTS document(
    number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, version INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, leaves BLOB NOT NULL, words BLOB NOT NULL, record BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS document_version ON document(version);
CREATE TABLE IF NOT EXISTS posting(
    word BLOB, document INTEGER, leaves BLOB NOT NULL, PRIMARY KEY (word, document)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS word(word BLOB PRIMARY KEY, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vector(
    text BLOB PRIMARY KEY, uses INTEGER NOT NULL, numbers BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS vector_unused ON vector(uses) WHERE uses = 0;
CREATE TABLE IF NOT EXISTS stray(leaf_id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_MOST_VALUES = 500  # of one statement; SQLite allows at least 999
_Value = TypeVar("_Value", bytes, str, int)
Kind = Literal["", "words", "vectors", "store"]
Connection = sqlite3.Connection


class Postings(NamedTuple):
    """The postings of a word.

    Attributes:
        word: the word.
        documents: the numbers of the documents with the word.
        leaves: for each of them the sealed postings.
        seal: what the seals of all postings add up to, modulo 2 ** 32.
    """

    word: bytes
    documents: list[int]
    leaves: list[object]
    seal: int


class State(NamedTuple):
    """The state of an index.

    Attributes:
        version: a number that each change replaces by another one.
        kind: where the leaves' vectors are: "words" for nowhere, "vectors" for this database,
            "store" for a user's vector store; "" before the first update.
        size: the numbers of a vector; 0 for no vectors yet.
        model: the name of the embedding model, "" if it is not known.
        options: the description of the chunking options.
        tokenizer: the name of the function that returns the words of texts.
        documents: the number of documents.
    """

    version: int = 0
    kind: Kind = ""
    size: int = 0
    model: str = ""
    options: str = ""
    tokenizer: str = ""
    documents: int = 0


def read_state(connection: Connection) -> State:
    """Return the state of an index."""
    for *row, stored in connection.execute("SELECT * FROM state").fetchall():
        unseal(stored, repr(row).encode(), "the state of the index")
        return State._make(row)
    return State()


def write_state(connection: Connection, state: State) -> None:
    """Write the state of an index, with a new version and the number of documents."""
    ((count,),) = connection.execute("SELECT count(*) FROM document")
    row = [*state._replace(version=_new_version(), documents=count)]
    connection.execute("DELETE FROM state")
    stored = [*row, seal(b"", repr(row).encode())]
    connection.execute("INSERT INTO state VALUES (?, ?, ?, ?, ?, ?, ?, ?)", stored)


def versions(connection: Connection) -> dict[int, int]:
    """Return the version of each document, by its number."""
    return dict(connection.execute("SELECT number, version FROM document"))


def document_names(connection: Connection) -> list[str]:
    """Return the ids of all documents, in the order in which they were added."""
    rows = connection.execute("SELECT number, name FROM document")
    return [from_name(name) for _, name in sorted(rows)]


def fingerprints(connection: Connection, names: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of those of the documents that are stored, by their ids."""
    query = "SELECT name, fingerprint FROM document WHERE name IN"
    return {from_name(row[0]): row[1] for row in _select(connection, query, map(to_name, names))}


def leaf_arrays(connection: Connection, numbers: Iterable[int]) -> Iterator[tuple[int, LeafArrays]]:
    """Yield the numbers of documents and what is known of their leaves.

    Raises:
        DamagedError: naming a document.
    """
    query = "SELECT number, name, leaves FROM document WHERE number IN"
    for number, name, stored in _select(connection, query, numbers):
        yield number, leaf_arrays_of(name, stored)


def records(connection: Connection, names: Iterable[str]) -> Iterator[DocumentRecord]:
    """Yield the records of those of the documents that are stored, in any order.

    Raises:
        DamagedError: naming a document.
    """
    query = "SELECT name, fingerprint, record FROM document WHERE name IN"
    return (record_of(*row) for row in _select(connection, query, map(to_name, names)))


def read_records(connection: Connection, names: Iterable[str]) -> dict[str, DocumentRecord]:
    """Return what `records` yields, by the ids of the documents."""
    return {record.document_id: record for record in records(connection, names)}


def stored_records(connection: Connection) -> Iterator[tuple[bytes, str, bytes]]:
    """Yield the names, fingerprints and records of all documents, which may be damaged."""
    return connection.execute("SELECT name, fingerprint, record FROM document NOT INDEXED")


def postings(connection: Connection, word: str) -> Postings:
    """Return the postings of a word in all documents."""
    stored = to_bytes(word)
    rows = connection.execute("SELECT document, leaves FROM posting WHERE word = ?", [stored])
    documents, leaves = [*zip(*rows, strict=True)] or ((), ())
    seals = connection.execute("SELECT seal FROM word WHERE word = ?", [stored]).fetchall()
    return Postings(stored, [*documents], [*leaves], seals[0][0] if seals else 0)


def known_digests(connection: Connection, digests: Iterable[bytes]) -> set[bytes]:
    """Return those digests of texts that have a vector."""
    query = "SELECT text FROM vector WHERE text IN"
    return {digest for (digest,) in _select(connection, query, digests)}


def vectors(connection: Connection, digests: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield digests of texts, and their vectors as little-endian float32.

    Raises:
        DamagedError: with the digest of a text whose vector is missing or was changed.
    """
    missing = dict.fromkeys(digests)
    for digest, stored in _select(
        connection, "SELECT text, numbers FROM vector WHERE text IN", [*missing]
    ):
        del missing[digest]
        yield digest, unseal(stored, digest, digest)
    for digest in missing:
        raise DamagedError(digest)


def add_vectors(connection: Connection, found: Mapping[bytes, bytes]) -> None:
    """Add the vectors of texts, which no leaf uses yet."""
    rows = [(digest, seal(numbers, digest)) for digest, numbers in found.items()]
    connection.executemany("INSERT OR IGNORE INTO vector VALUES (?, 0, ?)", rows)


def write_documents(connection: Connection, rows: Iterable[DocumentRow]) -> None:
    """Write documents, each in place of the one with the same id."""
    version, by_name = _new_version(), {to_name(row.record.document_id): row for row in rows}
    ((last,),) = connection.execute("SELECT coalesce(max(number), 0) FROM document")
    numbers = _delete_documents(connection, by_name)
    new = (name for name in by_name if name not in numbers)
    numbers |= {name: number for number, name in enumerate(new, last + 1)}
    numbered = sorted(((numbers[name], row) for name, row in by_name.items()), key=itemgetter(0))
    connection.executemany(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?)",
        (columns_of(number, row, version) for number, row in numbered),
    )
    _add_postings(connection, numbered)
    _count_uses(connection, (row.leaves.digests for _, row in numbered), 1)


def delete_documents(connection: Connection, names: Iterable[str]) -> None:
    """Delete documents by their ids."""
    _delete_documents(connection, map(to_name, names))


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


def _add_postings(connection: Connection, rows: Sequence[tuple[int, DocumentRow]]) -> None:
    """Add the words of documents, in the order in which they are stored."""
    found: defaultdict[str, list[tuple[int, array[int]]]] = defaultdict(list)
    for number, row in rows:
        for word, leaves in row.postings.items():
            found[word].append((number, leaves))
    words = sorted((to_bytes(word), word) for word in found)
    connection.executemany(
        "INSERT OR REPLACE INTO posting VALUES (?, ?, ?)",
        (
            (stored, number, seal_posting(stored, number, leaves))
            for stored, word in words
            for number, leaves in found[word]
        ),
    )
    _add_seals(connection, {stored: [n for n, _ in found[word]] for stored, word in words}, 1)


def _delete_documents(connection: Connection, names: Iterable[bytes]) -> dict[bytes, int]:
    """Delete documents, their words, and their use of vectors; return their numbers by name."""
    query = "SELECT number, name, words, leaves FROM document WHERE name IN"
    numbers = dict[bytes, int]()
    for number, name, words, leaves in [*_select(connection, query, names)]:
        numbers[name] = number
        found = [(to_bytes(word), number) for word in words_of_document(name, words)]
        connection.executemany("DELETE FROM posting WHERE word = ? AND document = ?", found)
        _add_seals(connection, {word: [number] for word, _ in found}, -1)
        _count_uses(connection, [leaf_arrays_of(name, leaves).digests], -1)
        connection.execute("DELETE FROM document WHERE number = ?", [number])
    return numbers


def _add_seals(
    connection: Connection, documents: Mapping[bytes, Sequence[int]], sign: Literal[1, -1]
) -> None:
    """Add the seals of postings, by word and document, to those of words, or subtract them."""
    added = [
        (word, sign * sum(posting_seal(word, number) for number in numbers) % (1 << 32))
        for word, numbers in documents.items()
    ]
    query = (
        "INSERT INTO word VALUES (?, ?) ON CONFLICT (word) "
        "DO UPDATE SET seal = (seal + excluded.seal) % 4294967296"
    )
    connection.executemany(query, added)
    gone = ((word,) for word in documents) if sign < 0 else ()
    connection.executemany("DELETE FROM word WHERE word = ? AND seal = 0", gone)


def _count_uses(connection: Connection, digests: Iterable[bytes], change: int) -> None:
    """Count texts that leaves use, or no longer use."""
    query = "UPDATE vector SET uses = uses + ? WHERE text = ?"
    rows = ((change, digest) for joined in digests for digest in split_digests(joined))
    connection.executemany(query, rows)


def _select(connection: Connection, query: str, values: Iterable[_Value]) -> Iterator[Any]:
    """Yield the rows of a query whose last condition is that a column has one of the values.

    They are fetched at once: the traceback of an error would keep an open query, and with it an old
    state of the database.
    """
    given = [*values]
    for start in range(0, len(given), _MOST_VALUES):
        some = given[start : start + _MOST_VALUES]
        marks = ",".join("?" * len(some))
        yield from connection.execute(f"{query} ({marks})", some).fetchall()
