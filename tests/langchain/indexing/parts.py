"""Documents, and what is true of the passages of any retriever over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langchain_core.documents import Document

from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter
from chunkana_langchain.indexing.retriever import IndexedRetriever
from chunkana_retrieval.indexing import UpdateReport

TEA = "# Tea\n\nBoil fresh water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
OVEN = "# Oven\n\nHeat it first.\n\n## Bread\n\nBake the bread for an hour.\n"
TEXTS = {"tea.md": TEA, "oven.md": OVEN}
SPLITTER = ChunkanaSplitter(100, min_chunk_size=0)
QUERY = "How long does green tea wait?"


def documents(texts: Mapping[str, str]) -> list[Document]:
    """Return documents as a loader returns them."""
    return [Document(text, metadata={"source": name}) for name, text in texts.items()]


def bring(retriever: IndexedRetriever, texts: Mapping[str, str]) -> UpdateReport:
    """Bring an index to these documents alone, also to none."""
    if not texts:
        return retriever.delete(retriever.document_ids())
    return retriever.update(documents(texts), delete_missing=True)


async def abring(retriever: IndexedRetriever, texts: Mapping[str, str]) -> UpdateReport:
    """Do what `bring` does, asynchronously."""
    if not texts:
        return await retriever.adelete(await retriever.adocument_ids())
    return await retriever.aupdate(documents(texts), delete_missing=True)


def texts_of(passages: Iterable[Document]) -> list[str]:
    """Return page contents."""
    return [passage.page_content for passage in passages]


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


def found(retriever: ChunkanaRetriever, query: str = QUERY) -> list[str]:
    """Return the page contents that a question finds."""
    return texts_of(retriever.invoke(query))
