"""A plain text splitter over public names of the core gives the same page contents as ours."""

from __future__ import annotations

import pytest
from langchain_text_splitters import TextSplitter

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from chunkana_langchain import ChunkanaSplitter
from tests import corpora


class PlainSplitter(TextSplitter):
    """What an adapter needs at least; ours adds metadata, ids, parents, overlap and formats."""

    def split_text(self, text: str) -> list[str]:
        """Return the texts to embed of all chunks to index."""
        chunker = MarkdownChunker(ChunkConfig(atomic_blocks="split"), Context(""))
        return [chunk.embedded for chunk in chunker.chunk(text) if chunk.indexable]


def same(samples: list[corpora.Sample]) -> None:
    ours, plain = ChunkanaSplitter(format="markdown"), PlainSplitter()
    for sample in samples:
        documents = ours.create_documents([sample.text])
        assert [one.page_content for one in documents] == plain.split_text(sample.text)
        for one in documents:
            start, end = one.metadata["start_char"], one.metadata["end_char"]
            text = one.page_content[one.metadata["prefix_chars"] :]
            assert text.startswith(sample.text[start:end])


def test_own_documents() -> None:
    same([*corpora.own_documents()])


@pytest.mark.slow
def test_the_corpus() -> None:
    if not (samples := [*corpora.corpus()]):
        pytest.skip(f"no corpus in {corpora.SHARED}")
    same(samples)
