"""`MarkdownHierarchyNodeParser`: nodes are exact, linked, and the same however they are made."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import pickle
import subprocess
import sys
from contextlib import nullcontext
from itertools import pairwise
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
    ObjectType,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from chunkana_core import ChunkConfig, InputTypeError, chunk_hierarchical
from chunkana_llamaindex import (
    ChunkanaNodeParser,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    to_nodes,
)
from tests import corpora
from tests.core.plugins import PLUGINS
from tests.llamaindex.parts import (
    Every,
    WordEmbedding,
    book,
    book_parser,
    every,
    numbered,
    own_documents,
    related,
    words,
)
from tests.strategies import any_markdown

HeaderContext = Literal["metadata", "text", "none"]
RESERVED = {"doc_id", "document_id", "ref_doc_id", "_node_content", "_node_type", "node_id"}
PARENT, CHILD = NodeRelationship.PARENT, NodeRelationship.CHILD
PREVIOUS, NEXT = NodeRelationship.PREVIOUS, NodeRelationship.NEXT
TEXT = "# Guide\n\nHello.\n\n## Install\n\nRun pip.\n\n"
TEXT += "### Linux\n\nUse the package.\n\n## Use\n\nImport.\n"


def dicts(nodes: list[BaseNode]) -> list[dict[str, Any]]:
    """Return nodes as dicts, to be compared."""
    return [node.to_dict() for node in nodes]


def sound(nodes: list[BaseNode], text: str, *, cap: int, shift: int = 0) -> None:
    """Check a document's nodes: offsets, links, and what auto-merging assumes."""
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    for node in nodes:
        assert isinstance(node, TextNode)
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        piece = text[node.start_char_idx - shift : node.end_char_idx - shift]
        children = related(node, CHILD)
        assert node.text == piece if children else piece in node.text
        assert CHILD not in node.relationships or len(children) > 1
        assert not children or len(piece) <= cap
        starts = []
        for info in children:
            child = by_id[info.node_id]
            assert child.parent_node
            assert child.parent_node.node_id == node.node_id
            assert isinstance(child, TextNode)
            assert node.start_char_idx <= (child.start_char_idx or 0)
            assert (child.end_char_idx or 0) <= node.end_char_idx
            starts.append(child.start_char_idx or 0)
        assert starts == sorted(starts)
        for kind in (PARENT, CHILD, PREVIOUS, NEXT):
            for info in related(node, kind):
                assert info.hash == by_id[info.node_id].hash
                assert info.metadata == {}
        assert not (children and {PREVIOUS, NEXT} & node.relationships.keys())
    leaves = get_leaf_nodes(nodes)
    for before, after in pairwise(leaves):
        assert before.next_node
        assert after.prev_node
        assert (before.next_node.node_id, after.prev_node.node_id) == (
            after.node_id,
            before.node_id,
        )
    assert not leaves or (leaves[0].prev_node, leaves[-1].next_node) == (None, None)
    waiting, walked = get_root_nodes(nodes), []
    while waiting:
        node = waiting.pop()
        walked.append(node.node_id)
        waiting += [by_id[info.node_id] for info in related(node, CHILD)]
    assert sorted(walked) == sorted(by_id)


def test_is_a_node_parser() -> None:
    parser = MarkdownHierarchyNodeParser()
    assert isinstance(parser, NodeParser)
    assert isinstance(parser, TransformComponent)
    assert parser.class_name() == "MarkdownHierarchyNodeParser"


async def test_every_way_to_parse_gives_the_same() -> None:
    parser, documents = MarkdownHierarchyNodeParser(max_chunk_size=300), own_documents()
    nodes = dicts(parser.get_nodes_from_documents(documents))
    assert nodes == dicts(parser(documents))
    assert nodes == dicts(await parser.acall(documents))
    assert nodes == dicts(await parser.aget_nodes_from_documents(documents))
    assert nodes == dicts(parser.get_nodes_from_documents(documents, show_progress=True))
    assert not any(node["class_name"] == "Document" for node in nodes)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokenizer": words, "id_func": numbered, "max_chunk_size": 64},
        {"header_context": "text", "include_parents": False, "max_parent_size": 1900},
        {"include_metadata": False, "include_prev_next_rel": False, "atomic_blocks": "split"},
        {"plugins": PLUGINS},
    ],
)
def test_serialised_and_pickled_it_is_the_same(options: dict[str, Any]) -> None:
    parser = MarkdownHierarchyNodeParser.from_defaults(
        callback_manager=CallbackManager(), **options
    )
    again = [
        MarkdownHierarchyNodeParser.from_dict(parser.to_dict()),
        MarkdownHierarchyNodeParser.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301
    ]
    documents = own_documents()[::3]
    nodes = dicts(parser(documents))
    for other in again:
        assert other.to_dict() == parser.to_dict()
        assert dicts(other(documents)) == nodes


def test_a_function_that_cannot_be_pickled_is_warned_of_and_refused() -> None:
    with pytest.warns(UserWarning, match="cannot be pickled"):
        parser = MarkdownHierarchyNodeParser(tokenizer=lambda text: text.split())
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(parser)
    assert MarkdownHierarchyNodeParser.from_dict(parser.to_dict()).to_dict() == parser.to_dict()
    given_again = MarkdownHierarchyNodeParser.from_dict(parser.to_dict(), tokenizer=words)
    assert given_again.tokenizer is words


def test_syntax_of_ones_own() -> None:
    """Plugins are those of the core; what is none is an error that says so."""
    text = f"# Tea\n\n%%% box\n{'Hot. ' * 30}\n%%%\n"
    parser = MarkdownHierarchyNodeParser(max_chunk_size=64, plugins=PLUGINS, metadata="full")
    leaves = get_leaf_nodes(parser([Document(text=text)]))
    assert {node.metadata["container"] for node in leaves[1:]} == {"box"}
    with pytest.raises(ValueError, match="BlockRule"):
        MarkdownHierarchyNodeParser(plugins=(1,))
    with pytest.raises(ValueError, match="one BlockRule for a rule"):
        MarkdownHierarchyNodeParser(plugins=(PLUGINS[0], PLUGINS[0]))


def test_pipelines_give_the_same_with_workers_and_async() -> None:
    """Two workers have the tokenizer too."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=64, tokenizer=words)
    documents = own_documents()
    alone = dicts(list(IngestionPipeline(transformations=[parser]).run(documents=documents)))
    assert alone == dicts(parser(documents))
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    assert dicts(list(pipeline.run(documents=documents, num_workers=2))) == alone
    fresh = IngestionPipeline(transformations=[parser], disable_cache=True)
    assert dicts(list(asyncio.run(fresh.arun(documents=documents)))) == alone


@pytest.mark.parametrize(
    "options",
    [
        {"max_chunk_size": 999}, {"min_chunk_size": 3}, {"atomic_blocks": "keep"},
        {"strategy": "fallback"}, {"merge_boundary_level": 3}, {"min_content_after_header": 7},
        {"oversize_tolerance": 0.5}, {"code_threshold": 0.5}, {"structure_threshold": 5},
        {"tokenizer": words}, {"tokenizer": str.split}, {"max_parent_size": 1999},
        {"include_parents": False}, {"include_document_node": True}, {"header_context": "none"},
        {"id_func": numbered}, {"include_metadata": False},
        {"include_prev_next_rel": False}, {"plugins": PLUGINS}, {"plugins": [PLUGINS[0]]},
    ],
)  # fmt: skip
def test_cache_key_changes_with_every_option(options: dict[str, Any]) -> None:
    nodes = [book()]
    default = get_transformation_hash(nodes, MarkdownHierarchyNodeParser())
    assert get_transformation_hash(nodes, MarkdownHierarchyNodeParser()) == default
    assert get_transformation_hash(nodes, MarkdownHierarchyNodeParser(**options)) != default


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
    ("name", "message"),
    [
        *((name, "should be callable") for name in ("os:system", "builtins:eval", "x")),
        ("chunkana-function:system#0a", "is not known in this process; give the function or rule"),
    ],
)
def test_names_in_a_serialised_parser_call_nothing(name: str, message: str) -> None:
    data = MarkdownHierarchyNodeParser().to_dict() | {"tokenizer": name}
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


def test_documents_stay_as_they_are_and_are_upserted_once() -> None:
    documents = own_documents()
    before = [document.to_dict() for document in documents]
    parser = MarkdownHierarchyNodeParser()
    parser(documents)
    assert [document.to_dict() for document in documents] == before
    pipeline = IngestionPipeline(
        transformations=[parser, LeafNodes(), WordEmbedding()],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
    )
    assert pipeline.run(documents=documents)
    assert pipeline.run(documents=documents) == []


def test_every_node_has_its_document_for_source() -> None:
    for node in book_parser()([book()]):
        assert node.source_node
        assert (node.ref_doc_id, node.source_node.hash) == ("book", book().hash)
        assert node.source_node.metadata == {}


def test_parts_of_a_document_have_its_source_and_offsets() -> None:
    """A node's source is its document, and offsets count from that one's start."""
    start = TEXT.index("## Install")
    part = TextNode(text=TEXT[start:], id_="part", start_char_idx=start)
    part.relationships[NodeRelationship.SOURCE] = Document(
        text=TEXT, id_="whole"
    ).as_related_node_info()
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=60, min_chunk_size=0)([part])
    sound(nodes, part.text, cap=240, shift=start)
    assert {node.ref_doc_id for node in nodes} == {"whole"}


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(100, 183, 100), (100, None, 100), (100, 150, None), (None,) * 3]
)
def test_offsets_of_parts_are_exact_or_unknown(
    start: int | None, end: int | None, expected: int | None
) -> None:
    """Where a part's text is not the document's slice, its offsets would be wrong."""
    part = TextNode(text="word " * 16 + "end", start_char_idx=start, end_char_idx=end)
    part.relationships[NodeRelationship.SOURCE] = Document(text=TEXT).as_related_node_info()
    (node,) = MarkdownHierarchyNodeParser()([part])
    assert isinstance(node, TextNode)
    assert node.start_char_idx == expected
    assert node.end_char_idx == (None if expected is None else expected + 83)


@pytest.mark.parametrize("size", [200, 700])
@pytest.mark.parametrize("context", ["metadata", "text", "none"])
def test_own_documents_are_sound(size: int, context: HeaderContext) -> None:
    parser = MarkdownHierarchyNodeParser(max_chunk_size=size, header_context=context)
    for document in own_documents():
        sound(parser([document]), document.text, cap=4 * size)


@pytest.mark.parametrize(
    "size", [500, *(pytest.param(size, marks=pytest.mark.slow) for size in (200, 1000, 4000))]
)
def test_real_documents_are_sound(size: int) -> None:
    samples = list(corpora.corpus())
    if not samples:
        pytest.skip(f"no corpus in {corpora.SHARED}")
    documents = [Document(text=sample.text, id_=sample.name) for sample in samples]
    nodes: dict[str, list[BaseNode]] = {document.node_id: [] for document in documents}
    for node in MarkdownHierarchyNodeParser(max_chunk_size=size, metadata="full")(documents):
        nodes[node.ref_doc_id or ""].append(node)
        fits = len(node.get_content(MetadataMode.EMBED)) <= size
        assert fits or CHILD in node.relationships or node.metadata["allow_oversize"]
    for document in documents:
        sound(nodes[document.node_id], document.text, cap=4 * size)


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_made_documents_are_sound(text: str) -> None:
    parser = MarkdownHierarchyNodeParser(max_chunk_size=100, metadata="full")
    nodes = parser([Document(text=text, id_="d")])
    sound(nodes, text, cap=400)
    for leaf in get_leaf_nodes(nodes):
        embedded = leaf.get_content(MetadataMode.EMBED)
        assert len(embedded) <= 100 or leaf.metadata["allow_oversize"]
    assert len(nodes) >= bool(chunk_hierarchical(text).get_flat_chunks())


def test_duplicates_crlf_and_emoji_have_exact_offsets() -> None:
    text = "".join(f"## {title}\r\n\r\nSame 😀 text.\r\n\r\n" for title in "ABC")
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=40, min_chunk_size=0)([Document(text=text)])
    sound(nodes, text, cap=160)
    assert len({node.start_char_idx for node in get_leaf_nodes(nodes)}) == 3  # type: ignore[attr-defined]


def test_leaves_and_roots_are_those_of_the_merge_tree() -> None:
    document = book()
    result = chunk_hierarchical(document.text, ChunkConfig(max_chunk_size=180, min_chunk_size=0))
    nodes = to_nodes(result, document)
    tree = result.merge_tree()
    assert [n.metadata["chunk_id"] for n in get_leaf_nodes(list(nodes))] == [
        n.node_id for n in tree.leaves
    ]
    assert [n.metadata["chunk_id"] for n in get_root_nodes(list(nodes))] == [*tree.root_ids]


def test_neighbours_are_equal_for_gap_filling() -> None:
    """A node's next is, as a whole, what the one after the next has before it."""
    leaves = get_leaf_nodes(book_parser()([book()]))
    assert len(leaves) > 10
    for a, c in zip(leaves, leaves[2:], strict=False):
        assert a.next_node == c.prev_node


def test_links_never_cross_documents() -> None:
    for node in MarkdownHierarchyNodeParser(max_chunk_size=200)(own_documents()):
        for kind in (PARENT, CHILD, PREVIOUS, NEXT):
            for info in related(node, kind):
                assert info.node_id != node.node_id
    first, second = own_documents()[:2]
    parser = MarkdownHierarchyNodeParser(max_chunk_size=200)
    assert dicts(parser([first, second])) == dicts(parser([first])) + dicts(parser([second]))


def test_without_neighbours_parents_stay() -> None:
    parser = MarkdownHierarchyNodeParser(max_chunk_size=180, include_prev_next_rel=False)
    nodes = parser([book()])
    assert not any({PREVIOUS, NEXT} & node.relationships.keys() for node in nodes)
    assert any(CHILD in node.relationships for node in nodes)


def test_without_metadata_there_is_none() -> None:
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=180, include_metadata=False)([book()])
    assert all(node.metadata == {} for node in nodes)
    assert any(PARENT in node.relationships for node in nodes)


def test_without_parents_leaves_are_alone_but_linked() -> None:
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=180, include_parents=False)([book()])
    assert not any({PARENT, CHILD} & node.relationships.keys() for node in nodes)
    sound(nodes, book().text, cap=0)


def test_document_node_is_apart_from_the_tree() -> None:
    nodes = MarkdownHierarchyNodeParser(include_document_node=True)([Document(text=TEXT, id_="g")])
    summary = nodes[-1]
    assert summary.metadata["content_type"] == "document"
    assert summary.get_content().startswith("# Guide")
    assert summary.relationships.keys() == {NodeRelationship.SOURCE}
    assert summary.metadata["section_id"] in {n.metadata["section_id"] for n in nodes[:-1]}


def test_metadata_is_flat_and_free_of_reserved_keys() -> None:
    for node in MarkdownHierarchyNodeParser(include_document_node=True)(own_documents()):
        assert not node.metadata.keys() & RESERVED
        node_to_metadata_dict(node, flat_metadata=True)
        assert all(isinstance(value, str | int | bool) for value in node.metadata.values())
        assert json.loads(json.dumps(node.metadata)) == node.metadata


def test_hashes_are_the_same_in_every_process() -> None:
    """The other one hashes strings otherwise."""
    script = (
        "from tests.llamaindex.parts import book, book_parser\n"
        "for node in book_parser()([book()]): print(node.node_id, node.hash)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONHASHSEED": "77"},
    )  # fmt: skip
    expected = [f"{node.node_id} {node.hash}" for node in book_parser()([book()])]
    assert run.stdout.split("\n")[:-1] == expected


def test_what_is_embedded_and_what_a_model_reads() -> None:
    """Of our keys the context is embedded, the header path is read; the document's own stay."""
    document = Document(
        text=TEXT, metadata={"title": "T", "secret": "s", "noise": "n"},
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


def test_breadcrumb_in_the_text_or_nowhere() -> None:
    documents = [Document(text=TEXT)]
    in_text = MarkdownHierarchyNodeParser(
        max_chunk_size=60, min_chunk_size=0, header_context="text"
    )
    leaf = next(n for n in get_leaf_nodes(in_text(documents)) if "### Linux" in n.get_content())
    assert leaf.get_content() == "Guide > Install > Linux\n\n### Linux\n\nUse the package."
    assert leaf.get_content(MetadataMode.EMBED) == leaf.get_content()
    nowhere = MarkdownHierarchyNodeParser(
        max_chunk_size=60, min_chunk_size=0, header_context="none"
    )
    for node in nowhere(documents):
        assert node.get_content(MetadataMode.EMBED) == node.get_content()


def test_embedding_of_a_document_is_not_its_nodes() -> None:
    document = Document(text=TEXT, embedding=[0.5, 0.5])
    assert all(node.embedding is None for node in MarkdownHierarchyNodeParser()([document]))


@pytest.mark.parametrize("limit", [50, 60, 80, 100, 120, 160, 200])
@pytest.mark.parametrize("metadata", [{}, {"file_name": "guide.md"}, {"url": "u" * 44}])
@pytest.mark.parametrize("context", ["metadata", "text"])
def test_leaves_fit_where_title_and_metadata_do_not_fit_together(
    context: HeaderContext, metadata: dict[str, str], limit: int
) -> None:
    """What is embedded with the document's own metadata counts, up to half of the limit."""
    text = "# Configuration reference manual\n\n" + "Words of it are here. " * 40
    document = Document(text=text, metadata=metadata)
    added = metadata | ({"context": ""} if context == "metadata" else {})
    reserved = TextNode(text="|", metadata=added).get_content(MetadataMode.EMBED).removesuffix("|")
    counted = len(reserved.replace("context: \n\n", "context: ")) <= limit // 2
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=limit, header_context=context, metadata="full"
    )
    with nullcontext() if counted else pytest.warns(UserWarning, match="takes over half"):
        leaves = get_leaf_nodes(parser([document]))
    for leaf in leaves:
        assert not leaf.metadata["allow_oversize"]
        shown = leaf.get_content(MetadataMode.EMBED) if counted else leaf.get_content()
        assert len(shown) <= limit


@pytest.mark.parametrize("tokenizer", [None, words, functools.partial(str.split, maxsplit=-1)])
@pytest.mark.parametrize("context", ["metadata", "text", "none"])
def test_leaves_fit_as_they_are_embedded(tokenizer: Any, context: HeaderContext) -> None:  # noqa: ANN401
    limit = 200 if tokenizer is None else 50
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=limit, tokenizer=tokenizer, header_context=context, metadata="full"
    )
    for leaf in get_leaf_nodes(parser(own_documents())):
        text = leaf.get_content(MetadataMode.EMBED)
        size = len(text) if tokenizer is None else len(text.split())
        assert size <= limit or leaf.metadata["allow_oversize"]


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


def of_own(metadata: dict[str, Any], templates: dict[str, str]) -> list[Document]:
    """Return some of the project's own documents with metadata, a key excluded, and templates."""
    return [
        Document(
            text=document.text,
            id_=document.id_,
            metadata=metadata,
            excluded_embed_metadata_keys=["secret"],
            **templates,
        )
        for document in own_documents()[:2]
    ]


@pytest.mark.parametrize("templates", [*PLAIN_TEMPLATES, *OTHER_TEMPLATES])
@pytest.mark.parametrize("metadata", OWN_METADATA)
@pytest.mark.parametrize("tokenizer", [None, words])
@pytest.mark.parametrize("context", ["metadata", "none"])
def test_leaves_fit_with_any_metadata_and_templates(
    context: HeaderContext,
    tokenizer: Any,  # noqa: ANN401
    metadata: dict[str, Any],
    templates: dict[str, str],
) -> None:
    limit = 240 if tokenizer is None else 40
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=limit, tokenizer=tokenizer, header_context=context, metadata="full"
    )
    for leaf in get_leaf_nodes(parser(of_own(metadata, templates))):
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
    for document in of_own(metadata, templates):
        node = TextNode(
            text="|",
            metadata=metadata,
            excluded_embed_metadata_keys=["secret"],
            **templates,
        )
        alone = node.get_content(MetadataMode.EMBED).removesuffix("|")
        is_key = context == "metadata"
        node.metadata |= {"context": "|"} if is_key else {}
        above = node.get_content(MetadataMode.EMBED).removesuffix("|\n\n|" if is_key else "|")
        for leaf in get_leaf_nodes(parser([document])):
            written, content = leaf.metadata["context"], leaf.get_content()
            if is_key and written:
                content = f"{written}\n\n{content}"
            in_front = above if written else alone
            assert leaf.get_content(MetadataMode.EMBED) == (in_front + content).strip()


@pytest.mark.parametrize(
    ("templates", "extra"),
    [
        *((templates, 0) for templates in PLAIN_TEMPLATES[:2]),
        (OTHER_TEMPLATES[0], len("Guide") - 1),  # which the template pads to a width
        # Of both, the whole of a trial node counts.
        (OTHER_TEMPLATES[1], len("x\n\nx")),
        (OTHER_TEMPLATES[2], len("x\n\nx")),
    ],
)
@pytest.mark.parametrize("metadata", [{}, {"file_name": "guide.md"}])
def test_what_is_embedded_is_counted_to_the_character(
    metadata: dict[str, str], templates: dict[str, str], extra: int
) -> None:
    """Where a template writes something behind a text, some characters more are counted."""
    text = f"# Guide\n\n{'Words of it. ' * 30}".rstrip()
    document = Document(text=text, metadata=metadata, **templates)
    options: dict[str, Any] = {"introductions": False, "source_label": ""}
    (leaf,) = MarkdownHierarchyNodeParser(**options)([document])
    size = len(leaf.get_content(MetadataMode.EMBED)) + extra
    assert size > len(text)
    for limit, count in ((size, 1), (size - 1, 2)):
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=limit, **options)([document])
        assert len(get_leaf_nodes(nodes)) == count


@pytest.mark.parametrize("templates", PLAIN_TEMPLATES)
@pytest.mark.parametrize("metadata", [{}, {"file_name": "guide.md"}])
def test_what_is_embedded_in_the_text_is_counted_to_the_character(
    metadata: dict[str, str], templates: dict[str, str]
) -> None:
    text = f"# Guide\n\n{'Words of it. ' * 30}".rstrip()
    document = Document(text=text, metadata=metadata, **templates)
    options: dict[str, Any] = {"introductions": False, "header_context": "text"}
    (leaf,) = MarkdownHierarchyNodeParser(**options)([document])
    size = len(leaf.get_content(MetadataMode.EMBED))
    for limit, count in ((size, 1), (size - 1, 2)):
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=limit, **options)([document])
        assert len(get_leaf_nodes(nodes)) == count


def test_a_document_s_own_context_is_embedded_as_it_is() -> None:
    document = Document(text=TEXT, metadata={"context": "Docs / Guide"})
    with pytest.warns(UserWarning, match="keep their own metadata context"):
        nodes = MarkdownHierarchyNodeParser()([document])
    assert nodes[0].get_content(MetadataMode.EMBED).startswith("context: Docs / Guide\n\n# Guide")
    hidden = Document(text=TEXT, excluded_embed_metadata_keys=["context"])
    for node in MarkdownHierarchyNodeParser()([hidden]):
        assert node.get_content(MetadataMode.EMBED) == node.get_content()


def test_the_path_is_read_once() -> None:
    """In the text, or in the metadata where the text does not say it."""
    options: dict[str, Any] = {"max_chunk_size": 60, "min_chunk_size": 0}
    for context in ("metadata", "text", "none"):
        parser = MarkdownHierarchyNodeParser(header_context=context, **options)
        for node in parser([Document(text=TEXT)]):
            is_said = context == "text" and node.metadata["context"]
            path = "" if is_said else f"header_path: {node.metadata['header_path']}\n\n"
            assert node.get_content(MetadataMode.LLM) == path + node.get_content()


def test_long_metadata_is_warned_of_and_left_out_of_sizes() -> None:
    document = Document(text=TEXT * 5, metadata={"abstract": "long " * 50})
    another = Document(text=TEXT, metadata={"abstract": "long " * 50})
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size") as warned:
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=200)([document, another])
    assert len(warned) == 1
    assert all(len(leaf.get_content()) <= 200 for leaf in get_leaf_nodes(nodes))
    sound([n for n in nodes if n.ref_doc_id == document.node_id], document.text, cap=800)


def test_a_long_template_is_left_out_of_sizes() -> None:
    template = "word " * 30 + "{metadata_str}\n\n{content}"
    document = Document(text=TEXT * 5, metadata={"a": "b"}, text_template=template)
    with pytest.warns(UserWarning, match="takes over half of max_chunk_size"):
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=200)([document])
    assert all(len(leaf.get_content()) <= 200 for leaf in get_leaf_nodes(nodes))


def test_long_headings_lose_their_outermost_titles() -> None:
    text = f"# Title\n\n## {'Longer ' * 10}\n\n### Short\n\n{'Text of it. ' * 8}\n"
    leaves = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=130)([Document(text=text)]))
    assert {leaf.metadata["context"] for leaf in leaves if "Text" in leaf.get_content()} == {
        "Short"
    }
    assert all(len(leaf.get_content(MetadataMode.EMBED)) <= 130 for leaf in leaves)


def test_a_context_that_has_no_room_is_not_embedded() -> None:
    """Not even as a key without a value, which would not have been counted."""
    text = f"# {'Longer ' * 10}\n\n{'Text of it. ' * 20}\n"
    leaves = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=120)([Document(text=text)]))
    assert {leaf.metadata["context"] for leaf in leaves} == {""}
    assert all(leaf.get_content(MetadataMode.EMBED) == leaf.get_content() for leaf in leaves)


def test_id_func_is_asked_with_unique_numbers() -> None:
    nodes = MarkdownHierarchyNodeParser(id_func=numbered, max_chunk_size=200)(own_documents())
    made = [node.node_id.rpartition("-") for node in nodes]
    assert [int(number) for _, _, number in made] == [*range(len(nodes))]
    assert [name for name, _, _ in made] == [node.ref_doc_id for node in nodes]
    by_id = {node.node_id: node for node in nodes}
    for node in nodes:
        for kind in (PARENT, CHILD, PREVIOUS, NEXT):
            assert all(info.node_id in by_id for info in related(node, kind))
    with pytest.raises(
        ValueError, match="id of two nodes is 'same'; allowed: ids of id_func that differ"
    ):
        MarkdownHierarchyNodeParser(id_func=_constant)(own_documents())


def _constant(_: int, __: BaseNode) -> str:
    return "same"


def test_ids_are_unique_across_documents_and_duplicates_refused() -> None:
    documents = own_documents()
    nodes = MarkdownHierarchyNodeParser()(documents)
    assert len({node.node_id for node in nodes}) == len(nodes)
    with pytest.raises(ValueError, match=f"id of two documents is '{documents[0].id_}'"):
        MarkdownHierarchyNodeParser()([documents[0], documents[1], documents[0]])


@pytest.mark.parametrize(
    "document", [Document(text=""), Document(text=" \n\t\n"), ImageDocument(image="aGVsbG8=")]
)
def test_documents_without_text_give_nothing(document: Document) -> None:
    assert MarkdownHierarchyNodeParser()([document]) == []
    assert MarkdownHierarchyNodeParser(include_document_node=True)([document]) == []


GOLDEN = """\
# Tea/Coffee

Intro.

## Brewing

First sentence of brewing here. Second sentence of brewing here. Third sentence of brewing here.

### Code

```python
print("a long line of code that does not fit into the limit of this parser at all, as it is")
```

## Cups

Warm them.
"""


SHOWN = (
    "context", "header_path", "header_level", "content_type", "anchor", "chunk_index",
    "start_line", "end_line", "continued_from_header", "allow_oversize", "oversize_reason",
)  # fmt: skip
TEA = ("/Tea\\/Coffee", 1)
BREWING = ("/Tea\\/Coffee/Brewing", 2)
CODE = ("/Tea\\/Coffee/Brewing/Code", 3)
CUPS = ("/Tea\\/Coffee/Cups", 2)
EXPECTED = [
    ("", *TEA, "section", "teacoffee", -1, 1, 17, False, False, ""),
    ("Tea/Coffee", *TEA, "text", "teacoffee", 0, 1, 3, False, False, ""),
    ("", *BREWING, "section", "brewing", -1, 5, 13, False, False, ""),
    ("", *BREWING, "section", "brewing", -1, 5, 7, False, False, ""),
    ("Tea/Coffee > Brewing", *BREWING, "text", "brewing", 1, 5, 7, False, False, ""),
    ("Tea/Coffee > Brewing", *BREWING, "text", "brewing", 2, 7, 7, True, False, ""),
    ("Tea/Coffee > Brewing", *BREWING, "text", "brewing", 3, 7, 7, True, False, ""),
    (
        "Tea/Coffee > Brewing > Code",
        *CODE, "code", "code", 4, 9, 13, False, True, "code_block_integrity",
    ),
    ("Tea/Coffee > Cups", *CUPS, "text", "cups", 5, 15, 17, False, False, ""),
    ("", "/", 0, "document", "", -1, 1, 17, False, False, ""),
]  # fmt: skip


def test_every_key_says_what_it_should() -> None:
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=90,
        min_chunk_size=0,
        max_parent_size=400,
        atomic_blocks="keep",
        include_document_node=True,
        metadata="full",
        source_label="",
    )
    nodes = parser([Document(text=GOLDEN, id_="tea", metadata={"file_name": "tea.md"},
                             excluded_embed_metadata_keys=["file_name"])])  # fmt: skip
    rows = [tuple(n.metadata[key] for key in SHOWN) for n in nodes]
    assert rows == EXPECTED
    ids = {n.metadata["header_path"]: n.metadata["section_id"] for n in nodes[::-1]}
    above = {n.metadata["header_path"]: n.metadata["parent_section_id"] for n in nodes[:-1]}
    assert above["/Tea\\/Coffee/Brewing/Code"] == ids["/Tea\\/Coffee/Brewing"]
    assert above["/Tea\\/Coffee/Brewing"] == ids["/Tea\\/Coffee"]
    assert above["/Tea\\/Coffee"] == nodes[-1].metadata["parent_section_id"] == ""
    code = next(n for n in nodes if n.metadata["content_type"] == "code")
    assert json.loads(code.metadata["path"]) == ["Tea/Coffee", "Brewing", "Code"]
    assert len({n.metadata["chunk_id"] for n in nodes[:-1]}) == len(nodes) - 1
    assert all(n.metadata["file_name"] == "tea.md" for n in nodes)
    assert [(n.start_char_idx, n.end_char_idx) for n in nodes[-1:]] == [(None, None)]  # type: ignore[attr-defined]
    infos = [info for n in nodes for kind in (PARENT, CHILD, NEXT) for info in related(n, kind)]
    assert {info.node_type for info in infos} == {ObjectType.TEXT}


def test_untitled_documents_have_no_title_in_front() -> None:
    (node,) = MarkdownHierarchyNodeParser()([Document(text="Only a sentence.\n")])
    assert (node.metadata["context"], node.metadata["header_path"]) == ("", "/")
    assert node.get_content(MetadataMode.EMBED) == "Only a sentence."


def test_nodes_share_no_metadata_with_documents() -> None:
    document = Document(text=TEXT, metadata={"tags": ["a"]})
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=60, min_chunk_size=0)([document])
    nodes[0].metadata["tags"].append("b")
    assert document.metadata == {"tags": ["a"]} == {"tags": nodes[1].metadata["tags"]}


def test_warnings_name_the_line_of_the_call() -> None:
    document = Document(text=TEXT, metadata={"anchor": "theirs"})
    with pytest.warns(UserWarning, match="anchor") as warned:
        MarkdownHierarchyNodeParser()([document])
    assert [warning.filename for warning in warned] == [__file__]


def test_a_document_s_own_metadata_stays() -> None:
    document = Document(text=TEXT, metadata={"anchor": "theirs"})
    with pytest.warns(UserWarning, match="keep their own metadata anchor"):
        nodes = MarkdownHierarchyNodeParser()([document])
    assert {node.metadata["anchor"] for node in nodes} == {"theirs"}


def test_lines_of_parts_are_exact_or_unknown() -> None:
    """Of a part that says its offset and not its line, lines are not known."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=60, min_chunk_size=0)
    leaves = get_leaf_nodes(parser([Document(text=TEXT)]))
    for leaf in leaves:
        (again,) = MarkdownHierarchyNodeParser()([leaf])
        assert (again.metadata["start_line"], again.metadata["end_line"]) == (
            leaf.metadata["start_line"],
            leaf.metadata["end_line"],
        )
    part = TextNode(text="Run pip.", start_char_idx=TEXT.index("Run pip."))
    part.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="d", metadata={"a": "b"})
    (node,) = parser([part])
    assert (node.metadata["start_line"], node.metadata["end_line"]) == (0, 0)
    assert node.source_node
    assert node.source_node.metadata == {}


LONG = "# Guide\n\nHello.\n\n## Install\n\n" + "Run pip, and wait. " * 12
LONG += "\n\n### Linux\n\n" + "Use the package. " * 12
DEFINITION = "class Tea:\n    x = 1\n\n    def boil(self):\n" + "        self.wait(100)\n" * 12


@pytest.mark.parametrize(
    ("text", "name", "paths", "contexts"),
    [
        (
            LONG,
            "guide.md",
            {"/Guide/Install", "/Guide/Install/Linux"},
            {"guide.md > Guide > Install", "guide.md > Guide > Install > Linux"},
        ),
        (DEFINITION, "tea.py", {"/Tea", "/Tea/boil"}, {"tea.py > Tea", "tea.py > Tea > boil"}),
    ],
)
def test_parts_of_nodes_have_their_path_and_place(
    text: str, name: str, paths: set[str], contexts: set[str]
) -> None:
    """A node of ours is a text with a known place, and not repeated headings and contexts."""
    document = Document(text=text, id_="d", metadata={"file_name": name})
    options: dict[str, Any] = {"min_chunk_size": 0, "introductions": False}
    leaves = get_leaf_nodes(ChunkanaNodeParser(max_chunk_size=240, **options)([document]))
    parser = ChunkanaNodeParser(max_chunk_size=120, header_context="text", **options)
    for leaf in leaves[-2:]:
        assert isinstance(leaf, TextNode)
        parts = get_leaf_nodes(parser([leaf]))
        assert len(parts) > 1
        for part in parts:
            assert isinstance(part, TextNode)
            assert leaf.start_char_idx is not None
            assert part.start_char_idx is not None
            assert leaf.start_char_idx <= part.start_char_idx
            exact = text[part.start_char_idx : part.end_char_idx]
            assert exact == part.text[part.metadata["prefix_chars"] :][: len(exact)]
            line = text.count("\n", 0, part.start_char_idx) + 1
            assert (part.ref_doc_id, part.metadata["start_line"]) == ("d", line)
            assert part.metadata["header_path"] in paths
            assert part.text.startswith(tuple(f"{context}\n\n" for context in contexts))
            assert part.metadata["context"] in contexts


def test_nothing_in_parts_of_cut_code_and_tables_is_a_heading() -> None:
    code = "".join(f"kind: item{n}\n# step {n}\n---\n" for n in range(30))
    rows = "".join(f"| # row {n} | value |\n" for n in range(30))
    text = f"# T\n\n```yaml\n{code}```\n\n| name | what |\n|---|---|\n{rows}"
    leaves = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=120)([Document(text=text)]))
    parts = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=60)(leaves))
    assert len(parts) > len(leaves) > 10
    assert {part.metadata["header_path"] for part in parts} == {"/T"}


def test_nodes_that_fit_are_returned_as_they_are() -> None:
    document = Document(text=TEXT, id_="g")
    leaves = get_leaf_nodes(MarkdownHierarchyNodeParser(max_chunk_size=60)([document]))
    again = MarkdownHierarchyNodeParser(metadata="full")(leaves)
    assert len(again) > 2
    for leaf, same in zip(leaves, again, strict=True):
        links = {NodeRelationship.SOURCE: leaf.relationships[NodeRelationship.SOURCE]}
        assert same == leaf.model_copy(update={"relationships": links})
        assert same.metadata is not leaf.metadata
    # A document is parsed, even if it was made from a node.
    (made,) = ChunkanaNodeParser()([Document(text="Tea.", metadata=leaves[1].metadata)])
    assert type(made) is TextNode
    assert (made.text, made.metadata["header_path"]) == ("Tea.", "/")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk_size": 512}, "did you mean max_chunk_size for leaves, in characters or, with"),
        ({"chunk_sizes": [2048, 512]}, "in tokens, and max_parent_size for parents, which are"),
        ({"chunk_overlap": 20}, "did you mean PrevNextNodePostprocessor"),
        ({"max_chunk": 512}, r"argument is 'max_chunk'; allowed: .* did you mean max_chunk_size\?"),
        ({"max_chunk_size": 5}, "max_chunk_size is 5"),
        ({"atomic_blocks": "x"}, "atomic_blocks"),
        ({"header_context": "x"}, "header_context"),
        ({"max_parent_size": 0}, "max_parent_size is 0"),
        ({"strategy": "x"}, "strategy is 'x'; allowed: auto, code_aware, structural, fallback"),
        (
            {"include_document_node": True, "include_metadata": False},
            "include_document_node needs include_metadata",
        ),
    ],
)
def test_bad_arguments_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MarkdownHierarchyNodeParser(**options)


def calls_made(text: str) -> int:
    """Count the calls of Python functions that parsing a text takes."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    parser, document = MarkdownHierarchyNodeParser(max_chunk_size=200), Document(text=text)
    sys.setprofile(note)
    try:
        parser([document])
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "shape", ["## T {}\n\nSome words of it.\n\n", "word {} ", "### X\n\ny\n\n"]
)
def test_parsing_is_linear(shape: str) -> None:
    """Four times the text takes four times the calls, and not sixteen."""
    small, large = ("".join(shape.format(n) for n in range(count)) for count in (250, 1000))
    assert calls_made(large) < 5 * calls_made(small)


def test_package_says_which_extra_is_missing(tmp_path: Path) -> None:
    (tmp_path / "llama_index").mkdir()
    (tmp_path / "llama_index" / "__init__.py").write_text("raise ImportError")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chunkana_core\n"
    script += "try:\n    import chunkana_llamaindex\nexcept ImportError as error:\n    print(error)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 'pip install "chunkana-rag[llamaindex]"' in run.stdout


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


def test_the_container_of_a_leaf_is_named() -> None:
    """Where all of its text is in one; so that tips can be left out, or found."""
    text = f"# A\n\n{'Some words here. ' * 4}\n\n:::tip\n{'Wait for a while. ' * 4}\n:::\n"
    nodes = ChunkanaNodeParser(max_chunk_size=120)([Document(text=text)])
    assert [leaf.metadata["container"] for leaf in get_leaf_nodes(nodes)] == ["", "tip"]
