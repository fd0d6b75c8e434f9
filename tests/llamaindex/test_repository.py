"""Documents of any format: a mixed repository through `SimpleDirectoryReader`, in one go."""

from __future__ import annotations

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.cache import IngestionCache
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, TextNode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore

from chunkana_core import ConfigurationError, format_of
from chunkana_core.formats import registry
from chunkana_llamaindex import (
    ChunkanaNodeParser,
    ChunkanaRetriever,
    ContextAssembler,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)
from tests.corpora import NOTEBOOK
from tests.llamaindex.parts import CountingEmbedding, WordEmbedding, book, words
from tests.llamaindex.repository import read_repository, write_repository
from tests.llamaindex.test_parser import sound
from tests.llamaindex.test_retriever import read, require_exact

PARSER = ChunkanaNodeParser(max_chunk_size=300, min_chunk_size=0)
CODE = "class Tea:\n    def boil(self):\n        return 100\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write_repository(tmp_path / "ferry")


def document(text: str, **metadata: Any) -> Document:  # noqa: ANN401
    return Document(text=text, id_="d", metadata=metadata)


def format_in(metadata: dict[str, Any], **options: Any) -> str:  # noqa: ANN401
    (node, *_) = ChunkanaNodeParser(**options)([document("x = 1\n", **metadata)])
    return str(node.metadata["format"])


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"file_path": "/home/a/x.py", "file_name": "x.md"}, "python"),
        ({"file_path": "/tmp/upload", "file_name": "x.ts"}, "typescript"),  # noqa: S108
        ({"file_name": "X.PY"}, "python"),
        ({"source": "https://ferry.example/src/x.py?raw=1#L3"}, "python"),
        ({"filename": "x.txt"}, "text"),
        ({"file_path": "x.md", "file_type": "text/x-python"}, "markdown"),
        ({"file_path": "LICENSE", "file_type": "text/plain; charset=utf-8"}, "text"),
        ({"mime_type": "text/x-python"}, "python"),
        ({"mime_type": "text/plain"}, "text"),
        ({}, "markdown"),
        ({"file_path": "LICENSE"}, "text"),
        ({"file_path": "README"}, "markdown"),
        ({"file_path": "page.html", "file_type": "text/html"}, "markdown"),
        ({"file_path": "paper.pdf", "file_type": "application/pdf"}, "markdown"),
        ({"source": "https://docs.rs"}, "markdown"),
        ({"source": "https://ferry.example/use?file=x.py"}, "markdown"),
        ({"file_path": None, "source": 5, "file_type": ["text/plain"]}, "markdown"),
    ],
)
def test_the_format_is_that_of_the_name_else_of_the_media_type(
    metadata: dict[str, Any], expected: str
) -> None:
    assert format_in(metadata) == expected


def test_a_content_type_that_is_a_media_type_counts_and_stays() -> None:
    with pytest.warns(UserWarning, match="documents keep their own metadata content_type"):
        (node,) = ChunkanaNodeParser()([document("# x\n", content_type="text/plain")])
    assert (node.metadata["format"], node.metadata["content_type"]) == ("text", "text/plain")


def test_a_format_can_be_given_for_all_documents() -> None:
    assert format_in({"file_name": "x.py"}, format="text") == "text"
    assert format_in({}, format="python") == "python"
    with pytest.raises(ValueError, match="format is 'brew'; allowed: auto, markdown, text"):
        ChunkanaNodeParser(format="brew")


def test_the_parser_of_markdown_takes_all_for_markdown() -> None:
    parser = MarkdownHierarchyNodeParser()
    assert isinstance(parser, ChunkanaNodeParser)
    (node,) = parser([document("# Tea\n\nx = 1\n", file_path="src/x.py")])
    assert (node.metadata["format"], node.metadata["header_path"]) == ("markdown", "/Tea")
    with pytest.raises(ValueError, match="format"):
        MarkdownHierarchyNodeParser(format="text")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parser", "name"),
    [
        (ChunkanaNodeParser(format="python", code_cuts="syntax"), "ChunkanaNodeParser"),
        (ChunkanaNodeParser.from_defaults(tokenizer=words), "ChunkanaNodeParser"),
        (MarkdownHierarchyNodeParser(max_chunk_size=99), "MarkdownHierarchyNodeParser"),
    ],
)
def test_both_parsers_survive_serialisation_and_the_cache_of_a_pipeline(
    parser: ChunkanaNodeParser, name: str
) -> None:
    assert parser.class_name() == parser.to_dict()["class_name"] == name
    given = [document(CODE, file_path="src/tea.py")]
    nodes = [node.to_dict() for node in parser(given)]
    for again in (
        type(parser).from_dict(parser.to_dict()),
        type(parser).from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301
    ):
        assert [node.to_dict() for node in again(given)] == nodes
    cache = IngestionCache()
    for _ in range(2):
        found = IngestionPipeline(transformations=[parser], cache=cache).run(documents=given)
        assert [node.to_dict() for node in found] == nodes


def test_cache_keys_tell_parsers_and_formats_apart() -> None:
    parsers = [
        MarkdownHierarchyNodeParser(), ChunkanaNodeParser(), ChunkanaNodeParser(format="text"),
        ChunkanaNodeParser(code_cuts="syntax"), ChunkanaNodeParser(fallback="markdown"),
    ]  # fmt: skip
    assert len({get_transformation_hash([book()], parser) for parser in parsers}) == len(parsers)


def test_every_file_of_a_repository_is_parsed_in_its_format(repository: Path) -> None:
    documents = read_repository(repository)
    texts = {one.node_id: PARSER.document_chunker().chunk(one).text for one in documents}
    found: dict[str, list[BaseNode]] = {}
    full = PARSER.model_copy(update={"metadata": "full"})
    for node in full(documents):
        found.setdefault(node.ref_doc_id or "", []).append(node)
    formats = {}
    for name, nodes in found.items():
        formats[Path(name).relative_to(repository).as_posix()] = nodes[0].metadata["format"]
        sound(nodes, texts[name], cap=1200)
        for leaf in get_leaf_nodes(nodes):
            start, end = leaf.start_char_idx, leaf.end_char_idx  # type: ignore[attr-defined]
            line = texts[name].count("\n", 0, start) + 1
            assert leaf.metadata["start_line"] == line
            assert leaf.metadata["end_line"] == texts[name].count("\n", 0, end - 1) + 1
            is_kept = leaf.metadata["allow_oversize"]
            assert is_kept or len(leaf.get_content(MetadataMode.EMBED)) <= 300
    assert formats == {
        "README.md": "markdown",
        "docs/crossings.md": "markdown",
        "src/booking.py": "python",
        "src/tide.ts": "typescript",
        "package.json": "json",
        "notes.txt": "text",
        "LICENSE": "text",
        "trip.ipynb": format_of("trip.ipynb"),
    }


def test_definitions_have_kind_and_name_and_are_not_read_by_a_model(repository: Path) -> None:
    nodes = [node for node in PARSER(read_repository(repository)) if node.metadata["kind"]]
    found = {(node.metadata["kind"], node.metadata["name"]) for node in nodes}
    assert {
        ("class", "Booking"), ("method", "cancel"), ("function", "overbooked"),
        ("class", "TideTable"), ("method", "nextHighWater"),
    } <= found  # fmt: skip
    for node in nodes:
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            assert not {"format: ", "kind: ", "name: "} & {
                f"{line.partition(': ')[0]}: " for line in node.get_content(mode).splitlines()
            }


@pytest.mark.parametrize(
    ("metadata", "label"),
    [
        ({"file_path": "/home/ada/shop/src/tea.py"}, "src/tea.py"),
        ({"file_path": "/tea.py"}, "tea.py"),
        ({"file_path": "C:\\shop\\src\\tea.py"}, "src/tea.py"),
        ({"file_path": "shop/src/hot/tea.py"}, "shop/src/hot/tea.py"),
        ({"file_path": "./src/tea.py"}, "src/tea.py"),
        ({"source": "https://shop.example/hot/src/tea.py"}, "src/tea.py"),
        ({"file_path": "/tmp/x1", "file_name": "tea.py"}, "tea.py"),  # noqa: S108
    ],
)
def test_the_context_of_code_begins_with_its_file(metadata: dict[str, str], label: str) -> None:
    parser = ChunkanaNodeParser(include_parents=False, metadata="full")
    (leaf,) = parser([document(CODE, **metadata)])
    assert leaf.metadata["context"] == f"{label} > Tea"
    assert json.loads(leaf.metadata["path"]) == ["Tea", "boil"]


def test_a_label_that_is_given_goes_before_that_of_the_file() -> None:
    given = document(CODE, file_path="src/tea.py", team="kitchen")
    (leaf,) = ChunkanaNodeParser(source_label="team")([given])
    assert leaf.metadata["context"] == "kitchen > Tea"
    made = ChunkanaRetriever.from_documents(
        [given], search="lexical", node_parser=ChunkanaNodeParser(source_label="team")
    )
    assert made.retrieve("boil")[0].node.get_content().startswith("kitchen\n\nclass Tea:")


def test_contexts_of_markdown_begin_with_the_file_and_without_contexts_nothing_does() -> None:
    (leaf,) = ChunkanaNodeParser()([document("# Tea\n\nBoil it.\n", file_name="t.md")])
    assert leaf.metadata["context"] == "t.md > Tea"
    (leaf,) = ChunkanaNodeParser(header_context="none")([document(CODE, file_name="t.py")])
    assert leaf.metadata["context"] == ""


def _found(made: ChunkanaRetriever, question: str) -> NodeWithScore:
    return max(made.retrieve(question), key=NodeWithScore.get_score)


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
def test_functions_of_a_repository_are_found_by_question(repository: Path, search: Any) -> None:  # noqa: ANN401
    documents = read_repository(repository)
    made = ChunkanaRetriever.from_documents(
        documents, WordEmbedding(), search=search, node_parser=PARSER, budget=500
    )
    texts = {one.node_id: PARSER.document_chunker().chunk(one).text for one in documents}
    for question, expected, text in (
        ("What is the refund of a cancelled booking?", "src/booking.py", "def cancel("),
        ("more passengers than seats sold", "src/booking.py", "def overbooked("),
        ("next high water after a moment", "src/tide.ts", "nextHighWater(moment"),
        ("deploy script rsync dist harbour", "package.json", '"deploy"'),
        ("Count the passengers twice", "notes.txt", "# of passengers"),
        ("crossing while there is ice in winter", "docs/crossings.md", "No crossing"),
    ):
        best = _found(made, question)
        assert (best.node.ref_doc_id or "").endswith(expected)
        assert text in best.node.get_content()
        require_exact(made.retrieve(question), texts)


def test_passages_of_code_say_file_and_path_once(repository: Path) -> None:
    parser = ChunkanaNodeParser(max_chunk_size=260, min_chunk_size=0)
    documents = read_repository(repository / "src")
    made = ChunkanaRetriever.from_documents(
        documents, WordEmbedding(), node_parser=parser, search="lexical", budget=400
    )
    text = _found(made, "refund of a cancelled booking").node.get_content()
    assert text.startswith("src/booking.py\n\n@dataclass\nclass Booking:")
    assert text.count("src/booking.py") == 1
    by_id = {one.node_id: one.text for one in documents}
    nodes = [
        node
        for node in get_leaf_nodes(parser(documents))
        if node.metadata["name"] in {"cancel", "overbooked"}
    ]
    found = [NodeWithScore(node=node, score=1.0) for node in nodes]
    passages = ContextAssembler(budget=900, sources=by_id).postprocess_nodes(found)
    require_exact(passages, by_id)
    first = passages[0].node.get_content()
    assert first.startswith("src/booking.py > Booking\n\n    def cancel(")
    assert read(passages).count("\n\nsrc/booking.py") == len(passages)


def test_an_update_after_an_edit_finds_the_new_code_and_embeds_no_other(repository: Path) -> None:
    embedding = CountingEmbedding(model_name="counting")
    made = ChunkanaRetriever.from_documents(
        read_repository(repository), embedding, node_parser=PARSER
    )
    before = embedding.count
    path = repository / "src" / "booking.py"
    edited = path.read_text(encoding="utf-8").replace("overbooked", "crowded")
    path.write_text(f"# Edited.\n{edited}", encoding="utf-8")
    documents = read_repository(repository)
    report = made.update(documents, delete_missing=True)
    assert ([*report.changed], [*report.added], [*report.deleted]) == ([str(path)], [], [])
    assert 1 <= embedding.count - before <= 2
    best = asyncio.run(made.aretrieve("def crowded passengers"))[0]
    assert "def crowded(" in best.node.get_content()
    assert not any("overbooked" in one.node.get_content() for one in made.retrieve("overbooked"))
    require_exact(
        [best], {one.node_id: PARSER.document_chunker().chunk(one).text for one in documents}
    )


def test_leaves_of_a_store_can_be_filtered_by_kind_name_and_format(repository: Path) -> None:
    store = SimpleVectorStore()
    ChunkanaRetriever.from_documents(
        read_repository(repository), WordEmbedding(), node_parser=PARSER, vector_store=store
    )
    written = [*store.data.metadata_dict.values()]
    assert ("python", "method", "cancel") in {
        (one["format"], one["kind"], one["name"]) for one in written
    }
    assert ("markdown", "", "") in {(one["format"], one["kind"], one["name"]) for one in written}
    only = MetadataFilters(filters=[MetadataFilter(key="kind", value="method")])
    made = ChunkanaRetriever.from_documents(
        read_repository(repository), WordEmbedding(), node_parser=PARSER, filters=only
    )
    text = read(made.retrieve("passengers"))
    assert "def cancel" in text
    assert "def overbooked" not in text


@pytest.mark.parametrize("is_ours", [True, False])
def test_auto_merging_replaces_methods_by_their_class(repository: Path, *, is_ours: bool) -> None:
    documents = [one for one in read_repository(repository) if one.node_id.endswith(".py")]
    parser = ChunkanaNodeParser(max_chunk_size=260, min_chunk_size=0)
    question, spans = "booking crossing", set[tuple[int, int]]()
    if is_ours:
        made = ChunkanaRetriever.from_documents(
            documents, WordEmbedding(), node_parser=parser, returns="parents", k=9
        )
        for one in made.retrieve(question):
            spans |= {(start, end) for start, end in one.metadata["spans"]}
    else:
        for one in build_auto_merging(documents, parser, embed_model=WordEmbedding()).retrieve(
            question
        ):
            spans.add((one.node.start_char_idx, one.node.end_char_idx))  # type: ignore[attr-defined]
    texts = [documents[0].text[start:end] for start, end in spans]
    assert any("def cancel" in text and "def move" in text for text in texts)


def test_only_leaves_of_a_repository_are_indexed_by_a_pipeline(repository: Path) -> None:
    pipeline = IngestionPipeline(transformations=[PARSER, LeafNodes()])
    nodes = pipeline.run(documents=read_repository(repository))
    assert nodes
    assert not any(node.metadata["content_type"] == "section" for node in nodes)


@pytest.mark.parametrize("around", [(), ("siblings",), ("parent",), ("parent", "siblings")])
def test_around_adds_the_leaves_around_hits_behind_them(around: tuple[Any, ...]) -> None:
    text = "# Tea\n\nTea takes time.\n\n## Green\n\nEighty degrees.\n\n## Black\n\nDo not wait.\n"
    made = ChunkanaRetriever.from_documents(
        [document(text, file_name="tea.md")], search="lexical", around=around,
        node_parser=ChunkanaNodeParser(max_chunk_size=80, min_chunk_size=0), fetch_k=1,
    )  # fmt: skip
    found = read(made.retrieve("eighty"))
    assert "Eighty degrees." in found
    assert ("Do not wait." in found) is ("siblings" in around)
    assert ("Tea takes time." in found) is ("parent" in around)
    assert read(asyncio.run(made.aretrieve("eighty"))) == found


def test_around_is_checked_before_anything_is_embedded() -> None:
    embedding = CountingEmbedding()
    with pytest.raises(ConfigurationError, match="around is 'cousins'; allowed: 'parent'"):
        ChunkanaRetriever.from_documents(
            [document("x")], embedding, around=("cousins",)
        )  # fmt: skip
    assert embedding.count == 0


def test_a_missing_extra_is_said_before_anything_is_parsed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda module: None)  # noqa: ARG005
    documents, embedding = read_repository(repository), CountingEmbedding()
    message = r"package.json' is json, which needs pip install \"chunkana-rag\[code\]\""
    with pytest.raises(ImportError, match=message) as raised:
        ChunkanaNodeParser()(documents)
    assert 'format="markdown"' in str(raised.value)
    with pytest.raises(ImportError, match=message):
        ChunkanaRetriever.from_documents(documents, embedding)
    assert embedding.count == 0
    with pytest.raises(ImportError, match="format 'python' needs"):
        ChunkanaNodeParser(format="python")
    for parser in (ChunkanaNodeParser(format="markdown"), MarkdownHierarchyNodeParser()):
        assert {node.metadata["format"] for node in parser(documents)} == {"markdown"}


def test_what_is_not_what_its_name_says_is_warned_of_once() -> None:
    given = [
        Document(text="# Tea\n\nThis is prose.\n", id_=name, metadata={"file_name": name})
        for name in ("a.json", "b.json", "c.md")
    ]
    with pytest.warns(
        UserWarning, match=r"^'a.json' \(and 1 more\) is not in the format"
    ) as warned:
        nodes = ChunkanaNodeParser()(given)
    assert len(warned) == 1
    assert {node.ref_doc_id for node in nodes} == {"a.json", "b.json", "c.md"}
    with pytest.warns(UserWarning, match="^'a.json' is not in the format of its file name"):
        ChunkanaRetriever.from_documents(given[:1], search="lexical")


def test_parts_of_code_are_parsed_further_with_places_in_their_document() -> None:
    given = document(CODE * 3, file_path="src/tea.py")
    (whole,) = ChunkanaNodeParser(include_parents=False)([given])
    nodes = get_leaf_nodes(ChunkanaNodeParser(max_chunk_size=130, min_chunk_size=0)([whole]))
    assert len(nodes) == 3
    for node in nodes:
        start, end = node.start_char_idx, node.end_char_idx  # type: ignore[attr-defined]
        assert given.text[start:end] in node.get_content()
        assert (node.metadata["kind"], node.metadata["name"]) == ("class", "Tea")


def test_a_notebook_is_its_cells_and_nodes_say_which() -> None:
    parser = ChunkanaNodeParser(max_chunk_size=70, min_chunk_size=0)
    given = document(NOTEBOOK, file_name="trip.ipynb")
    nodes = parser([given])
    text = parser.document_chunker().chunk(given).text
    leaves = [node for node in nodes if not node.child_nodes]
    assert [leaf.metadata["cell"] for leaf in leaves] == [1, 2, 3]
    assert [leaf.metadata["cell_end_line"] for leaf in leaves] == [3, 2, 3]
    for node in nodes:
        assert isinstance(node, TextNode)
        assert node.text == text[node.start_char_idx : node.end_char_idx]
    found = ChunkanaRetriever.from_documents([given], search="lexical", node_parser=parser)
    passage = found.retrieve("fare")[0]
    given_leaves = [NodeWithScore(node=leaf, score=1.0) for leaf in leaves[1:]]
    assembled = ContextAssembler().postprocess_nodes(given_leaves)
    assert (passage.metadata["cell"], passage.metadata["cell_end"]) == (1, 3)
    assert [(one.metadata["cell"], one.metadata["cell_end"]) for one in assembled] == [
        (2, 2),
        (3, 3),
    ]
    content = passage.node.get_content()
    assert "def fare(n):" in content
    assert "cell_type" not in content


@pytest.mark.parametrize("name", ["a.json", "a.ipynb"])
def test_what_does_not_load_is_plain_text_or_of_the_fallback(name: str) -> None:
    given = document("# Tea\n\nNo data { here.", file_name=name)
    with pytest.warns(UserWarning, match="is not in the format of its file name"):
        (leaf,) = ChunkanaNodeParser()([given])
    assert (leaf.metadata["format"], leaf.metadata["header_path"]) == ("text", "/")
    with pytest.warns(UserWarning, match="is not in the format of its file name"):
        (leaf,) = ChunkanaNodeParser(fallback="markdown")([given])
    assert (leaf.metadata["format"], leaf.metadata["header_path"]) == ("markdown", "/Tea")
