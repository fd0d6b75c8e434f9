"""Syntax of the user's own: the laws hold for it, and its blocks are those of the stock parser."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from chunkana_batch import chunk_many
from chunkana_core import (
    ChunkConfig,
    Chunker,
    Context,
    HierarchyBuilder,
    InputTypeError,
    InvariantValidator,
    MarkdownChunker,
)
from chunkana_core.extending import BlockKind, BlockRule, Format, parse_document
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_explain import explain
from tests import corpora
from tests.core.configurations import configs, contexts, matrix
from tests.core.counting import calls_of
from tests.core.laws import Case, require_laws
from tests.core.merge_laws import sound
from tests.core.plugins import (
    ASIDE,
    BOX,
    DIAGRAM,
    PLUGINS,
    STOCK_PLUGINS,
    diagram_plugin,
    plugin_markdown,
)
from tests.core.stock import BOM, StockPlugin, limited_blocks, stock_blocks, with_plugins

K = BlockKind
SMALL = ChunkConfig(max_chunk_size=40, min_chunk_size=0, atomic_blocks="split")
LONG = "Tea is a drink that is made of leaves, and of water that is hot."
FLOW = "boil -> pour\n# no heading\n```\npour -> wait\nwait -> drink\ndrink -> wash up"
SAMPLES = (
    f"# Tea\n\n%%% box\n## Green\n\n{LONG}\n\n> %%% box\n> {LONG}\n\n{LONG}\n%%%\n\n{LONG}\n",
    f"# Tea\n\n@@@ flow\n{FLOW}\n@@@\n\n{LONG}\n\n- {LONG}\n\n  @@@\n  {FLOW}\n",
    f"%%%% box\n%%% box\n@@@\n{FLOW}\n@@@\n%%%\n{LONG}\n%%%%\n\n%%% box\n%%%\n\n%%% box",
    f"1. %%% box\n   {LONG}\n   %%%\n2. @@@\n   {LONG}\n   @@@\n\n!!! note\n    %%% box\n    b\n",
    f"%%% box\n<div>\n\n{LONG}\n\n</div>\n%%%\n\n::: tip\n%%% box\n{LONG}\n%%%\n:::\n",
)
LEAF_KINDS = (K.FENCED_CODE, K.MATH, K.TABLE, K.PARAGRAPH, K.LINK_DEFINITION, K.THEMATIC_BREAK)


def contents(text: str, *rules: BlockRule, config: ChunkConfig = SMALL) -> list[str]:
    """Return the contents of the leaves of a text."""
    return [chunk.content for chunk in MarkdownChunker(config, plugins=rules).chunk(text)]


def keeps_laws(case: Case, *stock: StockPlugin) -> None:
    """Assert every law of Markdown with plugins."""
    with with_plugins(stock):
        require_laws(case)
    sound(case.result, case.config, None, 3)
    validator = InvariantValidator(case.config, plugins=case.plugins)
    assert validator.validate(case.result.chunks, case.text).errors == ()


def reads_as_stock(text: str, *stock: StockPlugin) -> None:
    """Assert that the blocks are those that the stock parser finds with the plugins."""
    with with_plugins(stock):
        expected = [
            (b.kind, b.depth, b.start, b.end, b.level, not b.is_closed) for b in stock_blocks(text)
        ]
    found = parse_markdown(text, [plugin.rule for plugin in stock]).blocks
    assert [(b.kind.value, b.depth, b.start, b.end, b.level, b.is_open) for b in found] == expected


@given(plugin_markdown(), configs(), contexts())
def test_made_markdown_is_read_as_stock_and_keeps_all_laws(
    text: str, config: ChunkConfig, context: Context | None
) -> None:
    """Boxes and diagrams, open or closed, in lists and quotes, around anything."""
    keeps_laws(Case(text, config, context=context, plugins=PLUGINS), *STOCK_PLUGINS)
    with with_plugins(STOCK_PLUGINS):
        is_comparable = limited_blocks(text) is not None and bool(text.removeprefix(BOM).strip())
    if is_comparable:
        reads_as_stock(text, *STOCK_PLUGINS)


@pytest.mark.no_cover
@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("config", [*matrix((64,))])
def test_samples_keep_all_laws(text: str, config: ChunkConfig) -> None:
    """Boxes in boxes, headings and code in them, in lists, admonitions, elements."""
    reads_as_stock(text, *STOCK_PLUGINS)
    keeps_laws(Case(text, config, plugins=PLUGINS), *STOCK_PLUGINS)


@pytest.mark.no_cover
@pytest.mark.parametrize("kind", LEAF_KINDS)
@pytest.mark.parametrize("config", [*matrix((64,))][::3])  # atoms kept, and split
def test_every_kind_of_leaf_keeps_all_laws(kind: BlockKind, config: ChunkConfig) -> None:
    """What a plugin finds may be of any allowed kind."""
    rule = replace(DIAGRAM, kind=kind)
    for text in SAMPLES:
        case = Case(text, config, plugins=(BOX, rule))
        stock = (STOCK_PLUGINS[0], StockPlugin(rule, "diagram"))
        reads_as_stock(text, *stock)
        keeps_laws(case, *stock)


def test_a_corpus_without_the_syntax_is_read_as_ever() -> None:
    """Plugins change nothing else."""
    for sample in corpora.own_documents():
        assert parse_markdown(sample.text, PLUGINS).blocks == parse_markdown(sample.text).blocks


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "lines",
    [
        "%%% box\nx\n%%%\n",
        "%%% box\n",
        "%%% box\n@@@\n",
        "> %%% box\n> - @@@\n>   x\n",
        "@@@\nx\n@@@\n\n",
        "%%% box\n- x\n\n%%%\nx\n",
    ],
)
def test_l8_calls_are_linear(lines: str) -> None:
    """Twice the input makes about twice as many calls."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=64), plugins=PLUGINS)
    one, two = (calls_of(partial(chunker.chunk_hierarchical, lines * size)) for size in (400, 800))
    assert two < 2.6 * one


def test_lines_of_containers_are_repeated() -> None:
    """Each part of a box is a box, and says its name."""
    text = f"%%% box\n{LONG}\n%%%\n\nMore.\n"
    first, *middle, last, _ = contents(text, BOX)
    for content in (first, *middle, last):
        assert content.startswith("%%% box\n")
        assert content.endswith("\n%%%")
    chunks = MarkdownChunker(SMALL, plugins=[BOX]).chunk(text)
    assert [chunk.metadata["container"] for chunk in chunks] == ["box"] * (len(chunks) - 1) + [""]


def test_diagrams_are_kept_whole_or_cut_between_their_fences() -> None:
    """Fences of one's own are repeated, where the last line is how the first one starts."""
    lines = f"@@@ flow\n{FLOW}\n@@@".replace("\n", "\n> ")
    text = f"# Tea\n\n> {lines}\n"
    kept = replace(SMALL, atomic_blocks="keep")
    assert f"> {lines}" in contents(text, DIAGRAM, config=kept)[-1]
    parts = contents(f"> {lines}\n", DIAGRAM)
    assert len(parts) > 2
    for part in parts:
        assert part.startswith("> @@@ flow\n")
        assert part.endswith("\n> @@@")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        # nothing is repeated of a block whose last line is no start of its first
        (K.FENCED_CODE, "@@@ boil water now\nthen pour it on leaves\nand wait long", None),
        # math of a plugin's need not be between `$$`
        (K.MATH, "@@@\na = b + c - d\na = b + c - e\n@@@", "@@@\na = b + c - d\n@@@"),
        # a table of a plugin's may have no rows to cut before
        (K.TABLE, "@@@ Tea is a drink that is made of leaves", "@@@ Tea is a drink that is made"),
    ],
)
def test_parts_of_a_block_of_a_plugin(kind: BlockKind, text: str, expected: str | None) -> None:
    parts = contents(text, replace(DIAGRAM, kind=kind), config=replace(SMALL, max_chunk_size=32))
    assert parts[:1] == [expected] if expected else parts == text.splitlines()


def test_blocks_inside_leaves_of_plugins_are_not_parsed() -> None:
    """Of a plugin that finds blocks inside, a leaf is made where the kind is one."""
    rule = replace(BOX, kind=K.FENCED_CODE)
    text = "# Tea\n\n%%% box\n# In [a]\n\n- b\n%%%\n\n[a]: x\n\n# Out [a]\n"
    kinds = [(block.kind, block.info) for block in parse_markdown(text, [rule]).blocks]
    assert kinds == [
        (K.HEADING, "Tea"),
        (K.FENCED_CODE, "box"),
        (K.LINK_DEFINITION, ""),
        (K.HEADING, "Out a"),
    ]
    assert [entry.title for entry in parse_markdown(text, [rule]).sections[1:2]] == ["Tea"]


def test_a_container_whose_first_line_has_content() -> None:
    """No line opens it: it is a quote, of which nothing is repeated."""
    rule = replace(ASIDE, kind=K.CONTAINER)
    text = f"& {LONG}\n& [a]\n\n  # In [a]\n\nEnd.\n\n# Out [a]\n\n[a]: x\n"
    blocks = parse_markdown(text, [rule]).blocks
    assert [block.index for block in blocks] == [*range(len(blocks))]
    assert blocks[0].kind is K.BLOCK_QUOTE
    assert [block.info for block in blocks if block.level] == ["In a", "Out a"]
    assert "".join("".join(contents(text, rule)).split()) == "".join(text.split())


def test_a_container_without_opening_line_in_a_leaf() -> None:
    """What is found in a leaf is forgotten, whatever of it was to be left out."""
    text = "%%% box\n& a\n%%%\n\nOne.\n\nTwo.\n"
    rules = [replace(BOX, kind=K.FENCED_CODE), replace(ASIDE, kind=K.CONTAINER)]
    kinds = [block.kind for block in parse_markdown(text, rules).blocks]
    assert kinds == [K.FENCED_CODE, K.PARAGRAPH, K.PARAGRAPH]


def test_fenced_code_below_a_marker_of_a_plugin() -> None:
    """Fences are repeated where what stands before them is a plugin's."""
    text = "Tea\n& ```sh\n" + "  boil --water\n" * 6 + "  ```\n"
    for content in contents(text, ASIDE):
        assert content.count("```") == 2


def test_a_container_that_is_deeper_than_its_parent_by_two() -> None:
    """Plugins may nest as they like: a list and its elements, for example."""
    text = f"& {LONG}\n\n  - hot\n\n& {LONG}\n"
    assert [block.kind for block in parse_markdown(text, [ASIDE]).top] == [K.BLOCK_QUOTE]
    assert (
        InvariantValidator(SMALL, plugins=[ASIDE])
        .validate(MarkdownChunker(SMALL, plugins=[ASIDE]).chunk(text), text)
        .valid
    )


def shout(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001, FBT001
    """Find a line in capitals, by its text and by what was pushed before."""
    if not state.getLines(start, start + 1, state.blkIndent, keepLastLF=False).isupper():
        return False
    if not silent:
        state.push("shout", "", 0)
        state.tokens[-1].map = [start, start + 1]
        state.line = start + 1
    return True


def shout_plugin(md: MarkdownIt) -> None:
    """Register lines in capitals."""
    md.block.ruler.before("fence", "shout", shout)


def test_rules_may_read_lines_and_what_they_push() -> None:
    """A rule has what the stock parser gives it."""
    rule = BlockRule("shout", K.PARAGRAPH, plugin=shout_plugin)
    text = "---\ntitle: x\n---\n\nHOT\nTEA\nis good\n\n> HOT\n"
    document = parse_markdown(text, [rule])
    found = [text[b.start : b.end] for b in document.blocks if b.kind is K.PARAGRAPH]
    assert (document.title, found) == ("x", ["HOT\n", "TEA\n", "is good\n", "> HOT\n"])


def test_notebooks_and_other_formats() -> None:
    """Plugins are of Markdown wherever it stands, but for a format of the user's own."""
    chunker = Chunker(SMALL, plugins=[BOX])
    notebook = corpora.NOTEBOOK.replace("Across the bay.", f"%%% box\\n{LONG}\\n%%%")
    names = {chunk.metadata["container"] for chunk in chunker.chunk(notebook, path="trip.ipynb")}
    assert names == {"", "box"}
    text = f"%%% box\n{LONG}\n%%%\n"
    assert chunker.chunk(text)[0].metadata["container"] == "box"
    assert chunker.chunk(text, "text")[0].metadata["container"] == ""
    own = Format("markdown", parse_markdown)
    chunks = Chunker(SMALL, plugins=[BOX], formats=[own]).chunk(text)
    assert chunks[0].metadata["container"] == ""


def test_builder_validator_and_explain_take_plugins() -> None:
    """The builder, the validator, `explain` and `parse_document` read as the chunker did."""
    text = SAMPLES[0]
    result = MarkdownChunker(SMALL, plugins=PLUGINS).chunk_hierarchical(text)
    built = HierarchyBuilder(config=SMALL, plugins=PLUGINS).build(result.chunks, text)
    assert built.chunks == result.chunks
    assert InvariantValidator(SMALL, plugins=PLUGINS).validate(result.chunks, text).valid
    assert parse_document(text, plugins=PLUGINS) == parse_markdown(text, PLUGINS)
    cuts = explain(text, SMALL, plugins=PLUGINS).cuts
    assert len(cuts) == len(result.get_leaves()) - 1


def test_plugins_are_used_once_and_by_those_alone_that_have_them() -> None:
    """A parser is made of plugins once, and chunkers without them do not know it."""
    used: list[MarkdownIt] = []

    def counting_plugin(md: MarkdownIt) -> None:
        used.append(md)
        diagram_plugin(md)

    text = "@@@\n# no heading\n@@@\n"
    plain = MarkdownChunker(SMALL)
    before = plain.chunk(text)
    for _ in range(3):
        rule = BlockRule("diagram", K.FENCED_CODE, "@", plugin=counting_plugin)
        (chunk,) = MarkdownChunker(SMALL, plugins=iter([rule])).chunk(text)
        assert chunk.content_type == "code"
    assert len(used) == 1
    assert plain.chunk(text) == before == MarkdownChunker(SMALL).chunk(text)


def test_threads_that_make_chunkers_with_plugins() -> None:
    """Threads say what one says."""

    def outcome(number: int) -> object:
        return MarkdownChunker(SMALL, plugins=PLUGINS[number % 2 :]).chunk(SAMPLES[number // 2])

    numbers = range(2 * len(SAMPLES))
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(outcome, numbers)] == [*map(outcome, numbers)]


def test_chunkers_with_plugins_are_equal_and_picklable() -> None:
    """They go to other processes, where the functions of a plugin are those of a module."""
    chunker = MarkdownChunker(SMALL, plugins=[*PLUGINS])
    again = pickle.loads(pickle.dumps(chunker))  # noqa: S301
    assert again == chunker
    assert again.chunk(SAMPLES[0]) == chunker.chunk(SAMPLES[0])
    document = parse_markdown(SAMPLES[0], PLUGINS)
    assert pickle.loads(pickle.dumps(document)) == document  # noqa: S301


def test_plugins_of_many_documents() -> None:
    """`chunk_many` takes plugins, in processes too; what cannot go there is an error at once."""
    documents = [("a.md", SAMPLES[0]), ("b.md", SAMPLES[1])]
    expected = [MarkdownChunker(SMALL, plugins=PLUGINS).chunk_hierarchical(t) for _, t in documents]
    for workers in (1, 2):
        outcomes = chunk_many(documents, SMALL, workers, plugins=PLUGINS)
        assert [outcome.value for outcome in outcomes] == expected
    local = replace(DIAGRAM, plugin=lambda md: diagram_plugin(md))  # noqa: PLW0108  what is refused
    with pytest.raises(InputTypeError, match="cannot be sent to other processes"):
        chunk_many(documents, SMALL, 2, plugins=[local])
