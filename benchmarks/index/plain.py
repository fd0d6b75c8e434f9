"""The index of `chunkana_retrieval`, as it is used without a framework."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.index.documents import NamedText
from benchmarks.index.engines import FakeModel
from chunkana_retrieval import Index, IndexDocument, SearchOptions


class Engine:
    """An `Index`, see `engines.Engine`."""

    def __init__(self, folder: Path, *, has_vectors: bool) -> None:
        self.model = FakeModel() if has_vectors else None
        self._folder = folder
        self._options = SearchOptions("hybrid" if has_vectors else "lexical")

    def prepared(self, documents: Sequence[NamedText]) -> Sequence[IndexDocument]:
        """Return documents as the index takes them."""
        return [IndexDocument(name, text, {"source": name}) for name, text in documents]

    def build(self, documents: Sequence[IndexDocument]) -> None:
        """Make an index of documents, and keep it open."""
        self._index = Index(self._folder)
        self.update(documents)

    def load(self) -> None:
        """Open the index."""
        self._index = Index.load(self._folder)

    def update(self, documents: Sequence[IndexDocument]) -> None:
        """Give documents to the open index."""
        if self.model:
            embed, name = self.model.embed_documents, self.model.model_name
            self._index.update(documents, embed=embed, model_name=name)
        else:
            self._index.update(documents)

    def ask(self, question: str) -> object:
        """Return the passages for a question."""
        vector = self.model.embed_query(question) if self.model else None
        return self._index.search(question, self._options, vector=vector).passages()

    def close(self) -> None:
        """Close the index."""
        self._index.close()
