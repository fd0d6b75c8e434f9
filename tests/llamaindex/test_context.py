"""The context of a leaf: under one key or in its text, with introduction and label."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_core import Context, MarkdownChunker, chunk_hierarchical
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser, to_nodes
from tests import corpora
from tests.llamaindex.parts import labelled, words

ABOUT = "This guide says how tea is made in a small kitchen."
TEXT = f"# Tea\n\n{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40


IN_TEXT = MarkdownHierarchyNodeParser(header_context="text")
NOWHERE = MarkdownHierarchyNodeParser(header_context="none")


def leaves(document: Document | None = None, **options: object) -> list[BaseNode]:
    """Parse a document, by default one about tea, and return the leaves."""
    document = document or Document(text=TEXT, id_="tea", metadata={"file_name": "tea.md"})
    arguments: dict[str, Any] = {"max_chunk_size": 480, **options}
    parser = MarkdownHierarchyNodeParser(**arguments)
    return [*LeafNodes()(parser.get_nodes_from_documents([document]))]


def embedded(node: BaseNode) -> str:
    """Return what is embedded of a node."""
    return node.get_content(MetadataMode.EMBED)


def test_leaves_are_introduced() -> None:
    """The first sentence of the section around a leaf is embedded below its path."""
    first, green, *black = leaves()
    assert first.metadata["context"] == "tea.md > Tea"
    above = f"file_name: tea.md\ncontext: tea.md > Tea > Green\n\n{ABOUT}\n\n"
    assert embedded(green) == f"{above}## Green\n\nWait a while."
    expected = [f"tea.md > Tea > Black\n\n{ABOUT}"] * len(black)
    assert [leaf.metadata["context"] for leaf in black] == expected
    read = green.get_content(MetadataMode.LLM)
    assert read == "file_name: tea.md\nheader_path: /Tea/Green\n\n## Green\n\nWait a while."


def test_introductions_in_the_text() -> None:
    green = leaves(header_context="text")[1]
    assert green.get_content() == f"tea.md > Tea > Green\n\n{ABOUT}\n\n## Green\n\nWait a while."
    assert embedded(green) == f"file_name: tea.md\n\n{green.get_content()}"


def test_no_introductions() -> None:
    """Without a context, and on request."""
    for options in ({"header_context": "none"}, {"introductions": False}):
        assert not any(ABOUT in embedded(leaf) for leaf in leaves(**options)[1:])


@pytest.mark.parametrize("size", [60, 200, 600])
@pytest.mark.parametrize("tokenizer", [None, words])
def test_introductions_count(size: int, tokenizer: Callable[[str], list[str]] | None) -> None:
    def length(text: str) -> int:
        return len(text if tokenizer is None else tokenizer(text))

    for sample in corpora.own_documents():
        found = leaves(
            Document(text=sample.text), max_chunk_size=size, tokenizer=tokenizer, metadata="full"
        )
        over = [leaf for leaf in found if length(embedded(leaf)) > size]
        assert all(leaf.metadata["allow_oversize"] for leaf in over)


def test_what_continues_a_section_introduces_nothing() -> None:
    """A leaf that is parsed further has its section's heading, but not how that begins."""
    sentence = "Then comes another sentence of the text. "
    text = f"# Guide\n\n{ABOUT}\n\n{sentence * 40}"
    first, second, *_ = leaves(Document(text=text), max_chunk_size=800)
    parser = MarkdownHierarchyNodeParser(max_chunk_size=400)
    assert second.metadata["continued_from_header"]
    again = LeafNodes()(parser([second]))
    assert len(again) > 1
    assert not any(ABOUT in node.metadata["context"] for node in again)
    again = LeafNodes()(MarkdownHierarchyNodeParser(max_chunk_size=420)([first]))
    assert again[1].metadata["context"] == f"Guide\n\n{ABOUT}"


def test_a_label_is_outermost() -> None:
    """It is the file, a key of the metadata or a function of the document."""

    def context(**options: Any) -> str:  # noqa: ANN401
        found = leaves(introductions=False, **options)
        paths = (leaf.metadata for leaf in found if leaf.metadata["header_path"] == "/Tea/Green")
        return str(next(paths)["context"])

    assert context(source_label="file_name") == "tea.md > Tea > Green"
    assert context() == context(source_label="missing") == "tea.md > Tea > Green"
    assert context(source_label="") == "Tea > Green"
    assert context(source_label=labelled) == "of tea > Tea > Green"
    assert context(source_label="file_name", max_chunk_size=84) == "Tea > Green"


def test_a_label_survives_serialisation() -> None:
    for label in ("file_name", labelled):
        parser = MarkdownHierarchyNodeParser(source_label=label)
        again = MarkdownHierarchyNodeParser.from_dict(parser.to_dict())
        assert again.source_label == label
    unknown = "chunkana-function:gone#0123456789abcdef"
    with pytest.raises(ValueError, match="is not known in this process"):
        MarkdownHierarchyNodeParser(source_label=unknown)


def test_a_label_is_a_text() -> None:
    with pytest.raises(TypeError, match="source_label returns is 3; allowed: None or a str"):
        leaves(source_label=number_of)


def number_of(document: BaseNode) -> int:  # noqa: ARG001
    """Name nothing, as a `source_label` must not."""
    return 3


def test_nodes_of_a_result_have_the_contexts_of_its_chunks() -> None:
    document = Document(text=TEXT, metadata={"file_name": "tea.md"})
    result = MarkdownChunker(context=Context(label="tea.md")).chunk_hierarchical(TEXT)
    found = {chunk.chunk_id: chunk for chunk in result.get_leaves()}
    for node in LeafNodes()(to_nodes(result, document)):
        chunk = found[node.metadata["chunk_id"]]
        assert node.metadata["context"] == chunk.context
        assert embedded(node) == f"file_name: tea.md\ncontext: {chunk.embedded}"
        assert node.get_content() == chunk.content
    for node in LeafNodes()(to_nodes(result, document, IN_TEXT)):
        chunk = found[node.metadata["chunk_id"]]
        assert embedded(node) == f"file_name: tea.md\n\n{chunk.embedded}"
        assert node.get_content() == chunk.embedded
    for nodes in (
        to_nodes(result, document, NOWHERE),
        to_nodes(chunk_hierarchical(TEXT), document),
    ):
        for node in LeafNodes()([*nodes]):
            assert embedded(node) == f"file_name: tea.md\n\n{node.get_content()}"


def test_nodes_are_as_llamaindex_makes_them() -> None:
    """They are equal to what validation gives, as dicts and pickled too."""
    tags = {"file_name": "tea.md", "tags": ["a"], "score": 1.5, "none": None}
    several: list[dict[str, Any]] = [{}, {"header_context": "text"}, {"include_metadata": False}]
    for options in several:
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
