"""`ContextAssembler`: passages of what a search found, within a budget, as a model reads them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TextNode
from pydantic import ValidationError

from chunkana_llamaindex import (
    ContextAssembler,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)
from chunkana_llamaindex.nodes import MetadataKeys
from tests.llamaindex.parts import WordEmbedding, own_documents

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

## Code

```python
print("one long line that says something, and goes on")
print("another long line that says something, and more")
print("a third long line that says something, and ends")
```

## Warranty

Two years, from the day on the receipt.
"""
SIZES: dict[str, Any] = {"max_chunk_size": 160, "min_chunk_size": 0}
PARSER = MarkdownHierarchyNodeParser(**SIZES)
PLAIN = Document(text=TEXT, id_="kettle.md")
KETTLE = Document(text=TEXT, id_="kettle.md", metadata={"file_name": "kettle.md", "size": 9},
                  excluded_llm_metadata_keys=["size"])  # fmt: skip
FOREIGN = TextNode(text="What another tool found.", metadata={"by": "another tool"})


def scored(nodes: list[BaseNode]) -> list[NodeWithScore]:
    return [NodeWithScore(node=node, score=1 / (n + 1)) for n, node in enumerate(nodes)]


def leaves(document: Document = PLAIN, **options: object) -> list[BaseNode]:
    settings: dict[str, Any] = {**SIZES, **options}
    return get_leaf_nodes(MarkdownHierarchyNodeParser(**settings)([document]))


def assembled(nodes: list[BaseNode], **options: object) -> list[TextNode]:
    settings: dict[str, Any] = options
    found = ContextAssembler(**settings).postprocess_nodes(scored(nodes), query_str="?")
    return [one.node for one in found if isinstance(one.node, TextNode)]


def handed_over(passages: list[TextNode]) -> str:
    return "\n\n".join(passage.get_content(MetadataMode.LLM) for passage in passages)


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("length", [len, words])
@pytest.mark.parametrize("sources", [None, {"kettle.md": TEXT}])
@pytest.mark.parametrize("document", [PLAIN, KETTLE])
def test_what_is_read_never_exceeds_the_budget(
    document: Document, length: Callable[[str], int], sources: dict[str, str] | None
) -> None:
    first, *others = leaves(document)
    found = [*reversed(others), FOREIGN, first]
    sizes = []
    for budget in range(0, 1000, 11):
        options = {"budget": budget, "length_function": length, "sources": sources}
        sizes.append(length(handed_over(assembled(found, **options))))
        assert sizes[-1] <= budget
    assert sizes[-1] > sizes[0]


def test_passages_are_exact_slices_of_their_documents() -> None:
    documents = own_documents()[:3]
    sources = {document.node_id: document.text for document in documents}
    parser = MarkdownHierarchyNodeParser(max_chunk_size=400)
    found = [leaf for one in documents for leaf in get_leaf_nodes(parser([one]))[1::3][:4]]
    for given in (None, sources):
        for passage in assembled(found, budget=3000, sources=given):
            text, metadata, at = sources[str(passage.ref_doc_id)], passage.metadata, 0
            assert metadata["lines"] == [
                [text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1]
                for start, end in metadata["spans"]
            ]
            for start, end in metadata["spans"]:
                at = passage.text.index(text[start:end], at) + end - start
            first, last = metadata["spans"][0][0], metadata["spans"][-1][1]
            assert (passage.start_char_idx, passage.end_char_idx) == (first, last)
            assert metadata["start_line"] == text.count("\n", 0, first) + 1
            assert metadata["end_line"] == text.count("\n", 0, last - 1) + 1
            json.dumps(metadata)


@pytest.mark.parametrize("header_context", ["metadata", "text", "none"])
def test_every_leaf_says_where_its_slice_is(header_context: str) -> None:
    for leaf in leaves(header_context=header_context):
        assert isinstance(leaf, TextNode)
        exact = TEXT[leaf.start_char_idx : leaf.end_char_idx]
        assert leaf.text[leaf.metadata["prefix_chars"] :].startswith(exact)


@pytest.mark.parametrize("header_context", ["metadata", "text", "none"])
def test_contexts_are_not_read_and_rows_and_fences_are_repeated(header_context: str) -> None:
    found = leaves(header_context=header_context)
    for leaf, start in (("| spout", "| part"), ('print("a third', "```python")):
        (part,) = [node for node in found if leaf in node.get_content()]
        (passage,) = assembled([part])
        path, _, text = passage.text.partition("\n\n")
        assert path.startswith("Kettle > ")
        assert text.startswith(start)
        assert text.count("```") % 2 == 0


def test_neighbours_are_joined_where_sources_are_given() -> None:
    (passage,) = assembled(leaves(KETTLE), sources={"kettle.md": TEXT}.__getitem__)
    assert passage.get_content(MetadataMode.LLM) == f"file_name: kettle.md\n\n{TEXT.rstrip()}"
    assert passage.get_content(MetadataMode.EMBED) == (
        f"file_name: kettle.md\nsize: 9\n\n{TEXT.rstrip()}"
    )
    assert passage.ref_doc_id == "kettle.md"
    assert passage.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in leaves(KETTLE)]


def test_the_documents_metadata_stay_where_nodes_share_them() -> None:
    first, second = leaves(KETTLE)[:2]
    second.metadata["size"] = 10
    for passage in assembled([first, second]):
        assert passage.metadata.keys() == {
            "file_name", "spans", "lines", "start_line", "end_line", "path", "chunk_ids"
        }  # fmt: skip


@pytest.mark.parametrize("key", ["path", "chunk_id", "start_line"])
@pytest.mark.parametrize("metadata", ["short", "full"])
def test_a_key_that_is_the_documents_keeps_its_value(key: str, metadata: MetadataKeys) -> None:
    is_clashing = key != "path" or metadata == "full"
    with pytest.warns(UserWarning, match=key) if is_clashing else nullcontext():
        found = leaves(Document(text=TEXT, metadata={key: "mine"}), metadata=metadata)
    passages = assembled(found)
    assert all(passage.metadata[key] == "mine" for passage in passages)
    assert all(f"{key}: mine" in p.get_content(MetadataMode.LLM) for p in passages)


def test_where_the_place_is_the_documents_or_unknown_nodes_pass_whole() -> None:
    with pytest.warns(UserWarning, match="prefix_chars"):
        found = leaves(Document(text=TEXT, metadata={"prefix_chars": 7}))
    assert assembled(found) == found
    bare = leaves(include_metadata=False)
    assert assembled(bare) == bare
    changed = leaves()[1].model_copy(update={"text": "A summary."})
    assert assembled([changed]) == [changed]


def test_nodes_of_others_are_whole_at_their_place_or_left_out() -> None:
    first, *_, last = leaves()
    before, foreign = assembled([last, FOREIGN])
    assert foreign is FOREIGN
    document = NodeWithScore(node=Document(text="Whole."), score=0.5)
    assert ContextAssembler().postprocess_nodes([document]) == [document]
    small = assembled([last, FOREIGN, first], budget=len(before.text) + 27)
    assert FOREIGN not in small
    assert "# Kettle" in handed_over(small)


def test_scores_are_those_of_the_best_node() -> None:
    first, second = leaves()[:2]
    given = [NodeWithScore(node=second, score=0.5), NodeWithScore(node=first, score=0.25)]
    (passage,) = ContextAssembler(sources={"kettle.md": TEXT}).postprocess_nodes(given)
    assert passage.score == 0.5
    (passage,) = ContextAssembler().postprocess_nodes([NodeWithScore(node=first)])
    assert passage.score is None


def test_a_query_engine_reads_passages() -> None:
    index = VectorStoreIndex(
        LeafNodes()(PARSER([KETTLE])), embed_model=WordEmbedding(embed_batch_size=1)
    )
    assembler = ContextAssembler(budget=200, sources={"kettle.md": TEXT})
    engine = index.as_query_engine(
        llm=MockLLM(), similarity_top_k=3, node_postprocessors=[assembler]
    )
    question = "How long is the warranty from the day on the receipt?"
    read = engine.query(question).source_nodes
    assert "Two years" in read[0].get_content()
    assert len(handed_over([one.node for one in read if isinstance(one.node, TextNode)])) <= 200
    later = asyncio.run(engine.aquery(question)).source_nodes
    assert [one.node for one in later] == [one.node for one in read]


def test_it_reads_what_auto_merging_found() -> None:
    retriever: BaseRetriever = build_auto_merging(
        [KETTLE], PARSER, embed_model=WordEmbedding(), similarity_top_k=30
    )
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(), node_postprocessors=[ContextAssembler()]
    )
    (passage,) = engine.query("Cleaning?").source_nodes
    assert passage.get_content() == TEXT.rstrip()


def test_it_is_serialised_without_functions_and_texts() -> None:
    assembler = ContextAssembler(budget=99, length_function=words, sources={"a": "b"})
    again = ContextAssembler.from_json(assembler.to_json())
    assert (again.budget, again.length_function) == (99, len)
    assert assembler.to_dict()["class_name"] == "ChunkanaContextAssembler"


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
    [{"kettle.md": "Changed."}, {"kettle.md": TEXT[1:]}, {}, {}.__getitem__, lambda _: ""],
)
def test_a_node_that_is_not_in_its_source_passes_whole_with_a_warning(sources: object) -> None:
    other = Document(text="# Pot\n\nHolds water.\n", id_="pot.md")
    found = [*leaves()[:2], *leaves(other)]
    known = {"pot.md": other.text, **sources} if isinstance(sources, dict) else sources
    names = "'kettle.md'" if isinstance(sources, dict) else r"'kettle.md' \(and 1 more\)"
    with pytest.warns(UserWarning, match=f"^{names} is not in sources, or was changed there"):
        read = assembled(found, sources=known)
    assert read[:2] == found[:2]
    assert read[2].get_content() == "# Pot\n\nHolds water."
    with pytest.warns(UserWarning, match="is not in sources"):
        small = assembled(found, sources=known, budget=70)
    assert len(handed_over(small)) <= 70


def test_nothing_found_is_nothing_read() -> None:
    assert assembled([]) == []
