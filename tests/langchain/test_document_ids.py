"""The ids of documents in the metadata of their chunks, parents and parts of chunks."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document

from chunkana_langchain import ChunkanaSplitter

KETTLE = """# Kettle

## Cleaning

Descale the kettle once a month, whatever water you have.

Pour vinegar in once, wait for an hour, and rinse.

## Warranty

Two years, from the day on the receipt.
"""
DOCUMENTS = [
    Document(KETTLE.replace("kettle", name), metadata={"source": f"{name}.md"})
    for name in ("kettle", "iron", "boiler")
]
SPLITTER = ChunkanaSplitter(90, header_context="none", min_chunk_size=0)


def test_all_parts_of_a_document_name_it() -> None:
    leaves, parents = SPLITTER.split_hierarchical(DOCUMENTS)
    made = [*leaves, *(parent for _, parent in parents)]
    named = {(d.metadata["source"], d.metadata["chunkana_document_id"]) for d in made}
    assert len({source for source, _ in named}) == len({name for _, name in named}) == len(named)
    assert len(named) == len(DOCUMENTS)
    assert all(len(name) == 16 and int(name, 16) >= 0 for _, name in named)
    assert not {name for _, name in named} & {d.id for d in made}


def test_the_name_of_a_document_is_the_same_in_every_run_and_unlike_its_namesake_s() -> None:
    twice = SPLITTER.split_documents([DOCUMENTS[0], DOCUMENTS[0]])
    names = list(dict.fromkeys(d.metadata["chunkana_document_id"] for d in twice))
    assert len(names) == 2
    (again,) = {d.metadata["chunkana_document_id"] for d in SPLITTER.split_documents(DOCUMENTS[:1])}
    assert again == names[0]


def test_parts_of_chunks_keep_the_name_of_their_document() -> None:
    chunks = ChunkanaSplitter(300).split_documents(DOCUMENTS)
    parts = ChunkanaSplitter(60, min_chunk_size=0).split_documents(chunks)
    assert len(parts) > len(chunks)
    names = {d.metadata["source"]: d.metadata["chunkana_document_id"] for d in chunks}
    assert {(d.metadata["source"], d.metadata["chunkana_document_id"]) for d in parts} == set(
        names.items()
    )


def test_parts_of_chunks_that_name_no_document_are_named_after_the_chunk() -> None:
    """As those do of which a store keeps no more than some keys."""
    (whole,) = ChunkanaSplitter(merge_boundary_level=0, min_chunk_size=500).split_documents(
        DOCUMENTS[:1]
    )
    del whole.metadata["chunkana_document_id"]
    parts = ChunkanaSplitter(60, min_chunk_size=0).split_documents([whole])
    assert len({part.metadata["chunkana_document_id"] for part in parts}) == 1
    assert parts[-1].metadata["end_char"] == whole.metadata["end_char"]


def test_a_name_of_the_caller_s_stays() -> None:
    theirs = Document(page_content=KETTLE, metadata={"chunkana_document_id": 7})
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_document_id"):
        split = SPLITTER.split_documents([theirs])
    assert {d.metadata["chunkana_document_id"] for d in split} == {7}
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_document_id"):
        parts = ChunkanaSplitter(40, min_chunk_size=0).split_documents(split)
    assert {d.metadata["chunkana_document_id"] for d in parts} == {7}
