"""Splitter and node parser: leaves and parents are the core's, with the caller's metadata."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given, settings

from chunkana_core import ConfigurationError
from chunkana_core.extending import FieldReader
from tests import corpora
from tests.conformance.adapters import Adapter, Metadata, Native
from tests.conformance.repository import FILES
from tests.core.plugins import PLUGINS
from tests.strategies import any_markdown

OWN = {sample.name: sample.text for sample in corpora.own_documents()}
TEXT = """# Guide

Preamble of the guide.

## Install

Run pip. Then wait. Then read on.

### Linux

Use the package. It is small. It is quick.

## Use

Import it.
"""
SMALL = {"max_chunk_size": 90, "min_chunk_size": 0}


def words(text: str) -> int:
    """Return the number of words, a size that does not add up."""
    return len(text.split())


def require_cores(splitting: Adapter, text: str, name: str, given: Metadata) -> None:
    """Assert that leaves and parents are those of the core, each with all that the core knows."""
    options = {"metadata": "full", **given}
    result = splitting.core(text, name, options)
    leaves, parents = splitting.split(text, {"source": name}, **options)
    tree = result.merge_tree(options.get("max_parent_size") or 4 * options["max_chunk_size"])
    inner = [node for node in tree.nodes if not node.is_leaf]
    reader = FieldReader.of(splitting.output, f"{splitting.output}_full")  # type: ignore[arg-type]

    def known(metadata: Metadata) -> dict[str, object]:
        return {key: metadata[key] for key in reader.names if key != "prefix_chars"}

    assert [leaf.embedded for leaf in leaves] == [one.chunk.embedded for one in tree.leaves]
    for pieces, nodes in ((leaves, tree.leaves), (parents, inner)):
        assert len(pieces) == len(nodes)
        for piece, node in zip(pieces, nodes, strict=True):
            assert (piece.start, piece.end) == (node.span.start, node.span.end)
            assert known(piece.metadata) == known(reader.flat_values(node.chunk))
            assert piece.own.startswith(result.text[piece.start : piece.end])
            assert piece.children == len(node.children_ids)
    for parent in parents:
        assert parent.own == result.text[parent.start : parent.end]
    ids = {node.node_id: piece.id for nodes, pieces in ((tree.leaves, leaves), (inner, parents))
           for node, piece in zip(nodes, pieces, strict=True)}  # fmt: skip
    above = [ids.get(node.parent_id or "") for node in (*tree.leaves, *inner)]
    assert [piece.parent_id for piece in (*leaves, *parents)] == above
    assert len({*ids.values()}) == len(ids)


OPTIONS: list[Metadata] = [
    {"max_chunk_size": 150},
    {"max_chunk_size": 700, "max_parent_size": 900},
    {"max_chunk_size": 200, "atomic_blocks": "keep", "strategy": "fallback"},
    {"max_chunk_size": 60, "length": words},
    {"max_chunk_size": 300, "has_context": False, "min_chunk_size": 0},
    {"max_chunk_size": 300, "introductions": False, "source_label": ""},
    {"max_chunk_size": 250, "format": "text"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_leaves_and_parents_are_the_cores(splitting: Adapter, options: Metadata) -> None:
    for name, text in [*OWN.items()][:: 1 if len(options) == 1 else 3]:
        require_cores(splitting, text, name, options)
    for name, text in FILES.items():
        require_cores(splitting, text, name, {**options, "max_chunk_size": 120})


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_of_made_markdown_too(splitting: Adapter, text: str) -> None:
    require_cores(splitting, text, "made.md", {"max_chunk_size": 100})


@pytest.mark.slow
def test_of_the_corpus_too(splitting: Adapter) -> None:
    if not (samples := [*corpora.corpus()]):
        pytest.skip(f"no corpus in {corpora.SHARED}")
    for sample in samples:
        require_cores(splitting, sample.text, "real.md", {"max_chunk_size": 500})


@pytest.mark.parametrize("metadata", ["short", "full"])
def test_results_of_the_core_are_mapped_as_documents_are(splitting: Adapter, metadata: str) -> None:
    for name in ("README.md", "src/app.py"):
        options = {"max_chunk_size": 120, "metadata": metadata}
        result = splitting.core(FILES[name], name, options)
        document = splitting.document(FILES[name], {"source": name}, "one")
        mapped = splitting.of_result(result, document, **options)
        (leaves, _) = splitting.run(splitting.make(**options), [document])
        assert [one.embedded for one in mapped] == [one.embedded for one in leaves]
        assert [{*one.metadata} for one in mapped] == [{*one.metadata} for one in leaves]
        assert [(one.start, one.end) for one in mapped] == [(one.start, one.end) for one in leaves]


# Metadata and ids


@pytest.mark.parametrize("metadata", ["short", "full"])
def test_metadata_are_flat_and_have_the_same_keys(splitting: Adapter, metadata: str) -> None:
    """As LangChain's `child_metadata_fields` and flat vector stores need them."""
    made = splitting.make(**SMALL, metadata=metadata)
    given = [
        splitting.document(text, {"source": name})
        for name, text in FILES.items()
        if not name.endswith("ipynb")
    ]
    leaves, parents = splitting.run(made, given)
    assert parents
    assert len({frozenset(one.metadata) for one in (*leaves, *parents)}) == 1
    for one in (*leaves, *parents):
        assert all(isinstance(value, str | bool | int | float) for value in one.metadata.values())
        assert json.loads(json.dumps(one.metadata)) == one.metadata
        assert not one.metadata.keys() & {
            "doc_id", "document_id", "ref_doc_id", "_node_content", "_node_type", "node_id"
        }  # fmt: skip


def test_the_callers_metadata_are_copied_deeply_and_kept(splitting: Adapter) -> None:
    given = {"source": "a.md", "tags": {"x": [1]}, "anchor": "theirs"}
    document = splitting.document(TEXT, deepcopy(given))
    with pytest.warns(UserWarning, match="own.* anchor") as caught:
        leaves, parents = splitting.run(splitting.make(**SMALL), [document, document][:1])
    assert len(caught) == 1
    leaves[0].metadata["tags"]["x"].append(2)
    assert document.metadata == given == {key: leaves[1].metadata[key] for key in given}
    assert all(one.metadata["anchor"] == "theirs" for one in (*leaves, *parents))


def test_warnings_name_the_line_of_the_call(splitting: Adapter) -> None:
    made: Native = splitting.make()
    split = made.split_documents if splitting.name == "langchain" else made
    with pytest.warns(UserWarning, match="anchor") as caught:
        split([splitting.document(TEXT, {"anchor": "theirs"})])
    assert [one.filename for one in caught] == [__file__]


def test_ids_are_the_same_in_every_run_and_depend_on_no_other_document(splitting: Adapter) -> None:
    """Repeated paragraphs have ids of their own, too."""
    texts = [TEXT, "## S\n\nSame.\n\n" * 3, TEXT]
    documents = [splitting.document(text, {}, str(n)) for n, text in enumerate(texts)]
    made = splitting.make(**SMALL)
    together = [one.id for pieces in splitting.run(made, documents) for one in pieces]
    alone = [splitting.run(splitting.make(**SMALL), [document]) for document in documents]
    assert len({*together}) == len(together)
    assert sorted(together) == sorted(
        one.id for split in alone for pieces in split for one in pieces
    )
    assert len({one.document_id for split in alone for pieces in split for one in pieces}) == 3
    assert all(len({one.document_id for one in (*a, *b)}) == 1 for a, b in alone)


@pytest.mark.parametrize("text", ["", " \n\t", "---\ntitle: T\n---\n"])
def test_what_has_nothing_to_index_gives_nothing(splitting: Adapter, text: str) -> None:
    assert splitting.split(text) == ([], [])


def test_one_splitter_serves_many_threads(splitting: Adapter) -> None:
    made = splitting.make(max_chunk_size=300)
    documents = [
        splitting.document(text, {"source": name}, name) for name, text in [*OWN.items()][:4]
    ]
    alone = [splitting.run(splitting.make(max_chunk_size=300), [one]) for one in documents]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda one: splitting.run(made, [one]), documents)] == alone


@pytest.mark.parametrize(
    "shape", ["## T {}\n\nSome words of it.\n\n", "word {} ", "- item {} of a list\n"]
)
def test_splitting_is_linear(splitting: Adapter, shape: str) -> None:
    """Four times the text takes four times the calls of Python functions, and not sixteen."""

    def calls_made(count: int) -> int:
        calls = 0

        def note(*_: object) -> None:
            nonlocal calls
            calls += 1

        made = splitting.make(max_chunk_size=200, **splitting.overlap)
        documents = [splitting.document("".join(shape.format(n) for n in range(count)), {})]
        sys.setprofile(note)
        try:
            splitting.run(made, documents)
        finally:
            sys.setprofile(None)
        return calls

    assert calls_made(800) < 5 * calls_made(200)


# Options


def test_syntax_of_ones_own(splitting: Adapter) -> None:
    """Plugins are those of the core; what is none is an error that says so."""
    text = f"# Tea\n\n%%% box\n{'Hot. ' * 30}\n%%%\n"
    leaves = splitting.split(text, max_chunk_size=64, plugins=PLUGINS).leaves
    assert {one.metadata["container"] for one in leaves[1:]} == {"box"}
    for plugins in ([1], (PLUGINS[0], PLUGINS[0])):
        with pytest.raises((ValueError, TypeError), match="BlockRule"):
            splitting.make(plugins=plugins)


def measure(text: str) -> int:
    """Return no size of some texts."""
    return -1 if "pip" in text else len(text)


def test_what_a_length_function_returns_is_checked(splitting: Adapter) -> None:
    message = rf"^{splitting.names['length']} returned .* for a text of \d+"
    with pytest.raises(ConfigurationError, match=message):
        splitting.split(TEXT, max_chunk_size=200, length=measure)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_chunk_size": 5}, "is 5; allowed: .*at least 32"),
        ({"max_chunk_size": 1000, "max_parent_size": 999},
         r"max_parent_size is 999; allowed: None, or at least (max_)?chunk_size \(1000\)"),
        ({"max_parent_size": 0}, "max_parent_size is 0"),
        ({"atomic_blocks": "x"}, "atomic_blocks"),
        ({"strategy": "x"}, "strategy is 'x'; allowed: auto, code_aware, structural, fallback"),
        ({"metadata": "all"}, "metadata"),
        ({"format": "brew"}, r"format.*'?brew'?.*markdown"),
        ({"header_keyz": 1}, "argument is 'header_keyz'; allowed: "),
        ({"front_matter_keys": "tags"}, "front_matter_keys"),
        ({"front_matter_keys": None}, "front_matter_keys"),
        ({"front_matter_keys": ["tags", 1]}, "front_matter_keys"),
        ({"front_matter_keys": ["anchor"]}, "front_matter_keys.*anchor"),
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked_by_name(splitting: Adapter, options: Metadata, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        splitting.make(**options)
    assert splitting.make(max_chunk_size=1000, max_parent_size=1000)


@pytest.mark.parametrize("name", ["langchain", "llamaindex"])
def test_a_package_says_which_extra_is_missing(name: str, tmp_path: Path) -> None:
    """Without the framework an import says what to install; the core does without."""
    for module in ("langchain_core", "langchain_text_splitters", "llama_index"):
        (tmp_path / f"{module}.py").write_text("raise ImportError")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chunkana_core\n"
    script += f"try:\n    import chunkana_{name}\nexcept ImportError as error:\n    print(error)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f'pip install "chunkana-rag[{name}]"' in run.stdout


# Front matter


FRONT = (
    "---\ntitle: Tea\ntags: [hot, green]\ndraft: true\n---\n\n"
    '<a id="leaf"></a>\n\n## Leaf\n\nWater first.\n\n### Pot\n\nThen leaves.\n\n### Cup\n\nWait.\n'
)


def test_front_matter_that_is_named_is_copied(splitting: Adapter) -> None:
    """Into leaves and parents, each with a value of its own; it is neither embedded nor read."""
    keys, options = ["tags", "draft", "author"], {"max_chunk_size": 80, "min_chunk_size": 0}
    found = splitting.split(FRONT, {"source": "tea.md"}, front_matter_keys=keys, **options)
    without = splitting.split(FRONT, {"source": "tea.md"}, **options)
    pieces, others = ([*split.leaves, *split.parents] for split in (found, without))
    assert len(found.leaves) == 3
    assert found.parents
    for one, other in zip(pieces, others, strict=True):
        assert (one.metadata["tags"], one.metadata["draft"]) == (["hot", "green"], True)
        assert not {"title", "author"} & one.metadata.keys()
        assert "tags" not in other.metadata
        assert (one.embedded, one.text) == (other.embedded, other.text)
    pieces[0].metadata["tags"].clear()
    assert pieces[1].metadata["tags"]
    mine = splitting.split(FRONT, {"tags": "mine"}, front_matter_keys=keys, **options).leaves
    assert {one.metadata["tags"] for one in mine} == {"mine"}


# Parts of leaves


PARTS = {"min_chunk_size": 0, "introductions": False}


def parts_of(
    splitting: Adapter, text: str, name: str, first: Metadata, **second: Native
) -> tuple[list[Native], list[Native]]:
    """Split a text, and its leaves again; assert that parts are exact in the text."""
    leaves = splitting.leaves(text, name, **first)
    parts = splitting.run(splitting.make(**second), [one.native for one in leaves]).leaves
    for part in parts:
        assert part.is_exact(text)
        assert part.document_id == leaves[0].document_id
        assert part.metadata["source"] == name
    return leaves, parts


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        ("# Guide\n\n## Install\n\nOne line.\n\n### Linux\n\n" + "Use the package. " * 30, "a.md",
         "Guide > Install > Linux"),
        ("---\ntitle: My Doc\n---\n\n# C:\\\n\n## B/\n\n" + "Some words here. " * 30, "a.md",
         "C:\\ > B/"),
        ("class Tea:\n    x = 1\n\n    def boil(self):\n" + "        self.wait(100)\n" * 20, "a.py",
         "Tea > boil"),
    ],
    ids=["headings", "odd titles", "code"],
)  # fmt: skip
def test_parts_of_leaves_have_their_path_and_place(
    splitting: Adapter, text: str, name: str, path: str
) -> None:
    """A leaf is a text with a known place, without repeated headings and contexts."""
    first, second = {**PARTS, "max_chunk_size": 240}, {**PARTS, "max_chunk_size": 120}
    _, direct = parts_of(splitting, text, name, {**PARTS, "max_chunk_size": 120}, **second)
    leaves, parts = parts_of(splitting, text, name, first, **second)
    assert len(parts) > len(leaves) > 1
    assert parts[-1].metadata["header_path"] == leaves[-1].metadata["header_path"]
    assert parts[-1].context == f"{name} > {path}"
    assert {one.metadata["header_path"] for one in parts} == {
        one.metadata["header_path"] for one in direct
    }
    assert {one.metadata["format"] for one in parts} <= {leaves[0].metadata["format"], "text"}


def test_nothing_in_parts_of_cut_code_and_tables_is_a_heading(splitting: Adapter) -> None:
    """Nor front matter, and nothing is lost."""
    code = "".join(f"kind: item{n}\n# step {n}\n---\n" for n in range(30))
    rows = "".join(f"| # row {n} | value |\n" for n in range(30))
    text = f"# T\n\n```yaml\n{code}```\n\n| name | what |\n|---|---|\n{rows}"
    leaves, parts = parts_of(
        splitting, text, "t.md", {"max_chunk_size": 120}, max_chunk_size=60, has_context=False
    )
    assert len(parts) > len(leaves) > 10
    assert {one.metadata["header_path"] for one in parts} == {"/T"}
    held = "".join(text[part.start : part.end] for part in parts)
    assert "".join(held.split()) == "".join(text.split())


def test_a_leaf_that_fits_is_returned_as_it_is(splitting: Adapter) -> None:
    leaves = splitting.leaves(TEXT, "t.md", **SMALL)
    again = splitting.run(splitting.make(metadata="full"), [one.native for one in leaves]).leaves
    assert [one.text for one in again] == [one.text for one in leaves]
    for one, same in zip(leaves, again, strict=True):
        assert same.metadata is not one.metadata
        assert {*same.metadata} == {*one.metadata}


def test_what_continues_a_section_introduces_nothing(splitting: Adapter) -> None:
    """A leaf that is split further has its section's path, but not how that begins."""
    about = "This guide says how tea is made in a small kitchen."
    text = f"# Guide\n\n{about}\n\n" + "Then comes another sentence of the text. " * 40
    for metadata in ("short", "full"):
        first, second, *_ = splitting.leaves(text, "g.md", max_chunk_size=800, metadata=metadata)
        again = splitting.run(splitting.make(max_chunk_size=400), [second.native]).leaves
        assert len(again) > 1
        fronts = {one.embedded.removesuffix(text[one.start : one.end]) for one in again}
        assert fronts == {"g.md > Guide\n\n"}
        again = splitting.run(splitting.make(max_chunk_size=420), [first.native]).leaves
        assert again[1].embedded.startswith(f"g.md > Guide\n\n{about}\n\n")
