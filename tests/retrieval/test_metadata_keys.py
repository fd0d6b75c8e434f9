"""Short metadata are a part of the full ones, and our own retrievers read them alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from tests import corpora

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")
pytest.importorskip("tree_sitter")

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core import Document as LlamaDocument
from llama_index.core import MockEmbedding
from llama_index.core.schema import MetadataMode, NodeWithScore

import chunkana_langchain
import chunkana_llamaindex
from chunkana_langchain.keys import MetadataKeys

CODE = '"""How tea is made."""\n\n\nclass Tea:\n' + "".join(
    f'    def boil{n}(self):\n        """Boil {n}."""\n        return {n}\n\n' for n in range(9)
)
EMPTY_TITLES = "#\n\nWords of it.\n\n##\n\nMore of these words.\n\n# Tea\n\n### \n\nLast words.\n"
MADE = {
    "tea.py": CODE,
    "long.md": "# A\n\n## B/C\n\n" + "Some words of it here. " * 60 + "\n\n### D\n\nThe end.\n",
    "empty.md": EMPTY_TITLES,
    "trip.ipynb": corpora.NOTEBOOK,
    "prices.json": json.dumps({"prices": [{"name": f"tea {n}", "price": n} for n in range(40)]}),
}
TEXTS = {sample.name: sample.text for sample in corpora.own_documents()} | MADE
# Beside contents, over this project's pages; with all keys it is 102 % and 80 %.
LANGCHAIN_BAR, LLAMAINDEX_BAR = 0.82, 0.55


LANGCHAIN, LLAMAINDEX = chunkana_langchain, chunkana_llamaindex
Texts = Mapping[str, str]
CHANGED = {"tea.py": CODE.replace("Boil", "Heat")}
QUESTION = "words of tea"


class Written(NamedTuple):
    """A chunk or passage: its id, its text and its metadata."""

    name: str
    text: str
    metadata: Mapping[str, Any]


def pages(texts: Texts) -> list[Document]:
    return [Document(text, metadata={"source": name}) for name, text in texts.items()]


def documents(texts: Texts) -> list[LlamaDocument]:
    return [
        LlamaDocument(text=text, id_=name, metadata={"file_name": name})
        for name, text in texts.items()
    ]


def of_pages(found: Iterable[Document]) -> list[Written]:
    return [Written(str(one.id), one.page_content, one.metadata) for one in found]


def of_nodes(found: Iterable[Any]) -> list[Written]:
    return [Written(one.node_id, one.get_content(), one.metadata) for one in found]


def split_pages(metadata: MetadataKeys, texts: Texts, size: int = 300) -> list[Document]:
    return LANGCHAIN.ChunkanaSplitter(size, metadata=metadata).split_documents(pages(texts))


def parse(metadata: MetadataKeys, texts: Texts, size: int = 300) -> list[Any]:
    parser = LLAMAINDEX.ChunkanaNodeParser(max_chunk_size=size, metadata=metadata)
    return LLAMAINDEX.LeafNodes()(parser(documents(texts)))  # type: ignore[return-value]


def split_again(chunks: Sequence[Document]) -> list[Written]:
    return of_pages(LANGCHAIN.ChunkanaSplitter(120, metadata="full").split_documents(chunks))


def parse_again(nodes: Sequence[Any]) -> list[Written]:
    """Return the parts of nodes, without those that fit, which are returned as they are."""
    fitting = {node.metadata["chunk_id"] for node in nodes}
    parser = LLAMAINDEX.ChunkanaNodeParser(max_chunk_size=120, metadata="full")
    parts = [one for one in of_nodes(parser(nodes)) if one.metadata["chunk_id"] not in fitting]
    assert len(parts) > 100
    return parts


def read_pages(chunks: Sequence[Document], budget: int) -> list[Written]:
    return of_pages(LANGCHAIN.ContextAssembler(budget=budget).compress_documents(chunks, ""))


def read_nodes(nodes: Sequence[Any], budget: int) -> list[Written]:
    scored = [NodeWithScore(node=node, score=0.5) for node in nodes]
    return of_nodes(LLAMAINDEX.ContextAssembler(budget=budget).postprocess_nodes(scored))


def ask_langchain(metadata: MetadataKeys) -> list[Any]:
    retriever = LANGCHAIN.ChunkanaRetriever.from_documents(
        pages(MADE),
        DeterministicFakeEmbedding(size=8),
        splitter=LANGCHAIN.ChunkanaSplitter(120, metadata=metadata),
    )
    answers: list[Any] = []
    for texts in ({}, CHANGED):
        answers.append(retriever.update(pages(texts)).changed)
        for returns in ("passages", "parents"):
            answers += of_pages(retriever.invoke(QUESTION, returns=returns))
    return answers


def ask_llamaindex(metadata: MetadataKeys) -> list[Any]:
    parser = LLAMAINDEX.ChunkanaNodeParser(max_chunk_size=120, metadata=metadata)
    retriever = LLAMAINDEX.ChunkanaRetriever.from_documents(
        documents(MADE), MockEmbedding(4), node_parser=parser
    )
    answers: list[Any] = []
    for texts in ({}, CHANGED):
        answers.append(retriever.update(documents(texts)).changed)
        for returns in ("passages", "parents"):
            answers += of_nodes(retriever.with_options(returns=returns).retrieve(QUESTION))
    return answers


@pytest.mark.parametrize(("split", "written"), [(split_pages, of_pages), (parse, of_nodes)])
def test_short_metadata_are_a_part_of_the_full_ones(
    split: Callable[..., Any], written: Callable[..., list[Written]]
) -> None:
    short, full = (written(split(metadata, TEXTS)) for metadata in ("short", "full"))
    for a, b in zip(short, full, strict=True):
        assert a[:2] == b[:2]
        assert a.metadata.items() < b.metadata.items()


def test_texts_of_nodes_are_the_same_with_short_and_full_metadata() -> None:
    for a, b in zip(parse("short", TEXTS), parse("full", TEXTS), strict=True):
        assert ("cell" in a.metadata) is (a.metadata["format"] == "notebook")
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert a.get_content(mode) == b.get_content(mode)
        assert len(a.excluded_embed_metadata_keys) < len(b.excluded_embed_metadata_keys)


def ratio(pairs: Iterable[tuple[str, Mapping[str, object]]]) -> float:
    """Return how large metadata are beside contents, both as they are stored."""
    given = [*pairs]
    content = sum(len(text.encode()) for text, _ in given)
    written = (json.dumps(metadata, ensure_ascii=False) for _, metadata in given)
    return sum(len(text.encode()) for text in written) / content


def test_metadata_are_short_beside_contents() -> None:
    """With all defaults, over the pages of this project's documentation."""
    own = {
        page.name: corpora.read(page) for page in sorted((corpora.REPOSITORY / "docs").glob("*.md"))
    }
    chunks = split_pages("short", own, 1000)
    assert ratio((one.page_content, one.metadata) for one in chunks) < LANGCHAIN_BAR
    leaves = [(one, {**one.metadata}) for one in parse("short", own, 1000)]
    for _, metadata in leaves:
        metadata.pop("context", None)  # which is embedded
    given = ((leaf.get_content(MetadataMode.EMBED), metadata) for leaf, metadata in leaves)
    assert ratio(given) < LLAMAINDEX_BAR


@pytest.mark.parametrize(
    ("split", "read", "again"),
    [(split_pages, read_pages, split_again), (parse, read_nodes, parse_again)],
)
def test_short_metadata_are_enough_to_read_chunks_and_to_split_them_again(
    split: Callable[..., Any],
    read: Callable[[Sequence[Any], int], list[Written]],
    again: Callable[[Sequence[Any]], list[Written]],
) -> None:
    # A part of JSON or a notebook is none, which is warned of.
    texts = {
        name: text for name, text in TEXTS.items() if name not in {"prices.json", "trip.ipynb"}
    }
    short, full = (split(metadata, TEXTS) for metadata in ("short", "full"))
    for n in range(5):
        assert read(short[n::5], 400) == read(full[n::5], 400)
    assert read(short[::5], 3000) == read(full[::5], 3000)
    short_parts, full_parts = (again(split(metadata, texts, 600)) for metadata in ("short", "full"))
    for a, b in zip(short_parts, full_parts, strict=True):
        assert a[:2] == b[:2]
        assert {key: b.metadata[key] for key in a.metadata} == a.metadata


def test_parents_are_the_same_of_both_in_langchain() -> None:
    """Those that `MultiVectorRetriever` finds by the key of a chunk."""

    def stored(metadata: MetadataKeys) -> list[tuple[str | None, str, object]]:
        splitter = LANGCHAIN.ChunkanaSplitter(120, metadata=metadata)
        leaves, parents = splitter.split_hierarchical(pages(MADE))
        by_id = dict(parents)
        found = [(leaf, by_id[leaf.metadata["chunkana_parent_id"]]) for leaf in leaves]
        return [(leaf.id, parent.page_content, parent.id) for leaf, parent in found]

    assert stored("short") == stored("full")


@pytest.mark.parametrize("answered", [ask_langchain, ask_llamaindex])
def test_indexes_answer_the_same_of_both(answered: Callable[[MetadataKeys], list[Any]]) -> None:
    """Before and after an update, passages and parents."""
    assert answered("short") == answered("full")


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("langchain.md", lambda m: split_pages(m, MADE)[-1]),
        ("llamaindex.md", lambda m: parse(m, MADE)[-1]),
    ],
)
def test_pages_say_which_keys_are_short(page: str, made: Callable[[MetadataKeys], Any]) -> None:
    """The table of keys of each adapter has all, those of the full form in its last rows."""
    written = corpora.read(corpora.REPOSITORY / "docs" / page).split("### Metadata\n")[1]
    table = re.search(r"^\| keys \|(?:.|\n)*?\n\n", written, re.MULTILINE)
    assert table is not None
    cells = re.findall(r"^\| ([^|]*`[^|]+) \|", table[0], re.MULTILINE)
    border = cells.index('with `metadata="full"`')
    first, last = (
        {*re.findall(r"`(\w+)`", " ".join(some))} for some in (cells[:border], cells[border:])
    )
    short, full = (set(made(form).metadata) - {"source", "file_name"} for form in ("short", "full"))
    assert (first - {"start_index"}, last) == (short, full - short)
