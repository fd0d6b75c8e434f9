"""The index of leaves that words find."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from chunkana_core import ConfigurationError
from chunkana_retrieval.checks import require_count
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.lexical.documents import IndexedDocument, LexicalEntry
from chunkana_retrieval.lexical.words import words_of

if TYPE_CHECKING:
    from chunkana_retrieval.lexical.matrices import Matrices


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
        self._matrices: Matrices | None = None
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
        added = {name: self._indexed(leaves) for name, leaves in by_document.items()}
        if added:
            self._documents |= added
            self._matrices = None

    def replace(self, document_id: str, entries: Iterable[LexicalEntry]) -> None:
        """Index a document anew, or for the first time; without entries, remove it.

        Raises:
            ConfigurationError: for an entry of another document, and two leaves of one id.
        """
        leaves = list(entries)
        for entry in leaves:
            if entry.document_id != document_id:
                raise ConfigurationError("document_id", entry.document_id, repr(document_id))
        if not leaves:
            self.remove(document_id)
            return
        document = self._indexed(leaves)
        if self._documents.get(document_id) != document:
            self._documents[document_id] = document
            self._matrices = None

    def remove(self, document_id: str) -> None:
        """Remove a document; one that is not there is no error."""
        if self._documents.pop(document_id, None) is not None:
            self._matrices = None

    def search(self, query: str, k: int = 30) -> list[Hit]:
        """Return at most k leaves for the words of a question, the best first.

        A leaf may be found by words of its section and document alone. Hits have ids and scores.

        Raises:
            ConfigurationError: for a k below 1.
        """
        require_count("k", k, 1)
        known = map(self._vocabulary.get, self._tokenize(query))
        tokens = [token for token in known if token is not None]
        if not tokens:
            return []
        documents = [*self._documents.items()]
        starts = [*accumulate((len(leaves.chunk_ids) for _, leaves in documents), initial=0)]
        hits = []
        for number, score in self._scored().best(tokens, k):
            position = bisect_right(starts, number) - 1
            document_id, leaves = documents[position]
            leaf = number - starts[position]
            hits.append(
                Hit(
                    leaves.chunk_ids[leaf],
                    score,
                    document_id=document_id,
                    section_id=leaves.section_ids[leaf],
                )
            )
        return hits

    def save(self, folder: str | Path) -> None:
        """Write the index to a folder, as a whole or not at all, in place of the one there."""
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        stored = storage.IndexContents(self._vocabulary, self._documents, self._scored())
        storage.write(Path(folder), stored)

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
        index = cls(tokenize=tokenize)
        from chunkana_retrieval.lexical import storage  # noqa: PLC0415 - loads numpy

        stored = storage.read(Path(folder))
        index._vocabulary = dict(stored.vocabulary)
        index._documents = dict(stored.documents)
        index._matrices = stored.matrices
        return index

    def _indexed(self, entries: Sequence[LexicalEntry]) -> IndexedDocument:
        """Return the leaves of a document with their words as numbers."""
        ids = [entry.chunk_id for entry in entries]
        if len(set(ids)) < len(ids):
            raise ConfigurationError("chunk_id", ids, "unique ids in each document")
        vocabulary = self._vocabulary
        tokens = (
            array("I", [vocabulary.setdefault(w, len(vocabulary)) for w in self._tokenize(e.text)])
            for e in entries
        )
        return IndexedDocument(
            tuple(ids), tuple(entry.section_id for entry in entries), tuple(tokens)
        )

    def _scored(self) -> Matrices:
        """Return the scores of all words, made anew after a change."""
        if self._matrices is None:
            from chunkana_retrieval.lexical.matrices import Matrices  # noqa: PLC0415 - loads numpy

            documents = self._documents.items()
            self._matrices = Matrices.of(
                [tokens for _, document in documents for tokens in document.tokens],
                [
                    (name, number if section_id is None else section_id)
                    for name, document in documents
                    for number, section_id in enumerate(document.section_ids)
                ],
                [name for name, document in documents for _ in document.chunk_ids],
                len(self._vocabulary),
            )
        return self._matrices
