"""`ChunkanaRetriever` and `ContextAssembler` as LlamaIndex's users call them.

What they have in common with those of LangChain is tested in tests/conformance.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, Settings, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever, dispatcher
from llama_index.core.bridge.pydantic import Field
from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.tools import RetrieverTool

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_llamaindex import (
    ChunkanaNodeParser,
    ChunkanaRetriever,
    ContextAssembler,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    ScorePropagation,
    build_auto_merging,
)
from tests.llamaindex.parts import WordEmbedding

TEA = "# Tea\n\nTea takes time.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
IRON = "# Iron\n\n## Silk\n\nIron it while it is damp.\n\n## Linen\n\nIron it very hot.\n"
SMALL = MarkdownHierarchyNodeParser(max_chunk_size=80, min_chunk_size=0)
QUESTION = "Wait for 80 degrees?"


def documents(**texts: str) -> list[Document]:
    """Return documents with some metadata."""
    return [
        Document(text=text, id_=f"{name}.md", metadata={"file_name": f"{name}.md", "topic": name})
        for name, text in texts.items()
    ]


def retriever(given: Iterable[Document] = (), **options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    """Return a retriever over documents, by default about tea and iron."""
    arguments = {"node_parser": SMALL, "embed_model": WordEmbedding(), **options}
    return ChunkanaRetriever.from_documents([*given] or documents(tea=TEA, iron=IRON), **arguments)


def read(found: Iterable[NodeWithScore]) -> str:
    """Return what a language model reads."""
    return "\n\n".join(one.node.get_content(MetadataMode.LLM) for one in found)


def sources(found: Iterable[NodeWithScore]) -> set[str | None]:
    """Return the ids of the documents."""
    return {one.node.ref_doc_id for one in found}


# What is read


def test_metadata_are_read_as_the_document_says() -> None:
    given = Document(
        text=TEA, id_="tea.md", metadata={"file_name": "tea.md", "note": "x" * 300},
        excluded_llm_metadata_keys=["note"], metadata_template="{key} = {value}",
        text_template="[{metadata_str}] {content}",
    )  # fmt: skip
    (found,) = retriever([given], budget=60).retrieve("Do not wait")
    assert found.node.get_content(MetadataMode.LLM).startswith("[file_name = tea.md] ")
    assert found.node.metadata["note"] == "x" * 300
    assert len(read([found])) <= 60
    given.excluded_llm_metadata_keys = []
    message = r"'tea.md' has metadata that take all of the budget \(200"
    with pytest.warns(UserWarning, match=message):
        assert retriever([given], budget=200).retrieve(QUESTION) == []


@pytest.mark.parametrize("returns", ["passages", "parents"])
def test_keys_of_passages_are_neither_embedded_nor_read(returns: str) -> None:
    for one in retriever(returns=returns).retrieve(QUESTION):
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            shown = one.node.get_metadata_str(mode).splitlines()
            assert {line.partition(":")[0] for line in shown} == {"file_name", "topic"}


def test_a_citation_opens_at_the_right_line(tmp_path: Path) -> None:
    """Of documents that LlamaIndex's reader reads."""
    for name, text in (("tea.md", TEA), ("iron.md", IRON)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = retriever(SimpleDirectoryReader(str(tmp_path), filename_as_id=True).load_data())
    found = made.with_options(k=1, budget=10**4).retrieve("Iron silk while it is damp")[0].node
    lines = Path(found.metadata["file_path"]).read_text(encoding="utf-8").splitlines()
    cited = lines[found.metadata["start_line"] - 1 : found.metadata["end_line"]]
    assert "Iron it while it is damp." in cited


def test_query_engines_and_tools_of_agents_read_its_passages() -> None:
    made = retriever(budget=100)
    engine = RetrieverQueryEngine.from_args(made, llm=MockLLM())
    read_by_engine = engine.query(QUESTION).source_nodes
    assert "80 degrees" in read_by_engine[0].node.get_content()
    later = asyncio.run(engine.aquery(QUESTION)).source_nodes
    assert [one.node_id for one in later] == [one.node_id for one in read_by_engine]
    tool = RetrieverTool.from_defaults(made, name="kitchen", description="Asks the kitchen book.")
    assert "80 degrees" in str(tool.call(QUESTION).content)
    called = asyncio.run(tool.acall(QUESTION))  # as an agent does
    assert "80 degrees" in str(called.content)


# What is embedded


def test_metadata_are_embedded_where_they_are_asked_for() -> None:
    embedding, keys = WordEmbedding(), ["topic", "no"]
    made = retriever(documents(tea=TEA), embed_model=embedding, embedded_metadata_keys=keys)
    assert all(text.startswith("topic: tea\n\ntea.md > Tea") for text in embedding.texts)
    assert all(len(text) <= 80 for text in embedding.texts)
    assert "topic: tea\n\ntea.md" not in made.retrieve("wait")[0].node.get_content()
    (long,) = documents(tea=TEA)
    long.metadata["topic"] = "k" * 60
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size"):
        assert retriever([long], embedded_metadata_keys=["topic"]).retrieve("wait")


def test_the_model_is_that_of_the_settings_where_vectors_are_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Settings, "_embed_model", None)
    monkeypatch.setattr(type(Settings), "embed_model", property(lambda _: pytest.fail("asked")))
    words = ChunkanaRetriever.from_documents(documents(tea=TEA), search="lexical")
    assert "80 degrees" in read(words.retrieve("degrees"))
    embedding = WordEmbedding()
    monkeypatch.setattr(type(Settings), "embed_model", property(lambda _: embedding))
    made = ChunkanaRetriever.from_documents(documents(tea=TEA), node_parser=SMALL)
    assert len(embedding.texts) == 3
    assert made.embed_model is embedding


class Model:
    """A model as sentence-transformers has it, which tells its limit."""

    max_seq_length = 9

    class tokenizer:  # noqa: N801
        @staticmethod
        def tokenize(text: str) -> list[str]:
            return text.split()


class Limited(WordEmbedding):
    """An embedding over such a model."""

    def __init__(self, model: object = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._model = model

    _model: Any = None


class OfLength(WordEmbedding):
    """An embedding that tells its limit itself."""

    max_length: int = 9


@pytest.mark.parametrize("embedding", [Limited(Model()), OfLength()])
async def test_chunks_longer_than_the_model_reads_are_a_warning(embedding: WordEmbedding) -> None:
    match = "^'tea.md' has a chunk that is longer than the 9 tokens that the embedding model reads"
    with pytest.warns(UserWarning, match=match) as warned:
        retriever(documents(tea=TEA, iron=IRON), embed_model=embedding)
    assert len(warned) == 1
    short = documents(tea="Hot.\n")
    made = retriever(short, embed_model=embedding, node_parser=ChunkanaNodeParser())
    with pytest.warns(UserWarning, match="水.md"):
        await made.aupdate(documents(水="水 " * 20))


def test_the_model_of_an_index_is_known_by_its_name(tmp_path: Path) -> None:
    retriever(folder=tmp_path, embed_model=MockEmbedding(8, model_name="mock")).close()
    with pytest.raises(ConfigurationError, match=r"'WordEmbedding'; allowed: .*mock"):
        ChunkanaRetriever.load(tmp_path, WordEmbedding())
    with pytest.raises(ConfigurationError, match="embed_model is 'other'"):
        ChunkanaRetriever.load(tmp_path, WordEmbedding(), model_name="other")


# Options and questions


def test_options_are_set_for_one_question_or_afterwards() -> None:
    made = retriever(callback_manager=CallbackManager([]))
    changed = made.with_options(filters={"topic": "iron"}, budget=70)
    assert sources(changed.retrieve(QUESTION)) == {"iron.md"}
    assert sources(made.retrieve(QUESTION)) == {"iron.md", "tea.md"}
    assert changed.callback_manager is made.callback_manager
    made.filters, made.budget = {"topic": "iron"}, 70
    assert [one.to_dict() for one in made.retrieve(QUESTION)] == [
        one.to_dict() for one in changed.retrieve(QUESTION)
    ]
    made.update(documents(iron="# Iron\n\nNew text.\n"))
    assert "New text" in read(changed.retrieve(QUESTION))
    made.budget = -1
    with pytest.raises(ConfigurationError, match="budget is -1"):
        made.retrieve(QUESTION)


@pytest.mark.parametrize("name", ["folder", "embed_model", "node_parser", "verbose"])
def test_with_options_refuses_what_is_no_option_of_a_question(name: str) -> None:
    with pytest.raises(InputTypeError, match=f"argument is '{name}'; allowed: around, budget"):
        retriever().with_options(**{name: 1})


def test_a_question_may_bring_its_embedding() -> None:
    class Refusing(WordEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            raise AssertionError(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            raise AssertionError(query)

    made = retriever(embed_model=Refusing(), search="dense")
    vector = WordEmbedding().get_text_embedding("80 degrees")
    bundle = QueryBundle("?", embedding=vector)
    assert "80 degrees" in made.retrieve(bundle)[0].node.get_content()
    assert asyncio.run(made.aretrieve(bundle))[0].node.ref_doc_id == "tea.md"


def test_a_question_may_have_several_texts_or_none() -> None:
    made = retriever(search="dense", fetch_k=1)
    bundle = QueryBundle("?", custom_embedding_strs=["damp silk", "damp silk iron"])
    assert sources(made.retrieve(bundle)) == {"iron.md"}
    assert made.retrieve("") == asyncio.run(made.aretrieve("")) == []


def test_postprocessors_of_llamaindex_and_ours_stand_before_the_assembly() -> None:
    cut = SimilarityPostprocessor(similarity_cutoff=0.5)
    made = retriever(node_postprocessors=[ScorePropagation(top_n=2), cut])
    (found,) = made.retrieve(QUESTION)
    assert len(found.metadata["chunk_ids"]) == 2
    parents = made.with_options(returns="parents", node_postprocessors=[ScorePropagation(top_n=1)])
    assert len(parents.retrieve(QUESTION)) == 1


# What LlamaIndex sees


class Events(BaseEventHandler):
    """Keeps events."""

    seen: list[BaseEvent] = Field(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Events"

    def handle(self, event: BaseEvent, **_: Any) -> None:  # noqa: ANN401
        self.seen.append(event)


@pytest.mark.parametrize("is_async", [False, True])
def test_events_of_retrieval_are_told(*, is_async: bool) -> None:
    events = Events()
    dispatcher.add_event_handler(events)
    try:
        made = retriever().with_options(budget=90)
        found = asyncio.run(made.aretrieve(QUESTION)) if is_async else made.retrieve(QUESTION)
    finally:
        dispatcher.event_handlers.remove(events)
    told = [e for e in events.seen if isinstance(e, RetrievalStartEvent | RetrievalEndEvent)]
    assert [type(event) for event in told] == [RetrievalStartEvent, RetrievalEndEvent]
    assert isinstance(told[1], RetrievalEndEvent)
    assert [one.node_id for one in told[1].nodes] == [one.node_id for one in found]


def test_progress_is_shown_where_it_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    retriever(show_progress=True)
    assert "Indexing documents: 100%" in capfd.readouterr().err
    retriever()
    assert capfd.readouterr().err == ""


def test_it_says_what_it_is(tmp_path: Path) -> None:
    with retriever(folder=tmp_path, search="lexical", embed_model=None) as made:
        assert repr(made) == (
            f"<ChunkanaRetriever: search='lexical' in <Index in {str(tmp_path)!r}: 2 documents, "
            "words>>"
        )


def test_the_parser_says_which_leaves_there_are() -> None:
    leaves = get_leaf_nodes(SMALL(documents(tea=TEA)))
    (found,) = retriever(documents(tea=TEA), budget=10**6).retrieve("tea")
    assert found.node.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in leaves]


@pytest.mark.parametrize("make", [lambda nodes: nodes, get_leaf_nodes])
def test_nodes_are_no_documents(make: Callable[[Any], Any]) -> None:
    nodes = make(SMALL(documents(tea=TEA)))
    with pytest.raises(InputTypeError, match=r"documents\[0\] is .*TextNode.*the retriever makes"):
        retriever().update(nodes)


# The assembler


KETTLE = Document(text=TEA, id_="tea.md", metadata={"file_name": "tea.md", "size": 9},
                  excluded_llm_metadata_keys=["size"])  # fmt: skip


def assembled(nodes: Iterable[BaseNode], **options: Any) -> list[NodeWithScore]:  # noqa: ANN401
    """Assemble nodes, the best first."""
    found = [NodeWithScore(node=node, score=1 / (n + 1)) for n, node in enumerate(nodes)]
    return ContextAssembler(**options).postprocess_nodes(found)


@pytest.mark.parametrize("options", [{}, {"length_function": lambda text: len(text.split())}])
def test_the_documents_metadata_count_in_the_budget(options: dict[str, Any]) -> None:
    leaves, length = get_leaf_nodes(SMALL([KETTLE])), options.get("length_function", len)
    for budget in range(0, 300, 7):
        assert length(read(assembled(leaves[::-1], budget=budget, **options))) <= budget


def test_the_documents_metadata_stand_before_passages_as_it_says() -> None:
    (passage,) = assembled(get_leaf_nodes(SMALL([KETTLE])), sources={"tea.md": TEA})
    text = TEA.rstrip()
    assert passage.node.get_content(MetadataMode.LLM) == f"file_name: tea.md\n\n{text}"
    assert passage.node.get_content(MetadataMode.EMBED) == f"file_name: tea.md\nsize: 9\n\n{text}"
    assert (passage.node.ref_doc_id, passage.node.start_char_idx) == ("tea.md", 0)  # type: ignore[attr-defined]


def test_nodes_without_metadata_and_documents_pass_whole() -> None:
    bare = get_leaf_nodes(SMALL.model_copy(update={"include_metadata": False})([KETTLE]))
    assert [one.node for one in assembled(bare)] == bare
    assert [one.node for one in assembled([KETTLE])] == [KETTLE]


@pytest.mark.parametrize("is_merging", [False, True])
def test_a_query_engine_reads_passages(*, is_merging: bool) -> None:
    """Of a vector index, and of what auto-merging found."""
    index = VectorStoreIndex(LeafNodes()(SMALL([KETTLE])), embed_model=WordEmbedding())
    base: BaseRetriever = index.as_retriever(similarity_top_k=3)
    if is_merging:
        base = build_auto_merging([KETTLE], SMALL, embed_model=WordEmbedding())
    assembler = ContextAssembler(budget=200, sources={"tea.md": TEA})
    engine = RetrieverQueryEngine.from_args(base, MockLLM(), node_postprocessors=[assembler])
    found = engine.query(QUESTION).source_nodes
    assert "80 degrees" in read(found)
    assert len(read(found)) <= 200
    assert [one.node for one in asyncio.run(engine.aquery(QUESTION)).source_nodes] == [
        one.node for one in found
    ]


def test_an_assembler_is_serialised_without_functions_and_texts() -> None:
    assembler = ContextAssembler(budget=99, length_function=str.__len__, sources={"a": "b"})
    again = ContextAssembler.from_json(assembler.to_json())
    assert (again.budget, again.length_function) == (99, len)
    assert assembler.to_dict()["class_name"] == "ChunkanaContextAssembler"
