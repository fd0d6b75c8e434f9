"""`front_matter_keys`: what a document says of itself, in the metadata of its chunks."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document

from chunkana_langchain import ChunkanaSplitter

TEXT = (
    "---\ntitle: Tea\ntags: [hot, green]\ndraft: true\n---\n\n"
    '<a id="leaf"></a>\n\n## Leaf\n\nWater first.\n\n'
    "### Pot\n\nThen leaves.\n\n### Cup\n\nThen wait.\n"
)


def split(text: str, metadata: dict[str, Any], keys: list[str]) -> list[Document]:
    splitter = ChunkanaSplitter(80, min_chunk_size=0, front_matter_keys=keys)
    leaves, parents = splitter.split_hierarchical([Document(page_content=text, metadata=metadata)])
    assert len(leaves) == 3
    return [*leaves, *(parent for _, parent in parents)]


def test_keys_that_are_named_are_copied() -> None:
    """Into leaves and parents, each with a value of its own; others and missing ones are not."""
    documents = split(TEXT, {"source": "tea.md"}, ["tags", "draft", "author"])
    for document in documents:
        assert document.metadata["tags"] == ["hot", "green"]
        assert document.metadata["draft"] is True
        assert document.metadata["source"] == "tea.md"
        assert not {"title", "author"} & document.metadata.keys()
    documents[0].metadata["tags"].clear()
    assert documents[1].metadata["tags"]


def test_a_key_of_the_caller_stays() -> None:
    for document in split(TEXT, {"tags": "mine"}, ["tags"]):
        assert document.metadata["tags"] == "mine"


def test_nothing_is_copied_unless_it_is_asked_for() -> None:
    ids = [document.id for document in split(TEXT, {}, [])]
    assert ids == [document.id for document in split(TEXT, {}, ["tags"])]
    assert all("tags" not in document.metadata for document in split(TEXT, {}, []))


def test_chunks_that_are_split_further_keep_them() -> None:
    chunks = ChunkanaSplitter(front_matter_keys=("tags",)).create_documents([TEXT])
    for document in ChunkanaSplitter(60, min_chunk_size=0).split_documents(chunks):
        assert document.metadata["tags"] == ["hot", "green"]


def test_a_chunk_that_starts_with_an_anchor_begins_with_its_heading() -> None:
    leaf, *_, parent = split(TEXT, {}, [])
    assert leaf.page_content.endswith('<a id="leaf"></a>\n\n## Leaf\n\nWater first.')
    assert parent.metadata["anchor"] == "leaf"


@pytest.mark.parametrize("keys", ["tags", None, {"tags": 1}, ["tags", 1], 5])
def test_keys_are_a_list_or_tuple_of_names(keys: object) -> None:
    options: dict[str, Any] = {"front_matter_keys": keys}
    with pytest.raises(TypeError, match=r"front_matter_keys.*a (list or tuple of )?str"):
        ChunkanaSplitter(**options)


def test_keys_of_ours_are_not_to_be_had() -> None:
    with pytest.raises(ValueError, match=r"front_matter_keys.*anchor"):
        ChunkanaSplitter(front_matter_keys=["anchor"])
