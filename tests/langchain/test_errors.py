"""Mistakes that users of LangChain make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter, ContextAssembler
from tests.langchain.parts import BOOK, SPLITTER, WordEmbeddings

OF_TEA, OF_MILK = (
    Document(f"# {name}\n\nBoil {name}.\n", metadata={"source": f"{name}.md", "team": team})
    for name, team in (("tea", "leaf"), ("milk", "drink"))
)


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without addresses in memory."""
    with pytest.raises((ValueError, TypeError, LookupError)) as caught:
        call()
    return re.sub(r"<.* at 0x[\da-f]+>", "…", str(caught.value))


def index_of(documents: list[Document]) -> ChunkanaRetriever:
    """Return a retriever by words."""
    return ChunkanaRetriever.from_documents(documents, search="lexical")


# Arguments


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("chunk_size", "splitter=ChunkanaSplitter(chunk_size=…)"),
        ("embeddings", "embedding"),
        ("top_k", "k, the number of results, or fetch_k, the number of leaves of each search"),
        ("reranker", "compressor"),
        ("vector_store", "vectorstore"),
        ("text_splitter", "splitter"),
        ("filters", "filter"),
        ("bugdet", "budget"),
        ("time_out", "timeout"),
    ],
)
def test_arguments_that_the_retriever_does_not_have(name: str, meant: str) -> None:
    embedding, options = WordEmbeddings(), dict[str, Any]({name: 100})
    make: Any = ChunkanaRetriever.from_documents
    calls: list[Callable[[], object]] = [
        lambda: make([BOOK], embedding, **options),
        lambda: ChunkanaRetriever.load("folder", embedding, **options),
    ]
    if name in {"top_k", "reranker", "filters", "bugdet"}:
        calls.append(lambda: index_of([OF_TEA]).invoke("tea", **options))
    for call in calls:
        said = said_of(call)
        assert said.startswith(f"argument is {name!r}; allowed: around, budget, ")
        assert said.endswith(f"; did you mean {meant}?")
    assert embedding.embedded == []
    with pytest.raises(ConfigurationError, match="argument is 'embedding'"):
        index_of([OF_TEA]).invoke("tea", embedding=None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"search": "words"}, "search is 'words'; allowed: 'hybrid', 'dense' or 'lexical'"),
        ({"returns": "both"}, "returns is 'both'; allowed: 'passages' or 'parents'"),
        ({"embedding": None},
         ("embedding is None; allowed: an Embeddings, or a `vectorstore` that has one, or "
          "search='lexical'")),
        ({"embedding": "model"}, "embedding is 'model'; allowed: None or an Embeddings"),
        ({"vectorstore": InMemoryVectorStore(WordEmbeddings())},
         "embedding is …; allowed: None with a `vectorstore`, which embeds by its own"),
        ({"vectorstore": "chroma"}, "vectorstore is 'chroma'; allowed: None or a VectorStore"),
        ({"splitter": 1000}, "splitter is 1000; allowed: None or a ChunkanaSplitter"),
        ({"compressor": "x"}, "compressor is 'x'; allowed: None or a BaseDocumentCompressor"),
        ({"search_kwargs": {"k": 5}},
         "search_kwargs is {'k': 5}; allowed: {} without a `vectorstore`"),
    ],
)  # fmt: skip
def test_arguments_of_the_retriever_are_checked(given: dict[str, Any], expected: str) -> None:
    embedding = WordEmbeddings()
    options = {"embedding": embedding, **given}
    assert said_of(lambda: ChunkanaRetriever.from_documents([BOOK], **options)) == expected
    assert embedding.embedded == []


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


def test_ids_are_a_list_and_differ() -> None:
    made = index_of([OF_TEA])
    said = said_of(lambda: made.delete("tea.md"))
    assert said == "document_ids is 'tea.md'; allowed: a list of str"
    assert said_of(lambda: made.delete([7])) == "document_ids[0] is 7; allowed: a str"  # type: ignore[list-item]
    assert said_of(lambda: made.update([OF_MILK, OF_TEA, Document("x", id="tea.md")])) == (
        "id of two documents is 'tea.md'; allowed: documents with different ids: a Document's "
        "`id`, else its `source` with its `page` and the like; give each an `id`"
    )


# Pieces of other splitters


def pieces() -> list[Document]:
    """Return documents that LangChain's own splitter cut."""
    return RecursiveCharacterTextSplitter(
        chunk_size=300, chunk_overlap=0, add_start_index=True
    ).split_documents([BOOK])


@pytest.mark.parametrize("split", [SPLITTER.split_documents, SPLITTER.split_hierarchical])
def test_pieces_of_another_splitter_are_warned_of_once(split: Callable[..., object]) -> None:
    with pytest.warns(UserWarning, match="start_index") as caught:
        split(pieces())
    (said,) = (str(one.message) for one in caught)
    assert said == (
        "'book.md' has the `start_index` of another splitter: lines and offsets are counted in "
        "this piece, not in its source; split whole documents, as a loader returns them"
    )
    assert caught[0].filename == __file__
    assert split(ChunkanaSplitter(300, add_start_index=True).split_documents([BOOK]))


def sections() -> list[Document]:
    """Return documents that LangChain cut at headings."""
    by_headers = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")])
    return by_headers.split_text(BOOK.page_content)


@pytest.mark.parametrize("cut", [pieces, sections, lambda: SPLITTER.split_documents([BOOK])])
@pytest.mark.parametrize("count", [1, 3])
def test_chunks_and_pieces_are_not_indexed(cut: Callable[[], list[Document]], count: int) -> None:
    assert said_of(lambda: index_of(cut()[:count])).endswith(
        "; allowed: whole documents, as a loader returns them, since the retriever splits them "
        "itself: this is a chunk or piece of a splitter"
    )


# Labels and metadata


def test_a_label_that_no_document_has_is_warned_of_once() -> None:
    splitter, options = ChunkanaSplitter(source_label="sorce"), {"search": "lexical"}
    with pytest.warns(UserWarning, match="sorce") as split:
        splitter.split_documents([OF_TEA, OF_MILK])
    with pytest.warns(UserWarning, match="sorce") as indexed:
        ChunkanaRetriever.from_documents([OF_TEA, OF_MILK], splitter=splitter, **options)  # type: ignore[arg-type]
    label = (
        "source_label is 'sorce', a key that no document's metadata have, so labels are the "
        "documents' paths; the keys are: source, team"
    )
    assert [str(one.message) for one in [*split, *indexed]] == [label, label]
    assert {one.filename for one in [*split, *indexed]} == {__file__}
    some = [OF_TEA, Document("# Plain\n\nText.\n")]
    assert len(ChunkanaSplitter(source_label="source").split_documents(some)) == 2
    assert ChunkanaSplitter(source_label="source").split_documents([]) == []


def test_metadata_keys_of_ours_keep_the_value_of_the_caller_with_a_warning() -> None:
    theirs = {"source": "a", "path": "C:/a", "score": 9, "chunkana_leaf_id": "mine", "bm25": 0}
    with pytest.warns(
        UserWarning, match="keep their own metadata bm25, chunkana_leaf_id, path, score"
    ):
        retriever = index_of([Document(BOOK.page_content, metadata=theirs)])
    for passage in retriever.invoke("subject3"):
        assert {key: passage.metadata[key] for key in theirs} == theirs


@pytest.mark.filterwarnings("ignore:.*its metadata are longer than a chunk")
@pytest.mark.parametrize("context", ["[" * 100_000, "[[", "5", None])
def test_metadata_that_only_look_like_ours_are_the_callers(context: str | None) -> None:
    """The document is a whole one, and what an assembler gets is handed over as it is."""
    metadata = {"chunkana_context": context, "start_char": 0, "end_char": 3, "prefix_chars": 0}
    given = Document("# Tea\n\nBoil it.\n", metadata=metadata | {"chunkana_document_id": "tea"})
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_context"):
        (chunk,) = ChunkanaSplitter().split_documents([given])
    assert chunk.metadata["chunkana_context"] == context
    assert ContextAssembler().compress_documents([given], "") == [given]
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_document_id"):
        retriever = ChunkanaRetriever.from_documents([given], search="lexical")
    assert retriever.invoke("tea")
