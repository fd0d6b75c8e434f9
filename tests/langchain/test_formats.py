"""The splitter takes documents of any format, chosen by their metadata."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from langchain_core.documents import Document

from chunkana_core import ChunkanaWarning, ChunkConfig, Chunker, ConfigurationError
from chunkana_core.formats import registry
from chunkana_langchain import (
    ChunkanaRetriever,
    ChunkanaSplitter,
    ContextAssembler,
    to_documents,
)
from tests.core.plugins import PLUGINS
from tests.corpora import NOTEBOOK
from tests.langchain.parts import WordEmbeddings
from tests.langchain.repository import FILES, assert_exact, documents

APP = FILES["src/app.py"]
SMALL = ChunkanaSplitter(250, min_chunk_size=0)


def of_file(file: str, splitter: ChunkanaSplitter = SMALL, /, **metadata: str) -> list[Document]:
    """Return the chunks of one file of the repository."""
    return splitter.split_documents([Document(FILES[file], metadata={"source": file} | metadata)])


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"source": "a.py"}, "python"),
        ({"file_path": "src/a.ts"}, "typescript"),
        ({"source": "crawl-7", "file_path": "a.rb"}, "ruby"),
        ({"file_name": "a.txt"}, "text"),
        ({"filename": "a.json"}, "json"),
        ({"source": "https://example.org/a/b.js?raw=1#L3"}, "javascript"),
        ({"source": "blob-7", "mime_type": "application/json"}, "json"),
        ({"mime_type": "text/plain; charset=utf-8"}, "text"),
        ({"file_type": "text/x-python"}, "python"),
        ({"source": "a.py", "mime_type": "text/plain"}, "python"),
        ({}, "markdown"),
        ({"source": "LICENSE"}, "text"),
        ({"source": "README"}, "markdown"),
        ({"source": "https://docs.rs"}, "markdown"),
        ({"source": "https://example.org/tea"}, "markdown"),
        ({"source": "a.html"}, "markdown"),
        ({"source": "a.pdf", "page": 3}, "markdown"),
        ({"source": 5}, "markdown"),
    ],
)
def test_the_format_is_that_of_the_metadata(metadata: dict[str, Any], expected: str) -> None:
    (chunk,) = SMALL.split_documents([Document("[1, 2]", metadata=metadata)])
    assert chunk.metadata["format"] == expected


def test_a_media_type_may_be_in_a_key_of_ours() -> None:
    typed = Document("[1, 2]", metadata={"content_type": "application/json"})
    with pytest.warns(UserWarning, match="keeps its own content_type"):
        (chunk,) = SMALL.split_documents([typed])
    assert (chunk.metadata["format"], chunk.metadata["content_type"]) == (
        "json",
        "application/json",
    )


def test_syntax_of_ones_own() -> None:
    """Plugins are those of the core, and what chunks depend on."""
    text = f"%%% box\n{'Hot. ' * 30}\n%%%\n"
    splitter = ChunkanaSplitter(chunk_size=64, plugins=iter(PLUGINS), metadata="full")
    chunks = splitter.create_documents([text])
    assert {chunk.metadata["container"] for chunk in chunks} == {"box"}
    (described, again, other) = (
        ChunkanaSplitter(chunk_size=64, plugins=plugins, metadata="full").describe(chunks[0])
        for plugins in (PLUGINS, PLUGINS, PLUGINS[:1])
    )
    assert described == again == splitter.describe(chunks[0]) != other
    with pytest.raises(ConfigurationError, match="one BlockRule for a rule"):
        ChunkanaSplitter(plugins=[PLUGINS[0], PLUGINS[0]])


def test_one_format_for_all_documents() -> None:
    texts = ChunkanaSplitter(250, format="text").split_documents(documents())
    assert {chunk.metadata["format"] for chunk in texts} == {"text"}
    assert_exact(texts)
    with pytest.raises(ValueError, match=r"format.*'brew'.*markdown"):
        ChunkanaSplitter(format="brew")


@pytest.mark.parametrize("size", [60, 150, 1000])
@pytest.mark.parametrize("options", [{}, {"chunk_overlap": 20}, {"strip_whitespace": True}])
def test_chunks_and_parents_are_exact(size: int, options: dict[str, Any]) -> None:
    splitter = ChunkanaSplitter(size, min_chunk_size=0, header_keys=True, **options)
    leaves, parents = splitter.split_hierarchical(documents())
    assert_exact([*leaves, *(parent for _, parent in parents)])
    assert {leaf.metadata["source"] for leaf in leaves} == {*FILES}
    assert len({frozenset(leaf.metadata) for leaf in leaves}) == 1
    ids = {name for name, _ in parents}
    assert {leaf.metadata["chunkana_parent_id"] for leaf in leaves} <= ids
    assert all(len(leaf.page_content) <= size for leaf in leaves)
    json.dumps([leaf.metadata for leaf in leaves])


def test_breadcrumbs_of_source_code_begin_with_the_file() -> None:
    full = ChunkanaSplitter(250, min_chunk_size=0, metadata="full")
    leaf = next(leaf for leaf in of_file("src/app.py", full) if leaf.metadata["name"] == "getUser")
    assert leaf.page_content.startswith("src/app.py > UserService > getUser\n\n    @cached\n")
    metadata = leaf.metadata
    assert (metadata["format"], metadata["kind"]) == ("python", "method")
    assert json.loads(metadata["path"]) == ["UserService", "getUser"]
    assert (metadata["header_path"], metadata["header_level"]) == ("/UserService/getUser", 2)


def test_a_label_of_the_callers_is_in_place_of_the_file() -> None:
    labelled = ChunkanaSplitter(250, source_label="title")
    assert of_file("src/prices.py", labelled, title="Prices")[0].page_content.startswith(
        "Prices > add_tax\n\ndef"
    )
    unlabelled = ChunkanaSplitter(250, source_label=lambda _: "")
    assert of_file("src/prices.py", unlabelled)[0].page_content.startswith("add_tax\n\ndef")


def test_files_label_every_format() -> None:
    assert of_file("README.md")[0].page_content.startswith("README.md > Shop\n\n# Shop")
    assert SMALL.split_text("Boil.") == ["Boil."]
    assert of_file("docs/notes.txt")[0].page_content.startswith("docs/notes.txt\n\n# of people")


def test_header_keys_are_for_markdown() -> None:
    splitter = ChunkanaSplitter(header_keys=True)
    (code, *_), (markdown, *_) = of_file("src/app.py", splitter), of_file("README.md", splitter)
    assert [code.metadata[f"Header {n}"] for n in range(1, 7)] == [""] * 6
    assert markdown.metadata["Header 1"] == "Shop"


def test_a_parent_says_its_kind_and_name() -> None:
    _, parents = SMALL.split_hierarchical([Document(APP, metadata={"source": "src/app.py"})])
    (parent,) = [one for _, one in parents if one.metadata["kind"] == "class"]
    assert (parent.metadata["name"], parent.metadata["content_type"]) == ("UserService", "section")
    assert parent.page_content.startswith("src/app.py > UserService\n\nclass UserService:")


def test_a_parent_of_parts_of_a_function_says_which() -> None:
    _, parents = SMALL.split_hierarchical([Document(APP, metadata={"source": "src/app.py"})])
    named = [(one.metadata["kind"], one.metadata["name"]) for _, one in parents]
    assert ("method", "getUser") in named


@pytest.mark.parametrize("name", ["src/app.py", "web/cart.ts"])
def test_a_chunk_of_source_code_that_is_split_further_keeps_its_format_and_path(name: str) -> None:
    (large,) = of_file(name, ChunkanaSplitter(4000))
    assert len(ChunkanaSplitter(4000).split_documents([large])) == 1
    again = SMALL.split_documents(SMALL.split_documents([large]))
    assert {chunk.metadata["format"] for chunk in again} == {large.metadata["format"]}
    assert_exact(again)
    paths = {chunk.metadata["header_path"] for chunk in again}
    assert paths == {leaf.metadata["header_path"] for leaf in of_file(name)}
    assert all(chunk.page_content.startswith(f"{name}") for chunk in again)


def test_a_part_of_json_that_is_split_further_keeps_its_path() -> None:
    """Part of an object is no JSON, so that what it seems to open is not in the path."""
    text = json.dumps({"users": [{"name": f"user {n}", "mail": f"{n}@x.org"} for n in range(20)]})
    source = Document(text, metadata={"source": "u.json"})
    parts = ChunkanaSplitter(400).split_documents([source])
    again = SMALL.split_documents(parts)
    assert_exact(again, {"u.json": text})
    assert len(again) > len(parts) > 1
    assert {c.metadata["header_path"] for c in [*again, *parts]} == {"/root/users"}
    assert all(c.page_content.startswith("u.json > root > users\n\n") for c in again)


def test_a_child_splitter_of_another_format_keeps_that_of_the_chunk() -> None:
    (large,) = of_file("src/app.py", ChunkanaSplitter(4000))
    child = ChunkanaSplitter(250, format="markdown")
    assert {chunk.metadata["format"] for chunk in child.split_documents([large])} == {"python"}


def test_a_text_that_is_no_json_is_plain_text_with_a_warning() -> None:
    wrong = Document("# Tea\n\nIt is {not json.\n", metadata={"source": "tea.json"})
    with pytest.warns(ChunkanaWarning, match=r"tea\.json is not valid json.*plain text") as caught:
        (chunk,) = SMALL.split_documents([wrong])
    assert len(caught) == 1
    assert (chunk.metadata["format"], chunk.metadata["header_path"]) == ("text", "/")
    assert chunk.page_content.startswith("tea.json\n\n# Tea")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SMALL.split_documents([chunk])


def test_code_that_does_not_parse_is_plain_text_with_a_warning() -> None:
    wrong = Document("?? ) ) ( ( ]] ?? ! !\n" * 5, metadata={"source": "tea.go"})
    with pytest.warns(ChunkanaWarning, match=r"tea\.go is not valid go.*plain text"):
        (chunk,) = SMALL.split_documents([wrong])
    assert chunk.metadata["format"] == "text"


def test_a_missing_extra_is_an_error_before_any_document_is_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    embedding = WordEmbeddings()
    message = r"src/app\.py.*chunkana-rag\[code\].*format=\"markdown\""
    with pytest.raises(ImportError, match=message):
        SMALL.split_documents(documents())
    with pytest.raises(ImportError, match=message):
        ChunkanaRetriever.from_documents(documents(), embedding)
    assert not embedding.embedded
    with pytest.raises(ImportError, match=r"chunkana-rag\[code\]"):
        ChunkanaSplitter(format="python")
    chunks = ChunkanaSplitter(format="markdown").split_documents(documents())
    assert {chunk.metadata["source"] for chunk in chunks} == {*FILES}


def test_keys_of_the_caller_stay_the_callers() -> None:
    theirs = {"name": "mine", "kind": "yours"}
    with pytest.warns(UserWarning, match="keeps its own kind, name"):
        (chunk,) = of_file("src/prices.py", **theirs)
    assert (chunk.metadata["name"], chunk.metadata["kind"]) == ("mine", "yours")
    with pytest.warns(UserWarning, match="keeps its own kind, name"):
        (again,) = SMALL.split_documents([chunk])
    assert (again.metadata["name"], again.metadata["format"]) == ("mine", "python")


def test_results_of_the_core_say_their_file() -> None:
    result = Chunker(ChunkConfig(max_chunk_size=250)).chunk_hierarchical(APP, path="src/app.py")
    chunks = to_documents(result, {"source": "src/app.py"})
    assert_exact(chunks)
    (passage, *_) = ContextAssembler().compress_documents(chunks[2:3], "")
    assert passage.page_content.startswith("src/app.py > UserService\n\n    @cached")


def test_code_and_json_get_no_overlap_and_keep_their_indentation() -> None:
    splitter = ChunkanaSplitter(120, 30, strip_whitespace=True, min_chunk_size=0)
    for name in ("src/app.py", "package.json", "web/cart.ts"):
        for chunk in of_file(name, splitter):
            start = chunk.metadata["start_char"]
            line = FILES[name][FILES[name].rfind("\n", 0, start) + 1 : start]
            assert line.strip() or not line  # what stands before is no indentation
            before = chunk.page_content[: chunk.metadata["prefix_chars"]]
            assert "self." not in before
            assert "this." not in before


def test_passages_of_source_code_say_the_path_and_each_signature_once() -> None:
    leaves = of_file("src/app.py")
    sources = {leaves[0].metadata["chunkana_document_id"]: APP}
    by_line = {leaf.metadata["start_line"]: leaf for leaf in leaves}
    inside = by_line[max(n for n in by_line if by_line[n].metadata["name"] == "getUser")]
    assert inside.metadata["start_line"] > 12
    ranked = [inside, by_line[6]]
    (passage,) = ContextAssembler(sources=sources).compress_documents(ranked, "")
    head, signature, body = passage.page_content.split("\n\n…\n\n")
    assert head.startswith("src/app.py\n\nclass UserService:")
    assert signature == "    def getUser(self, name: str) -> User:"
    assert body == APP[inside.metadata["start_char"] : inside.metadata["end_char"]]
    assert passage.metadata["path"] == '["src/app.py", "UserService"]'


def test_what_no_budget_is_left_for_is_cut_after_a_line() -> None:
    leaf = next(leaf for leaf in of_file("src/app.py") if leaf.metadata["name"] == "getUser")
    (passage,) = ContextAssembler(budget=100).compress_documents([leaf], "")
    assert passage.page_content == (
        "src/app.py > UserService\n\n    @cached\n    def getUser(self, name: str) -> User:"
    )


def test_the_parent_of_methods_is_their_class() -> None:
    splitter = ChunkanaSplitter(250, min_chunk_size=0, max_parent_size=460)
    parents = [parent for _, parent in splitter.split_hierarchical(documents()).parents]
    (merged,) = (one for one in parents if one.metadata["name"] == "UserService")
    assert merged.metadata["content_type"] == "section"
    assert "def getUser" in merged.page_content
    assert "def close" in merged.page_content
    assert_exact(parents)


def test_a_notebook_is_its_cells_and_chunks_say_which() -> None:
    splitter = ChunkanaSplitter(60, min_chunk_size=0)
    trip = Document(page_content=NOTEBOOK, metadata={"source": "trip.ipynb"})
    leaves, parents = splitter.split_hierarchical([trip])
    assert [leaf.metadata["cell"] for leaf in leaves] == [1, 2, 3]
    assert [leaf.metadata["kind"] for leaf in leaves] == ["", "function", ""]
    text = parents[0][1].page_content.partition("\n\n")[2]
    for leaf in leaves:
        start, end, prefix = (
            leaf.metadata[key] for key in ("start_char", "end_char", "prefix_chars")
        )
        assert leaf.page_content[prefix:] == text[start:end]
    again = splitter.split_documents(leaves)
    places = [[one.metadata["start_char"] for one in some] for some in (leaves, again)]
    assert places[0] == places[1]
    found = ChunkanaRetriever.from_documents([trip], search="lexical", splitter=splitter)
    (passage,) = found.invoke("fare")
    assembled = ContextAssembler().compress_documents(leaves[1:], "fare")
    assert (passage.metadata["cell"], passage.metadata["cell_end"]) == (1, 3)
    assert [(one.metadata["cell"], one.metadata["cell_end"]) for one in assembled] == [
        (2, 2),
        (3, 3),
    ]
    assert "def fare(n):" in passage.page_content
    assert "cell_type" not in passage.page_content


def test_a_text_that_is_no_notebook_is_of_the_fallback_with_a_warning() -> None:
    given = Document(page_content="# Tea\n\nNo cells here.", metadata={"source": "a.ipynb"})
    with pytest.warns(
        ChunkanaWarning, match=r"a.ipynb is not valid notebook, .*, and chunked as Markdown"
    ):
        (leaf,) = ChunkanaSplitter(fallback="markdown").split_documents([given])
    assert (leaf.metadata["format"], leaf.metadata["header_path"]) == ("markdown", "/Tea")
