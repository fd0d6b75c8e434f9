"""The values of an index's tables as bytes, each with a checksum by which a change is noticed."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar
from zlib import compress, crc32, decompress

import msgspec
import numpy as np
from numpy.typing import NDArray

from chunkana_core.extending import text_digest
from chunkana_retrieval.index.records import DocumentRecord

Tokenize = Callable[[str], Sequence[str]]
_DIGEST_SIZE = 16  # bytes of the digest of an embedded text
_SEAL_SIZE = 4  # bytes of a checksum
_FACTOR = 0x9E3779B1  # odd, so that each document has another number in the checksums of postings
_Numbers = TypeVar("_Numbers", int, NDArray[np.int64])


class DamagedError(ValueError):
    """A stored value was changed; the argument is the id of a document, or the digest of a text."""


class LeafArrays(NamedTuple):
    """What is known of the leaves of a document without reading it.

    Attributes:
        name: the id of the document.
        lengths: the number of words of each leaf.
        sections: the number of each leaf's section, from 0 in the document.
        digests: the digests of the embedded texts, joined; empty without vectors.
    """

    name: str
    lengths: array[int]
    sections: array[int]
    digests: bytes


class DocumentRow(NamedTuple):
    """A document as it is stored.

    Attributes:
        record: the record.
        leaves: the numbers of its leaves.
        postings: by word, the position of the leaf of each of its occurrences, in order.
    """

    record: DocumentRecord
    leaves: LeafArrays
    postings: Mapping[str, array[int]]

    @classmethod
    def of(cls, record: DocumentRecord, tokenize: Tokenize, *, has_vectors: bool) -> DocumentRow:
        """Return a document as it is stored in an index with or without vectors."""
        texts = [record.embedded(leaf) for leaf in record.leaves]
        lengths, numbers = array("I"), dict[str, int]()
        postings: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for position, text in enumerate(texts):
            words = tokenize(text)
            lengths.append(len(words))
            for word in words:
                postings[word].append(position)
        sections = [numbers.setdefault(leaf.section_id, len(numbers)) for leaf in record.leaves]
        digests = b"".join(map(digest_of, texts)) if has_vectors else b""
        leaves = LeafArrays(record.document_id, lengths, array("I", sections), digests)
        return cls(record, leaves, postings)


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


def digest_of(text: str) -> bytes:
    """Return the digest of an embedded text, under which its vector is stored."""
    return text_digest(text)[:_DIGEST_SIZE]


def split_digests(joined: bytes) -> list[bytes]:
    """Return the digests of texts that are joined."""
    return [joined[n : n + _DIGEST_SIZE] for n in range(0, len(joined), _DIGEST_SIZE)]


def columns_of(number: int, row: DocumentRow, version: int) -> tuple[object, ...]:
    """Return the columns of a document, in the order of its table."""
    record, leaves = row.record, row.leaves
    name = to_name(record.document_id)
    numbers = array("I", [len(leaves.lengths), *leaves.lengths, *leaves.sections])
    fingerprint = record.fingerprint.encode()
    return (
        number,
        name,
        version,
        record.fingerprint,
        seal(numbers.tobytes() + leaves.digests, name),
        seal(_compressed([*row.postings]), name),
        seal(_compressed(msgspec.to_builtins(record)), name + fingerprint),
    )


def leaf_arrays_of(name: bytes, stored: bytes) -> LeafArrays:
    """Return what is known of the leaves of a document; a DamagedError names it."""
    document_id = from_name(name)
    data = unseal(stored, name, document_id)
    (count,) = array("I", data[:4])
    numbers = array("I", data[4 : 4 + 8 * count])
    return LeafArrays(document_id, numbers[:count], numbers[count:], data[4 + 8 * count :])


def record_of(name: bytes, fingerprint: object, stored: bytes) -> DocumentRecord:
    """Return the record of a document; a DamagedError names it."""
    data = unseal(stored, name + str(fingerprint).encode(), from_name(name))
    return msgspec.convert(_decompressed(data), DocumentRecord)


def words_of_document(name: bytes, stored: bytes) -> list[str]:
    """Return the words of a document; a DamagedError names it."""
    return msgspec.convert(_decompressed(unseal(stored, name, from_name(name))), list[str])


def _compressed(value: object) -> bytes:
    """Return a value as compressed JSON."""
    return compress(to_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


def _decompressed(stored: bytes) -> object:
    """Return the value of `_compressed`."""
    return json.loads(to_text(decompress(stored)))


def posting_seal(word: bytes, number: _Numbers) -> _Numbers:
    """Return what the numbers of a sealed posting add up to, modulo 2 ** 32, for each document."""
    return (crc32(word) + number * _FACTOR) % (1 << 32)


def seal_posting(word: bytes, number: int, leaves: array[int]) -> bytes:
    """Return the leaves of a word in a document as bytes that add up to `posting_seal`."""
    seal = (posting_seal(word, number) - sum(leaves)) % (1 << 32)
    return array("I", [*leaves, seal]).tobytes()


def seal(data: bytes, key: bytes) -> bytes:
    """Return data with a checksum of them and of the key under which they are stored."""
    return data + crc32(data, crc32(key)).to_bytes(_SEAL_SIZE, "little")


def unseal(stored: object, key: object, name: str | bytes) -> bytes:
    """Return the data of `seal`.

    Raises:
        DamagedError: naming what is damaged, if its checksum differs, or its type.
    """
    if isinstance(stored, bytes) and isinstance(key, bytes):
        data = stored[:-_SEAL_SIZE]
        if seal(data, key) == stored:
            return data
    raise DamagedError(name)
