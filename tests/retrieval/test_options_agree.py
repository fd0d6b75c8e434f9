"""Options of both adapters: what means the same has one name and default, and pages say which."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType

import pytest

from tests import corpora

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from llama_index.core import MockEmbedding
from llama_index.core.node_parser import NodeParser
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from pydantic import BaseModel

import chunkana_langchain
import chunkana_llamaindex
from chunkana_core import ChunkConfig
from chunkana_llamaindex.options import RETRIEVER_OPTIONS
from chunkana_retrieval import Index

Options = dict[str, object]
_CODE = re.compile(r"`(\w+)`")


def of_call(function: Callable[..., object]) -> Options:
    """Return the named parameters of a function, by name, with their defaults."""
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and parameter.default is not parameter.empty
    }


def of_fields(model: type[BaseModel], base: type[BaseModel], *, internal: str = "") -> Options:
    """Return the fields that a class adds to that of the framework, with their defaults."""
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in model.model_fields.items()
        if name not in base.model_fields and name != internal
    }


LANGCHAIN, LLAMAINDEX = chunkana_langchain, chunkana_llamaindex
OPENING = of_call(Index) | of_call(LANGCHAIN.ChunkanaRetriever.from_documents)
OPTIONS = of_fields(LANGCHAIN.ChunkanaRetriever, BaseRetriever, internal="index")
RETRIEVER = OPTIONS | OPENING
ASSEMBLER = of_fields(LANGCHAIN.ContextAssembler, BaseModel)
SPLITTER = of_call(LANGCHAIN.ChunkanaSplitter)
LLAMA_OPTIONS = {
    name: getattr(LLAMAINDEX.ChunkanaRetriever, name)
    for name in sorted(RETRIEVER_OPTIONS)
    if hasattr(LLAMAINDEX.ChunkanaRetriever, name)
}
LLAMA_RETRIEVER = LLAMA_OPTIONS | of_call(LLAMAINDEX.ChunkanaRetriever)
LLAMA_MERGING = of_call(LLAMAINDEX.build_auto_merging)
LLAMA_ASSEMBLER = of_fields(LLAMAINDEX.ContextAssembler, BaseNodePostprocessor)
LLAMA_PROPAGATION = of_fields(LLAMAINDEX.ScorePropagation, BaseNodePostprocessor)
LLAMA_PARSER = of_fields(LLAMAINDEX.ChunkanaNodeParser, NodeParser)


@pytest.mark.parametrize(
    ("langchain", "llamaindex", "of_langchain", "of_llamaindex"),
    [
        # Each of the last two: what a framework calls otherwise, or alone has.
        (
            RETRIEVER,
            LLAMA_RETRIEVER,
            {"embedding", "splitter", "vectorstore", "search_kwargs", "filter", "compressor",
             "progress"},
            {"embed_model", "node_parser", "vector_store", "filters", "node_postprocessors",
             "show_progress", "embedded_metadata_keys", "callback_manager", "must_exist"},
        ),
        (ASSEMBLER, LLAMA_ASSEMBLER, set(), set()),
        (RETRIEVER, LLAMA_PROPAGATION, RETRIEVER.keys() - {"section_weight", "document_weight"},
         {"top_k", "top_n"}),
    ],
    ids=["ChunkanaRetriever", "ContextAssembler", "ScorePropagation"],
)  # fmt: skip
def test_options_of_one_meaning_have_one_name_and_default(
    langchain: Options, llamaindex: Options, of_langchain: set[str], of_llamaindex: set[str]
) -> None:
    """A new option is the other framework's too, or stands in the sets above."""
    shared = langchain.keys() & llamaindex.keys()
    assert langchain.keys() - shared == of_langchain
    assert llamaindex.keys() - shared == of_llamaindex
    assert shared
    assert {name: langchain[name] for name in shared} == {name: llamaindex[name] for name in shared}


def test_the_splitter_and_the_parser_have_the_same_defaults() -> None:
    """But for the context of headings, of which one is asked whether, the other where."""
    shared = (SPLITTER.keys() & LLAMA_PARSER.keys()) - {"header_context"}
    assert {"metadata", "format", "introductions", "max_parent_size", "source_label"} <= shared
    assert all(SPLITTER[name] == LLAMA_PARSER[name] for name in shared)
    assert SPLITTER["chunk_size"] == LLAMA_PARSER["max_chunk_size"]


def page_of(name: str, heading: str) -> str:
    """Return a section of a page, without code, up to the next heading of any level."""
    page = corpora.read(corpora.REPOSITORY / "docs" / name)
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    _, found, rest = page.partition(f"\n{heading}\n")
    assert found, heading
    return re.split(r"^#{2,} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def options_in(text: str) -> dict[str, str]:
    """Return the options in the tables of a text, with their defaults as they are written.

    What LlamaIndex calls otherwise stands behind a semicolon.
    """
    found: dict[str, str] = {}
    tables = r"^\| (?:argument|option) \| default \|.*\n((?:\|.*\n)+)"
    for table in re.findall(tables, text, re.MULTILINE):
        for row in table.splitlines()[1:]:
            first, written = (cell.partition(";")[0] for cell in row.split(" | ")[:2])
            names = _CODE.findall(first)
            defaults = written.split(", ") if written.count(", ") == len(names) - 1 else [written]
            for number, name in enumerate(names):
                assert name not in found, name
                found[name] = defaults[min(number, len(defaults) - 1)].strip()
    return found


def as_written(default: object) -> str:
    """Return a default as pages write it."""
    if isinstance(default, FunctionType | BuiltinFunctionType):
        return f"`{default.__name__}`"
    if default is None or isinstance(default, bool | int | float):
        return str(default)
    return '`"' + default + '"`' if isinstance(default, str) else f"`{default!r}`"


SPLITTING = SPLITTER | {"atomic_blocks": "split"}
PARTS = {"embedding", "vectorstore", "splitter", "model_name"}
OF_LANGCHAIN = {
    "chunk_overlap", "keep_separator", "add_start_index", "strip_whitespace", "header_context",
    "header_keys",
}  # fmt: skip


def without(options: Mapping[str, object], names: Collection[str]) -> Options:
    return {name: default for name, default in options.items() if name not in names}


@pytest.mark.parametrize(
    ("page", "heading", "options"),
    [
        ("retriever.md", "## Options", without(OPTIONS, PARTS)),
        ("splitters.md", "## Options", without(SPLITTING, OF_LANGCHAIN)),
        ("splitters.md", "## Passages of other retrievers", ASSEMBLER),
        ("llamaindex.md", "## Auto-merging", LLAMA_MERGING),
        ("llamaindex.md", "## Score propagation", LLAMA_PROPAGATION),
    ],
)
def test_pages_have_each_option_with_its_default(page: str, heading: str, options: Options) -> None:
    written = {name: as_written(default) for name, default in options.items()}
    assert options_in(page_of(page, heading)) == written


def test_the_page_has_each_option_of_the_splitter_alone() -> None:
    listed = options_in(page_of("langchain.md", "## The splitter"))
    alone = {name: as_written(SPLITTER[name]) for name in listed if name != "chunk_size"}
    assert without(listed, ["chunk_size"]) == alone  # which stands there with its least value
    assert alone.keys() == OF_LANGCHAIN


def test_the_page_has_each_option_of_the_parser_alone() -> None:
    """The others are those of both adapters, and of the core."""
    listed = options_in(page_of("llamaindex.md", "## The node parser"))
    ours = {name: value for name, value in listed.items() if name in LLAMA_PARSER}
    assert ours == {name: as_written(LLAMA_PARSER[name]) for name in ours}
    assert listed.keys() - ours.keys() == {"include_metadata", "include_prev_next_rel", "id_func"}
    others = {*SPLITTING, *ChunkConfig().to_dict(), "tokenizer"}
    assert LLAMA_PARSER.keys() <= ours.keys() | others


def test_the_page_names_what_frameworks_call_otherwise() -> None:
    named = set(_CODE.findall(page_of("retriever.md", "## Options")))
    assert {"filters", "node_postprocessors", *PARTS} <= named
    assert {"embed_model", "vector_store", "node_parser", "folder", "tokenize", "timeout"} <= named


VECTORS = DeterministicFakeEmbedding(size=2)
NUMBERS: list[tuple[Callable[..., object], Options]] = [
    (LANGCHAIN.ChunkanaSplitter, SPLITTER | ChunkConfig().to_dict()),
    (LANGCHAIN.ContextAssembler, ASSEMBLER),
    (partial(LANGCHAIN.ChunkanaRetriever.from_documents, [], VECTORS), OPTIONS),
    (LLAMAINDEX.ChunkanaNodeParser, LLAMA_PARSER),
    (LLAMAINDEX.ContextAssembler, LLAMA_ASSEMBLER),
    (LLAMAINDEX.ScorePropagation, LLAMA_PROPAGATION),
    (partial(LLAMAINDEX.ChunkanaRetriever, MockEmbedding(2)), LLAMA_OPTIONS),
]
OPTIONAL = {
    "k",
    "min_score",
    "max_parent_size",
    "min_chunk_size",
    "min_content_after_header",
    "top_n",
}
CORES = {"max_chunk_size", "overlap_size"}  # which the splitter calls otherwise


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (make, name)
        for make, options in NUMBERS
        for name, default in options.items()
        if type(default) in {int, float} or name in OPTIONAL
        if not (name in CORES and make is LANGCHAIN.ChunkanaSplitter)
    ],
)
def test_true_is_no_number(make: Callable[..., object], name: str) -> None:
    """It is an error of a type, that names the option, in both adapters."""
    with pytest.raises((TypeError, ValueError), match=name) as caught:
        make(**{name: True})
    assert re.search(r"is True; allowed|valid (number|integer)", str(caught.value))
