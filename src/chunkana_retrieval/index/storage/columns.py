"""The values of an index's tables as bytes, each with a checksum by which a change is noticed."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from zlib import compress, crc32, decompress

import numpy as np
from numpy.typing import NDArray

from chunkana_retrieval.index.records import DocumentRecord

DIGEST_SIZE = 16  # bytes of the digest of an embedded text
_SEAL_SIZE = 4  # bytes of a checksum
_FACTOR = 0x9E3779B1  # odd, so that each document has another number in the checksums of postings
_Numbers = TypeVar("_Numbers", int, NDArray[np.int64])


class DamagedError(ValueError):
    """A stored value was changed; the argument is the id of a document, or the digest of a text."""


class DocumentRow(NamedTuple):
    """A document as it is stored.

    Attributes:
        record: the record.
        lengths: the number of words of each leaf.
        sections: the number of each leaf's section, from 0 in the document.
        digests: the digests of the embedded texts, joined; empty without vectors.
        postings: by word, the position of the leaf of each of its occurrences, in order.
    """

    record: DocumentRecord
    lengths: array[int]
    sections: array[int]
    digests: bytes
    postings: Mapping[str, array[int]]


class StoredDocument(NamedTuple):
    """The columns of a document."""

    number: int
    name: bytes
    fingerprint: str
    leaves: bytes
    words: bytes
    record: bytes
    text: bytes

    def contents(self) -> tuple[list[str], list[bytes]]:
        """Return the words and the digests of the texts of the document.

        Raises:
            DamagedError: if any of its columns is damaged.
        """
        record_of(self.name, self.fingerprint, self.record, self.text)
        digests = split_digests(leaf_arrays_of(self.name, self.leaves).digests)
        return words_of_document(self.name, self.words), digests


class LeafArrays(NamedTuple):
    """What is known of the leaves of a document without reading it; see `DocumentRow`."""

    name: str
    lengths: array[int]
    sections: array[int]
    digests: bytes


def to_bytes(text: str) -> bytes:
    """Return a text as bytes; it may have lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def to_text(stored: bytes) -> str:
    """Return the text of the bytes of `to_bytes`."""
    return stored.decode("utf-8", "surrogatepass")


def to_name(document_id: str) -> bytes:
    """Return the id of a document as it is stored."""
    return seal(to_bytes(document_id), b"")


def from_name(stored: object) -> str:
    """Return the id of a document.

    Raises:
        DamagedError: if it was changed; it has what can be read of it.
    """
    if not isinstance(stored, bytes):  # the type of a value may be changed, too
        raise DamagedError("")
    return to_text(unseal(stored, b"", stored[:-_SEAL_SIZE].decode("utf-8", "replace")))


def posting_seal(word: bytes, number: _Numbers) -> _Numbers:
    """Return what the numbers of a sealed posting add up to, modulo 2 ** 32, for each document."""
    return (crc32(word) + number * _FACTOR) % (1 << 32)


def split_digests(joined: bytes) -> list[bytes]:
    """Return the digests of texts that are joined."""
    return [joined[n : n + DIGEST_SIZE] for n in range(0, len(joined), DIGEST_SIZE)]


def columns_of(number: int, row: DocumentRow, version: int) -> tuple[object, ...]:
    """Return the columns of a document, in the order of its table."""
    record = row.record
    name = to_name(record.document_id)
    numbers = array("I", [len(row.lengths), *row.lengths, *row.sections])
    stored, words = record.to_json().encode(), json.dumps([*row.postings]).encode()
    key = name + record.fingerprint.encode()
    return (
        number,
        name,
        version,
        record.fingerprint,
        seal(numbers.tobytes() + row.digests, name),
        seal(compress(words), name),
        seal(compress(stored), key),
        seal(compress(to_bytes(record.text)), key),
    )


def leaf_arrays_of(name: bytes, stored: bytes) -> LeafArrays:
    """Return what is known of the leaves of a document; a DamagedError names it."""
    document_id = from_name(name)
    data = unseal(stored, name, document_id)
    (count,) = array("I", data[:4])
    numbers = array("I", data[4 : 4 + 8 * count])
    return LeafArrays(document_id, numbers[:count], numbers[count:], data[4 + 8 * count :])


def record_of(name: bytes, fingerprint: str, record: bytes, text: bytes) -> DocumentRecord:
    """Return the record of a document; a DamagedError names it."""
    shown, key = from_name(name), name + str(fingerprint).encode()
    parts = [decompress(unseal(part, key, shown)) for part in (text, record)]
    return DocumentRecord.from_json(shown, to_text(parts[0]), fingerprint, parts[1].decode())


def words_of_document(name: bytes, stored: bytes) -> list[str]:
    """Return the words of a document; a DamagedError names it."""
    words: list[str] = json.loads(decompress(unseal(stored, name, from_name(name))))
    return words


def seal_posting(word: bytes, number: int, leaves: array[int]) -> bytes:
    """Return the leaves of a word in a document as bytes that add up to `posting_seal`."""
    seal = (posting_seal(word, number) - sum(leaves)) % (1 << 32)
    return array("I", [*leaves, seal]).tobytes()


def seal(data: bytes, key: bytes) -> bytes:
    """Return data with a checksum of them and of the key under which they are stored."""
    return data + crc32(data, crc32(key)).to_bytes(_SEAL_SIZE, "little")


def is_sealed(stored: object, key: object) -> bool:
    """Return whether data are those that `seal` returned for a key."""
    if not (isinstance(stored, bytes) and isinstance(key, bytes)):
        return False
    data, checksum = stored[:-_SEAL_SIZE], stored[-_SEAL_SIZE:]
    return crc32(data, crc32(key)).to_bytes(_SEAL_SIZE, "little") == checksum


def unseal(stored: bytes, key: bytes, name: str | bytes) -> bytes:
    """Return the data of `seal`.

    Raises:
        DamagedError: naming what is damaged, if its checksum differs.
    """
    if not is_sealed(stored, key):
        raise DamagedError(name)
    return stored[:-_SEAL_SIZE]


def is_sealed_posting(word: object, number: object, stored: object) -> bool:
    """Return whether a posting is what `seal_posting` returned."""
    if not (isinstance(word, bytes) and isinstance(number, int) and isinstance(stored, bytes)):
        return False
    return not len(stored) % 4 and sum(array("I", stored)) % (1 << 32) == posting_seal(word, number)
