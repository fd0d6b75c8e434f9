"""The context of a leaf as LlamaIndex embeds it: under one key or in its text."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_core import Context, MarkdownChunker, chunk_hierarchical
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser, to_nodes
from tests.llamaindex.parts import words

ABOUT = "This guide says how tea is made in a small kitchen."
TEXT = f"# Tea\n\n{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40
TEA = Document(text=TEXT, id_="tea", metadata={"file_name": "tea.md"})
IN_TEXT = MarkdownHierarchyNodeParser(header_context="text")
NOWHERE = MarkdownHierarchyNodeParser(header_context="none")


def leaves(**options: Any) -> list[BaseNode]:  # noqa: ANN401
    """Parse the document about tea, and return the leaves."""
    parser = MarkdownHierarchyNodeParser(**{"max_chunk_size": 480, **options})
    return [*LeafNodes()(parser.get_nodes_from_documents([TEA]))]


def embedded(node: BaseNode) -> str:
    """Return what is embedded of a node."""
    return node.get_content(MetadataMode.EMBED)


def test_contexts_are_one_key_that_is_embedded_and_not_read() -> None:
    green = leaves()[1]
    above = f"file_name: tea.md\ncontext: tea.md > Tea > Green\n\n{ABOUT}\n\n"
    assert embedded(green) == f"{above}## Green\n\nWait a while."
    read = green.get_content(MetadataMode.LLM)
    assert read == "file_name: tea.md\nheader_path: /Tea/Green\n\n## Green\n\nWait a while."
    green = leaves(header_context="text")[1]
    assert green.get_content() == f"tea.md > Tea > Green\n\n{ABOUT}\n\n## Green\n\nWait a while."
    assert embedded(green) == f"file_name: tea.md\n\n{green.get_content()}"


def test_nodes_of_a_result_have_the_contexts_of_its_chunks() -> None:
    result = MarkdownChunker(context=Context(label="tea.md")).chunk_hierarchical(TEXT)
    found = {chunk.chunk_id: chunk for chunk in result.get_leaves()}
    for node in LeafNodes()(to_nodes(result, TEA)):
        chunk = found[node.metadata["chunk_id"]]
        assert embedded(node) == f"file_name: tea.md\ncontext: {chunk.embedded}"
        assert node.get_content() == chunk.content
    for node in LeafNodes()(to_nodes(result, TEA, IN_TEXT)):
        chunk = found[node.metadata["chunk_id"]]
        assert embedded(node) == f"file_name: tea.md\n\n{chunk.embedded}"
        assert node.get_content() == chunk.embedded
    for nodes in (to_nodes(result, TEA, NOWHERE), to_nodes(chunk_hierarchical(TEXT), TEA)):
        for node in LeafNodes()([*nodes]):
            assert embedded(node) == f"file_name: tea.md\n\n{node.get_content()}"


@pytest.mark.parametrize("options", [{}, {"header_context": "text"}, {"include_metadata": False}])
def test_nodes_are_as_llamaindex_makes_them(options: dict[str, Any]) -> None:
    """They are equal to what validation gives, as dicts and pickled too."""
    tags = {"file_name": "tea.md", "tags": ["a"], "score": 1.5, "none": None}
    document = Document(text=TEXT, id_="tea", metadata=tags, metadata_template="{key}={value}")
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=480, include_document_node=not options, **options
    )
    for node in parser([document]):
        fields = {name: getattr(node, name) for name in type(node).model_fields}
        made = TextNode(**fields)
        assert type(node) is TextNode
        assert node == made == TextNode.from_dict(node.to_dict())
        assert node.to_dict() == made.to_dict()
        assert list(node.to_dict()) == list(made.to_dict())
        assert node.model_fields_set == made.model_fields_set - {"embedding", "mimetype"}
        assert node.__dict__.keys() == made.__dict__.keys()
        again = pickle.loads(pickle.dumps(node))  # noqa: S301
        assert again == node
        assert again.hash == made.hash


def test_nodes_share_no_lists() -> None:
    found = leaves()
    for leaf in found:
        leaf.excluded_embed_metadata_keys.append("more")
        leaf.excluded_llm_metadata_keys.append("more")
    for leaf in found:
        assert leaf.excluded_embed_metadata_keys.count("more") == 1
        assert leaf.excluded_llm_metadata_keys.count("more") == 1


def test_tokens_are_counted_as_they_are_embedded() -> None:
    """With a measure that does not add up, too: what the core measures is what is embedded."""
    measured: set[str] = set()

    def tokens(text: str) -> list[str]:
        measured.add(text)
        return words(text)

    with pytest.warns(UserWarning, match="cannot be pickled"):
        found = leaves(tokenizer=tokens, max_chunk_size=60)
    assert len(found) > 3
    before = "file_name: tea.md\ncontext: "
    assert {before, *(embedded(leaf).removeprefix(before) for leaf in found)} <= measured
    assert max(len(words(embedded(leaf))) for leaf in found) <= 60
