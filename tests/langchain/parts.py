"""Real parts of LangChain's for tests: documents, and embeddings that need no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter
from tests import corpora
from tests.conformance.texts import TEXTS
from tests.vectors import word_vector


class WordEmbeddings(Embeddings):
    """Embeds a text as its words: what shares words is near."""

    model_name = "words"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, and note which."""
        self.embedded += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text's words."""
        return word_vector(text)


def section(number: int) -> str:
    """Return a section whose sentences are about one word."""
    word = f"subject{number}"
    return f"## {word}\n\n" + "\n\n".join(
        f"Line {line} says of {word} that item{number}x{line} is there." for line in range(6)
    )


BOOK = Document(
    page_content="# Book\n\n" + "\n\n".join(section(number) for number in range(12)),
    metadata={"source": "book.md"},
)
SPLITTER = ChunkanaSplitter(140, header_context="none", min_chunk_size=0)
SMALL = ChunkanaSplitter(100, min_chunk_size=0)


def own_documents() -> list[Document]:
    """Return the project's own documents, as a loader would."""
    return [
        Document(page_content=sample.text, metadata={"source": sample.name})
        for sample in corpora.own_documents()
    ]


def exact(document: Document, text: str) -> bool:
    """Tell whether a chunk's text is what stands at its offsets."""
    metadata = document.metadata
    start, end = metadata["start_char"], metadata["end_char"]
    return document.page_content[metadata["prefix_chars"] :].startswith(text[start:end])


def documents(texts: Mapping[str, str] = TEXTS) -> list[Document]:
    """Return documents as a loader returns them."""
    return [Document(text, metadata={"source": name}) for name, text in texts.items()]


def made(**options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    """Return a retriever over the two documents, with an embedding unless there is a store."""
    has_store = "vectorstore" in options
    defaults = {"embedding": None if has_store else WordEmbeddings(), "splitter": SMALL}
    return ChunkanaRetriever.from_documents(documents(), **{**defaults, **options})


def texts_of(passages: Iterable[Document]) -> list[str]:
    """Return page contents."""
    return [passage.page_content for passage in passages]


def sources_of(passages: Iterable[Document]) -> set[str]:
    """Return the sources of passages."""
    return {passage.metadata["source"] for passage in passages}
