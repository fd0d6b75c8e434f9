"""What is embedded besides headings: introductions, and the source's label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode

from chunkana_core import chunk_hierarchical
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser, to_nodes
from tests import corpora
from tests.llamaindex.parts import labelled, words

ABOUT = "This guide says how tea is made in a small kitchen."
TEXT = f"# Tea\n\n{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40


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
    """The first sentence of the section around a leaf is embedded below its breadcrumb."""
    first, green, *black = leaves()
    assert "introduction" not in embedded(first)
    above = f"file_name: tea.md\nbreadcrumb: Tea > Green\nintroduction: {ABOUT}\n\n"
    assert embedded(green) == f"{above}## Green\n\nWait a while."
    assert [leaf.metadata["introduction"] for leaf in black] == [ABOUT] * len(black)
    assert ABOUT not in green.get_content(MetadataMode.LLM)


def test_introductions_in_the_text() -> None:
    green = leaves(header_context="text")[1]
    assert green.get_content() == f"Tea > Green\n\n{ABOUT}\n\n## Green\n\nWait a while."
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
        found = leaves(Document(text=sample.text), max_chunk_size=size, tokenizer=tokenizer)
        over = [leaf for leaf in found if length(embedded(leaf)) > size]
        assert all(leaf.metadata["allow_oversize"] for leaf in over)


def test_a_caller_s_own_introduction_stays() -> None:
    document = Document(text=TEXT, metadata={"introduction": "Mine."})
    with pytest.warns(UserWarning, match="keep their own metadata introduction"):
        green = leaves(document)[1]
    assert embedded(green).startswith("introduction: Mine.\nbreadcrumb: Tea > Green\n\n## Green")
    hidden = Document(text=TEXT, excluded_embed_metadata_keys=["introduction"])
    assert embedded(leaves(hidden)[1]).startswith("breadcrumb: Tea > Green\n\n## Green")


def test_what_continues_a_section_introduces_nothing() -> None:
    """A leaf that is parsed further has its section's heading, but not how that begins."""
    sentence = "Then comes another sentence of the text. "
    text = f"# Guide\n\n{ABOUT}\n\n{sentence * 40}"
    first, second, *_ = leaves(Document(text=text), max_chunk_size=800)
    parser = MarkdownHierarchyNodeParser(max_chunk_size=400)
    assert second.metadata["continued_from_header"]
    again = LeafNodes()(parser([second]))
    assert len(again) > 1
    assert not any(node.metadata["introduction"] for node in again)
    again = LeafNodes()(MarkdownHierarchyNodeParser(max_chunk_size=310)([first]))
    assert again[1].metadata["introduction"] == ABOUT


def test_a_label_is_outermost() -> None:
    """It is a key of the metadata or a function of the document."""
    assert leaves(source_label="file_name")[1].metadata["breadcrumb"] == "tea.md > Tea > Green"
    assert leaves(source_label="missing")[1].metadata["breadcrumb"] == "Tea > Green"
    assert leaves(source_label=labelled)[1].metadata["breadcrumb"] == "of tea > Tea > Green"
    long = leaves(source_label="file_name", max_chunk_size=70)[0].metadata["breadcrumb"]
    assert long == "Tea"


def test_a_label_survives_serialisation() -> None:
    for label in ("file_name", labelled):
        parser = MarkdownHierarchyNodeParser(source_label=label)
        again = MarkdownHierarchyNodeParser.from_dict(parser.to_dict())
        assert again.source_label == label
    unknown = "tests.parts:gone#0123456789abcdef"
    with pytest.raises(ValueError, match="cannot be found by its name"):
        MarkdownHierarchyNodeParser(source_label=unknown)


def test_nodes_of_a_result() -> None:
    """Introductions are there where they fit."""
    document = Document(text=TEXT, metadata={"file_name": "tea.md"})
    nodes = to_nodes(chunk_hierarchical(TEXT), document, source_label="file_name")
    green = next(n for n in nodes if n.metadata["header_path"] == "/Tea/Green")
    assert green.metadata["breadcrumb"] == "tea.md > Tea > Green"
    assert green.metadata["introduction"] == ABOUT
    plain = to_nodes(chunk_hierarchical(TEXT), document, introductions=False)
    assert not any(node.metadata["introduction"] for node in plain)
