"""Real parts of LangChain's for tests: documents, and embeddings that need no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import BaseStore, InMemoryStore

from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter
from tests import corpora
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


# Two small documents, an index of them, and what is true of its passages

TEA = "# Tea\n\nBoil fresh water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
OVEN = "# Oven\n\nHeat it first.\n\n## Bread\n\nBake the bread for an hour.\n"
TEXTS = {"tea.md": TEA, "oven.md": OVEN}
SMALL = ChunkanaSplitter(100, min_chunk_size=0)
QUERY = "How long does green tea wait?"


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


def assert_true(passages: Sequence[Document], texts: Mapping[str, str], budget: int = 6000) -> None:
    """Assert that passages are exact slices of documents, where they say, within a budget."""
    assert len("\n\n".join(texts_of(passages))) <= budget
    for passage in passages:
        text, metadata = texts[passage.metadata["source"]], passage.metadata
        spans = metadata["spans"]
        for start, end in spans:
            assert text[start:end]
            assert text[start:end] in passage.page_content
        assert metadata["lines"] == [
            [text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1]
            for start, end in spans
        ]
        lines = text.split("\n")[metadata["start_line"] - 1 : metadata["end_line"]]
        read = "\n".join(lines)
        assert all(text[start:end] in read for start, end in spans)
