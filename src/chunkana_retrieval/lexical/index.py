"""The lexical index: a search for leaves by words, with BM25 scores."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from chunkana_core import ConfigurationError
from chunkana_retrieval.checks import require_count
from chunkana_retrieval.files import read_index_file, write_index_file
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.lexical.documents import IndexedDocument, LexicalEntry
from chunkana_retrieval.words import words_of

if TYPE_CHECKING:
    from chunkana_retrieval.lexical.matrices import Matrices

_FILE = "lexical_index.bin"
_KIND = "lexical index"


@dataclass(frozen=True, slots=True)
class _SearchState:
    """The immutable data that a search reads while the index may change.

    Attributes:
        documents: the documents by id, in the order in which their leaves are numbered.
        names: the ids of the documents.
        starts: the number of the first leaf of each document.
        matrices: the scores of all words in all leaves.
        word_count: the number of words that have scores.
    """

    documents: Mapping[str, IndexedDocument]
    names: Sequence[str]
    starts: Sequence[int]
    matrices: Matrices
    word_count: int

    @classmethod
    def of(
        cls, documents: Mapping[str, IndexedDocument], matrices: Matrices, word_count: int
    ) -> _SearchState:
        """Return the data for searches in documents."""
        counts = [len(document.chunk_ids) for document in documents.values()]
        starts = [*accumulate(counts[:-1], initial=0)]
        return cls(documents, [*documents], starts, matrices, word_count)

    def hit(self, number: int, score: float) -> Hit:
        """Return the leaf with a number as a hit."""
        position = bisect_right(self.starts, number) - 1
        document_id = self.names[position]
        document, leaf = self.documents[document_id], number - self.starts[position]
        section_id = document.section_ids[leaf]
        return Hit(document.chunk_ids[leaf], score, document_id=document_id, section_id=section_id)


class LexicalIndex:
    """An index that finds leaves by the words of a question, with BM25 on three levels.

    The score of a leaf is its own BM25 score plus half of that of its section (the joined leaves of
    the section) plus half of that of its document. Words are in lower case and without English
    endings; in scripts without spaces between words, characters and pairs of characters are used
    instead of words.

    The first search after a change computes the scores of all words in all leaves, which takes 0.3
    seconds for 1,000 leaves and 24 seconds for 100,000; `save` writes the scores too.

    Raises:
        ImportError: if the extra `retrieval` is not installed.

    >>> index = LexicalIndex(
    ...     [
    ...         LexicalEntry("tea.md", "1", "green", "Green tea: wait for 80 degrees."),
    ...         LexicalEntry("tea.md", "2", "black", "Black tea: do not wait."),
    ...     ]
    ... )
    >>> [(hit.document_id, hit.node_id) for hit in index.search("How long do I wait for green?")]
    [('tea.md', '1'), ('tea.md', '2')]
    """

    def __init__(
        self,
        entries: Iterable[LexicalEntry] = (),
        *,
        tokenize: Callable[[str], Sequence[str]] = words_of,
    ) -> None:
        """Index leaves.

        Args:
            entries: the leaves of any documents; leaves of one document in document order.
            tokenize: returns the words of a text or question.
        """
        if find_spec("bm25s") is None:
            raise ImportError(
                'LexicalIndex needs bm25s: pip install "chunkana-rag[retrieval]"', name="bm25s"
            )
        self._tokenize = tokenize
        self._vocabulary: dict[str, int] = {}
        self._documents: dict[str, IndexedDocument] = {}
        self._state: _SearchState | None = None
        self.add(entries)

    def __len__(self) -> int:
        """Return the number of leaves."""
        return sum(len(document.chunk_ids) for document in self._documents.values())

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The ids of the documents, in the order in which they were added."""
        return tuple(self._documents)

    def add(self, entries: Iterable[LexicalEntry]) -> None:
        """Index the leaves of new documents.

        Raises:
            ConfigurationError: for a document that is already in the index, and two leaves of a
                document with the same id; then nothing is added.
        """
        by_document: dict[str, list[LexicalEntry]] = {}
        for entry in entries:
            by_document.setdefault(entry.document_id, []).append(entry)
        for document_id in by_document:
            if document_id in self._documents:
                raise ConfigurationError("document_id", document_id, "one that is not in the index")
        self.replace(by_document)

    def replace(self, documents: Mapping[str, Iterable[LexicalEntry]]) -> None:
        """Add or replace documents; a document without entries is removed.

        Searches in other threads see either all old or all new documents.

        Args:
            documents: the leaves of the documents, by document id.

        Raises:
            ConfigurationError: for an entry of another document, and two leaves of a document with
                the same id; then nothing changes.
        """
        new = {name: self._index(name, [*entries]) for name, entries in documents.items()}
        changed = {name for name, one in new.items() if self._documents.get(name) != one}
        if changed:
            merged = {**self._documents, **new}
            self._documents = {name: one for name, one in merged.items() if one is not None}

    def search(self, query: str, k: int = 30) -> list[Hit]:
        """Return at most `k` leaves for the words of a question, the best first.

        A leaf may be found by words that are only in its section or document. The hits contain only
        ids and scores.

        Raises:
            ConfigurationError: for a k below 1.
        """
        require_count("k", k, 1)
        state = self._current_state()
        numbers = map(self._vocabulary.get, self._tokenize(query))
        tokens = [n for n in numbers if n is not None and n < state.word_count]
        best = state.matrices.best(tokens, k) if tokens else []
        return [state.hit(number, score) for number, score in best]

    def save(self, folder: str | Path) -> None:
        """Write the index to a folder atomically, replacing an index there."""
        from chunkana_retrieval.lexical.storage import FORMAT  # noqa: PLC0415 - loads numpy

        write_index_file(Path(folder, _FILE), _KIND, FORMAT, self.to_bytes())

    @classmethod
    def load(
        cls, folder: str | Path, *, tokenize: Callable[[str], Sequence[str]] = words_of
    ) -> LexicalIndex:
        """Read an index that `save` wrote.

        Args:
            folder: the folder of the index.
            tokenize: the same function as when the index was created.

        Raises:
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if the file cannot be read.
        """
        from chunkana_retrieval.lexical.storage import FORMAT  # noqa: PLC0415 - loads numpy

        data = read_index_file(Path(folder, _FILE), _KIND, FORMAT)
        return cls.from_bytes(data, tokenize=tokenize)

    def to_bytes(self) -> memoryview:
        """Return the index as bytes, including the scores of words; see `from_bytes`."""
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        state = self._current_state()
        words = [*self._vocabulary][: state.word_count]
        return storage.to_bytes(storage.IndexContents(words, state.documents, state.matrices))

    @classmethod
    def from_bytes(
        cls, data: bytes, *, tokenize: Callable[[str], Sequence[str]] = words_of
    ) -> LexicalIndex:
        """Read an index from the bytes that `to_bytes` returned in the same package version."""
        index = cls(tokenize=tokenize)
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        stored = storage.from_bytes(data)
        index._vocabulary = {word: number for number, word in enumerate(stored.words)}
        index._documents = dict(stored.documents)
        count = len(stored.words)
        index._state = _SearchState.of(index._documents, stored.matrices, count)
        return index

    def _index(self, document_id: str, entries: Sequence[LexicalEntry]) -> IndexedDocument | None:
        """Return the leaves of a document with their words as numbers, None for no leaves."""
        for entry in entries:
            if entry.document_id != document_id:
                raise ConfigurationError("document_id", entry.document_id, repr(document_id))
        ids = [entry.chunk_id for entry in entries]
        if len(set(ids)) < len(ids):
            raise ConfigurationError("chunk_id", ids, "unique ids in each document")
        vocabulary = self._vocabulary
        tokens = [
            array("I", [vocabulary.setdefault(w, len(vocabulary)) for w in self._tokenize(e.text)])
            for e in entries
        ]
        sections = tuple(entry.section_id for entry in entries)
        return IndexedDocument(tuple(ids), sections, tuple(tokens)) if ids else None

    def _current_state(self) -> _SearchState:
        """Return the data for searches, computed again after a change of the index."""
        documents, state = self._documents, self._state
        if state is None or state.documents is not documents:
            from chunkana_retrieval.lexical.matrices import Matrices  # noqa: PLC0415 - loads numpy

            word_count = len(self._vocabulary)
            matrices = Matrices.of(
                [tokens for document in documents.values() for tokens in document.tokens],
                [
                    (name, number if section_id is None else section_id)
                    for name, document in documents.items()
                    for number, section_id in enumerate(document.section_ids)
                ],
                [name for name, document in documents.items() for _ in document.chunk_ids],
                word_count,
            )
            state = self._state = _SearchState.of(documents, matrices, word_count)
        return state
