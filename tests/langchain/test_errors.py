"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryByteStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from chunkana_core import ConfigurationError
from chunkana_langchain import (
    ChunkanaAutoMergingRetriever,
    ChunkanaRetriever,
    ChunkanaSplitter,
    ContextAssembler,
)
from tests.langchain.parts import BOOK, SPLITTER, WordEmbeddings

OF_TEA, OF_MILK = (
    Document(f"# {name}\n\nBoil {name}.\n", metadata={"source": f"{name}.md", "team": team})
    for name, team in (("tea", "leaf"), ("milk", "drink"))
)


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without addresses in memory."""
    with pytest.raises((ValueError, TypeError, LookupError)) as caught:
        call()
    return re.sub(r" at 0x[\da-f]+", "", str(caught.value))


def test_files_are_no_documents() -> None:
    said = said_of(lambda: ChunkanaSplitter().split_documents(["README.md"]))  # type: ignore[list-item]
    assert said == (
        "documents[0] is 'README.md'; allowed: a Document: TextLoader(\"README.md\").load(), or "
        'Document("# Text")'
    )


def test_parents_are_not_smaller_than_chunks() -> None:
    assert said_of(lambda: ChunkanaSplitter(1000, max_parent_size=999)) == (
        "max_parent_size is 999; allowed: None, or at least chunk_size (1000): a parent holds "
        "several chunks"
    )
    ChunkanaSplitter(1000, max_parent_size=1000)


@pytest.mark.parametrize("kind", ["files", "memory"])
def test_a_store_of_bytes_needs_a_wrapper(kind: str, tmp_path: Path) -> None:
    """Found before anything is embedded, by both ways to make a retriever."""
    store: Any = InMemoryByteStore()
    if kind == "files":
        storage = pytest.importorskip("langchain_classic.storage", reason="needs LangChain's files")
        store = storage.LocalFileStore(str(tmp_path))
    vectors = InMemoryVectorStore(WordEmbeddings())
    allowed = "a store of documents: `create_kv_docstore(store)` of langchain_classic.storage"
    options = {"vectorstore": vectors, "docstore": store}
    made = said_of(lambda: ChunkanaRetriever.from_documents([BOOK], **options))
    assert made.startswith("docstore is <")
    assert made.endswith(f"; allowed: {allowed}")
    assert allowed in said_of(lambda: ChunkanaAutoMergingRetriever(**options))
    assert vectors.store == {}


def test_a_vector_store_embeds_by_its_own() -> None:
    embedding = WordEmbeddings()
    store = InMemoryVectorStore(embedding)
    make = ChunkanaRetriever.from_documents
    said = said_of(lambda: make([BOOK], embedding, vectorstore=store))
    assert said.endswith("; allowed: None with a `vectorstore`, which embeds by its own")
    assert said.startswith("embedding is ")
    assert embedding.embedded == []


OF_THE_RETRIEVER = (
    "around, budget, docstore, document_weight, embedding, fetch_k, folder, length_function, "
    "lexical_weight, metadata, name, search, search_kwargs, section_weight, splitter, tags, "
    "vectorstore"
)
COUNTS = "budget, the size of all passages, or fetch_k, the number of chunks each search finds"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("chunk_size", "splitter=ChunkanaSplitter(chunk_size=…)"),
        ("embeddings", "embedding"),
        ("k", COUNTS),
        ("vector_store", "vectorstore"),
        ("text_splitter", "splitter"),
        ("filter", "search_kwargs={'filter': …}"),
    ],
)
def test_arguments_that_the_retriever_does_not_have(name: str, meant: str) -> None:
    embedding, options = WordEmbeddings(), dict[str, Any]({name: 100})
    message = f"argument is {name!r}; allowed: {OF_THE_RETRIEVER}; did you mean {meant}?"
    make: Any = ChunkanaRetriever.from_documents
    assert said_of(lambda: make([BOOK], embedding, **options)) == message
    assert said_of(lambda: ChunkanaRetriever.load("folder", embedding, **options)) == message
    assert embedding.embedded == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("vector_store", "vectorstore"),
        ("top_k", "k, the number of documents to return, or fetch_k, the number of chunks to find"),
        ("embedding", "from_documents(…, embedding=…)"),
    ],
)
def test_fields_that_auto_merging_does_not_have(name: str, meant: str) -> None:
    options: Any = {name: 3}
    said = said_of(lambda: ChunkanaAutoMergingRetriever(**options))
    fields = (
        "docstore, document_weight, fetch_k, k, max_parent_size, metadata, name, ratio, retriever, "
        "search_kwargs, section_weight, tags, vectorstore"
    )
    assert f"argument is {name!r}; allowed: {fields}; did you mean {meant}?" in said


OF_THE_SPLITTER = (
    "add_start_index, atomic_blocks, chunk_overlap, chunk_size, code_cuts, code_threshold, "
    "fallback, format, front_matter_keys, header_context, header_keys, "
    "include_document_summary, introductions, "
    "keep_separator, length_function, max_parent_size, merge_boundary_level, metadata, "
    "min_chunk_size, min_content_after_header, oversize_tolerance, plugins, source_label, "
    "strategy, strip_whitespace, structure_threshold, validation"
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("max_chunk_size", "; did you mean chunk_size?"),
        ("overlap", "; did you mean chunk_overlap?"),
        ("header_key", "; did you mean header_keys?"),
        ("colour", ""),
    ],
)
def test_arguments_that_the_splitter_does_not_have(name: str, meant: str) -> None:
    options: Any = {name: 800}
    said = said_of(lambda: ChunkanaSplitter(**options))
    assert said == f"argument is {name!r}; allowed: {OF_THE_SPLITTER}{meant}"


@pytest.mark.parametrize("size", ["800", 800.0, True])
def test_sizes_that_are_no_numbers(size: Any) -> None:  # noqa: ANN401
    assert said_of(lambda: ChunkanaSplitter(size)) == (
        f"chunk_size is {size!r}; allowed: a whole number"
    )
    assert said_of(lambda: ChunkanaSplitter(chunk_overlap=size)) == (
        f"chunk_overlap is {size!r}; allowed: a whole number"
    )


def index_of(documents: list[Document]) -> ChunkanaRetriever:
    """Return a retriever by words."""
    return ChunkanaRetriever.from_documents(documents, search="lexical")


@pytest.mark.parametrize("take", [SPLITTER.split_documents, SPLITTER.split_hierarchical, index_of])
def test_what_is_no_list_of_documents(take: Callable[[object], object]) -> None:
    assert said_of(lambda: take(BOOK)) == (
        "documents is <class 'langchain_core.documents.base.Document'>; allowed: a list of "
        "documents: [document]"
    )
    for given in ("w", Path("w"), None):
        name = "'w'" if given else "…"
        assert said_of(lambda given=given: take(given)) == (  # type: ignore[misc]
            f"documents is {given!r}; allowed: a list of documents: "
            f"TextLoader({name}).load() of a file, DirectoryLoader({name}, "
            "loader_cls=TextLoader).load() of a folder"
        )


def test_a_vector_store_has_no_parents() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    said = said_of(lambda: ChunkanaAutoMergingRetriever(vectorstore=store))
    assert (
        "give docstore=…, where the parents of chunks are, since vector stores contain only "
        "chunks: `docstore.mset(splitter.split_hierarchical(documents).parents)`"
    ) in said


def test_parents_that_are_not_stored() -> None:
    from langchain_core.stores import InMemoryStore

    leaves = SPLITTER.split_documents([BOOK])
    store = InMemoryVectorStore.from_documents(leaves, WordEmbeddings())
    docstore: InMemoryStore = InMemoryStore()
    retriever = ChunkanaAutoMergingRetriever(vectorstore=store, docstore=docstore)
    assert re.sub(r"'[\da-f-]{36}'", "X", said_of(lambda: retriever.invoke("subject6"))) == (
        "the docstore has no parent X of a chunk that was found; store "
        "`splitter.split_hierarchical(documents).parents` there with `docstore.mset`"
    )


@pytest.mark.parametrize("own", [False, True], ids=["in memory", "a store of the caller's"])
@pytest.mark.parametrize("kind", [ChunkanaRetriever, ChunkanaAutoMergingRetriever])
async def test_filters_are_dicts_in_memory_too(
    kind: type[ChunkanaRetriever | ChunkanaAutoMergingRetriever],
    own: bool,  # noqa: FBT001
) -> None:
    """As in most vector stores; LangChain's own in memory takes functions alone."""
    embedding = WordEmbeddings()
    where: dict[str, Any] = {"embedding": embedding}
    if own:
        where = {"vectorstore": InMemoryVectorStore(embedding)}
    retriever = kind.from_documents([OF_TEA, OF_MILK], **where)

    def sources(found: list[Document]) -> set[str]:
        return {document.metadata["source"] for document in found}

    assert sources(retriever.invoke("Boil")) == {"tea.md", "milk.md"}
    assert sources(retriever.invoke("Boil", filter={"team": "drink"})) == {"milk.md"}
    assert sources(await retriever.ainvoke("Boil", filter={"team": "leaf"})) == {"tea.md"}
    by_both = {"team": "leaf", "source": "milk.md"}
    assert retriever.invoke("Boil", filter=by_both) == []
    of_milk = retriever.invoke("Boil", filter=lambda found: found.metadata["team"] == "drink")
    assert sources(of_milk) == {"milk.md"}


def test_a_filter_does_not_help_a_search_by_words() -> None:
    retriever = ChunkanaRetriever.from_documents([OF_TEA], search="lexical")
    with pytest.raises(ConfigurationError, match="use 'hybrid' or 'dense'"):
        retriever.invoke("tea", filter={"team": "leaf"})


PIECES = (
    "'book.md' has the `start_index` of another splitter: lines and offsets are counted in "
    "this piece, not in its source; split whole documents, as a loader returns them"
)


def pieces() -> list[Document]:
    """Return documents that LangChain's own splitter cut."""
    return RecursiveCharacterTextSplitter(
        chunk_size=300, chunk_overlap=0, add_start_index=True
    ).split_documents([BOOK])


@pytest.mark.parametrize("split", [SPLITTER.split_documents, SPLITTER.split_hierarchical])
def test_pieces_of_another_splitter_are_warned_of_once(split: Callable[..., object]) -> None:
    with pytest.warns(UserWarning, match="start_index") as caught:
        split(pieces())
    assert [str(one.message) for one in caught] == [PIECES]
    assert caught[0].filename == __file__


def test_chunks_of_ours_with_a_start_index_are_split_further() -> None:
    chunks = ChunkanaSplitter(300, add_start_index=True).split_documents([BOOK])
    assert SPLITTER.split_documents(chunks)


WHOLE = (
    "whole documents, as a loader returns them: these have the `start_index` or `Header 1` of a "
    "splitter, so they are pieces of a document; the retriever splits documents itself"
)


def test_pieces_are_not_indexed() -> None:
    assert (
        said_of(lambda: index_of(pieces())) == f"id of two documents is 'book.md'; allowed: {WHOLE}"
    )
    by_headers = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")])
    sections = by_headers.split_text(BOOK.page_content)
    for section in sections:
        section.metadata |= BOOK.metadata
    assert (
        said_of(lambda: index_of(sections)) == f"id of two documents is 'book.md'; allowed: {WHOLE}"
    )


def test_pieces_that_are_indexed_by_ids_are_warned_of() -> None:
    named = [Document(**{**vars(one), "id": str(n)}) for n, one in enumerate(pieces())]
    with pytest.warns(UserWarning, match="start_index") as caught:
        index_of(named)
    assert [str(one.message) for one in caught] == [PIECES]
    assert caught[0].filename == __file__


LABEL = (
    "source_label is 'sorce', a key that no document's metadata have, so labels are the "
    "documents' paths; the keys are: source, team"
)


def test_a_label_that_no_document_has_is_warned_of_once() -> None:
    splitter = ChunkanaSplitter(source_label="sorce")
    with pytest.warns(UserWarning, match="sorce") as split:
        splitter.split_documents([OF_TEA, OF_MILK])
    with pytest.warns(UserWarning, match="sorce") as indexed:
        ChunkanaRetriever.from_documents([OF_TEA, OF_MILK], search="lexical", splitter=splitter)
    assert [str(one.message) for one in [*split, *indexed]] == [LABEL, LABEL]
    assert {one.filename for one in [*split, *indexed]} == {__file__}


def test_a_label_that_one_document_has_is_no_mistake() -> None:
    plain = Document("# Plain\n\nText.\n")
    assert len(ChunkanaSplitter(source_label="source").split_documents([OF_TEA, plain])) == 2
    assert ChunkanaSplitter(source_label="source").split_documents([]) == []


@pytest.mark.parametrize("kind", [ChunkanaRetriever, ChunkanaAutoMergingRetriever])
async def test_folders_without_an_index(
    kind: type[ChunkanaRetriever | ChunkanaAutoMergingRetriever], tmp_path: Path
) -> None:
    """An OSError, as is documented, of a folder that is missing or empty, or is a file."""
    (tmp_path / "file.md").write_text("# Tea\n", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "missing", tmp_path / "file.md"):
        with pytest.raises(OSError, match="no chunkana_index") as caught:
            kind.load(folder, WordEmbeddings())
        with pytest.raises(OSError, match="no chunkana_index"):
            await kind.aload(folder, WordEmbeddings())
        assert caught.value.strerror == (
            "no chunkana_index.bin, the file of an index, is in this folder; "
            "from_documents(documents, …, folder=…) makes one"
        )
        assert caught.value.filename == str(folder)


@pytest.mark.parametrize("context", ["[" * 100_000, "[[", "5", None])
def test_metadata_that_only_look_like_ours_are_the_callers(context: str | None) -> None:
    """The document is a whole one, and what an assembler gets is handed over as it is."""
    metadata = {"chunkana_context": context, "start_char": 0, "end_char": 3, "prefix_chars": 0}
    given = Document("# Tea\n\nBoil it.\n", metadata=metadata | {"chunkana_document_id": "tea"})
    with pytest.warns(UserWarning, match="keeps its own chunkana_context"):
        (chunk,) = ChunkanaSplitter().split_documents([given])
    assert chunk.metadata["chunkana_context"] == context
    assert ContextAssembler().compress_documents([given], "") == [given]
    with pytest.warns(UserWarning, match="keeps its own chunkana_document_id"):
        retriever = ChunkanaRetriever.from_documents([given], search="lexical")
    assert retriever.invoke("tea")
