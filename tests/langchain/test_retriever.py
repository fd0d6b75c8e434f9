"""The auto-merging retriever, over real vector stores and document stores."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import IndexingResult, InMemoryRecordManager, index
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_langchain import CachedEmbeddings, ChunkanaAutoMergingRetriever, ChunkanaSplitter
from tests.langchain.parts import BOOK, SECTIONS, SPLITTER, WordEmbeddings, own_documents, stored


class Fixed(BaseRetriever):
    """Finds always the same."""

    found: list[Document]

    def _get_relevant_documents(self, *_: object, **__: object) -> list[Document]:
        return self.found


def in_section(leaves: Sequence[Document], number: int) -> list[Document]:
    """Return the chunks of a section."""
    return [leaf for leaf in leaves if f"subject{number} " in leaf.page_content]


def retrieved(found: list[Document], **options: float) -> list[Document]:
    """Retrieve what a retriever that finds some chunks gives."""
    _, store = stored()
    settings: dict[str, Any] = {"k": 50, **options}
    retriever = ChunkanaAutoMergingRetriever(
        retriever=Fixed(found=found), docstore=store, **settings
    )
    return retriever.invoke("")


def test_one_hit_is_the_chunk_and_more_than_half_the_section() -> None:
    leaves, _ = stored()
    hits = in_section(leaves, 3)
    assert len(hits) >= 3
    few, many = len(hits) // 2, len(hits) // 2 + 1
    assert retrieved(hits[:1]) == hits[:1]
    assert retrieved(hits[:few]) == hits[:few]
    (merged,) = retrieved(hits[:many])
    assert merged.id == hits[0].metadata["chunkana_parent_id"]
    for hit in hits:
        assert hit.metadata["start_char"] >= merged.metadata["start_char"]
        assert hit.metadata["end_char"] <= merged.metadata["end_char"]
    start, end = merged.metadata["start_char"], merged.metadata["end_char"]
    assert merged.page_content == BOOK.page_content[start:end]


@pytest.mark.parametrize(("ratio", "merges"), [(0.0, 1), (0.99, 0)])
def test_ratio_decides(ratio: float, merges: int) -> None:
    leaves, _ = stored()
    hits = in_section(leaves, 5)[:-1]
    result = retrieved(hits, ratio=ratio)
    assert (result == hits) is not bool(merges)


def test_all_hits_merge_up_to_the_roots() -> None:
    """Everything found gives the roots of the merge tree, none of which is over the cap."""
    leaves, store = stored()
    result = retrieved(leaves)
    assert len({document.id for document in result}) == len(result)
    assert all(document.metadata["chunkana_parent_id"] == document.id for document in result)
    assert all(len(document.page_content) <= 4 * 140 for document in result)
    assert "".join(d.page_content for d in result).count("item") == SECTIONS * 6
    ids = [leaf.metadata["chunkana_parent_id"] for leaf in leaves]
    assert None not in store.mget(ids)


def test_a_part_of_what_is_read_is_not_read_again() -> None:
    """Where a section is merged, nothing found in it comes besides, merged itself or not."""
    text = (
        f"# B\n\n## Opt\n\n{'alpha one. ' * 8}\n\n### R\n\n{'beta two. ' * 8}\n\n"
        f"### S\n\n{'gamma three. ' * 8}\n\n{'delta four. ' * 8}\n"
    )
    split = ChunkanaSplitter(150).split_hierarchical([Document(page_content=text)])
    store = InMemoryStore()
    store.mset(split.parents)
    for count in (3, 4):
        found = Fixed(found=split.leaves[:count])
        (merged,) = ChunkanaAutoMergingRetriever(retriever=found, docstore=store).invoke("")
        assert merged.metadata["header_path"] == "/B/Opt"


def test_group_of_sections_is_named_after_the_one_around_them() -> None:
    text = "# Book\n\nIntro text here.\n\n" + "".join(
        f"## S{n}\n\n{('word ' * 18).strip()}.\n\n" for n in range(8)
    )
    splitter = ChunkanaSplitter(150, max_parent_size=400)
    _, parents = splitter.split_hierarchical([Document(page_content=text)])
    groups = [d for _, d in parents if d.metadata["chunkana_child_count"]]
    assert {d.metadata["header_path"] for d in groups} == {"/Book"}
    assert all(d.page_content.startswith("Book\n\n") for d in groups)
    sizes = [d.metadata["end_char"] - d.metadata["start_char"] for d in groups]
    assert max(sizes) <= 400


def test_cap_is_respected() -> None:
    leaves, _ = stored()
    result = retrieved(leaves, max_parent_size=300)
    assert all(len(document.page_content) <= 300 for document in result)
    with_headings = ChunkanaSplitter(140, max_parent_size=400, min_chunk_size=0)
    found, parents = with_headings.split_hierarchical([BOOK])
    store = InMemoryStore()
    store.mset(parents)
    same = ChunkanaAutoMergingRetriever(
        retriever=Fixed(found=found), docstore=store, max_parent_size=400, k=50
    )
    assert all(d.metadata["chunkana_parent_id"] == d.id for d in same.invoke(""))
    assert result != retrieved(leaves)


def test_order_is_that_of_the_best_and_scores_are_kept() -> None:
    """A parent stands where its best child was, with that one's score."""
    leaves, _ = stored()
    first, second = in_section(leaves, 2), in_section(leaves, 7)
    hits = [first[0], second[0], *first[1:], first[0]]
    scores = [0.9, 0.8, *[0.1] * len(first)]
    for hit, score in zip(hits, scores, strict=True):
        hit.metadata["score"] = score
    hits[-1] = hits[-1].model_copy(update={"metadata": hits[0].metadata | {"score": 0.05}})
    hits[0].metadata["score"] = 0.9
    merged, other = retrieved(hits)
    assert (merged.metadata["score"], other.metadata["score"]) == (0.9, 0.8)
    assert merged.metadata["header_path"] == "/Book/subject2"


def test_vector_store_scores_are_in_the_metadata() -> None:
    retriever = ChunkanaAutoMergingRetriever.from_documents(
        [BOOK], WordEmbeddings(), splitter=SPLITTER
    )
    found = retriever.invoke("subject4 item4x1", k=3)
    scores = [document.metadata["score"] for document in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.3


async def test_async_gives_the_same() -> None:
    for retriever in (
        ChunkanaAutoMergingRetriever.from_documents([BOOK], WordEmbeddings(), splitter=SPLITTER),
        ChunkanaAutoMergingRetriever(retriever=Fixed(found=stored()[0]), docstore=stored()[1]),
    ):
        assert await retriever.ainvoke("subject8") == retriever.invoke("subject8")


def test_search_arguments_are_passed_on() -> None:
    """A filter of the vector store's restricts what is found."""
    retriever = ChunkanaAutoMergingRetriever.from_documents(
        own_documents(), WordEmbeddings(),
        search_kwargs={"filter": lambda d: d.metadata["source"] == "long_tables.md"},
    )  # fmt: skip
    assert {d.metadata["source"] for d in retriever.invoke("the")} == {"long_tables.md"}


def test_documents_from_elsewhere_pass() -> None:
    others = [Document(page_content="x"), Document(page_content="y", id="7")]
    assert retrieved([*others, *others]) == others


def test_a_store_without_the_parents_says_what_to_do() -> None:
    leaves, _ = stored()
    retriever = ChunkanaAutoMergingRetriever(
        retriever=Fixed(found=leaves), docstore=InMemoryStore()
    )
    with pytest.raises(LookupError, match=r"split_hierarchical\(documents\)\.parents"):
        retriever.invoke("")


@pytest.mark.parametrize("options", [{}, {"retriever": Fixed(found=[]), "vectorstore": InMemoryVectorStore(WordEmbeddings())}])  # fmt: skip  # noqa: E501
def test_needs_one_source_of_chunks(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="either a vectorstore or a retriever"):
        ChunkanaAutoMergingRetriever(docstore=InMemoryStore(), **options)


@pytest.mark.parametrize("option", ["k", "fetch_k", "max_parent_size"])
def test_options_are_checked(option: str) -> None:
    options: dict[str, Any] = {option: 0}
    with pytest.raises(ValueError, match=option):
        ChunkanaAutoMergingRetriever(docstore=InMemoryStore(), retriever=Fixed(found=[]), **options)
    with pytest.raises(ValueError, match="argument is 'kk'"):
        ChunkanaAutoMergingRetriever(docstore=InMemoryStore(), retriever=Fixed(found=[]), kk=1)  # type: ignore[call-arg]


def test_number_of_documents_is_checked() -> None:
    retriever = ChunkanaAutoMergingRetriever(retriever=Fixed(found=[]), docstore=InMemoryStore())
    for wrong in (0, True):
        with pytest.raises(
            ValueError, match=f"k is {wrong}; allowed: a whole number of at least 1"
        ):
            retriever.invoke("", k=wrong)


def test_nothing_to_find() -> None:
    made = ChunkanaAutoMergingRetriever.from_documents(
        [Document(page_content=" ")], WordEmbeddings()
    )
    assert made.invoke("anything") == []


# On disk


def test_saved_and_loaded_in_another_process(tmp_path: Path) -> None:
    made = ChunkanaAutoMergingRetriever.from_documents(
        [BOOK], WordEmbeddings(), splitter=SPLITTER, folder=tmp_path / "index"
    )
    script = (
        "from chunkana_langchain import ChunkanaAutoMergingRetriever as R\n"
        "from tests.langchain.parts import WordEmbeddings\n"
        f"for d in R.load({str(tmp_path / 'index')!r}, WordEmbeddings()).invoke('subject6'):\n"
        "    print(d.id)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [document.id for document in made.invoke("subject6")]
    assert ChunkanaAutoMergingRetriever.load(tmp_path / "index", WordEmbeddings(), k=1).k == 1


def test_only_what_is_in_memory_is_saved(tmp_path: Path) -> None:
    retriever = ChunkanaAutoMergingRetriever(retriever=Fixed(found=[]), docstore=InMemoryStore())
    with pytest.raises(TypeError, match="only what is in memory"):
        retriever.save(tmp_path)


# Beside other parts of LangChain


def indexed(
    documents: list[Document], manager: InMemoryRecordManager, vectorstore: InMemoryVectorStore
) -> IndexingResult:
    """Index the chunks of documents with LangChain's record manager."""
    return index(
        SPLITTER.split_documents(documents),
        manager,
        vectorstore,
        cleanup="incremental",
        source_id_key="source",
        key_encoder="blake2b",
    )


def test_indexing_again_skips_all_and_an_edit_embeds_its_own_section() -> None:
    """What is below an edit has other offsets, and is stored again; it is not embedded again."""
    embedding = WordEmbeddings()
    vectorstore = InMemoryVectorStore(CachedEmbeddings(embedding))
    manager = InMemoryRecordManager("test")
    manager.create_schema()
    first = indexed([BOOK], manager, vectorstore)
    count = len(SPLITTER.split_documents([BOOK]))
    assert (first["num_added"], first["num_skipped"]) == (count, 0)
    again = indexed([BOOK], manager, vectorstore)
    assert (again["num_added"], again["num_skipped"]) == (0, count)
    embedding.embedded.clear()
    text = BOOK.page_content.replace("Line 0 says of subject1 that", "Line 0 says, longer, that")
    edited = Document(page_content=text, metadata=BOOK.metadata)
    changed = indexed([edited], manager, vectorstore)
    assert changed["num_added"] == changed["num_deleted"] > len(embedding.embedded) > 0
    assert all("subject1" in text for text in embedding.embedded)
    stored = [entry["metadata"]["start_char"] for entry in vectorstore.store.values()]
    today = [leaf.metadata["start_char"] for leaf in SPLITTER.split_documents([edited])]
    assert sorted(stored) == today


def test_repeated_paragraphs_are_all_indexed() -> None:
    text = "\n\n".join("## Same\n\nThe very same words, said again and again." for _ in range(4))
    document = Document(page_content=text, metadata={"source": "r"})
    manager = InMemoryRecordManager("test")
    manager.create_schema()
    vectorstore = InMemoryVectorStore(WordEmbeddings())
    count = len(SPLITTER.split_documents([document]))
    assert indexed([document], manager, vectorstore)["num_added"] == count > 1
    assert len(vectorstore.store) == count


def test_merging_over_what_the_record_manager_stored() -> None:
    """The record manager gives chunks other ids; they are merged all the same."""
    manager, vectorstore = InMemoryRecordManager("test"), InMemoryVectorStore(WordEmbeddings())
    manager.create_schema()
    indexed([BOOK], manager, vectorstore)
    _, store = stored()
    retriever = ChunkanaAutoMergingRetriever(
        vectorstore=vectorstore, docstore=store, k=6, ratio=0.4
    )
    found = retriever.invoke("subject10")
    assert any(document.metadata["chunkana_child_count"] for document in found)
    assert len({document.page_content for document in found}) == len(found)


def test_chain_with_a_model() -> None:
    """It is a part of a chain like any retriever."""
    retriever = ChunkanaAutoMergingRetriever.from_documents([BOOK], WordEmbeddings(), k=1)
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    model = FakeListChatModel(responses=["It is there."])
    seen: list[str] = []

    def as_text(documents: list[Document]) -> str:
        seen.extend(document.page_content for document in documents)
        return "\n".join(seen)

    context = {"context": retriever | as_text, "question": RunnablePassthrough()}
    chain = context | prompt | model | StrOutputParser()
    assert chain.invoke("Where is item3x1?") == "It is there."
    assert "item3x1" in seen[0]
