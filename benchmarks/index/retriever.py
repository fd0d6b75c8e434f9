"""LangChain's retriever over an index, of this checkout or of another one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from benchmarks.index.documents import NamedText
from benchmarks.index.engines import FakeModel
from chunkana_langchain import ChunkanaRetriever


class _Model(FakeModel, Embeddings):
    """The fake model, as LangChain accepts it."""


class Engine:
    """A `ChunkanaRetriever`, see `engines.Engine`."""

    def __init__(self, folder: Path, *, has_vectors: bool) -> None:
        self.model = _Model() if has_vectors else None
        self._folder = folder
        self._search: Literal["hybrid", "lexical"] = "hybrid" if has_vectors else "lexical"

    def prepared(self, documents: Sequence[NamedText]) -> Sequence[Document]:
        """Return documents as the index takes them."""
        return [Document(text, metadata={"source": name}) for name, text in documents]

    def build(self, documents: Sequence[Document]) -> None:
        """Make an index of documents, and keep it open."""
        self._retriever = ChunkanaRetriever.from_documents(
            documents, self.model, folder=self._folder, search=self._search
        )

    def load(self) -> None:
        """Open the index."""
        self._retriever = ChunkanaRetriever.load(self._folder, self.model, search=self._search)

    def update(self, documents: Sequence[Document]) -> None:
        """Give documents to the open index."""
        self._retriever.update(documents)

    def ask(self, question: str) -> object:
        """Return the passages for a question."""
        return self._retriever.invoke(question)

    def close(self) -> None:
        """Close the index."""
        getattr(self._retriever, "close", bool)()  # version 0.2.0 has nothing to close
