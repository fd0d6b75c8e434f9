"""The leaves of an index in memory: what searches need of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from chunkana_retrieval.index import tables
from chunkana_retrieval.index.columns import (
    DamagedError,
    LeafArrays,
    posting_seal,
    split_digests,
)
from chunkana_retrieval.index.scoring import Levels, Numbers, Scores
from chunkana_retrieval.index.tables import Connection

_GROWTH = 1.25  # of the matrix of vectors, when it is full


@dataclass(slots=True)
class _Document:
    """A document in memory, with numpy arrays of its leaves.

    Attributes:
        version: the version of the document.
        name: the id of the document.
        lengths: the number of words of each leaf.
        sections: the number of each leaf's section, from 0 in the document.
        section_count: the number of its sections.
        rows: the row of each leaf's vector.
    """

    version: int
    name: str
    lengths: Numbers
    sections: Numbers
    section_count: int
    rows: Numbers

    @classmethod
    def of(cls, version: int, leaves: LeafArrays, row_of: Mapping[bytes, int]) -> _Document:
        """Return a document whose vectors are in a matrix."""
        lengths = np.asarray(leaves.lengths, np.int64)
        sections = np.asarray(leaves.sections, np.int64)
        rows = [row_of[digest] for digest in split_digests(leaves.digests)]
        count = int(sections.max(initial=-1)) + 1
        return cls(version, leaves.name, lengths, sections, count, np.asarray(rows, np.int64))


@dataclass(slots=True)
class VectorMatrix:
    """The vectors of texts, each of length 1, as the rows of a matrix.

    Attributes:
        numbers: the matrix, of which the first rows are used.
        row_of: by digest of a text, its row.
    """

    numbers: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    row_of: dict[bytes, int] = field(default_factory=dict)

    def add(self, connection: Connection, digests: Iterable[bytes], size: int) -> None:
        """Read the vectors of texts that have no row yet.

        Raises:
            DamagedError: with the digest of a text whose vector is missing or was changed.
        """
        missing = [digest for digest in dict.fromkeys(digests) if digest not in self.row_of]
        used = len(self.row_of)
        if used + len(missing) > len(self.numbers):
            most = max(used + len(missing), int(_GROWTH * used) if used else 0)
            grown = np.zeros((most, size), np.float32)
            grown[:used] = self.numbers[:used] if used else 0
            self.numbers = grown
        found = 0
        for digest, stored in tables.vectors(connection, missing):
            if len(stored) != self.numbers[0].nbytes:
                raise DamagedError(digest)
            self.numbers[used + found] = np.frombuffer(stored, "<f4")
            self.row_of[digest] = used + found
            found += 1
        for digest in missing if found < len(missing) else ():
            if digest not in self.row_of:
                raise DamagedError(digest)

    def similarities(self, vector: Sequence[float]) -> Scores:
        """Return the cosine similarity of each row to a vector that is not zero."""
        wanted = np.asarray(vector, np.float64)
        wanted /= np.linalg.norm(wanted)
        similarities: Scores = self.numbers[: len(self.row_of)] @ wanted.astype(np.float32)
        return similarities


class LeafTable:
    """The leaves of all documents, numbered in the order of documents, then in each document.

    It is brought up to date with what changed in the database since.

    Attributes:
        version: the version of the index that this shows.
        names: the ids of the documents with leaves, in the order of their numbers.
        starts: the number of the first leaf of each of these documents, and of all leaves.
        levels: the levels by which words are scored.
        rows: the row of each leaf's vector.
        matrix: the vectors.
    """

    def __init__(self) -> None:
        self.version = 0
        self.matrix = VectorMatrix()
        self._documents: dict[int, _Document] = {}
        self._arrange()

    def __len__(self) -> int:
        """Return the number of leaves."""
        return int(self.starts[-1])

    def refresh(self, connection: Connection) -> None:
        """Read what changed in the database.

        Raises:
            DamagedError: naming a document of which something is damaged.
        """
        state = tables.read_state(connection)
        if state.version == self.version:
            return
        current = tables.versions(connection)
        known = self._documents
        kept = {n: known[n] for n, one in current.items() if n in known and known[n].version == one}
        found = dict(tables.leaf_arrays(connection, (n for n in current if n not in kept)))
        digests = [*chain.from_iterable(split_digests(one.digests) for one in found.values())]
        if len(self.matrix.row_of) > 2 * (len(self.rows) + len(digests)):
            self.matrix, kept = VectorMatrix(), {}  # most rows are of texts that are gone
            found = dict(tables.leaf_arrays(connection, current))
            digests = [*chain.from_iterable(split_digests(one.digests) for one in found.values())]
        if len(kept) + len(found) < len(current):
            raise DamagedError("the list of documents")
        try:
            self.matrix.add(connection, digests, state.size)
        except DamagedError as error:
            self.version = 0
            names = (one.name for one in found.values() if error.args[0] in one.digests)
            raise DamagedError(next(names, "a vector")) from error
        row_of = self.matrix.row_of
        added = {n: _Document.of(current[n], leaves, row_of) for n, leaves in found.items()}
        self._documents = {n: added[n] if n in added else kept[n] for n in current}
        self._arrange()
        self.version = state.version

    def position(self, leaf: int) -> tuple[str, int]:
        """Return the id of a leaf's document, and the leaf's position in it."""
        document = int(np.searchsorted(self.starts, leaf, "right")) - 1
        return self.names[document], leaf - int(self.starts[document])

    def first_leaf(self, name: str) -> int:
        """Return the number of the first leaf of a document."""
        return int(self.starts[self._place_of[name]])

    def occurrences(self, connection: Connection, word: str) -> Numbers:
        """Return the leaf of each occurrence of a word, in ascending order.

        Raises:
            DamagedError: naming the document whose postings were changed.
        """
        found = tables.postings(connection, word)
        documents = np.asarray(found.documents, np.int64)
        seals = posting_seal(found.word, documents)
        if int(seals.sum()) % (1 << 32) != found.seal:
            raise DamagedError(word)
        if not found.documents:
            return documents
        stored = [one for one in found.leaves if isinstance(one, bytes)]
        sizes = np.asarray([len(one) // 4 for one in stored])
        if len(stored) < len(documents) or not sizes.all():
            raise DamagedError(word)
        data = np.frombuffer(b"".join(stored), np.uint32)
        ends = np.cumsum(sizes)
        places = np.searchsorted(self._numbers, documents)
        is_whole = np.add.reduceat(data, ends - sizes, dtype=np.uint32) == seals
        is_whole &= np.append(self._numbers, -1)[places] == documents
        if not is_whole.all():
            raise DamagedError(self.names[min(places[int(is_whole.argmin())], len(self.names) - 1)])
        leaves = data.astype(np.int64) + np.repeat(self.starts[places], sizes)
        return np.delete(leaves, ends - 1)

    def _arrange(self) -> None:
        """Give numbers to the leaves of all documents."""
        found = {n: one for n, one in self._documents.items() if len(one.lengths)}
        documents = [*found.values()]
        counts = [len(one.lengths) for one in documents]
        self._numbers = np.asarray([*found], np.int64)
        self.names = [one.name for one in documents]
        self._place_of = {name: place for place, name in enumerate(self.names)}
        self.starts = np.cumsum([0, *counts])
        firsts = np.cumsum([0, *(one.section_count for one in documents)])[:-1]
        sections = _join([one.sections for one in documents]) + np.repeat(firsts, counts)
        document_of = np.repeat(np.arange(len(counts)), counts)
        lengths = _join([one.lengths for one in documents])
        self.levels = Levels.of(lengths, sections, document_of)
        self.rows = _join([one.rows for one in documents])


def _join(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)
