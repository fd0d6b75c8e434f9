"""`ChunkanaRetriever`: what LlamaIndex's users give it and get; not the life of its index."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, Settings, SimpleDirectoryReader
from llama_index.core.base.base_retriever import dispatcher
from llama_index.core.bridge.pydantic import Field
from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.tools import RetrieverTool

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context, InputTypeError
from chunkana_llamaindex import (
    ChunkanaNodeParser,
    ChunkanaRetriever,
    MarkdownHierarchyNodeParser,
    ScorePropagation,
)
from chunkana_retrieval import Index, IndexDocument, ReadingOptions, SearchOptions
from tests.llamaindex.parts import CountingEmbedding, WordEmbedding, own_documents

TEA = "# Tea\n\nTea takes time.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
IRON = "# Iron\n\n## Silk\n\nIron it while it is damp.\n\n## Linen\n\nIron it very hot.\n"
SMALL = MarkdownHierarchyNodeParser(max_chunk_size=80, min_chunk_size=0)
QUESTION = "Wait for 80 degrees?"


def documents(**texts: str) -> list[Document]:
    return [
        Document(text=text, id_=f"{name}.md", metadata={"file_name": f"{name}.md", "topic": name})
        for name, text in texts.items()
    ]


def retriever(given: Iterable[Document] = (), **options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    arguments = {"node_parser": SMALL, "embed_model": WordEmbedding(), **options}
    return ChunkanaRetriever.from_documents([*given] or documents(tea=TEA, iron=IRON), **arguments)


def read(found: Iterable[NodeWithScore]) -> str:
    return "\n\n".join(one.node.get_content(MetadataMode.LLM) for one in found)


def sources(found: Iterable[NodeWithScore]) -> set[str | None]:
    return {one.node.ref_doc_id for one in found}


def require_exact(found: Iterable[NodeWithScore], texts: dict[str, str]) -> None:
    """Assert that what was found is slices of today's documents, at the places that it says."""
    for one in found:
        text, metadata = texts[str(one.node.ref_doc_id)], one.node.metadata
        content, at = one.node.get_content(), 0
        for start, end in metadata["spans"]:
            assert 0 <= start < end <= len(text)
            at = content.index(text[start:end], at) + end - start
        assert metadata["lines"] == [
            [text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1]
            for start, end in metadata["spans"]
        ]
        assert metadata["start_line"] == metadata["lines"][0][0]
        assert metadata["end_line"] == metadata["lines"][-1][1]
        json.dumps(metadata)


# What is read


def test_metadata_are_read_as_the_document_says() -> None:
    given = Document(
        text=TEA, id_="tea.md", metadata={"file_name": "tea.md", "note": "x"},
        excluded_llm_metadata_keys=["note"], metadata_template="{key} = {value}",
        text_template="[{metadata_str}] {content}",
    )  # fmt: skip
    (found,) = retriever([given], budget=60).retrieve("Do not wait")
    assert found.node.get_content(MetadataMode.LLM).startswith("[file_name = tea.md] ")
    assert found.node.metadata["note"] == "x"
    assert len(read([found])) <= 60


def test_keys_of_passages_are_neither_embedded_nor_read() -> None:
    for returns in ("passages", "parents"):
        for one in retriever(returns=returns).retrieve(QUESTION):
            for mode in (MetadataMode.LLM, MetadataMode.EMBED):
                shown = one.node.get_metadata_str(mode).splitlines()
                assert {line.partition(":")[0] for line in shown} == {"file_name", "topic"}


def test_a_document_keeps_its_own_values_with_a_warning() -> None:
    given = Document(text=TEA, id_="tea.md", metadata={"path": "mine", "kind": "guide"})
    with pytest.warns(UserWarning, match="documents keep their own metadata kind, path"):
        made = retriever([given])
    (found, *_) = made.retrieve(QUESTION)
    assert (found.metadata["path"], found.metadata["kind"]) == ("mine", "guide")


def test_front_matter_that_is_asked_for_is_metadata_and_not_read() -> None:
    parser = MarkdownHierarchyNodeParser(front_matter_keys=("tags",))
    text = "---\ntags: [hot]\n---\n\n# Tea\n\nWait.\n"
    (found,) = retriever([Document(text=text, id_="t")], node_parser=parser).retrieve("wait")
    assert found.node.metadata["tags"] == ["hot"]
    assert "tags" not in read([found])


def test_dates_are_iso_text() -> None:
    given = Document(text=TEA, id_="tea.md", metadata={"day": date(2026, 1, 2)})
    (found, *_) = retriever([given], filters={"day": "2026-01-02"}).retrieve(QUESTION)
    assert found.metadata["day"] == "2026-01-02"


def test_metadata_longer_than_the_budget_are_a_warning() -> None:
    (long,) = documents(tea=TEA)
    long.metadata["note"] = "k" * 300
    made = retriever([long], budget=200)
    with pytest.warns(
        UserWarning, match=r"'tea.md' has metadata that take all of the budget \(200"
    ):
        assert made.retrieve(QUESTION) == []
    long.excluded_llm_metadata_keys = ["note"]
    assert retriever([long], budget=200).retrieve(QUESTION)


def test_passages_are_those_of_the_index_without_a_framework() -> None:
    config = ChunkConfig(max_chunk_size=300, atomic_blocks="split")
    given = [Document(text=one.text, id_=one.node_id) for one in own_documents()[:5]]
    made = retriever(given, node_parser=MarkdownHierarchyNodeParser(max_chunk_size=300),
                     search="lexical", budget=2000)  # fmt: skip
    with Index() as index:
        index.update(
            [IndexDocument(f"{one.node_id}.md", one.text) for one in given],
            chunker=Chunker(config, Context("")),
        )
        options = SearchOptions(search="lexical")
        for question in ("install", "How long is a table?", "errors"):
            passages = index.search(question, options).passages(ReadingOptions(budget=2000))
            found = [one.node.get_content() for one in made.retrieve(question)]
            assert found == [passage.text for passage in passages]


def test_a_citation_opens_at_the_right_line(tmp_path: Path) -> None:
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


class Recording(CountingEmbedding):
    """Keeps the texts that it embeds."""

    texts: list[str] = Field(default_factory=list)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self.texts.extend(texts)
        return super()._get_text_embeddings(texts)


def test_what_is_embedded_is_what_other_frameworks_embed() -> None:
    embedding = Recording()
    retriever(documents(tea=TEA), embed_model=embedding)
    config = ChunkConfig(max_chunk_size=80, min_chunk_size=0, atomic_blocks="split")
    result = Chunker(config, Context()).chunk_hierarchical(TEA, path="tea.md")
    assert embedding.texts == [chunk.embedded for chunk in result.get_flat_chunks()]


def test_metadata_are_embedded_where_they_are_asked_for() -> None:
    embedding = Recording()
    keys = ["topic", "no"]
    made = retriever(documents(tea=TEA), embed_model=embedding, embedded_metadata_keys=keys)
    assert all(text.startswith("topic: tea\n\ntea.md > Tea") for text in embedding.texts)
    assert all(len(text) <= 80 for text in embedding.texts)
    assert "topic: tea\n\ntea.md" not in made.retrieve("wait")[0].node.get_content()


def test_metadata_that_leave_no_room_are_embedded_and_not_measured() -> None:
    (long,) = documents(tea=TEA)
    long.metadata["topic"] = "k" * 60
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size"):
        made = retriever([long], embedded_metadata_keys=["topic"])
    assert made.retrieve("wait")


def test_the_model_is_that_of_the_settings_where_vectors_are_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Settings, "_embed_model", None)
    monkeypatch.setattr(type(Settings), "embed_model", property(lambda _: pytest.fail("asked")))
    words = ChunkanaRetriever.from_documents(documents(tea=TEA), search="lexical")
    assert "80 degrees" in read(words.retrieve("degrees"))
    embedding = Recording()
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


# Options


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


@pytest.mark.parametrize("name", ["bugdet", "folder", "embed_model", "node_parser", "verbose"])
def test_with_options_refuses_what_is_no_option_of_a_question(name: str) -> None:
    made = retriever()
    with pytest.raises(InputTypeError, match=f"argument is '{name}'; allowed: around, budget"):
        made.with_options(**{name: 1})


def test_parents_are_whole_sections_and_four_by_default() -> None:
    made = retriever(own_documents(), node_parser=MarkdownHierarchyNodeParser(max_chunk_size=200))
    parents = made.with_options(returns="parents", fetch_k=90)
    found = parents.retrieve("How are tables split?")
    assert len(found) == 4
    texts = {one.node_id: one.text for one in own_documents()}
    require_exact(found, texts)
    assert len(parents.with_options(k=9).retrieve("How are tables split?")) == 9
    smallest = parents.with_options(max_parent_size=201, k=50).retrieve("How are tables split?")
    assert all(len(one.metadata["spans"]) == 1 for one in smallest)
    assert max(end - start for one in smallest for start, end in one.metadata["spans"]) <= 201


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


# Postprocessors


class Reversing(BaseNodePostprocessor):
    """Returns nodes in the opposite order, with scores of its own, and keeps what it was given."""

    given: list[NodeWithScore] = Field(default_factory=list)
    questions: list[str] = Field(default_factory=list)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        self.given[:] = nodes
        self.questions.append(query_bundle.query_str if query_bundle else "")
        best_last = nodes[::-1]
        return [NodeWithScore(node=one.node, score=9.0 - n) for n, one in enumerate(best_last)]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_reranker_stands_between_search_and_assembly(*, is_async: bool) -> None:
    reranker = Reversing()
    made = retriever(node_postprocessors=[reranker], order="score", budget=10**4)
    plain = made.with_options(node_postprocessors=[])
    found = asyncio.run(made.aretrieve(QUESTION)) if is_async else made.retrieve(QUESTION)
    assert reranker.questions == [QUESTION]
    assert len(reranker.given) == 5
    assert found[0].score == 9.0
    assert found[0].node.ref_doc_id != plain.retrieve(QUESTION)[0].node.ref_doc_id
    for one in reranker.given:
        assert one.node.get_content().startswith(f"{one.node.ref_doc_id} > ")  # with its context
        assert one.node.metadata["topic"]
        assert one.node.metadata["section_id"]
        assert "section_id" not in one.node.get_content(MetadataMode.ALL).partition("\n\n")[2]
    only = made.with_options(budget=90).retrieve(QUESTION)
    assert "80 degrees" not in read(only)


def test_postprocessors_of_llamaindex_and_ours_may_stand_there() -> None:
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


def test_it_is_pickled_with_its_options(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        made = retriever(folder=folder, budget=90, filters={"topic": "tea"})
        copy = pickle.loads(pickle.dumps(made))  # noqa: S301
        assert [one.to_dict() for one in copy.retrieve(QUESTION)] == [
            one.to_dict() for one in made.retrieve(QUESTION)
        ]


def test_the_parser_says_which_leaves_there_are() -> None:
    leaves = get_leaf_nodes(SMALL(documents(tea=TEA)))
    (found,) = retriever(documents(tea=TEA), budget=10**6).retrieve("tea")
    assert found.node.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in leaves]


# Mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "words"}, "search is 'words'; allowed: 'hybrid', 'dense' or 'lexical'"),
        ({"budget": -1}, "budget is -1; allowed: a number of at least 0"),
        ({"returns": "nodes"}, "returns is 'nodes'; allowed: 'passages' or 'parents'"),
        ({"around": "parent"}, "around is 'parent'; allowed: a tuple: around=('parent',)"),
        ({"embed_model": "local"},
         "embed_model is 'local'; allowed: an embedding model of LlamaIndex's"),
        ({"node_parser": 5}, "node_parser is 5; allowed: a ChunkanaNodeParser(…)"),
        ({"vector_store": 5},
         ("vector_store is 5; allowed: a vector store that keeps nodes and deletes them by their "
         "ids, as Qdrant does")),
        ({"embedded_metadata_keys": "topic"},
         "embedded_metadata_keys is 'topic'; allowed: a list of str"),
        ({"node_postprocessors": [5]},
         "node_postprocessors[0] is 5; allowed: a postprocessor of LlamaIndex's"),
    ],
)  # fmt: skip
def test_arguments_are_checked_before_anything_is_done(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    embedding = CountingEmbedding()
    with pytest.raises(ConfigurationError) as raised:
        retriever(**{"embed_model": embedding, "folder": tmp_path / "new", **options})
    assert str(raised.value) == message
    assert embedding.count == 0
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("make", [lambda nodes: nodes, get_leaf_nodes])
def test_nodes_are_no_documents(make: Callable[[Any], Any]) -> None:
    nodes = make(SMALL(documents(tea=TEA)))
    embedding = CountingEmbedding()
    made = retriever(embed_model=embedding)
    count = embedding.count
    with pytest.raises(InputTypeError, match=r"documents\[0\] is .*TextNode.*the retriever makes"):
        made.update(nodes)
    assert (embedding.count, made.document_ids()) == (count, ["tea.md", "iron.md"])


@pytest.mark.filterwarnings("ignore:.*takes over half of max_chunk_size:UserWarning")
def test_documents_that_could_not_be_chunked_are_told() -> None:
    def tokens(text: str) -> object:
        return 5 if "cannot" in text else text.split()

    with pytest.warns(UserWarning, match="cannot be pickled"):
        parser = ChunkanaNodeParser(tokenizer=tokens)
    with pytest.warns(UserWarning, match="could not be indexed") as warned:
        made = retriever(documents(tea=TEA, bad="It cannot."), node_parser=parser)
    assert made.document_ids() == ["tea.md"]
    (said,) = (str(one.message) for one in warned if "could not be indexed" in str(one.message))
    assert said.startswith("'bad.md' could not be indexed: InputTypeError: tokenizer returned 5")


def test_other_options_of_chunking_are_for_all_documents(tmp_path: Path) -> None:
    retriever(folder=tmp_path).close()
    other = ChunkanaRetriever.load(tmp_path, WordEmbedding(), node_parser=ChunkanaNodeParser())
    with pytest.raises(ConfigurationError, match="chunking options"):
        other.update(documents(tea=TEA))
    assert other.update(documents(tea=TEA, iron=IRON)).changed == ["tea.md", "iron.md"]


def test_the_model_of_an_index_is_known_by_its_name(tmp_path: Path) -> None:
    retriever(folder=tmp_path, embed_model=MockEmbedding(8, model_name="mock")).close()
    with pytest.raises(ConfigurationError, match=r"'WordEmbedding'; allowed: .*mock"):
        ChunkanaRetriever.load(tmp_path, WordEmbedding())
    with pytest.raises(ConfigurationError, match="embed_model is 'other'"):
        ChunkanaRetriever.load(tmp_path, WordEmbedding(), model_name="other")
    words = ChunkanaRetriever.load(tmp_path, search="lexical")
    assert "80 degrees" in read(words.retrieve("degrees"))
