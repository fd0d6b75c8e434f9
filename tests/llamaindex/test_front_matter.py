"""`front_matter_keys`: what a document says of itself, in the metadata of its nodes."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode

from chunkana_llamaindex import MarkdownHierarchyNodeParser

TEXT = (
    "---\ntitle: Tea\ntags: [hot, green]\ndraft: true\n---\n\n"
    "## Leaf\n\nWater first.\n\n### Pot\n\nThen leaves.\n\n### Cup\n\nThen wait.\n"
)


def parse(metadata: dict[str, Any], keys: list[str], **given: bool) -> list[BaseNode]:
    options: dict[str, Any] = {"max_chunk_size": 60, "min_chunk_size": 0, **given}
    parser = MarkdownHierarchyNodeParser(front_matter_keys=tuple(keys), **options)
    again = MarkdownHierarchyNodeParser.from_dict(parser.to_dict())
    return again.get_nodes_from_documents([Document(text=TEXT, metadata=metadata, id_="tea.md")])


def test_keys_that_are_named_are_copied() -> None:
    """Into leaves and parents, each with a value of its own; others and missing ones are not."""
    nodes = parse({"file": "tea.md"}, ["tags", "draft", "author"], include_document_node=True)
    assert len(nodes) == 5
    for node in nodes:
        assert node.metadata["tags"] == ["hot", "green"]
        assert node.metadata["draft"] is True
        assert node.metadata["file"] == "tea.md"
        assert not {"title", "author"} & node.metadata.keys()
    nodes[0].metadata["tags"].clear()
    assert nodes[1].metadata["tags"]


def test_they_are_neither_embedded_nor_read() -> None:
    """So contents and sizes are the same with them and without."""
    for with_keys, without in zip(parse({}, ["tags"]), parse({}, []), strict=True):
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert with_keys.get_content(mode) == without.get_content(mode)
        assert with_keys.node_id == without.node_id


def test_a_key_of_the_document_stays_and_is_embedded_as_it_was() -> None:
    for node in parse({"tags": "mine"}, ["tags"]):
        assert node.metadata["tags"] == "mine"
        assert "tags: mine" in node.get_content(MetadataMode.EMBED)
        assert "tags: mine" in node.get_content(MetadataMode.LLM)


def test_nodes_without_metadata_have_none() -> None:
    assert all(not node.metadata for node in parse({}, ["tags"], include_metadata=False))


@pytest.mark.parametrize("keys", ["tags", None, ["tags", 1], 5])
def test_keys_are_a_list_or_tuple_of_names(keys: object) -> None:
    options: dict[str, Any] = {"front_matter_keys": keys}
    with pytest.raises(ValueError, match="front_matter_keys"):
        MarkdownHierarchyNodeParser(**options)


def test_keys_of_ours_are_not_to_be_had() -> None:
    with pytest.raises(ValueError, match=r"front_matter_keys has anchor, which every node has"):
        MarkdownHierarchyNodeParser(front_matter_keys=("anchor", "tags"))
