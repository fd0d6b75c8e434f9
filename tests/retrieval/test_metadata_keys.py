"""Short metadata are a part of the full ones, and our own retrievers read them alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from tests import corpora

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")
pytest.importorskip("tree_sitter")

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from llama_index.core import Document as LlamaDocument
from llama_index.core import MockEmbedding
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore

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


class LetterEmbeddings(Embeddings):
    """Embeds a text as its letters."""

    def embed_query(self, text: str) -> list[float]:
        """Count some letters."""
        return [1.0 + text.count(letter) for letter in "aeioutrs"]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Count some letters of each text."""
        return [self.embed_query(text) for text in texts]


def sources(names: Iterable[str] = TEXTS) -> list[Document]:
    return [Document(TEXTS[name], metadata={"source": name}) for name in names]


def llama_sources(names: Iterable[str] = TEXTS) -> list[LlamaDocument]:
    return [
        LlamaDocument(text=TEXTS[name], id_=name, metadata={"file_name": name}) for name in names
    ]


def splitter(metadata: MetadataKeys, size: int = 300) -> chunkana_langchain.ChunkanaSplitter:
    return chunkana_langchain.ChunkanaSplitter(size, metadata=metadata)


def parser(metadata: MetadataKeys, size: int = 300) -> chunkana_llamaindex.ChunkanaNodeParser:
    return chunkana_llamaindex.ChunkanaNodeParser(max_chunk_size=size, metadata=metadata)


def of_both(make: Callable[[MetadataKeys], Any]) -> tuple[Any, Any]:
    return make("short"), make("full")


def require_part(short: Mapping[str, object], full: Mapping[str, object]) -> None:
    assert short.items() <= full.items()
    assert short.keys() < full.keys()


def plain(documents: Iterable[Document]) -> list[tuple[str | None, str]]:
    return [(document.id, document.page_content) for document in documents]


def test_short_metadata_are_a_part_of_the_full_ones_in_langchain() -> None:
    (short, parents), (full, full_parents) = of_both(
        lambda metadata: splitter(metadata).split_hierarchical(sources())
    )
    pairs = [*zip(short, full, strict=True)]
    pairs += [(a, b) for (_, a), (_, b) in zip(parents, full_parents, strict=True)]
    assert plain(a for a, _ in pairs) == plain(b for _, b in pairs)
    for a, b in pairs:
        require_part(a.metadata, b.metadata)


def test_short_metadata_are_a_part_of_the_full_ones_in_llamaindex() -> None:
    short, full = of_both(lambda metadata: parser(metadata)(llama_sources()))
    for a, b in zip(short, full, strict=True):
        is_notebook = a.metadata["format"] == "notebook"
        require_part(a.metadata, b.metadata)
        assert ("cell" in a.metadata) is is_notebook
        assert a.node_id == b.node_id
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
    pages = sorted((corpora.REPOSITORY / "docs").glob("*.md"))
    own = [(page.name, corpora.read(page)) for page in pages]
    chunks = chunkana_langchain.ChunkanaSplitter().split_documents(
        [Document(text, metadata={"source": name}) for name, text in own]
    )
    assert ratio((one.page_content, one.metadata) for one in chunks) < LANGCHAIN_BAR
    leaves = chunkana_llamaindex.ChunkanaNodeParser(include_parents=False)(
        [LlamaDocument(text=text, id_=name, metadata={"file_name": name}) for name, text in own]
    )
    assert ratio((embedded(leaf), without_context(leaf)) for leaf in leaves) < LLAMAINDEX_BAR


def embedded(leaf: BaseNode) -> str:
    return leaf.get_content(MetadataMode.EMBED)


def without_context(leaf: BaseNode) -> dict[str, object]:
    """Return the metadata of a leaf but for what is embedded."""
    return {key: value for key, value in leaf.metadata.items() if key != "context"}


@pytest.mark.parametrize("budget", [400, 3000])
def test_passages_are_the_same_of_both_in_langchain(budget: int) -> None:
    assembler = chunkana_langchain.ContextAssembler(budget=budget)

    def read(metadata: MetadataKeys) -> list[tuple[str, dict[str, Any]]]:
        chunks = splitter(metadata).split_documents(sources())
        found = [assembler.compress_documents(chunks[n::5], "") for n in range(5)]
        return [(one.page_content, one.metadata) for some in found for one in some]

    short, full = of_both(read)
    assert short == full


@pytest.mark.parametrize("budget", [400, 3000])
def test_passages_are_the_same_of_both_in_llamaindex(budget: int) -> None:
    assembler = chunkana_llamaindex.ContextAssembler(budget=budget)

    def read(metadata: MetadataKeys) -> list[tuple[str, dict[str, Any]]]:
        nodes = [NodeWithScore(node=node, score=0.5) for node in parser(metadata)(llama_sources())]
        found = [assembler.postprocess_nodes(nodes[n::5]) for n in range(5)]
        return [(one.get_content(), one.metadata) for some in found for one in some]

    short, full = of_both(read)
    assert short == full


def test_parts_of_chunks_are_the_same_of_both() -> None:
    """What a chunk says of itself is enough to split it further, as LangChain's retrievers do."""

    def parts(metadata: MetadataKeys) -> list[Document]:
        chunks = splitter(metadata, 600).split_documents(sources())
        return splitter("full", 120).split_documents(chunks)

    short, full = of_both(parts)
    assert plain(short) == plain(full)
    for a, b in zip(short, full, strict=True):
        assert {key: b.metadata[key] for key in a.metadata} == a.metadata


def test_parts_of_nodes_are_the_same_of_both() -> None:
    def parts(metadata: MetadataKeys) -> list[dict[str, Any]]:
        # A part of JSON or a notebook is none, which is warned of.
        given = [one for one in llama_sources() if not one.node_id.endswith(("json", "ipynb"))]
        leaves = chunkana_llamaindex.LeafNodes()(parser(metadata, 600)(given))
        fitting = {leaf.metadata["chunk_id"] for leaf in leaves}
        found = [
            node
            for node in parser("full", 120)(leaves)
            if node.metadata["chunk_id"] not in fitting  # which are returned as they are
        ]
        assert len(found) > 100
        for node in found:
            node.relationships = {}
        return [node.to_dict() for node in found]

    short, full = of_both(parts)
    assert short == full


def test_parents_are_the_same_of_both_in_langchain() -> None:
    """Those that `MultiVectorRetriever` finds by the key of a chunk."""

    def stored(metadata: MetadataKeys) -> list[tuple[str | None, str, object]]:
        leaves, parents = splitter(metadata, 120).split_hierarchical(sources(MADE))
        by_id = dict(parents)
        found = [(leaf, by_id[leaf.metadata["chunkana_parent_id"]]) for leaf in leaves]
        return [(leaf.id, parent.page_content, parent.id) for leaf, parent in found]

    short, full = of_both(stored)
    assert short == full


def test_indices_answer_the_same_of_both_in_langchain() -> None:
    """Before and after an update, passages and parents."""

    def answered(metadata: MetadataKeys) -> list[Any]:
        changed = [Document(CODE.replace("Boil", "Heat"), metadata={"source": "tea.py"})]
        retriever = chunkana_langchain.ChunkanaRetriever.from_documents(
            sources(MADE), LetterEmbeddings(), splitter=splitter(metadata, 120)
        )
        answers: list[Any] = []
        for returns in ("passages", "parents"):
            answers += plain(retriever.invoke("words of tea", returns=returns))
        answers.append(retriever.update(changed).changed)
        for returns in ("passages", "parents"):
            answers += plain(retriever.invoke("words of tea", returns=returns))
        return answers

    short, full = of_both(answered)
    assert short == full


def test_indices_answer_the_same_of_both_in_llamaindex() -> None:
    def answered(metadata: MetadataKeys) -> list[Any]:
        changed = [LlamaDocument(text=CODE.replace("Boil", "Heat"), id_="tea.py",
                                 metadata={"file_name": "tea.py"})]  # fmt: skip
        retriever = chunkana_llamaindex.ChunkanaRetriever.from_documents(
            llama_sources(MADE), MockEmbedding(4), node_parser=parser(metadata, 120)
        )
        both = (retriever, retriever.with_options(returns="parents"))
        question, answers = "words of tea", list[Any]()
        answers += [(n.node_id, n.get_content()) for r in both for n in r.retrieve(question)]
        answers.append(retriever.update(changed).changed)
        answers += [(n.node_id, n.get_content()) for r in both for n in r.retrieve(question)]
        return answers

    short, full = of_both(answered)
    assert short == full


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("langchain.md", lambda m: splitter(m).split_documents(sources(["long.md"]))[0]),
        ("llamaindex.md", lambda m: parser(m)(llama_sources(["long.md"]))[0]),
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
