"""`ContextAssembler`: passages of what a search found, within a budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from chunkana_langchain import ChunkanaSplitter, ContextAssembler
from chunkana_langchain.keys import MetadataKeys
from tests.langchain.parts import BOOK, SPLITTER, WordEmbeddings, own_documents

TEXT = """# Kettle

Boils water.

## Cleaning

Descale it once a month. Use vinegar for that. Rinse it twice.

| part | how often |
|------|-----------|
| lid | once a week |
| base | once a year |
| cord | never at all |
| seal | twice a year |
| spout | once a month |

## Warranty

Two years, from the day on the receipt.
"""
KETTLE = Document(page_content=TEXT, metadata={"source": "kettle.md", "lang": "en"})
LEAVES = ChunkanaSplitter(160, min_chunk_size=0).split_documents([KETTLE])
FOREIGN = Document(page_content="What another tool found.", metadata={"source": "other.md"})
SOURCES = {LEAVES[0].metadata["chunkana_document_id"]: TEXT}


def words(text: str) -> int:
    return len(text.split())


def assembled(found: list[Document], **options: object) -> list[Document]:
    settings: dict[str, Any] = options
    return list(ContextAssembler(**settings).compress_documents(found, "?"))


def handed_over(passages: list[Document]) -> str:
    return "\n\n".join(passage.page_content for passage in passages)


@pytest.mark.parametrize("length", [len, words])
@pytest.mark.parametrize("sources", [None, SOURCES])
def test_the_budget_is_never_exceeded(
    length: Callable[[str], int], sources: dict[str, str] | None
) -> None:
    found = [*reversed(LEAVES[1:]), FOREIGN, LEAVES[0]]
    for budget in range(0, 700, 7):
        passages = assembled(found, budget=budget, length_function=length, sources=sources)
        assert length(handed_over(passages)) <= budget
    assert len(passages) >= 2


def test_passages_are_exact_slices_under_their_path() -> None:
    documents = own_documents()
    sources = {}
    found = []
    for document in documents[:3]:
        leaves = ChunkanaSplitter(400).split_documents([document])
        sources[leaves[0].metadata["chunkana_document_id"]] = document.page_content
        found += leaves[1::3][:4]
    for given in (None, sources):
        for passage in assembled(found, budget=3000, sources=given):
            metadata, at = passage.metadata, 0
            text = sources[metadata["chunkana_document_id"]]
            assert metadata["lines"] == [
                [text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1]
                for start, end in metadata["spans"]
            ]
            for start, end in metadata["spans"]:
                at = passage.page_content.index(text[start:end], at) + end - start
            assert metadata["start_line"] == text.count("\n", 0, metadata["spans"][0][0]) + 1
            assert metadata["end_line"] == text.count("\n", 0, metadata["spans"][-1][1] - 1) + 1
            assert isinstance(json.loads(metadata["path"]), list)
            json.dumps(metadata)


def test_neighbours_are_joined_where_sources_are_given() -> None:
    (passage,) = assembled(LEAVES, sources=SOURCES.__getitem__)
    assert passage.page_content == TEXT.rstrip()
    assert passage.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in LEAVES]
    assert json.loads(passage.metadata["path"]) == ["Kettle"]
    assert len(assembled(LEAVES)) == len(LEAVES)


def test_header_rows_are_repeated_and_no_context() -> None:
    part = next(leaf for leaf in LEAVES if "| spout" in leaf.page_content)
    assert "Descale" not in TEXT[part.metadata["start_char"] : part.metadata["end_char"]]
    (passage,) = assembled([part])
    head = "Kettle > Cleaning\n\n| part | how often |\n|------|-----------|\n"
    assert passage.page_content.startswith(head + "| ")


def test_a_parent_is_read_as_what_it_is() -> None:
    (parent,) = [p for _, p in ChunkanaSplitter(160).split_hierarchical([KETTLE]).parents][:1]
    (passage,) = assembled([parent])
    assert passage.page_content == TEXT.rstrip()


def test_the_callers_metadata_stay_where_documents_share_them() -> None:
    first, second, *_ = (Document(**leaf.model_dump(exclude={"type"})) for leaf in LEAVES)
    second.metadata["lang"] = "fr"
    for passage in assembled([first, second]):
        assert passage.metadata.keys() == {
            "source", "spans", "lines", "start_line", "end_line", "path", "chunk_ids",
            "chunkana_document_id",
        }  # fmt: skip
        assert passage.metadata["source"] == "kettle.md"
    assert assembled([first])[0].metadata["lang"] == "en"


@pytest.mark.parametrize(
    "key", ["path", "header_path", "format", "chunk_id", "start_line", "Header 1"]
)
@pytest.mark.parametrize("metadata", ["short", "full"])
def test_a_key_that_is_the_callers_keeps_its_value(key: str, metadata: MetadataKeys) -> None:
    document = Document(page_content=TEXT, metadata={key: "mine"})
    splitter = ChunkanaSplitter(160, header_keys=True, metadata=metadata)
    is_clashing = key != "path" or metadata == "full"
    with pytest.warns(UserWarning, match=key) if is_clashing else nullcontext():
        leaves = splitter.split_documents([document])
    passages = assembled(leaves)
    assert all(passage.metadata[key] == "mine" for passage in passages)
    assert [p.page_content for p in passages][:1] == [p.page_content for p in assembled(LEAVES)][:1]


@pytest.mark.parametrize("key", ["start_char", "prefix_chars", "chunkana_document_id"])
def test_where_the_place_is_the_callers_a_document_passes_whole(key: str) -> None:
    document = Document(page_content=TEXT, metadata={key: "7"})
    with pytest.warns(UserWarning, match=key):
        leaves = ChunkanaSplitter(160).split_documents([document])
    assert assembled(leaves) == leaves


def test_documents_of_others_are_whole_at_their_place_or_left_out() -> None:
    first, last = LEAVES[0], LEAVES[-1]
    assert assembled([FOREIGN, first])[0] is FOREIGN
    before, foreign = assembled([last, FOREIGN])
    assert foreign is FOREIGN
    small = assembled([last, FOREIGN, first], budget=len(before.page_content) + 25)
    assert FOREIGN not in small
    assert "Kettle" in handed_over(small)


def test_a_chunk_that_was_rewritten_is_anothers() -> None:
    summary = Document(page_content="A summary.", metadata=LEAVES[1].metadata)
    assert assembled([summary]) == [summary]


def test_scores_are_those_of_the_best_chunk() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    leaves = SPLITTER.split_documents([BOOK])
    store.add_documents(leaves)
    ranked = store.similarity_search_with_score("item3x2")
    for document, score in ranked:
        document.metadata["score"] = score
    found = [document for document, _ in ranked]
    passages = assembled(found, sources=lambda _: BOOK.page_content)
    best = max(passages, key=lambda passage: float(passage.metadata["score"]))
    assert best.metadata["score"] == ranked[0][1]
    assert "item3x2" in best.page_content
    assert "score" not in assembled(leaves)[0].metadata


def test_a_chain_is_a_retriever_and_the_runnable() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents(LEAVES)
    assembler = ContextAssembler(budget=120)
    retriever = store.as_retriever()
    chain = retriever | assembler.as_runnable()
    passages = chain.invoke("How long is the warranty?")
    assert "Two years" in passages[0].page_content
    assert len(handed_over(list(passages))) <= 120
    assert asyncio.run(chain.ainvoke("How long is the warranty?")) == passages
    assert passages == assembler.compress_documents(
        retriever.invoke("How long is the warranty?"), ""
    )


def test_it_is_a_document_compressor_and_takes_nothing_too() -> None:
    assert isinstance(ContextAssembler(), BaseDocumentCompressor)
    assert assembled([]) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("budget", -1), ("budget", True), ("budget", "6000"), ("length_function", 5),
     ("sources", 5), ("sources", "text"), ("size", 1)],
)  # fmt: skip
def test_options_are_checked_by_name(field: str, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValidationError, match=field):
        ContextAssembler(**{field: value})


@pytest.mark.parametrize(
    "sources",
    [{}, SOURCES.fromkeys(SOURCES, "Changed."), {}.__getitem__],
    ids=["none", "changed", "function"],
)
def test_chunks_that_are_not_in_the_sources_are_returned_as_they_are(sources: object) -> None:
    with pytest.warns(UserWarning, match="is not in sources, or was changed there") as caught:
        found = assembled([*LEAVES, FOREIGN], sources=sources)
    assert found == [*LEAVES, FOREIGN]
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="not in sources"):
        assert len(handed_over(assembled(LEAVES, sources=sources, budget=200))) <= 200


def test_chunks_above_a_change_of_the_source_are_read_in_it() -> None:
    edited = TEXT.replace("Two years", "Three years")
    (name,) = SOURCES
    with pytest.warns(UserWarning, match=name):
        passage, last = assembled(LEAVES, sources={name: edited})
    assert passage.page_content.startswith("# Kettle\n\nBoils water.\n\n## Cleaning")
    assert last is LEAVES[-1]
