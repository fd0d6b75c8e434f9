"""`ChunkanaRetriever`: documents in, passages out, and what is true after every change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.tools import RetrieverTool
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex import ChunkanaRetriever, MarkdownHierarchyNodeParser
from chunkana_retrieval import UnknownLeavesWarning
from chunkana_retrieval.indexing import UpdateReport
from tests.llamaindex.parts import CountingEmbedding, FailingEmbedding, WordEmbedding, own_documents

TEA = "# Tea\n\nTea takes time.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
IRON = "# Iron\n\n## Silk\n\nIron it while it is damp.\n\n## Linen\n\nIron it very hot.\n"
SMALL = MarkdownHierarchyNodeParser(max_chunk_size=80, min_chunk_size=0)
_COLLECTION = "chunkana_records/data"  # of records in a key-value store
SEARCHES = ["hybrid", "dense", "lexical"]


def documents(**texts: str) -> list[Document]:
    return [
        Document(text=text, id_=f"{name}.md", metadata={"file_name": f"{name}.md", "topic": name})
        for name, text in texts.items()
    ]


def retriever(given: Iterable[Document], **options: Any) -> ChunkanaRetriever:  # noqa: ANN401
    settings: dict[str, Any] = {"parser": SMALL, "embedding": WordEmbedding(), **options}
    return ChunkanaRetriever.from_documents([*given], **settings)


def read(found: Iterable[NodeWithScore]) -> str:
    return "\n\n".join(one.node.get_content(MetadataMode.LLM) for one in found)


def words(text: str) -> int:
    return len(text.split())


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
        first, last = metadata["spans"][0][0], metadata["spans"][-1][1]
        assert metadata["start_line"] == text.count("\n", 0, first) + 1
        assert metadata["end_line"] == text.count("\n", 0, last - 1) + 1
        assert metadata["chunk_ids"]
        json.dumps(metadata)


@pytest.mark.parametrize("search", SEARCHES)
def test_each_search_finds_what_is_asked(search: str) -> None:
    made = retriever(documents(tea=TEA, iron=IRON), search=search, budget=80)
    (found, *_) = made.retrieve("Wait for 80 degrees?")
    assert "Wait for 80 degrees." in found.node.get_content()
    assert (found.node.ref_doc_id, found.node.metadata["file_name"]) == ("tea.md", "tea.md")
    later = asyncio.run(made.aretrieve("Wait for 80 degrees?"))
    assert [one.to_dict() for one in later] == [one.to_dict() for one in made.retrieve(
        "Wait for 80 degrees?"
    )]  # fmt: skip


def test_words_alone_need_no_embedding() -> None:
    made = ChunkanaRetriever.from_documents(documents(tea=TEA), search="lexical")
    assert "80 degrees" in read(made.retrieve("degrees"))


def test_passages_say_where_they_are() -> None:
    texts = {one.node_id: one.text for one in own_documents()}
    made = retriever(own_documents(), parser=MarkdownHierarchyNodeParser(max_chunk_size=400))
    for question in ("How are tables split?", "install", "telescope signals"):
        found = made.retrieve(question)
        assert found
        require_exact(found, texts)
        best = max(found, key=NodeWithScore.get_score)
        assert best.node.ref_doc_id == found[0].node.ref_doc_id


@pytest.mark.parametrize("length", [len, words])
@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_read_never_exceeds_the_budget(
    search: Any,  # noqa: ANN401
    length: Callable[[str], int],
    tmp_path: Path,
) -> None:
    parser = MarkdownHierarchyNodeParser(max_chunk_size=300)
    retriever(own_documents()[:6], search=search, parser=parser, folder=tmp_path)
    sizes = []
    for budget in range(0, 2000, 331):
        made = ChunkanaRetriever.load(
            tmp_path, WordEmbedding(), search=search, budget=budget, length_function=length
        )
        for question in ("table", "How is it installed?", "code and headings"):
            sizes.append(length(read(made.retrieve(question))))
            assert sizes[-1] <= budget
    assert max(sizes) > 0


def test_what_is_read_of_the_metadata_is_as_the_document_says() -> None:
    given = Document(
        text=TEA, id_="tea.md", metadata={"file_name": "tea.md", "note": "x"},
        excluded_llm_metadata_keys=["note"], metadata_template="{key} = {value}",
        text_template="[{metadata_str}] {content}",
    )  # fmt: skip
    (found,) = retriever([given], budget=60).retrieve("Do not wait")
    assert found.node.get_content(MetadataMode.LLM).startswith("[file_name = tea.md] ")
    assert found.node.metadata["note"] == "x"
    assert len(read([found])) <= 60


def test_front_matter_that_is_asked_for_is_metadata_and_not_read() -> None:
    parser = MarkdownHierarchyNodeParser(front_matter_keys=("tags",))
    text = "---\ntags: [hot]\n---\n\n# Tea\n\nWait.\n"
    (found,) = retriever([Document(text=text, id_="t")], parser=parser).retrieve("wait")
    assert found.node.metadata["tags"] == ["hot"]
    assert "tags" not in read([found])


class Recording(CountingEmbedding):
    """Keeps the texts that it embeds, and how many at a time."""

    texts: list[str] = Field(default_factory=list)
    batches: list[int] = Field(default_factory=list)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self.texts.extend(texts)
        self.batches.append(len(texts))
        return super()._get_text_embeddings(texts)


def recording() -> Recording:
    return Recording(embed_batch_size=3)


def test_what_is_embedded_is_what_other_frameworks_embed() -> None:
    from chunkana_core import ChunkConfig, Chunker, Context

    embedding = recording()
    retriever(documents(tea=TEA), embedding=embedding)
    config = ChunkConfig(max_chunk_size=80, min_chunk_size=0, atomic_blocks="split")
    result = Chunker(config, Context()).chunk_hierarchical(TEA, path="tea.md")
    assert embedding.texts == [chunk.embedded for chunk in result.get_flat_chunks()]


def test_metadata_are_embedded_where_they_are_asked_for() -> None:
    embedding = recording()
    made = retriever(
        documents(tea=TEA), embedding=embedding, embedded_metadata_keys=["topic", "no"]
    )
    assert all(text.startswith("topic: tea\n\ntea.md > Tea") for text in embedding.texts)
    assert all(len(text) <= 80 for text in embedding.texts)
    assert "topic: tea\n\ntea.md" not in made.retrieve("wait")[0].node.get_content()


def test_metadata_that_leave_no_room_are_embedded_and_not_measured() -> None:
    (long,) = documents(tea=TEA)
    long.metadata["topic"] = "k" * 60
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size"):
        made = retriever([long], embedded_metadata_keys=["topic"])
    assert made.retrieve("wait")


def test_a_text_is_embedded_once_and_in_batches() -> None:
    embedding = recording()
    same = "Equal words everywhere.\n"
    parser = SMALL.model_copy(update={"source_label": ""})  # the files would differ
    made = retriever(documents(a=same, b=same, tea=TEA), embedding=embedding, parser=parser)
    assert len(embedding.texts) == len(set(embedding.texts)) == 4
    assert embedding.batches == [3, 1]
    report = made.update(documents(a=same, b=same, tea=TEA))
    assert (report.unchanged, embedding.batches) == (["a.md", "b.md", "tea.md"], [3, 1])


def test_a_paragraph_that_changed_is_all_that_is_embedded() -> None:
    embedding = recording()
    made = retriever(documents(tea=TEA, iron=IRON), embedding=embedding)
    embedding.texts.clear()
    changed = TEA.replace("80", "75")
    report = made.update(documents(tea=changed, iron=IRON))
    assert embedding.texts == ["tea.md > Tea > Green\n\n## Green\n\nWait for 75 degrees."]
    assert (report.changed, report.leaves_added, report.leaves_deleted) == (["tea.md"], 1, 1)
    assert "75 degrees" in read(made.retrieve("degrees"))
    assert "80 degrees" not in read(made.retrieve("80 degrees"))


def test_a_moved_paragraph_a_moved_file_and_a_new_date_embed_nothing() -> None:
    embedding = recording()
    made = retriever(documents(tea=TEA, iron=IRON), embedding=embedding)
    embedding.texts.clear()
    green, black = TEA.split("## Green")[1].split("## Black")
    moved = Document(
        text=f"# Tea\n\nTea takes time.\n\n## Black{black}\n## Green{green}", id_="new.md",
        metadata={"file_path": "/tea.md", "last_modified_date": "2026-01-01"},
    )  # fmt: skip
    made.update([moved, *documents(iron=IRON)], delete_missing=True)
    assert embedding.texts == []
    found = made.retrieve("80 degrees")
    assert found[0].node.metadata["file_path"] == "/tea.md"
    require_exact(found, {"new.md": moved.text, "iron.md": IRON})


def test_vectors_of_texts_that_are_gone_are_forgotten() -> None:
    embedding = recording()
    made = retriever(documents(tea=TEA, iron=IRON), embedding=embedding)
    made.delete(["tea.md"])
    embedding.texts.clear()
    made.update(documents(tea=TEA))
    assert len(embedding.texts) == 3


def test_documents_are_deleted_by_their_ids() -> None:
    made = retriever(documents(tea=TEA, iron=IRON))
    assert made.delete(["tea.md", "unknown.md"]).deleted == ["tea.md"]
    assert {one.node.ref_doc_id for one in made.retrieve("Wait for 80 degrees")} == {"iron.md"}
    assert asyncio.run(made.adelete(["iron.md"])).deleted == ["iron.md"]
    assert made.retrieve("Iron it") == []
    assert asyncio.run(made.aretrieve("Iron it")) == []


def test_an_index_of_nothing_finds_nothing() -> None:
    for search in SEARCHES:
        assert retriever([], search=search).retrieve("?") == []
        assert retriever([Document(text=" \n", id_="a")], search=search).retrieve("?") == []


def test_what_stands_in_a_document_may_be_anything() -> None:
    odd = Document(text="# T\ud800\n\nLone \udfff and \0.\n", id_="odd", metadata={"n": None})
    for search in SEARCHES:
        found = retriever([odd], search=search).retrieve("lone")
        require_exact(found, {"odd": odd.text})


PARAGRAPHS = ["Boil the water first, then wait.", "Green tea takes 80 degrees.", "# Tea", "## Cup"]
TEXT = st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=5).map("\n\n".join)
STATE = st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXT, max_size=3)
PROPERTY = MarkdownHierarchyNodeParser(max_chunk_size=80)


def bring(made: ChunkanaRetriever, texts: dict[str, str]) -> UpdateReport:
    """Bring an index to these documents alone, also to none."""
    if not texts:
        return made.delete(made.document_ids())
    return made.update(documents(**texts), delete_missing=True)


@settings(max_examples=25, deadline=None)
@given(st.lists(STATE, min_size=1, max_size=4), st.sampled_from(["water", "green tea", "cup"]))
def test_after_any_edits_answers_are_those_of_a_new_index(
    states: list[dict[str, str]], question: str
) -> None:
    embedding = recording()
    made = retriever([], embedding=embedding, parser=PROPERTY)
    for state in states:
        embedding.texts.clear()
        bring(made, state)
        assert len(embedding.texts) == len(set(embedding.texts))
        known = [made, retriever(documents(**state), parser=PROPERTY)]
        found, fresh = (sorted_nodes(one.retrieve(question)) for one in known)
        assert [one["metadata"] for one in found] == [one["metadata"] for one in fresh]
        texts = {f"{name}.md": text for name, text in state.items()}
        require_exact(made.retrieve(question), texts)
        embedding.texts.clear()
        assert made.update(documents(**state)).leaves_added == 0
        assert embedding.texts == []


def sorted_nodes(found: Iterable[NodeWithScore]) -> list[dict[str, Any]]:
    """Return passages in an order of their own: equal scores come as documents were added."""
    nodes = [one.node.to_dict() for one in found]
    return sorted(nodes, key=lambda node: str(node["id_"]))


def test_an_embedding_that_fails_leaves_documents_as_they_were() -> None:
    made = retriever(documents(tea=TEA), embedding=FailingEmbedding())
    with pytest.raises(RuntimeError, match="no connection"):
        made.update(documents(tea=TEA.replace("80", "75"), iron=IRON, oven=IRON[::-1]))
    assert "80 degrees" in read(made.retrieve("degrees"))
    assert {one.node.ref_doc_id for one in made.retrieve("Iron it")} == {"tea.md"}


def test_a_question_may_bring_its_embedding() -> None:
    class Refusing(WordEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            raise AssertionError(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            raise AssertionError(query)

    made = retriever(documents(tea=TEA, iron=IRON), embedding=Refusing(), search="dense")
    vector = WordEmbedding().get_text_embedding("80 degrees")
    bundle = QueryBundle("?", embedding=vector)
    assert "80 degrees" in made.retrieve(bundle)[0].node.get_content()
    assert asyncio.run(made.aretrieve(bundle))[0].node.ref_doc_id == "tea.md"


def test_filters_are_those_of_the_vector_store() -> None:
    only = MetadataFilters(filters=[MetadataFilter(key="topic", value="iron")])
    made = retriever(documents(tea=TEA, iron=IRON), filters=only)
    assert {one.node.ref_doc_id for one in made.retrieve("Wait for 80 degrees")} == {"iron.md"}
    section = MetadataFilters(filters=[MetadataFilter(key="header_path", value="/Tea/Green")])
    made = retriever(documents(tea=TEA, iron=IRON), filters=section)
    (found,) = asyncio.run(made.aretrieve("Do not wait"))
    assert found.node.metadata["path"] == '["Tea", "Green"]'


STORES: list[Callable[[], Any]] = [SimpleDocumentStore, SimpleKVStore]


@pytest.mark.parametrize("make", STORES)
def test_records_may_be_in_a_store_of_the_callers(make: Callable[[], Any]) -> None:
    """One entry for each document, beside what else is there; vectors are made again."""
    store, texts = make(), documents(tea=TEA, iron=IRON)
    retriever(texts, docstore=store)
    names = [*entries(store)]
    assert len(names) == 2
    loaded = ChunkanaRetriever.load(
        None, WordEmbedding(), docstore=store, vectorstore=SimpleVectorStore(), parser=SMALL
    )
    with pytest.warns(UnknownLeavesWarning, match="no leaf of this index"):
        assert "80 degrees" in read(loaded.retrieve("degrees"))
    made = retriever(documents(tea=TEA.replace("80", "75")), docstore=store)
    assert "75 degrees" in read(made.retrieve("degrees"))
    assert "damp" in read(made.retrieve("damp silk"))
    assert sorted(made.document_ids()) == ["iron.md", "tea.md"]
    with pytest.raises(ConfigurationError, match=r"delete\(document_ids\(\)\)"):
        made.update([], delete_missing=True)
    assert len(entries(store)) == 2
    made.delete(made.document_ids())
    assert not entries(store)


@pytest.mark.parametrize("make", STORES)
async def test_records_are_read_and_written_asynchronously(make: Callable[[], Any]) -> None:
    store = make()
    made = await ChunkanaRetriever.afrom_documents(
        documents(tea=TEA, iron=IRON), WordEmbedding(), parser=SMALL, docstore=store
    )
    await made.aupdate(documents(tea=TEA.replace("80", "75")))
    assert "75 degrees" in read(await made.aretrieve("degrees"))
    await made.aupdate(documents(iron=IRON), delete_missing=True)
    assert len(entries(store)) == 1
    assert {one.node.ref_doc_id for one in await made.aretrieve("degrees")} == {"iron.md"}


class AsynchronousAlone(BaseKVStore):
    """A key-value store that has no synchronous methods."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Any]] = {}

    async def aput(self, key: str, val: dict[str, Any], collection: str = "data") -> None:
        self.values[f"{collection}/{key}"] = val

    async def aget(self, key: str, collection: str = "data") -> dict[str, Any] | None:
        return self.values.get(f"{collection}/{key}")

    async def aget_all(self, collection: str = "data") -> dict[str, dict[str, Any]]:
        start = f"{collection}/"
        known = self.values.items()
        return {k.removeprefix(start): value for k, value in known if k.startswith(start)}

    async def adelete(self, key: str, collection: str = "data") -> bool:
        return self.values.pop(f"{collection}/{key}", None) is not None

    def put(self, key: str, val: dict[str, Any], collection: str = "data") -> None:
        raise AssertionError((key, val, collection))

    def get(self, key: str, collection: str = "data") -> dict[str, Any] | None:
        raise AssertionError((key, collection))

    def get_all(self, collection: str = "data") -> dict[str, dict[str, Any]]:
        raise AssertionError(collection)

    def delete(self, key: str, collection: str = "data") -> bool:
        raise AssertionError((key, collection))


async def test_nothing_is_asked_synchronously_on_an_asynchronous_path() -> None:
    store = AsynchronousAlone()
    options: dict[str, Any] = {"docstore": store, "parser": SMALL, "search": "lexical"}
    made = await ChunkanaRetriever.afrom_documents(documents(tea=TEA, iron=IRON), **options)
    await made.aupdate(documents(tea=TEA.replace("80", "75")))
    await made.adelete(["iron.md"])
    loaded = await ChunkanaRetriever.aload(None, **options)
    assert "75 degrees" in read(await loaded.aretrieve("degrees"))
    assert [key for key in store.values if _COLLECTION in key] == [
        f"{_COLLECTION}/chunkana-record:tea.md"
    ]


def entries(store: SimpleDocumentStore | SimpleKVStore) -> dict[str, Any]:
    if isinstance(store, SimpleDocumentStore):
        return dict(store.docs)
    return store.get_all(_COLLECTION)


@pytest.mark.parametrize("make", STORES)
def test_a_damaged_record_is_indexed_anew_and_the_rest_answers(make: Callable[[], Any]) -> None:
    store = make()
    made = retriever(documents(tea=TEA, iron=IRON), docstore=store)
    for name in entries(store):
        if "tea.md" in name:
            damage(store, name)
    with pytest.warns(UserWarning, match=r"records of 'tea.md' are damaged.*give them to `update`"):
        found = made.retrieve("Iron it, or wait for 80 degrees?")
    assert {one.node.ref_doc_id for one in found} == {"iron.md"}
    with pytest.warns(UserWarning, match="damaged"):
        report = made.update(documents(tea=TEA, iron=IRON))
    assert (report.added, report.leaves_deleted > 0) == (["tea.md"], True)
    assert "80 degrees" in read(made.retrieve("degrees"))


def damage(store: SimpleDocumentStore | SimpleKVStore, name: str) -> None:
    if isinstance(store, SimpleDocumentStore):
        node = store.docs[name]
        node.set_content(node.get_content()[:-30])
        store.add_documents([node])
    else:
        value = store.get(name, _COLLECTION) or {}
        text = value["__data__"]["text"][:-30]
        store.put(name, value | {"__data__": value["__data__"] | {"text": text}}, _COLLECTION)


def test_query_engines_and_tools_of_agents_read_its_passages() -> None:
    made = retriever(documents(tea=TEA, iron=IRON), budget=100)
    engine = RetrieverQueryEngine.from_args(made, llm=MockLLM())
    read_by_engine = engine.query("Wait for 80 degrees?").source_nodes
    assert "80 degrees" in read_by_engine[0].node.get_content()
    later = asyncio.run(engine.aquery("Wait for 80 degrees?")).source_nodes
    assert [one.node_id for one in later] == [one.node_id for one in read_by_engine]
    tool = RetrieverTool.from_defaults(made, name="kitchen", description="Asks the kitchen book.")
    assert "80 degrees" in str(tool.call("Wait for 80 degrees?").content)
    called = asyncio.run(tool.acall("Wait for 80 degrees?"))  # as an agent does
    assert "80 degrees" in str(called.content)


def test_a_citation_opens_at_the_right_line(tmp_path: Path) -> None:
    from llama_index.core import SimpleDirectoryReader

    for name, text in (("tea.md", TEA), ("iron.md", IRON)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    from llama_index.core.readers.base import BaseReader

    class Plain(BaseReader):
        def load_data(self, file: Path, extra_info: dict[str, Any]) -> list[Document]:
            return [Document(text=file.read_text(encoding="utf-8"), metadata=extra_info)]

    reader = SimpleDirectoryReader(
        str(tmp_path), filename_as_id=True, file_extractor={".md": Plain()}
    )
    made = ChunkanaRetriever.from_documents(reader.load_data(), WordEmbedding(), parser=SMALL)
    found = made.retrieve("Iron silk while it is damp")[0].node
    lines = Path(found.metadata["file_path"]).read_text(encoding="utf-8").splitlines()
    cited = lines[found.metadata["start_line"] - 1 : found.metadata["end_line"]]
    assert "Iron it while it is damp." in cited


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "words"}, "search is 'words'; allowed: 'hybrid', 'dense' or 'lexical'"),
        ({"budget": -1}, "budget is -1; allowed: a number of at least 0"),
        ({"length_function": 5},
         "length_function is 5; allowed: a function that returns the size of a text"),
        ({"fetch_k": 0}, "fetch_k is 0; allowed: a whole number of at least 1"),
        ({"lexical_weight": 1.5}, "lexical_weight is 1.5; allowed: a number from 0 to 1"),
        ({"section_weight": -1},
         "section_weight is -1; allowed: a finite number of at least 0"),
        ({"embedding": None},
         ("embedding is None; allowed: an embedding model of LlamaIndex's; search='lexical' needs "
         "none")),
        ({"docstore": "folder"},
         ("docstore is 'folder'; allowed: a document store or key-value store of LlamaIndex's, or "
         "None")),
        ({"vectorstore": 5},
         ("vectorstore is 5; allowed: a vector store that keeps nodes and deletes them by their "
         "ids, like Qdrant or Chroma")),
        ({"embedded_metadata_keys": "topic"},
         "embedded_metadata_keys is 'topic'; allowed: a list of str"),
    ],
)  # fmt: skip
def test_arguments_are_checked_before_anything_is_embedded(
    options: dict[str, Any], message: str
) -> None:
    embedding = CountingEmbedding()
    with pytest.raises(ConfigurationError) as raised:
        retriever(documents(tea=TEA), **{"embedding": embedding, **options})
    assert str(raised.value) == message
    assert embedding.count == 0


def test_words_alone_take_no_vector_store_and_no_filters() -> None:
    store, filters = SimpleVectorStore(), MetadataFilters(filters=[])
    for name, value in (("vectorstore", store), ("filters", filters)):
        with pytest.raises(ConfigurationError, match="None with search='lexical', which") as e:
            retriever([], search="lexical", **{name: value})
        assert e.value.field == name


def test_documents_are_checked_before_anything_is_embedded(tmp_path: Path) -> None:
    embedding = CountingEmbedding()
    twice = documents(tea=TEA) * 2
    with pytest.raises(ConfigurationError, match="documents with different ids"):
        retriever(twice, embedding=embedding)
    with pytest.raises(ConfigurationError, match=r"documents\[0\] is"):
        ChunkanaRetriever.from_documents(["text"], embedding)  # type: ignore[list-item]
    made = retriever(documents(iron=IRON), embedding=embedding)
    count = embedding.count
    bad = [*documents(tea=TEA), Document(text="x", id_="x", metadata={"when": object()})]
    with pytest.raises(ConfigurationError, match="values that JSON can write; in 'x'"):
        made.update(bad)
    with pytest.raises(ConfigurationError, match="document_ids"):
        made.delete("iron.md")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileExistsError):
        retriever(documents(tea=TEA), embedding=embedding, folder=file)
    assert embedding.count == count


def test_passages_are_those_that_are_made_without_a_framework() -> None:
    from chunkana_core import ChunkConfig, Context, MarkdownChunker
    from chunkana_retrieval import Hit, LexicalEntry, LexicalIndex, assemble, fuse, propagate_hits

    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300, atomic_blocks="split"), Context())
    lexical, hits, texts = LexicalIndex(), dict[str, Hit](), dict[str, str]()
    for one in own_documents()[:5]:
        result, texts[one.node_id] = chunker.chunk_hierarchical(one.text), one.text
        leaves = result.get_flat_chunks()
        lexical.add([LexicalEntry.of_chunk(leaf, one.node_id) for leaf in leaves])
        for leaf in leaves:
            hit = Hit.of_chunk(leaf, 0.0, one.node_id, result.title)
            hits[one.node_id + leaf.chunk_id] = hit
    given = [Document(text=text, id_=name) for name, text in texts.items()]
    parser = MarkdownHierarchyNodeParser(max_chunk_size=300)
    for question in ("install", "How long is a table?", "errors"):
        words = {one.document_id + one.node_id: one.score for one in lexical.search(question, 60)}
        ranked = [replace(hits[key], score=score) for key, score in fuse({}, words, 1.0).items()]
        passages = assemble(propagate_hits(ranked), 2000, sources=texts)
        made = retriever(given, search="lexical", parser=parser, budget=2000)
        found = [one.node for one in made.retrieve(question)]
        assert [one.get_content() for one in found] == [passage.text for passage in passages]


def test_the_parser_says_which_leaves_there_are() -> None:
    leaves = get_leaf_nodes(SMALL(documents(tea=TEA)))
    made = retriever(documents(tea=TEA), budget=10**6)
    (found,) = made.retrieve("tea")
    assert found.node.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in leaves]
