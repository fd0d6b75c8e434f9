"""The leaves of an index in memory: what searches need of all of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkana_retrieval.index.searching.scoring import Levels, Numbers, Scores
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import (
    DamagedError,
    LeafArrays,
    posting_seal,
    split_digests,
)
from chunkana_retrieval.index.storage.tables import Connection

_GROWTH = 1.25  # of the matrix of vectors, when it is full
_SPARE_ROWS = 1000  # of the matrix, which is read again when it has too many


class _Document(NamedTuple):
    """A document in memory.

    Attributes:
        number: the number of the document.
        name: the id of the document.
        lengths: the number of words of each leaf, as unsigned integers, like the next two.
        sections: the number of each leaf's section, from 0 in the document.
        rows: the row of each leaf's vector; empty without vectors.
        leaf_count: the number of its leaves.
        section_count: the number of its sections.
    """

    number: int
    name: str
    lengths: bytes
    sections: bytes
    rows: bytes
    leaf_count: int
    section_count: int

    @classmethod
    def of(cls, number: int, leaves: LeafArrays, row_of: Mapping[bytes, int]) -> _Document:
        """Return a document whose vectors are in a matrix."""
        rows = array("I", [row_of[digest] for digest in split_digests(leaves.digests)])
        return cls(
            number,
            leaves.name,
            leaves.lengths.tobytes(),
            leaves.sections.tobytes(),
            rows.tobytes(),
            len(leaves.lengths),
            max(leaves.sections, default=-1) + 1,
        )


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
        for row, (digest, stored) in enumerate(tables.vectors(connection, missing), used):
            if len(stored) != self.numbers[row].nbytes:
                raise DamagedError(digest)
            self.numbers[row] = np.frombuffer(stored, "<f4")
            self.row_of[digest] = row

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
        self._versions: dict[int, int] = {}
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
        if len(self.matrix.row_of) > 2 * len(self) + _SPARE_ROWS:  # most are of texts that are gone
            self.matrix, self._versions, self._documents = VectorMatrix(), {}, {}
        current = tables.versions(connection)
        known = self._versions
        changed = [number for number, one in current.items() if known.get(number) != one]
        found = dict(tables.leaf_arrays(connection, changed))
        if len(found) < len(changed) or len(current) != state.documents:
            raise DamagedError("the list of documents")
        digests = chain.from_iterable(split_digests(one.digests) for one in found.values())
        try:
            self.matrix.add(connection, digests, state.size)
        except DamagedError as error:
            names = (one.name for one in found.values() if error.args[0] in one.digests)
            raise DamagedError(next(names, "a vector")) from error
        for number in known.keys() - current.keys():
            del self._documents[number]
        row_of = self.matrix.row_of
        added = {number: _Document.of(number, one, row_of) for number, one in found.items()}
        is_sorted = added.keys() <= self._documents.keys()
        self._documents |= added
        if not is_sorted:
            self._documents = dict(sorted(self._documents.items()))
        self._versions, self.version = current, state.version
        self._arrange()

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
        documents = [one for one in self._documents.values() if one.leaf_count]
        columns = [*zip(*documents, strict=True)] or [()] * len(_Document._fields)
        numbers, names, *joined, leaf_counts, section_counts = columns
        # Bytes are joined ten times as fast as arrays.
        lengths, sections, self.rows = (
            np.frombuffer(b"".join(one), np.uint32).astype(np.int64) for one in joined
        )
        self._numbers = np.asarray(numbers, np.int64)
        self.names = names
        self._place_of = dict(zip(names, range(len(names)), strict=True))
        self.starts = np.cumsum((0, *leaf_counts))
        firsts = np.cumsum((0, *section_counts))[:-1]
        sections += np.repeat(firsts, leaf_counts)
        document_of = np.repeat(np.arange(len(names)), leaf_counts)
        self.levels = Levels.of(lengths, sections, document_of)
