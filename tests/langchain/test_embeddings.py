"""Embeddings that are asked for once for each text."""

from __future__ import annotations

import pytest
from langchain_core.stores import InMemoryStore

from chunkana_core import ConfigurationError
from chunkana_langchain import CachedEmbeddings
from tests.langchain.parts import WordEmbeddings


def stores() -> list[InMemoryStore | None]:
    return [None, InMemoryStore()]


@pytest.mark.parametrize("store", stores())
async def test_each_text_is_embedded_once_in_one_call_for_all(store: InMemoryStore | None) -> None:
    embedding = WordEmbeddings()
    cached = CachedEmbeddings(embedding, store, namespace="words")
    texts = ["green tea", "black tea", "green tea"]
    expected = [embedding.embed_query(text) for text in texts]
    assert cached.embed_documents(texts) == expected
    assert embedding.embedded == ["green tea", "black tea"]
    assert await cached.aembed_documents([*texts, "water"]) == [
        *expected, embedding.embed_query("water"),
    ]  # fmt: skip
    assert embedding.embedded == ["green tea", "black tea", "water"]
    assert await cached.aembed_documents(["water"]) == cached.embed_documents(["water"])
    assert len(embedding.embedded) == 3


async def test_queries_are_the_embedding_s_own() -> None:
    embedding = WordEmbeddings()
    cached = CachedEmbeddings(embedding)
    assert cached.embed_query("tea") == embedding.embed_query("tea")
    assert await cached.aembed_query("tea") == embedding.embed_query("tea")


async def test_a_store_serves_the_next_process_and_not_another_model() -> None:
    store, first, again, other = InMemoryStore(), *(WordEmbeddings() for _ in range(3))
    vectors = await CachedEmbeddings(first, store, namespace="a").aembed_documents(["tea"])
    assert CachedEmbeddings(again, store, namespace="a").embed_documents(["tea"]) == vectors
    CachedEmbeddings(other, store, namespace="b").embed_documents(["tea"])
    assert (again.embedded, other.embedded) == ([], ["tea"])


@pytest.mark.parametrize("damaged", [b"", b"short", None])
def test_what_is_damaged_in_a_store_is_embedded_anew(damaged: bytes | None) -> None:
    store, embedding = InMemoryStore(), WordEmbeddings()
    cached = CachedEmbeddings(embedding, store, namespace="a")
    vectors = cached.embed_documents(["tea"])
    (key,) = store.yield_keys()
    (written,) = store.mget([key])
    assert written is not None
    store.mset([(key, written[:-8] if damaged is None else damaged)])
    assert cached.embed_documents(["tea"]) == vectors
    assert embedding.embedded == ["tea", "tea"]


def test_a_store_needs_the_name_of_the_model() -> None:
    with pytest.raises(ConfigurationError) as raised:
        CachedEmbeddings(WordEmbeddings(), InMemoryStore())
    assert str(raised.value) == (
        "namespace is ''; allowed: the name of the embedding model if vectors are kept in a store"
    )
