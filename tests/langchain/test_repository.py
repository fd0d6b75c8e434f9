"""A repository of mixed files in one index: found by question, kept up to date."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from langchain_core.documents import Document

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter
from tests.langchain.parts import WordEmbeddings, assert_true
from tests.langchain.repository import FILES, assert_exact, documents, load, write

SPLITTER = ChunkanaSplitter(250, min_chunk_size=0)
QUESTIONS = {
    "Where does close disconnect from the database?": ("src/app.py", "def close(self)"),
    "What does add_tax return for a price and a rate?": ("src/prices.py", "def add_tax(price"),
    "Which items does emptyBasket of the cart set?": ("web/cart.ts", "emptyBasket(): void {"),
    "Which scripts has package.json, build or test?": ("package.json", '"build": "tsc"'),
    "How many people were asked?": ("docs/notes.txt", "# of people asked: seven"),
    "How do I install it?": ("README.md", "Run make install."),
    "What do terms say that you like to do with it?": ("LICENSE", "Do with it what you like."),
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """Return a repository as `DirectoryLoader` loads it, in the working directory."""
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return load()


def retriever_of(given: Iterable[Document], **options: object) -> ChunkanaRetriever:
    """Return a retriever over documents."""
    chosen: dict[str, object] = {"splitter": SPLITTER, "budget": 300} | options
    return ChunkanaRetriever.from_documents(given, WordEmbeddings(), **chosen)  # type: ignore[arg-type]


def test_a_loader_gives_all_files(repository: list[Document]) -> None:
    assert {one.metadata["source"]: one.page_content for one in repository} == FILES
    assert_exact(SPLITTER.split_documents(repository))


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
def test_each_file_is_found_by_question(repository: list[Document], search: str) -> None:
    retriever = retriever_of(repository, search=search)
    for question, (source, text) in QUESTIONS.items():
        passages = retriever.invoke(question)
        assert_true(passages, FILES, 300)
        assert any(
            one.metadata["source"] == source and text in one.page_content for one in passages
        ), question


def test_passages_of_source_code_are_under_their_file() -> None:
    retriever = retriever_of(documents(), fetch_k=1, search="dense")
    (passage,) = retriever.invoke("Where does close disconnect from the database?")
    assert passage.page_content.startswith("src/app.py > UserService\n\n    def close(self)")
    assert passage.metadata["path"] == '["src/app.py", "UserService", "close"]'
    assert passage.metadata["start_line"] == 20


def test_an_edit_embeds_the_function_that_changed(repository: list[Document]) -> None:
    embedding = WordEmbeddings()
    retriever = ChunkanaRetriever.from_documents(repository, embedding, splitter=SPLITTER)
    edited = FILES["src/app.py"].replace("8080", "9090")
    Path("src/app.py").write_text(edited, encoding="utf-8")
    embedding.embedded.clear()
    report = retriever.update(load(), delete_missing=True)
    assert (report.changed, report.added, report.deleted) == (["src/app.py"], [], [])
    assert [text.split("\n")[0] for text in embedding.embedded] == ["src/app.py > main"]
    passages = retriever.invoke("Which port does main serve at?", budget=300)
    assert_true(passages, FILES | {"src/app.py": edited}, 300)
    read = "".join(one.page_content for one in passages)
    assert "port=9090" in read
    assert "port=8080" not in read


def test_a_folder_keeps_what_passages_are_made_of(tmp_path: Path) -> None:
    made = retriever_of(documents(), folder=tmp_path)
    again = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=SPLITTER, budget=300)
    for question in QUESTIONS:
        assert again.invoke(question) == made.invoke(question)
    assert not again.update(documents()).changed


def test_another_format_indexes_all_again(tmp_path: Path) -> None:
    retriever_of(documents(), folder=tmp_path)
    as_text = ChunkanaSplitter(250, min_chunk_size=0, format="text")
    retriever = ChunkanaRetriever.load(tmp_path, WordEmbeddings(), splitter=as_text)
    with pytest.raises(ConfigurationError, match="chunking options"):
        retriever.update(documents()[:1])
    assert {*retriever.update(documents()).changed} == {*FILES}


@pytest.mark.parametrize(
    ("key", "value", "sources"),
    [
        ("kind", "method", {"src/app.py"}),
        ("name", "add_tax", {"src/prices.py"}),
        ("format", "json", {"package.json"}),
    ],
)
def test_formats_kinds_and_names_are_filters(key: str, value: str, sources: set[str]) -> None:
    def has_value(leaf: Document) -> bool:
        return bool(leaf.metadata[key] == value)

    retriever = retriever_of(documents(), budget=6000)
    found = retriever.invoke("What is in the shop?", filter=has_value)
    assert {passage.metadata["source"] for passage in found} == sources


def test_parents_of_source_code() -> None:
    retriever = retriever_of(documents(), returns="parents", fetch_k=100)
    found = retriever.invoke("UserService getUser row database json close user", k=30)
    (merged,) = (one for one in found if "def getUser" in one.page_content)
    assert "def close" in merged.page_content
    assert_true(found, FILES, 100_000)


def test_what_is_around_is_read_behind_what_was_found() -> None:
    question = "Where does close disconnect from the database?"
    alone = retriever_of(documents(), fetch_k=1, search="dense", budget=1500)
    assert "getUser" not in alone.invoke(question)[0].page_content
    around = alone.model_copy(update={"around": ("siblings",)}).invoke(question)
    (app,) = [one for one in around if one.metadata["source"] == "src/app.py"]
    assert "def getUser" in app.page_content
    assert "Reads and writes users." not in app.page_content
    parent = retriever_of(documents(), fetch_k=1, search="dense", around=("parent",))
    assert "Reads and writes users." in parent.invoke(question)[0].page_content
    assert_true(around, FILES, 1500)
    small = retriever_of(documents(), fetch_k=1, search="dense", around=("siblings",), budget=130)
    assert small.invoke(question)[0].page_content == alone.invoke(question)[0].page_content


async def test_what_is_around_is_read_asynchronously_too() -> None:
    retriever = retriever_of(documents(), around=("parent", "children"))
    for question in QUESTIONS:
        assert await retriever.ainvoke(question) == retriever.invoke(question)
