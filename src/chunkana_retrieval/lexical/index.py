"""The index of leaves that words find."""

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
from chunkana_retrieval.lexical.words import words_of

if TYPE_CHECKING:
    from chunkana_retrieval.lexical.matrices import Matrices

_FILE = "lexical_index.bin"
_KIND = "lexical index"


@dataclass(frozen=True, slots=True)
class _Searchable:
    """What a search reads; it stays as it is while the index changes.

    Attributes:
        documents: by their ids, in the order of their leaves' numbers.
        names: the ids of the documents.
        starts: the number of the first leaf of each document.
        matrices: the scores of all words in all leaves.
        word_count: how many words have scores.
    """

    documents: Mapping[str, IndexedDocument]
    names: Sequence[str]
    starts: Sequence[int]
    matrices: Matrices
    word_count: int

    @classmethod
    def of(
        cls, documents: Mapping[str, IndexedDocument], matrices: Matrices, word_count: int
    ) -> _Searchable:
        """Return what a search of documents reads."""
        counts = [len(document.chunk_ids) for document in documents.values()]
        starts = [*accumulate(counts[:-1], initial=0)]
        return cls(documents, [*documents], starts, matrices, word_count)

    def hit(self, number: int, score: float) -> Hit:
        """Return the leaf of a number as a hit."""
        position = bisect_right(self.starts, number) - 1
        document_id = self.names[position]
        document, leaf = self.documents[document_id], number - self.starts[position]
        section_id = document.section_ids[leaf]
        return Hit(document.chunk_ids[leaf], score, document_id=document_id, section_id=section_id)


class LexicalIndex:
    """Finds leaves by the words of a question: BM25 on three levels.

    The score of a leaf is its own, plus half of that of its section, which is its leaves joined,
    plus half of that of its document. Words are lower case and lose English endings; scripts that
    put no spaces between them count by characters and pairs.

    Words are kept by document. The first search after a change scores all words of all leaves anew,
    which takes 0.3 seconds for 1,000 of them and 24 for 100,000; `save` writes the scores too.

    Raises:
        ImportError: when made, without the extra `retrieval`.

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
            entries: of any documents, those of one in document order.
            tokenize: returns the words of a text or question.
        """
        if find_spec("bm25s") is None:
            raise ImportError(
                'LexicalIndex needs bm25s: pip install "chunkana-rag[retrieval]"', name="bm25s"
            )
        self._tokenize = tokenize
        self._vocabulary: dict[str, int] = {}
        self._documents: dict[str, IndexedDocument] = {}
        self._searchable: _Searchable | None = None
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
            ConfigurationError: for a document that is there already, and two leaves of one id;
                then nothing is added.
        """
        by_document: dict[str, list[LexicalEntry]] = {}
        for entry in entries:
            by_document.setdefault(entry.document_id, []).append(entry)
        for document_id in by_document:
            if document_id in self._documents:
                raise ConfigurationError("document_id", document_id, "one that is not in the index")
        self.replace(by_document)

    def replace(self, documents: Mapping[str, Iterable[LexicalEntry]]) -> None:
        """Index documents anew or for the first time; what has no entries is removed.

        Searches of other threads find the documents as they were before, or all as they are now.

        Args:
            documents: the leaves of documents, by the documents' ids.

        Raises:
            ConfigurationError: for an entry of another document, and two leaves of one id in a
                document; then nothing changes.
        """
        given = {name: self._indexed(name, [*entries]) for name, entries in documents.items()}
        changed = {name for name, one in given.items() if self._documents.get(name) != one}
        if changed:
            merged = {**self._documents, **given}
            self._documents = {name: one for name, one in merged.items() if one is not None}

    def search(self, query: str, k: int = 30) -> list[Hit]:
        """Return at most k leaves for the words of a question, the best first.

        A leaf may be found by words of its section and document alone. Hits have ids and scores.

        Raises:
            ConfigurationError: for a k below 1.
        """
        require_count("k", k, 1)
        searchable = self._scored()
        known = map(self._vocabulary.get, self._tokenize(query))
        tokens = [n for n in known if n is not None and n < searchable.word_count]
        best = searchable.matrices.best(tokens, k) if tokens else []
        return [searchable.hit(number, score) for number, score in best]

    def save(self, folder: str | Path) -> None:
        """Write the index to a folder, as a whole or not at all, in place of the one there."""
        from chunkana_retrieval.lexical.storage import FORMAT  # noqa: PLC0415 - loads numpy

        write_index_file(Path(folder, _FILE), _KIND, FORMAT, self.to_bytes())

    @classmethod
    def load(
        cls, folder: str | Path, *, tokenize: Callable[[str], Sequence[str]] = words_of
    ) -> LexicalIndex:
        """Return an index that `save` wrote.

        Args:
            folder: where it is.
            tokenize: the same as it was made with.

        Raises:
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if it cannot be read.
        """
        from chunkana_retrieval.lexical.storage import FORMAT  # noqa: PLC0415 - loads numpy

        data = read_index_file(Path(folder, _FILE), _KIND, FORMAT)
        return cls.from_bytes(data, tokenize=tokenize)

    def to_bytes(self) -> memoryview:
        """Return the index as bytes, its words' scores included; see `from_bytes`."""
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        searchable = self._scored()
        words = [*self._vocabulary][: searchable.word_count]
        return storage.to_bytes(
            storage.IndexContents(words, searchable.documents, searchable.matrices)
        )

    @classmethod
    def from_bytes(
        cls, data: bytes, *, tokenize: Callable[[str], Sequence[str]] = words_of
    ) -> LexicalIndex:
        """Return the index that `to_bytes` was called of, by the same version of this package."""
        index = cls(tokenize=tokenize)
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        stored = storage.from_bytes(data)
        index._vocabulary = {word: number for number, word in enumerate(stored.words)}
        index._documents = dict(stored.documents)
        count = len(stored.words)
        index._searchable = _Searchable.of(index._documents, stored.matrices, count)
        return index

    def _indexed(self, document_id: str, entries: Sequence[LexicalEntry]) -> IndexedDocument | None:
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

    def _scored(self) -> _Searchable:
        """Return what a search reads, made anew after a change."""
        documents, searchable = self._documents, self._searchable
        if searchable is None or searchable.documents is not documents:
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
            searchable = self._searchable = _Searchable.of(documents, matrices, word_count)
        return searchable
