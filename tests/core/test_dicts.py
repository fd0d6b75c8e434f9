"""The result as one JSON object: what its schema says, each thing once, and pages of children."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import (
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
    chunk_hierarchical,
)
from chunkana_core.document.blocks import TRAITS
from chunkana_core.violations import Law
from tests import corpora
from tests.core.configurations import configs, contexts
from tests.strategies import any_markdown

SCHEMA: dict[str, Any] = HierarchicalChunkingResult.json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CONFIGS = (
    ChunkConfig(),
    ChunkConfig(max_chunk_size=200, overlap_size=40, validation="warn", debug=True),
    ChunkConfig(max_chunk_size=400, atomic_blocks="split", oversize_tolerance=0.5),
)
CODE = sorted((corpora.REPOSITORY / "tests" / "data" / "code").rglob("*.txt"))
NOTEBOOKS = sorted((corpora.REPOSITORY / "tests" / "data" / "notebooks").glob("*.ipynb"))
GUIDE = "---\ntags: [tea]\n---\n\n# Guide\n\nAbout it.\n\n## Use\n\nUse it.\n\n## End\n\nEnd it.\n"
UNMERGED = ChunkConfig(min_chunk_size=0)


def chunked(
    text: str,
    config: ChunkConfig | None = None,
    format_name: str = "markdown",
    context: Context | None = None,
) -> HierarchicalChunkingResult:
    """Chunk a text; of a format that is not installed, skip the test."""
    if format_name not in {"markdown", "text"}:
        pytest.importorskip("tree_sitter")
    return Chunker(config or ChunkConfig(), context).chunk_hierarchical(text, format_name)


def require_sound(result: HierarchicalChunkingResult) -> None:
    """Assert that the object of a result is as its schema says, and says all that chunks do."""
    written = result.to_dict(page_size=3)
    read: dict[str, Any] = json.loads(json.dumps(written, allow_nan=False))
    VALIDATOR.validate(read)
    assert read == written
    document, hierarchy = read["document"], read["hierarchy"]
    assert [metadata_of(chunk, document) for chunk in read["chunks"]] == [
        {key: value for key, value in leaf.metadata.items() if key != "validation"}
        for leaf in result.get_leaves()
    ]
    for chunk, leaf in zip(read["chunks"], result.get_leaves(), strict=True):
        start = chunk["text_offset"]
        length = chunk["end_char"] - chunk["start_char"]
        assert chunk["content"][start : start + length] == leaf.text
        assert (chunk["context"], chunk["indexable"]) == (leaf.context, leaf.indexable)
    nodes = [chunk for chunk in result.chunks if not chunk.is_leaf]
    assert list(hierarchy["nodes"]) == [node.chunk_id for node in nodes]
    require_same_tree(result, read)


def metadata_of(chunk: dict[str, Any], document: dict[str, Any]) -> dict[str, object]:
    """Return the metadata that a chunk has in Python, from those places that say it."""
    beside = {"id", "level", "context", "content", "text_offset", "metadata"}
    assert not chunk.keys() & chunk["metadata"].keys()
    return {
        **chunk["metadata"],
        **{key: chunk[key] for key in chunk.keys() - beside},
        "chunk_id": chunk["id"],
        "header_level": chunk["level"],
        "name": chunk["title"] if chunk["kind"] else "",
        "format": document["format"],
        "strategy": document["strategy"],
        "is_root": False,
        "is_leaf": True,
        "children_ids": [],
    }


def require_same_tree(result: HierarchicalChunkingResult, read: dict[str, Any]) -> None:
    """Assert that parents and joined pages of children are those of the tree."""
    nodes = read["hierarchy"]["nodes"]
    everything = {**nodes, **{chunk["id"]: chunk for chunk in read["chunks"]}}
    assert everything.keys() == {chunk.chunk_id for chunk in result.chunks}
    for chunk in result.chunks:
        said = everything[chunk.chunk_id]
        links, section = chunk.links, chunk.section
        assert said["parent_id"] == links.parent_id
        assert (said["title"], said["kind"]) == (chunk.title, chunk.kind)
        assert (said["level"], tuple(said["path"])) == (section.level, section.path)
        assert (said["start_char"], said["end_char"]) == (chunk.span.start, chunk.span.end)
        if not chunk.is_leaf:
            pages = [said["children"], *later_pages(result, chunk.chunk_id, said["children"])]
            assert all(page["total"] == len(links.children_ids) for page in pages)
            assert tuple(i for page in pages for i in page["ids"]) == links.children_ids


def later_pages(
    result: HierarchicalChunkingResult, node_id: str, page: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the pages of three children that come after one."""
    while page["next"] is not None:
        page = result.children_page(node_id, page["next"], 3)
        yield page


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_schema_is_strict() -> None:
    """Every object has the keys that are named, all of them, but for front matter and the nodes."""
    waiting: list[tuple[str, Any]] = [("", SCHEMA)]
    free = set()
    while waiting:
        name, schema = waiting.pop()
        if isinstance(schema, dict):
            if "properties" in schema and schema.get("type") == "object":
                assert schema["additionalProperties"] is False, name
                assert schema["required"] == list(schema["properties"]), name
            elif schema.get("type") == "object":
                free.add(name)
            waiting += schema.items()
    assert free == {"front_matter", "nodes"}


def test_the_schema_knows_all_names() -> None:
    """What chunks and violations may be called is what the code calls them."""
    definitions = SCHEMA["$defs"]
    metadata = definitions["metadata"]["properties"]
    reasons = {traits.oversize_reason for traits in TRAITS.values()}
    assert {*metadata["oversize_reason"]["enum"]} == reasons | {
        "list_item_integrity",
        "within_tolerance",
    }
    kinds = {traits.content_type for traits in TRAITS.values()}
    assert {*metadata["content_type"]["enum"]} == kinds | {"mixed", "preamble"}
    assert definitions["violation"]["properties"]["law"]["enum"] == [*get_args(Law)]


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        ((), "version", 2),
        ((), "more", 1),
        *(((), key, ...) for key in ("version", "document", "chunks", "hierarchy")),
        (("document",), "characters", "67"),
        (("document",), "format", None),
        (("chunks", 0), "text", "said twice"),
        (("chunks", 0), "parent_id", None),
        (("chunks", 1, "path"), 0, 1),
        (("chunks", 0, "metadata"), "content_type", "unknown"),
        (("chunks", 0, "metadata"), "title", "said twice"),
        (("hierarchy",), "root_id", ""),
        (("hierarchy", "nodes"), "an id", {}),
        (("hierarchy", "nodes", "root", "children"), "next", 1),
    ],
)
def test_the_schema_refuses_what_is_wrong(
    where: tuple[str | int, ...], key: str | int, value: object
) -> None:
    """A value of `...` stands for a key that is left out."""
    result = chunk_hierarchical(GUIDE, UNMERGED)
    whole: Any = result.to_dict()
    VALIDATOR.validate(whole)
    place = whole
    for step in where:
        place = place[result.root_id if step == "root" else step]
    place[key] = value
    if value is ...:
        del place[key]
    assert not VALIDATOR.is_valid(whole)


@pytest.mark.no_cover
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: str(config.max_chunk_size))
def test_our_documents(config: ChunkConfig) -> None:
    """Each in one of the configurations."""
    for sample in corpora.own_documents()[CONFIGS.index(config) :: len(CONFIGS)]:
        require_sound(chunked(sample.text, config, context=Context(label=sample.name)))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("format_name", "text"),
    [
        ("text", "Tea.\n\nMilk.\n"),
        ("json", json.dumps({"users": [{"name": "Alice", "tags": [*range(40)]}] * 20}, indent=1)),
        ("json", '{"a": 1}\n{"a": 2}\n'),
        ("json", "{"),
        ("python", corpora.read(corpora.REPOSITORY / "src" / "chunkana_core" / "sizing.py")),
        *((path.parent.name, corpora.read(path)) for path in CODE),
        *(("notebook", corpora.read(path)) for path in NOTEBOOKS),
    ],
)
def test_documents_of_all_formats(format_name: str, text: str) -> None:
    require_sound(chunked(text, ChunkConfig(max_chunk_size=100), format_name))


@given(any_markdown(), configs(), contexts())
def test_made_documents(text: str, config: ChunkConfig, context: Context | None) -> None:
    result = chunked(text, config, context=context)
    VALIDATOR.validate(result.to_dict(page_size=2))


def test_dict_of_the_document() -> None:
    result = chunk_hierarchical(GUIDE)
    assert result.to_dict()["version"] == 1
    assert result.to_dict()["document"] == {
        "title": "Guide",
        "format": "markdown",
        "strategy": "structural",
        "max_chunk_size": 1000,
        "characters": len(GUIDE),
        "lines": 15,
        "front_matter": {"tags": ["tea"]},
        "validation": None,
    }


def test_validation_is_said_once() -> None:
    """Its outcome is the document's, also with debug, where every chunk has it in Python."""
    config = ChunkConfig(validation="strict", debug=True)
    written: Any = chunk_hierarchical(GUIDE, config).to_dict()
    assert written["document"]["validation"]["valid"] is True
    assert all("validation" not in chunk["metadata"] for chunk in written["chunks"])


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_blank_document(text: str) -> None:
    """It has no chunks, no nodes and no root."""
    result = chunk_hierarchical(text)
    written: Any = result.to_dict()
    VALIDATOR.validate(written)
    assert written["chunks"] == []
    assert written["hierarchy"] == {"root_id": None, "page_size": 64, "nodes": {}}
    assert result.children_page(result.root_id) == {"total": 0, "ids": [], "next": None}


def test_without_hierarchy() -> None:
    """The chunks are the same, and the nodes are left out."""
    result = chunk_hierarchical(GUIDE)
    whole, alone = result.to_dict(), result.to_dict(hierarchy=False)
    VALIDATOR.validate(alone)
    assert alone == whole | {"hierarchy": None}


def test_a_page_has_64_children_by_default() -> None:
    result = chunk_hierarchical("# A\n\na\n\n" * 100)
    written: Any = result.to_dict()
    page = written["hierarchy"]["nodes"][result.root_id]["children"]
    following = result.children_page(result.root_id, page["next"])
    assert (page["total"], page["next"], following["next"]) == (100, 2, None)
    assert page["ids"] + following["ids"] == [*result.chunks[0].links.children_ids]
    assert len(page["ids"]) == 64


@pytest.mark.parametrize(
    ("page", "page_size", "places", "following"),
    [
        (1, 2, [0, 1], 2),
        (2, 2, [2, 3], None),
        (3, 2, [], None),
        (1, 3, [0, 1, 2], 2),
        (2, 3, [3], None),
        (1, 4, [0, 1, 2, 3], None),
        (1, None, [0, 1, 2, 3], None),
        (2, None, [], None),
    ],
)
def test_a_page(page: int, page_size: int | None, places: list[int], following: int | None) -> None:
    """A page that the last child ends has none after it; one after the last is empty."""
    result = chunk_hierarchical("# A\n\na\n\n# B\n\nb\n\n# C\n\nc\n\n# D\n\nd\n")
    ids = result.chunks[0].links.children_ids
    expected = {"total": 4, "ids": [ids[n] for n in places], "next": following}
    assert result.children_page(result.root_id, page, page_size) == expected


def test_leaves_and_unknown_ids_have_no_children() -> None:
    result = chunk_hierarchical(GUIDE)
    for chunk_id in (result.get_leaves()[0].chunk_id, "unknown", ""):
        assert result.children_page(chunk_id, page_size=None)["ids"] == []


@pytest.mark.parametrize("text", ["", GUIDE])
@pytest.mark.parametrize("wrong", [0, -1, True, "5", 1.5])
def test_invalid_pages_are_errors(text: str, wrong: Any) -> None:  # noqa: ANN401
    result = chunk_hierarchical(text)
    with pytest.raises(ConfigurationError, match=r"^page_size is .*; allowed: None or a whole"):
        result.to_dict(page_size=wrong)
    with pytest.raises(ConfigurationError, match=r"^page_size is "):
        result.children_page(result.root_id, page_size=wrong)
    with pytest.raises(ConfigurationError, match=r"^page is "):
        result.children_page(result.root_id, wrong)
    with pytest.raises(ConfigurationError, match=r"^hierarchy is "):
        result.to_dict(hierarchy=[wrong])  # type: ignore[arg-type]


def test_dicts_are_new_each_time() -> None:
    """Changing what was given changes nothing in the result, or in the schema."""
    result = chunk_hierarchical(GUIDE)
    given: Any = result.to_dict()
    given["chunks"][0]["path"].append("more")
    given["document"]["front_matter"]["tags"].append("more")
    given["hierarchy"]["nodes"][result.root_id]["children"]["ids"].clear()
    assert result.to_dict() == chunk_hierarchical(GUIDE).to_dict()
    HierarchicalChunkingResult.json_schema().clear()
    assert HierarchicalChunkingResult.json_schema() == SCHEMA


def test_lone_surrogates_are_escapes_in_json() -> None:
    """`json` writes and reads them; what stands for both halves of a pair comes back as one."""
    result = chunk_hierarchical("# A \ud800\n\nText \udc00.\n")
    written: Any = result.to_dict()
    line = json.dumps(written)
    assert line.isascii()
    assert json.loads(line) == written
    VALIDATOR.validate(json.loads(line))
    pair: Any = chunk_hierarchical("Tea \ud83d\ude00.\n").to_dict()
    (chunk,) = json.loads(json.dumps(pair))["chunks"]
    assert chunk["content"] == "Tea 😀."
    assert chunk["end_char"] - chunk["start_char"] == len(chunk["content"]) + 1


@given(st.text(st.characters(categories=["Cs", "Ll", "Zs"]), max_size=30))
def test_texts_without_surrogates_keep_their_offsets(text: str) -> None:
    """What the documentation says to do before chunking moves no offset, and reads back."""
    replaced = re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert len(replaced) == len(text)
    written = chunk_hierarchical(replaced).to_dict()
    assert json.loads(json.dumps(written, ensure_ascii=False).encode()) == written
