"""The auto-merging retriever over an index: what it returns is true after any edit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaAutoMergingRetriever, ChunkanaSplitter
from chunkana_retrieval import IndexFileError
from chunkana_retrieval.indexing import run
from tests.langchain.indexing.parts import abring, bring, documents, texts_of
from tests.langchain.parts import BOOK, SPLITTER, WordEmbeddings, stored

PARAGRAPHS = ["Boil the water first, then wait.", "Green tea at 80.", "# Tea", "## Cup", "### Pot"]
TEXT = st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=7).map("\n\n".join)
STATE = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXT, max_size=3)
SMALL = ChunkanaSplitter(60, min_chunk_size=0)
FILE = "chunkana_index.bin"


def made(**options: Any) -> ChunkanaAutoMergingRetriever:  # noqa: ANN401
    embedding = None if "vectorstore" in options else WordEmbeddings()
    options = {"embedding": embedding, "splitter": SPLITTER, **options}
    return ChunkanaAutoMergingRetriever.from_documents([BOOK], **options)


def edited(text: str = "Line 0, quite new, says") -> Document:
    return Document(BOOK.page_content.replace("Line 0 says", text), metadata=BOOK.metadata)


def assert_true(found: Sequence[Document], texts: Mapping[str, str]) -> None:
    """Assert that chunks and parents are where they say, in documents of today."""
    for document in found:
        text, m = texts[document.metadata["source"]], document.metadata
        part = text[m["start_char"] : m["end_char"]]
        assert part
        assert document.page_content[m["prefix_chars"] :].startswith(part)
        lines = text.split("\n")[m["start_line"] - 1 : m["end_line"]]
        assert part in "\n".join(lines)


@settings(max_examples=25, deadline=None)
@given(st.lists(STATE, min_size=2, max_size=5), st.booleans(), st.booleans())
def test_after_any_edits_chunks_and_parents_are_of_todays_documents(
    states: list[dict[str, str]], is_external: object, is_async: object
) -> None:
    embedding = WordEmbeddings()
    stores: dict[str, Any] = {"embedding": embedding}
    if is_external:
        stores = {"vectorstore": InMemoryVectorStore(embedding), "docstore": InMemoryStore()}
    retriever = ChunkanaAutoMergingRetriever.from_documents([], splitter=SMALL, k=20, **stores)
    for texts in states:
        if is_async:
            asyncio.run(abring(retriever, texts))
        else:
            bring(retriever, texts)
        fresh = ChunkanaAutoMergingRetriever.from_documents(
            documents(texts), WordEmbeddings(), splitter=SMALL, k=20
        )
        for query in ("water", "green tea"):
            found = retriever.invoke(query)
            assert_true(found, texts)
            assert sorted(one.id or "" for one in found) == sorted(
                one.id or "" for one in fresh.invoke(query)
            )
        if is_external:
            assert len(stores["vectorstore"].store) == len(SMALL.split_documents(documents(texts)))
            assert len([*stores["docstore"].yield_keys()]) == len(texts)


async def test_it_returns_what_one_over_stores_that_are_filled_by_hand_returns() -> None:
    leaves, docstore = stored()
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    vectorstore.add_documents(leaves)
    by_hand = ChunkanaAutoMergingRetriever(vectorstore=vectorstore, docstore=docstore)
    for query in ("subject6", "subject1 item1x4", "Book"):
        assert made().invoke(query) == by_hand.invoke(query)
        assert await made().ainvoke(query) == await by_hand.ainvoke(query)


async def test_update_and_delete_sync_and_async() -> None:
    embedding = WordEmbeddings()
    retriever = made(embedding=embedding)
    embedding.embedded.clear()
    assert retriever.update([edited()]).changed == ["book.md"]
    assert embedding.embedded
    assert all("quite new" in text for text in embedding.embedded)
    assert_true(retriever.invoke("quite new"), {"book.md": edited().page_content})
    assert (await retriever.aupdate([BOOK])).changed == ["book.md"]
    assert not any("quite new" in text for text in texts_of(retriever.invoke("quite new")))
    assert (await retriever.adelete(["book.md"])).deleted == ["book.md"]
    assert retriever.delete(["book.md"]).deleted == []
    assert retriever.invoke("Book") == []


async def test_a_folder_beside_a_vector_store_of_the_caller_s(tmp_path: Path) -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    first = made(vectorstore=store, folder=tmp_path)
    options: dict[str, Any] = {"vectorstore": store, "splitter": SPLITTER}
    loaded = ChunkanaAutoMergingRetriever.load(tmp_path, **options)
    assert loaded.invoke("subject6") == first.invoke("subject6")
    loaded.update([edited()])
    again = await ChunkanaAutoMergingRetriever.aload(tmp_path, **options)
    assert_true(await again.ainvoke("quite new"), {"book.md": edited().page_content})
    with pytest.raises(ConfigurationError, match="which are not in its folder"):
        ChunkanaAutoMergingRetriever.load(tmp_path, WordEmbeddings())


async def test_it_is_made_asynchronously() -> None:
    retriever = await ChunkanaAutoMergingRetriever.afrom_documents(
        [BOOK], WordEmbeddings(), splitter=SPLITTER
    )
    assert retriever.invoke("subject6") == made().invoke("subject6")


def test_arguments_are_checked_before_anything_is_embedded(tmp_path: Path) -> None:
    embedding = WordEmbeddings()
    wrong: dict[str, Any] = {"kk": 1, "fetch_k": 0, "folder": 7, "docstore": {}}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name):
            made(embedding=embedding, **{name: value})
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        made(embedding=embedding, folder=tmp_path / "file")
    assert embedding.embedded == []
    with pytest.raises(FileNotFoundError, match=FILE):
        ChunkanaAutoMergingRetriever.load(tmp_path, embedding)


def test_all_is_saved_as_one_file_that_is_whole_or_named(tmp_path: Path) -> None:
    made(folder=tmp_path)
    file = tmp_path / FILE
    assert [*tmp_path.iterdir()] == [file]
    before = file.read_bytes()

    class Unreachable(WordEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError(len(texts))

    with pytest.raises(ConnectionError):
        made(embedding=Unreachable(), folder=tmp_path)
    assert file.read_bytes() == before
    file.write_bytes(before[:-9])
    with pytest.raises(IndexFileError, match="is damaged"):
        ChunkanaAutoMergingRetriever.load(tmp_path, WordEmbeddings())


def test_it_is_saved_elsewhere_too(tmp_path: Path) -> None:
    made().save(tmp_path / "copy")
    loaded = ChunkanaAutoMergingRetriever.load(tmp_path / "copy", WordEmbeddings(), k=2)
    assert loaded.invoke("subject6") == made(k=2).invoke("subject6")


def test_a_retriever_over_stores_that_are_filled_by_hand_says_how_to_update() -> None:
    leaves, docstore = stored()
    vectorstore = InMemoryVectorStore.from_documents(leaves, WordEmbeddings())
    by_hand = ChunkanaAutoMergingRetriever(vectorstore=vectorstore, docstore=docstore)
    with pytest.raises(ConfigurationError) as raised:
        by_hand.update([BOOK])
    assert str(raised.value) == (
        "index is None; allowed: one over an index: make the retriever with `from_documents` or "
        "`load`"
    )


async def test_stores_with_an_index_are_opened_as_one() -> None:
    stores: dict[str, Any] = {
        "vectorstore": InMemoryVectorStore(WordEmbeddings()),
        "docstore": InMemoryStore(),
    }
    first = made(**stores)
    opened = ChunkanaAutoMergingRetriever.from_documents([], splitter=SPLITTER, **stores)
    assert opened.invoke("subject6") == first.invoke("subject6")
    by_hand = ChunkanaAutoMergingRetriever(**stores)
    expected = (
        "index is None; allowed: that of the stores: open it with `from_documents([], "
        "vectorstore=…, docstore=…)`, or `load`"
    )
    with pytest.raises(ConfigurationError) as raised:
        by_hand.invoke("subject6")
    assert str(raised.value) == expected
    with pytest.raises(ConfigurationError, match="open it with"):
        await by_hand.ainvoke("subject6")


def test_a_retriever_by_hand_needs_the_parents() -> None:
    with pytest.raises(ValueError, match="give docstore=…, where the parents of chunks are"):
        ChunkanaAutoMergingRetriever(vectorstore=InMemoryVectorStore(WordEmbeddings()))


# Filters


@pytest.mark.parametrize("is_indexed", [False, True])
async def test_filters_work_with_every_question_or_one(is_indexed: object) -> None:
    other = Document("# Other\n\nsubject6 too.\n", metadata={"source": "other.md"})

    def of_other(document: Document) -> bool:
        return bool(document.metadata["source"] == "other.md")

    def over(**options: Any) -> ChunkanaAutoMergingRetriever:  # noqa: ANN401
        if is_indexed:
            return ChunkanaAutoMergingRetriever.from_documents(
                [BOOK, other], WordEmbeddings(), **options
            )
        leaves, parents = SPLITTER.split_hierarchical([BOOK, other])
        docstore = InMemoryStore()
        docstore.mset(parents)
        vectorstore = InMemoryVectorStore.from_documents(leaves, WordEmbeddings())
        return ChunkanaAutoMergingRetriever(vectorstore=vectorstore, docstore=docstore, **options)

    for found in (
        over(search_kwargs={"filter": of_other}).invoke("subject6"),
        over().invoke("subject6", filter=of_other),
        await over().ainvoke("subject6", filter=of_other),
    ):
        assert {one.metadata["source"] for one in found} == {"other.md"}


def test_a_filter_beside_a_retriever_says_what_to_write() -> None:
    leaves, docstore = stored()
    asked = InMemoryVectorStore.from_documents(leaves, WordEmbeddings()).as_retriever()
    retriever = ChunkanaAutoMergingRetriever(retriever=asked, docstore=docstore)
    with pytest.raises(ConfigurationError) as raised:
        retriever.invoke("subject6", filter={})
    allowed = "{} with `retriever`, which is called without them; give them to that one"
    assert str(raised.value) == f"search_kwargs is {{'filter': {{}}}}; allowed: {allowed}"
    with pytest.raises(ValueError, match="give them to that one"):
        ChunkanaAutoMergingRetriever(
            retriever=asked, docstore=docstore, search_kwargs={"filter": {}}
        )


# Forged metadata


@pytest.mark.parametrize(
    "forged",
    [
        {"chunkana_child_count": "x"},
        {"chunkana_child_count": None},
        {"prefix_chars": []},
        {"chunkana_parent_id": "itself"},
    ],
)
def test_forged_metadata_of_parents_end_no_query(forged: dict[str, Any]) -> None:
    leaves, parents = SPLITTER.split_hierarchical([BOOK])
    docstore = InMemoryStore()
    counted = [(key, one) for key, one in parents if one.metadata["chunkana_child_count"]]
    for key, one in parents:
        change = {name: key if value == "itself" else value for name, value in forged.items()}
        metadata = one.metadata | (change if (key, one) in counted else {})
        docstore.mset([(key, Document(one.page_content, metadata=metadata, id=key))])
    vectorstore = InMemoryVectorStore.from_documents(leaves, WordEmbeddings())
    retriever = ChunkanaAutoMergingRetriever(vectorstore=vectorstore, docstore=docstore, k=9)
    if "chunkana_parent_id" in forged:
        assert retriever.invoke("subject6")
        return
    with pytest.warns(UserWarning, match="nothing is merged into them; index their documents"):
        found = retriever.invoke("subject6")
    assert found
    assert not any(one.metadata["chunkana_child_count"] for one in found)


def test_parents_above_each_other_end_no_query() -> None:
    def parent(name: str, above: str) -> Document:
        metadata = {"prefix_chars": 0, "chunkana_child_count": 1, "chunkana_parent_id": above}
        return Document(name, metadata=metadata, id=name)

    docstore = InMemoryStore()
    docstore.mset([("a", parent("a", "b")), ("b", parent("b", "a")), ("c", parent("c", "a"))])
    leaf = Document("leaf", metadata={"chunkana_parent_id": "c"}, id="leaf")
    vectorstore = InMemoryVectorStore.from_documents([leaf], WordEmbeddings())
    retriever = ChunkanaAutoMergingRetriever(vectorstore=vectorstore, docstore=docstore)
    assert len(retriever.invoke("leaf")) == 1


@pytest.mark.parametrize("attachment", ["", "[]", "[1, 2]", '[{"x": []}, {}]', "{"])
def test_damaged_pages_in_a_record_end_no_query(attachment: str) -> None:
    from msgspec.structs import replace

    retriever = made()
    index = retriever.index
    assert index is not None
    (record,) = run(index.stores.records.read(["book.md"]))
    run(index.stores.records.write([replace(record, attachment=attachment)], []))
    assert retriever.invoke("subject6") == []
