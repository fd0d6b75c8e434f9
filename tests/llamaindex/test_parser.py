"""The node parser: links, serialisation, and what LlamaIndex embeds beside a leaf.

What it has in common with LangChain's splitter is tested in tests/conformance.
"""

from __future__ import annotations

import asyncio
import functools
import json
import pickle
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from llama_index.core import Document
from llama_index.core.callbacks import CallbackManager
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.cache import IngestionCache
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import NodeParser, get_leaf_nodes, get_root_nodes
from llama_index.core.schema import (
    BaseNode,
    ImageDocument,
    MetadataMode,
    NodeRelationship,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from chunkana_core import InputTypeError, chunk_hierarchical
from chunkana_llamaindex import ChunkanaNodeParser, MarkdownHierarchyNodeParser
from tests.core.plugins import PLUGINS
from tests.llamaindex.parts import (
    Every,
    book,
    book_parser,
    every,
    labelled,
    numbered,
    own_documents,
    related,
    words,
)
from tests.strategies import any_markdown

HeaderContext = Literal["metadata", "text", "none"]
SOURCE = NodeRelationship.SOURCE
PARENT, CHILD = NodeRelationship.PARENT, NodeRelationship.CHILD
PREVIOUS, NEXT = NodeRelationship.PREVIOUS, NodeRelationship.NEXT
TEXT = "# Guide\n\nHello.\n\n## Install\n\nRun pip.\n\n"
TEXT += "### Linux\n\nUse the package.\n\n## Use\n\nImport.\n"
CODE = "class Tea:\n    def boil(self):\n        return 100\n"


def dicts(nodes: list[BaseNode]) -> list[dict[str, Any]]:
    """Return nodes as dicts, to be compared."""
    return [node.to_dict() for node in nodes]


def sound(nodes: list[BaseNode], text: str, *, cap: int, shift: int = 0) -> None:
    """Check a document's nodes: offsets, links, and what auto-merging assumes."""
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    places = {name: (node.start_char_idx, node.end_char_idx) for name, node in by_id.items()}  # type: ignore[attr-defined]
    for node in nodes:
        start, end = places[node.node_id]
        piece, children = text[start - shift : end - shift], related(node, CHILD)
        assert node.get_content() == piece if children else piece in node.get_content()
        assert CHILD not in node.relationships or (len(children) > 1 and len(piece) <= cap)
        below = [places[info.node_id] for info in children]
        assert below == sorted(below)
        assert all(start <= first < last <= end for first, last in below)
        for info in children:
            assert [one.node_id for one in related(by_id[info.node_id], PARENT)] == [node.node_id]
        for kind in (PARENT, CHILD, PREVIOUS, NEXT):
            for info in related(node, kind):
                assert (info.hash, info.metadata) == (by_id[info.node_id].hash, {})
    names = [leaf.node_id for leaf in get_leaf_nodes(nodes)]
    around = dict(zip(names, zip(["", *names], [*names[1:], ""], strict=False), strict=False))
    for node in nodes:
        found = (related(node, kind) for kind in (PREVIOUS, NEXT))
        ids = tuple(infos[0].node_id if infos else "" for infos in found)
        assert ids == around.get(node.node_id, ("", ""))
    reached = [root.node_id for root in get_root_nodes(nodes)]
    reached += [info.node_id for node in nodes for info in related(node, CHILD)]
    assert sorted(reached) == sorted(by_id)


# Ways to parse, and to keep parser and nodes


async def test_every_way_to_parse_gives_the_same() -> None:
    """And documents stay as they are."""
    parser, documents = MarkdownHierarchyNodeParser(max_chunk_size=300), own_documents()[::3]
    assert isinstance(parser, NodeParser)
    assert isinstance(parser, TransformComponent)
    before = [document.to_dict() for document in documents]
    nodes = dicts(parser.get_nodes_from_documents(documents))
    assert [document.to_dict() for document in documents] == before
    assert nodes == dicts(parser(documents))
    assert nodes == dicts(await parser.acall(documents))
    assert nodes == dicts(await parser.aget_nodes_from_documents(documents))
    assert nodes == dicts(parser.get_nodes_from_documents(documents, show_progress=True))
    assert not any(node["class_name"] == "Document" for node in nodes)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"tokenizer": words, "id_func": numbered, "max_chunk_size": 64},
    {"header_context": "text", "include_parents": False, "max_parent_size": 1900},
    {"include_metadata": False, "include_prev_next_rel": False, "atomic_blocks": "split"},
    {"plugins": PLUGINS, "source_label": labelled, "front_matter_keys": ("tags",)},
    {"code_cuts": "syntax", "source_label": "file_name"},
]


@pytest.mark.parametrize("kind", [ChunkanaNodeParser, MarkdownHierarchyNodeParser])
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_serialised_and_pickled_it_is_the_same(
    kind: type[ChunkanaNodeParser], options: dict[str, Any]
) -> None:
    parser = kind.from_defaults(callback_manager=CallbackManager(), **options)
    again = [
        kind.from_dict(parser.to_dict()),
        kind.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301
    ]
    documents = [own_documents()[0], Document(text=CODE, id_="t", metadata={"source": "tea.py"})]
    nodes, cache = dicts(parser(documents)), IngestionCache()
    assert parser.class_name() == parser.to_dict()["class_name"] == kind.__name__
    for other in again:
        assert other.to_dict() == parser.to_dict()
        assert dicts(other(documents)) == nodes
    for _ in range(2):
        pipeline = IngestionPipeline(transformations=[parser], cache=cache)
        assert dicts([*pipeline.run(documents=documents)]) == nodes


def test_a_function_that_cannot_be_pickled_is_warned_of_and_refused() -> None:
    with pytest.warns(UserWarning, match="cannot be pickled"):
        parser = MarkdownHierarchyNodeParser(tokenizer=lambda text: text.split())
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(parser)
    assert MarkdownHierarchyNodeParser.from_dict(parser.to_dict()).to_dict() == parser.to_dict()
    given_again = MarkdownHierarchyNodeParser.from_dict(parser.to_dict(), tokenizer=words)
    assert given_again.tokenizer is words


def test_pipelines_give_the_same_with_workers_and_async(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers have the tokenizer too, and hash texts alike, though not strings."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=64, tokenizer=words)
    documents = [book(), *own_documents()[:1]]
    alone = dicts(parser(documents))
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    monkeypatch.setenv("PYTHONHASHSEED", "77")
    assert dicts(list(pipeline.run(documents=documents, num_workers=2))) == alone
    assert dicts(list(asyncio.run(pipeline.arun(documents=documents)))) == alone


@pytest.mark.parametrize(
    "options",
    [
        {"max_chunk_size": 999}, {"min_chunk_size": 3}, {"atomic_blocks": "keep"},
        {"strategy": "fallback"}, {"merge_boundary_level": 3}, {"min_content_after_header": 7},
        {"oversize_tolerance": 0.5}, {"code_threshold": 0.5}, {"structure_threshold": 5},
        {"tokenizer": words}, {"tokenizer": str.split}, {"max_parent_size": 1999},
        {"include_parents": False}, {"include_document_node": True}, {"header_context": "none"},
        {"id_func": numbered}, {"include_metadata": False}, {"code_cuts": "syntax"},
        {"include_prev_next_rel": False}, {"plugins": PLUGINS}, {"plugins": [PLUGINS[0]]},
        {"format": "text"}, {"fallback": "markdown"}, {"source_label": labelled},
        {"source_label": "file_name"}, {"introductions": False}, {"front_matter_keys": ("tags",)},
        {"metadata": "full"},
    ],
)  # fmt: skip
def test_cache_key_changes_with_every_option(options: dict[str, Any]) -> None:
    nodes = [book()]
    default = get_transformation_hash(nodes, ChunkanaNodeParser())
    assert get_transformation_hash(nodes, ChunkanaNodeParser()) == default
    assert get_transformation_hash(nodes, ChunkanaNodeParser(**options)) != default
    assert get_transformation_hash(nodes, MarkdownHierarchyNodeParser()) != default


@pytest.mark.parametrize(
    "functions",
    [
        (Every(1).tokens, Every(10).tokens),
        (functools.partial(every, 1), functools.partial(every, 10)),
        (Every(1), Every(10)),
        (lambda text: [*text], lambda text: text.split()),
    ],
)
@pytest.mark.filterwarnings("ignore:.* cannot be pickled:UserWarning")
def test_cache_keys_tell_functions_apart_by_what_is_bound_to_them(functions: Any) -> None:  # noqa: ANN401
    one, other = (MarkdownHierarchyNodeParser(tokenizer=function) for function in functions)
    again = MarkdownHierarchyNodeParser(tokenizer=functions[0])
    key = get_transformation_hash([book()], one)
    assert get_transformation_hash([book()], again) == key
    assert get_transformation_hash([book()], other) != key


def test_cache_key_changes_with_what_makes_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that an older version wrote down makes nodes as this one does, and says so."""
    parser = MarkdownHierarchyNodeParser()
    key = get_transformation_hash([book()], parser)
    older = MarkdownHierarchyNodeParser.from_dict(parser.to_dict() | {"algorithm": 0})
    assert get_transformation_hash([book()], older) == key
    monkeypatch.setattr("chunkana_llamaindex.node_parser._ALGORITHM", 0)
    assert get_transformation_hash([book()], parser) != key


@pytest.mark.parametrize(
    ("field", "name", "message"),
    [
        *(("tokenizer", name, "should be callable") for name in ("os:system", "x")),
        ("tokenizer", "chunkana-function:system#0a", "is not known in this process; give the"),
        ("source_label", "chunkana-function:gone#0a", "is not known in this process"),
    ],
)
def test_names_in_a_serialised_parser_call_nothing(field: str, name: str, message: str) -> None:
    data = MarkdownHierarchyNodeParser().to_dict() | {field: name}
    with pytest.raises(ValueError, match=message):
        MarkdownHierarchyNodeParser.from_dict(data)


def test_cache_and_docstore_give_back_the_nodes(tmp_path: Path) -> None:
    nodes = book_parser()([book()])
    cache = IngestionCache()
    cache.put("key", nodes)
    assert dicts(list(cache.get("key") or [])) == dicts(nodes)
    store = SimpleDocumentStore()
    store.add_documents(nodes)
    store.persist(str(tmp_path / "store.json"))
    again = SimpleDocumentStore.from_persist_path(str(tmp_path / "store.json"))
    assert [again.docs[node.node_id].to_dict() for node in nodes] == dicts(nodes)


# Links and offsets


@pytest.mark.parametrize("context", ["metadata", "text", "none"])
def test_nodes_of_own_documents_are_sound(context: HeaderContext) -> None:
    """Links never cross documents."""
    parser, documents = (
        ChunkanaNodeParser(max_chunk_size=200, header_context=context),
        own_documents(),
    )
    nodes = parser(documents)
    for document in documents:
        of_document = [node for node in nodes if node.ref_doc_id == document.node_id]
        sound(of_document, document.text, cap=800)
        assert {node.source_node and node.source_node.hash for node in of_document} == {
            document.hash
        }
        assert {node.source_node.metadata == {} for node in of_document if node.source_node} == {
            True
        }


@settings(max_examples=settings().max_examples // 6)  # the laws are tested of more
@given(any_markdown())
def test_nodes_of_made_documents_are_sound(text: str) -> None:
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=100)([Document(text=text, id_="d")])
    sound(nodes, text, cap=400)
    assert len(nodes) >= bool(chunk_hierarchical(text).get_flat_chunks())


def test_duplicates_crlf_and_emoji_have_exact_offsets() -> None:
    text = "".join(f"## {title}\r\n\r\nSame 😀 text.\r\n\r\n" for title in "ABC")
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=40, min_chunk_size=0)([Document(text=text)])
    sound(nodes, text, cap=160)
    assert len({node.start_char_idx for node in get_leaf_nodes(nodes)}) == 3  # type: ignore[attr-defined]


def test_neighbours_are_equal_for_gap_filling() -> None:
    """A node's next is, as a whole, what the one after the next has before it."""
    leaves = get_leaf_nodes(book_parser()([book()]))
    assert len(leaves) > 10
    for a, c in zip(leaves, leaves[2:], strict=False):
        assert a.next_node == c.prev_node


def test_parents_neighbours_and_metadata_can_be_left_out() -> None:
    def parsed(**options: Any) -> list[BaseNode]:  # noqa: ANN401
        return MarkdownHierarchyNodeParser(max_chunk_size=180, **options)([book()])

    alone = parsed(include_prev_next_rel=False)
    assert not any({PREVIOUS, NEXT} & node.relationships.keys() for node in alone)
    assert any(CHILD in node.relationships for node in alone)
    bare = parsed(include_metadata=False, front_matter_keys=("tags",))
    assert all(node.metadata == {} for node in bare)
    assert any(PARENT in node.relationships for node in bare)
    leaves = parsed(include_parents=False)
    assert not any({PARENT, CHILD} & node.relationships.keys() for node in leaves)
    sound(leaves, book().text, cap=0)


def test_document_node_is_apart_from_the_tree() -> None:
    nodes = MarkdownHierarchyNodeParser(include_document_node=True)([Document(text=TEXT, id_="g")])
    summary = nodes[-1]
    assert summary.metadata["content_type"] == "document"
    assert summary.get_content().startswith("# Guide")
    assert summary.relationships.keys() == {SOURCE}
    assert summary.metadata["section_id"] in {n.metadata["section_id"] for n in nodes[:-1]}
    assert not hasattr(summary, "start_char_idx") or summary.start_char_idx is None
    for node in nodes:
        node_to_metadata_dict(node, flat_metadata=True)
        assert json.loads(json.dumps(node.metadata)) == node.metadata
    with pytest.raises(ValueError, match="include_document_node needs include_metadata"):
        MarkdownHierarchyNodeParser(include_document_node=True, include_metadata=False)


def part_of(text: str, **offsets: int | None) -> TextNode:
    """Return a node of another parser with a part of a document."""
    part = TextNode(text=text, id_="part", **offsets)
    whole = Document(text=TEXT, id_="whole", metadata={"a": "b"})
    part.relationships[SOURCE] = whole.as_related_node_info()
    return part


def test_parts_of_a_document_have_its_source_and_offsets() -> None:
    """A node's source is its document, and offsets count from that one's start; lines do not."""
    start = TEXT.index("## Install")
    part = part_of(TEXT[start:], start_char_idx=start)
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=60, min_chunk_size=0)([part])
    sound(nodes, part.text, cap=240, shift=start)
    assert {node.ref_doc_id for node in nodes} == {"whole"}
    assert {(n.metadata["start_line"], n.metadata["end_line"]) for n in nodes} == {(0, 0)}
    assert all(node.source_node and node.source_node.metadata == {} for node in nodes)


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(100, 183, 100), (100, None, 100), (100, 150, None), (None,) * 3]
)
def test_offsets_of_parts_are_exact_or_unknown(
    start: int | None, end: int | None, expected: int | None
) -> None:
    """Where a part's text is not the document's slice, its offsets would be wrong."""
    part = part_of("word " * 16 + "end", start_char_idx=start, end_char_idx=end)
    (node,) = MarkdownHierarchyNodeParser()([part])
    assert isinstance(node, TextNode)
    assert node.start_char_idx == expected
    assert node.end_char_idx == (None if expected is None else expected + 83)


def test_nodes_that_fit_have_no_links_to_others() -> None:
    document = Document(text=TEXT, id_="g")
    leaves = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=60)([document]))
    for leaf, same in zip(leaves, ChunkanaNodeParser(metadata="full")(leaves), strict=True):
        links = {SOURCE: leaf.relationships[SOURCE]}
        assert same == leaf.model_copy(update={"relationships": links})
    # A document is parsed, even if it was made from a node.
    (made,) = ChunkanaNodeParser()([Document(text="Tea.", metadata=leaves[1].metadata)])
    assert type(made) is TextNode
    assert (made.text, made.metadata["header_path"]) == ("Tea.", "/")


def test_the_parser_of_markdown_takes_all_for_markdown() -> None:
    parser = MarkdownHierarchyNodeParser()
    (node,) = parser([Document(text="# Tea\n\nx = 1\n", metadata={"file_path": "src/x.py"})])
    assert (node.metadata["format"], node.metadata["header_path"]) == ("markdown", "/Tea")
    with pytest.raises(ValueError, match="format"):
        MarkdownHierarchyNodeParser(format="text")  # type: ignore[arg-type]


# What is embedded, and what a model reads


def test_what_is_embedded_and_what_a_model_reads() -> None:
    """Of our keys the context is embedded, the header path is read; the document's own stay."""
    document = Document(
        text=TEXT, metadata={"title": "T", "secret": "s", "noise": "n"}, embedding=[0.5, 0.5],
        excluded_embed_metadata_keys=["secret"], excluded_llm_metadata_keys=["noise"],
        metadata_separator=" | ", metadata_template="{key}={value}",
        text_template="[{metadata_str}] {content}",
    )  # fmt: skip
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=140, min_chunk_size=0)([document])
    leaf = next(n for n in nodes if n.get_content().startswith("### Linux"))
    embedded = "[title=T | noise=n | context=Guide > Install > Linux] ### Linux\n\nUse the package."
    assert leaf.get_content(MetadataMode.EMBED) == embedded
    read = "[title=T | secret=s | header_path=/Guide/Install/Linux] ### Linux\n\nUse the package."
    assert leaf.get_content(MetadataMode.LLM) == read
    assert all(node.embedding is None for node in nodes)


@pytest.mark.parametrize("context", ["metadata", "text", "none"])
def test_the_path_is_read_once(context: HeaderContext) -> None:
    """In the text, or in the metadata where the text does not say it."""
    parser = MarkdownHierarchyNodeParser(
        header_context=context, max_chunk_size=60, min_chunk_size=0
    )
    for node in parser([Document(text=TEXT)]):
        is_said = context == "text" and node.metadata["context"]
        path = "" if is_said else f"header_path: {node.metadata['header_path']}\n\n"
        assert node.get_content(MetadataMode.LLM) == path + node.get_content()


def test_a_context_that_has_no_room_is_not_embedded() -> None:
    """Not even as a key without a value, which would not have been counted."""
    text = f"# {'Longer ' * 10}\n\n{'Text of it. ' * 20}\n"
    for options in ({"max_chunk_size": 120}, {"header_context": "none"}):
        parser = MarkdownHierarchyNodeParser(**options)
        leaves = get_leaf_nodes(parser([Document(text=text)]))
        assert {leaf.metadata["context"] for leaf in leaves} == {""}
        assert all(leaf.get_content(MetadataMode.EMBED) == leaf.get_content() for leaf in leaves)


def test_definitions_are_not_read_by_a_model() -> None:
    nodes = ChunkanaNodeParser()([Document(text=CODE, metadata={"file_path": "tea.py"})])
    assert [node.metadata["kind"] for node in nodes] == ["class"]
    for mode, keys in ((MetadataMode.LLM, {"header_path"}), (MetadataMode.EMBED, {"context"})):
        shown = {line.partition(": ")[0] for line in nodes[0].get_metadata_str(mode).splitlines()}
        assert shown == {"file_path", *keys}


def test_a_documents_own_keys_are_embedded_as_they_are() -> None:
    document = Document(text=TEXT, metadata={"context": "Docs / Guide", "tags": "mine"})
    with pytest.warns(UserWarning, match="keep their own metadata context"):
        (node, *_) = ChunkanaNodeParser(front_matter_keys=("tags",))([document])
    embedded = node.get_content(MetadataMode.EMBED)
    assert embedded.startswith("context: Docs / Guide\ntags: mine\n\n# Guide")
    hidden = Document(text=TEXT, excluded_embed_metadata_keys=["context"])
    for node in MarkdownHierarchyNodeParser()([hidden]):
        assert node.get_content(MetadataMode.EMBED) == node.get_content()


# All versions of LlamaIndex know the separator by its alias, which is spelled so.
PLAIN_TEMPLATES: list[dict[str, str]] = [
    {},
    {"metadata_template": "{key}={value}", "metadata_seperator": " :: "},
    {"metadata_template": "{value}", "metadata_seperator": ""},
    {"text_template": "<doc>\n{metadata_str}\n\n{content}"},
]
OTHER_TEMPLATES: list[dict[str, str]] = [
    {"metadata_template": "{key!r}={value:>20}", "metadata_seperator": " :: "},
    {"metadata_template": "<{key}>{value}</{key}>", "metadata_seperator": ""},
    {"text_template": "<doc>{metadata_str}</doc>\n{content}\n<end/>"},
    {"text_template": "{content}\n\n{metadata_str}\n\nend of the node"},
    {"metadata_template": "{key}={value!r}"},
    {"metadata_template": "{key}"},
]
OWN_METADATA: list[dict[str, Any]] = [
    {},
    {"file_name": "guide.md", "pages": 3, "secret": "s" * 90},
    {"empty": "", "tags": ["one", "two"]},
]


def of_own(metadata: dict[str, Any], templates: dict[str, str]) -> Document:
    """Return one of the project's own documents with metadata, a key excluded, and templates."""
    return Document(
        text=own_documents()[0].text,
        metadata=metadata,
        excluded_embed_metadata_keys=["secret"],
        **templates,
    )


@pytest.mark.parametrize("templates", [*PLAIN_TEMPLATES, *OTHER_TEMPLATES])
@pytest.mark.parametrize("metadata", OWN_METADATA)
@pytest.mark.parametrize("tokenizer", [None, words, functools.partial(str.split, maxsplit=-1)])
def test_leaves_fit_with_any_metadata_and_templates(
    tokenizer: Any,  # noqa: ANN401
    metadata: dict[str, Any],
    templates: dict[str, str],
) -> None:
    limit = 240 if tokenizer is None else 40
    parser = ChunkanaNodeParser(max_chunk_size=limit, tokenizer=tokenizer, metadata="full")
    for leaf in get_leaf_nodes(parser([of_own(metadata, templates)])):
        text = leaf.get_content(MetadataMode.EMBED)
        size = len(text) if tokenizer is None else len(text.split())
        assert size <= limit or leaf.metadata["allow_oversize"]


@pytest.mark.parametrize("templates", PLAIN_TEMPLATES)
@pytest.mark.parametrize("metadata", OWN_METADATA)
@pytest.mark.parametrize("context", ["metadata", "text"])
def test_what_is_embedded_ends_in_what_the_core_embeds(
    context: HeaderContext, metadata: dict[str, Any], templates: dict[str, str]
) -> None:
    """It is the document's metadata as LlamaIndex writes it, and then exactly context and text."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=240, header_context=context)
    node = TextNode(
        text="|", metadata=metadata, excluded_embed_metadata_keys=["secret"], **templates
    )
    alone = node.get_content(MetadataMode.EMBED).removesuffix("|")
    is_key = context == "metadata"
    node.metadata |= {"context": "|"} if is_key else {}
    above = node.get_content(MetadataMode.EMBED).removesuffix("|\n\n|" if is_key else "|")
    for leaf in get_leaf_nodes(parser([of_own(metadata, templates)])):
        written, content = leaf.metadata["context"], leaf.get_content()
        if is_key and written:
            content = f"{written}\n\n{content}"
        in_front = above if written else alone
        assert leaf.get_content(MetadataMode.EMBED) == (in_front + content).strip()


@pytest.mark.parametrize(
    ("context", "templates", "extra"),
    [
        *(("text", templates, 0) for templates in PLAIN_TEMPLATES),
        *(("metadata", templates, 0) for templates in PLAIN_TEMPLATES[:2]),
        ("metadata", OTHER_TEMPLATES[0], len("Guide") - 1),  # which the template pads to a width
        # Of both, the whole of a trial node counts.
        ("metadata", OTHER_TEMPLATES[1], len("x\n\nx")),
        ("metadata", OTHER_TEMPLATES[2], len("x\n\nx")),
    ],
)
@pytest.mark.parametrize("metadata", [{}, {"file_name": "guide.md"}])
def test_what_is_embedded_is_counted_to_the_character(
    metadata: dict[str, str], context: str, templates: dict[str, str], extra: int
) -> None:
    """Where a template writes something behind a text, some characters more are counted."""
    text = f"# Guide\n\n{'Words of it. ' * 30}".rstrip()
    document = Document(text=text, metadata=metadata, **templates)
    options: dict[str, Any] = {"introductions": False, "header_context": context}
    options |= {} if context == "text" else {"source_label": ""}
    (leaf,) = MarkdownHierarchyNodeParser(**options)([document])
    size = len(leaf.get_content(MetadataMode.EMBED)) + extra
    assert size > len(text)
    for limit, count in ((size, 1), (size - 1, 2)):
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=limit, **options)([document])
        assert len(get_leaf_nodes(nodes)) == count


@pytest.mark.parametrize(
    "given",
    [
        {"metadata": {"abstract": "long " * 50}},
        {"metadata": {"a": "b"}, "text_template": "word " * 30 + "{metadata_str}\n\n{content}"},
    ],
)
def test_long_metadata_and_templates_are_warned_of_and_left_out_of_sizes(
    given: dict[str, Any],
) -> None:
    documents = [Document(text=TEXT * count, **given) for count in (5, 1)]
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size") as warned:
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=200)(documents)
    assert len(warned) == 1
    assert all(len(leaf.get_content()) <= 200 for leaf in get_leaf_nodes(nodes))
    first = [n for n in nodes if n.ref_doc_id == documents[0].node_id]
    sound(first, documents[0].text, cap=800)


# Mistakes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk_size": 512}, "did you mean max_chunk_size for leaves, in characters or, with"),
        ({"chunk_sizes": [2048, 512]}, "in tokens, and max_parent_size for parents, which are"),
        ({"chunk_overlap": 20}, "did you mean PrevNextNodePostprocessor"),
        ({"max_chunk": 512}, r"argument is 'max_chunk'; allowed: .* did you mean max_chunk_size\?"),
        ({"header_context": "x"}, "header_context"),
        ({"tokenizer": "cl100k_base"}, "tokenizer\n  Input should be callable"),
        (
            {"tokenizer": len},
            "tokenizer returned 0 for a text of 0 characters; allowed: a sequence",
        ),
    ],
)
def test_bad_arguments_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MarkdownHierarchyNodeParser(**options)


def returned(tokens: object, text: str) -> object:
    """Return what is no list of tokens, but for the empty text."""
    return tokens if text else []


@pytest.mark.parametrize("tokens", [None, "a b", 3, {"input_ids": [1, 2]}], ids=repr)
def test_what_a_tokenizer_returns_is_checked(tokens: object) -> None:
    """A dict is what some tokenizers return: its length says nothing of the text."""
    parser = MarkdownHierarchyNodeParser(tokenizer=functools.partial(returned, tokens))
    message = r"^tokenizer returned .* for a text of \d+ characters; allowed: a sequence of tokens"
    with pytest.raises(InputTypeError, match=message):
        parser([Document(text="Some words of a text.\n")])


def test_id_func_is_asked_with_unique_numbers() -> None:
    """Of all documents together; ids that are equal are refused."""
    documents = own_documents()[:3]
    nodes = MarkdownHierarchyNodeParser(id_func=numbered, max_chunk_size=200)(documents)
    made = [node.node_id.rpartition("-") for node in nodes]
    assert [int(number) for _, _, number in made] == [*range(len(nodes))]
    assert [name for name, _, _ in made] == [node.ref_doc_id for node in nodes]
    sound([n for n in nodes if n.ref_doc_id == made[-1][0]], documents[-1].text, cap=800)
    same = MarkdownHierarchyNodeParser(id_func=functools.partial(str.format, "same"))
    with pytest.raises(ValueError, match="id of two nodes is 'same'; allowed: ids of id_func that"):
        same(documents)
    with pytest.raises(ValueError, match=f"id of two documents is '{documents[0].id_}'; allowed:"):
        MarkdownHierarchyNodeParser()([documents[0], documents[1], documents[0]])


@pytest.mark.parametrize("document", [Document(text=" \n\t\n"), ImageDocument(image="aGVsbG8=")])
def test_documents_without_text_give_nothing(document: Document) -> None:
    assert MarkdownHierarchyNodeParser(include_document_node=True)([document]) == []


def test_files_that_are_not_in_their_format_are_warned_of_once() -> None:
    given = [
        Document(text="# Tea\n\nThis is prose.\n", id_=name, metadata={"file_name": name})
        for name in ("a.json", "b.json", "c.md")
    ]
    match = r"^'a.json' \(and 1 more\) is not in the format"
    with pytest.warns(UserWarning, match=match) as warned:
        nodes = ChunkanaNodeParser()(given)
    assert len(warned) == 1
    assert {node.ref_doc_id for node in nodes} == {"a.json", "b.json", "c.md"}
