"""A file has one format and one label, however it is chunked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")
pytest.importorskip("tree_sitter")
pytest.importorskip("pyarrow")

import pyarrow as pa
from langchain_core.documents import Document as Page
from llama_index.core import Document
from llama_index.core.schema import MetadataMode

from chunkana_batch import chunk_many
from chunkana_batch.tables import chunk_table
from chunkana_cli.inputs.batch import Batch
from chunkana_core import ChunkanaWarning, ChunkConfig, Chunker, Context
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import ChunkanaNodeParser

TEXT = "# database\n\nimage: tea\n"
FILES = {  # the format and the context of the text above
    "docs/tea.md": ("markdown", "docs/tea.md > database"),
    "docs/tea.pdf": ("markdown", "docs/tea.pdf > database"),
    "docs/v1.2": ("markdown", "docs/v1.2 > database"),
    "docs/tea.txt": ("text", "docs/tea.txt"),
    "LICENSE": ("text", "LICENSE"),
    "shop/compose.brew": ("text", "shop/compose.brew"),
    "shop/Dockerfile": ("text", "shop/Dockerfile"),
    "tea.py": ("python", "tea.py"),
    "tea.json": ("text", "tea.json"),  # which does not load
    "https://tea.org/docs/green/water": ("markdown", "green/water > database"),
}
Found = tuple[str, str]
EMBEDDED = ChunkConfig(atomic_blocks="split")


def core(path: str) -> Found:
    (chunk,) = Chunker(EMBEDDED, Context()).chunk(TEXT, path=path)
    return chunk.format, chunk.context


def many(path: str) -> Found:
    (outcome,) = chunk_many([(path, TEXT)], EMBEDDED, context=Context())
    assert outcome.value
    (chunk,) = outcome.value.get_leaves()
    return chunk.format, chunk.context


def table(path: str) -> Found:
    (row,) = chunk_table(pa.table({"text": [TEXT], "path": [path]})).to_pylist()
    return row["format"], row["embedded"].removesuffix(row["content"]).rstrip()


def node(path: str) -> Found:
    given = Document(text=TEXT, metadata={"source": path}, excluded_embed_metadata_keys=["source"])
    (found,) = ChunkanaNodeParser()([given])
    assert path not in found.get_content(MetadataMode.LLM).replace(f"source: {path}", "")
    return found.metadata["format"], found.metadata["context"]


def page(path: str) -> Found:
    (found,) = ChunkanaSplitter().split_documents([Page(TEXT, metadata={"source": path})])
    return found.metadata["format"], found.page_content.partition("\n\n")[0]


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("chunked", [core, many, table, node, page])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_rule_for_formats_and_labels(chunked: Callable[[str], Found], path: str) -> None:
    assert chunked(path) == FILES[path]


@pytest.mark.parametrize("path", [path for path in FILES if "://" not in path])
def test_the_command_has_the_same_formats(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(TEXT, "utf-8")
    batch = Batch([path], "auto")
    (found,) = batch.chunk(EMBEDDED, 1, lambda _, result: result, context=Context())
    (chunk,) = found.get_leaves()
    assert (chunk.format, chunk.context) == FILES[path]


def both(names: list[str], **options: Any) -> dict[str, list[str]]:  # noqa: ANN401
    """Return the messages of both adapters about files of these names."""
    nodes = [Document(text=TEXT, metadata={"file_path": name}) for name in names]
    pages = [Page(TEXT, metadata={"source": name}) for name in names]
    runs: dict[str, Callable[[], object]] = {
        "node": lambda: ChunkanaNodeParser(**options)(nodes),
        "page": lambda: ChunkanaSplitter(**options).split_documents(pages),
    }
    found = {}
    for name, run in runs.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        assert {(one.category, one.filename) for one in caught} <= {(ChunkanaWarning, __file__)}
        found[name] = [str(one.message) for one in caught]
    return found


def test_files_of_unknown_formats_are_told_once_with_their_number() -> None:
    names = ["a.brew", "b.brew", "a.md", "Dockerfile", "tea", "a.pdf", "a.txt"]
    message = "3 files of unknown format were chunked as plain text: .brew (2), Dockerfile (1)"
    assert both(names) == {"node": [message], "page": [message]}
    as_markdown = message.replace("plain text", "markdown")
    assert both(names, fallback="markdown") == {"node": [as_markdown], "page": [as_markdown]}
    assert both(names, format="markdown") == {"node": [], "page": []}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fallback_is_for_files_that_are_not_valid_too() -> None:
    (page,) = ChunkanaSplitter(fallback="markdown").split_documents(
        [Page(TEXT, metadata={"source": "tea.json"})]
    )
    (node,) = ChunkanaNodeParser(fallback="markdown")(
        [Document(text=TEXT, metadata={"file_path": "tea.json"})]
    )
    assert page.metadata["format"] == node.metadata["format"] == "markdown"
    (outcome,) = chunk_many([("tea.brew", TEXT)], fallback="markdown")
    assert outcome.value
    assert outcome.value.format == "markdown"
    table = pa.table({"text": [TEXT], "path": ["tea.brew"]})
    assert chunk_table(table, fallback="markdown").column("format").to_pylist() == ["markdown"]
    for make in (ChunkanaSplitter, ChunkanaNodeParser):
        with pytest.raises(ValueError, match="fallback is 'tea'"):
            make(fallback="tea")
