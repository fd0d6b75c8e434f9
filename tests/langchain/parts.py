"""Real parts of LangChain's for tests: documents, and embeddings that need no model."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore, InMemoryStore

from chunkana_langchain import ChunkanaSplitter
from tests import corpora
from tests.vectors import word_vector


class WordEmbeddings(Embeddings):
    """Embeds a text as its words: what shares words is near."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, and note which."""
        self.embedded += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text's words."""
        return word_vector(text)


def section(number: int, *, lines: int = 6) -> str:
    """Return a section whose sentences are about one word."""
    word = f"subject{number}"
    return f"## {word}\n\n" + "\n\n".join(
        f"Line {line} says of {word} that item{number}x{line} is there." for line in range(lines)
    )


SECTIONS = 12
BOOK = Document(
    page_content="# Book\n\n" + "\n\n".join(section(number) for number in range(SECTIONS)),
    metadata={"source": "book.md"},
)
SPLITTER = ChunkanaSplitter(140, header_context="none", min_chunk_size=0)


def own_documents() -> list[Document]:
    """Return the project's own documents, as a loader would."""
    return [
        Document(page_content=sample.text, metadata={"source": sample.name})
        for sample in corpora.own_documents()
    ]


def stored() -> tuple[list[Document], BaseStore[str, Document]]:
    """Return the book's chunks, and a store with its parents."""
    leaves, parents = SPLITTER.split_hierarchical([BOOK])
    store = InMemoryStore()
    store.mset(parents)
    return leaves, store


def exact(document: Document, text: str) -> bool:
    """Tell whether a chunk's text is what stands at its offsets."""
    metadata = document.metadata
    start, end = metadata["start_char"], metadata["end_char"]
    return document.page_content[metadata["prefix_chars"] :].startswith(text[start:end])
