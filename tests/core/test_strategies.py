"""Strategies: the user's own beside the built-in ones, and what they bind."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import pytest

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    ContentAnalysis,
    MarkdownChunker,
    analyze_markdown,
)
from chunkana_core.drafting.strategies import CodeAwareStrategy, FallbackStrategy
from chunkana_core.extending import (
    BaseStrategy,
    BlockKind,
    Document,
    Draft,
    ExtensionError,
    StrategySelector,
)
from tests.core import laws

TEXT = "# A\n\nText of A.\n\n## B\n\nText of B.\n\n- x\n- y\n"


class Whole(BaseStrategy):
    """Take the document as one draft, and make cuts before lists dear."""

    name: ClassVar[str] = "whole"
    priority: ClassVar[int] = 0

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        """Handle documents with lists."""
        return analysis.list_count > 0

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        """Return one draft."""
        return [Draft(0, len(document.top))]

    def extra_cut_cost(self, before: BlockKind, after: BlockKind) -> int:  # noqa: ARG002
        """Keep a list with what is before it."""
        return 50 if after is BlockKind.LIST else 0


class Given(Whole):
    """Return given drafts."""

    def __init__(self, drafts: object) -> None:
        self.drafts = drafts

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        """Return the drafts, whatever the document."""
        return self.drafts  # type: ignore[return-value]  # whatever they are


class Never(Whole):
    """Replace the fallback by one that handles nothing."""

    name: ClassVar[str] = "fallback"

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        """Handle nothing."""
        return False


def test_a_strategy_of_the_users_own_is_asked_by_priority() -> None:
    """A registered strategy takes the documents that it handles, and leaves the others."""
    chunker = MarkdownChunker(strategies=iter([Whole()]))
    result = chunker.chunk_hierarchical(TEXT)
    assert result.strategy_used == "whole"
    assert {chunk.strategy for chunk in result.chunks} == {"whole"}
    assert [chunk.text for chunk in result.get_leaves()] == [TEXT.rstrip()]
    assert chunker.chunk_hierarchical("Text.\n").strategy_used == "fallback"


def test_a_strategy_of_the_users_own_can_be_chosen() -> None:
    chunker = MarkdownChunker(ChunkConfig(strategy="whole"), strategies=(Whole(),))
    assert chunker.chunk_hierarchical("Text.\n").strategy_used == "whole"
    assert [type(strategy) for strategy in chunker.strategies] == [Whole]


def test_one_of_the_same_name_replaces_a_built_in_one() -> None:
    """Then, with `auto`, there may be none that handles the document."""
    selector = StrategySelector((Never(),))
    assert [(s.name, s.priority) for s in selector.get_available_strategies()] == [
        ("fallback", 0),
        ("code_aware", 1),
        ("structural", 2),
    ]
    with pytest.raises(ConfigurationError, match="strategy is 'auto'; allowed: auto, fallback"):
        selector.select(analyze_markdown("Text.\n"), ChunkConfig())


@pytest.mark.parametrize("limit", [32, 60, 1000])
@pytest.mark.parametrize("cuts", [(), (1,), (2, 4), (4,), (1, 3), (3, 4)])
def test_laws_hold_for_the_users_strategies(limit: int, cuts: tuple[int, ...]) -> None:
    """Whatever its drafts are, chunks are exact, lossless and within limits; no heading dangles."""
    drafts = [Draft(first, stop) for first, stop in pairwise((0, *cuts, 5))]
    case = laws.Case(TEXT, ChunkConfig(max_chunk_size=limit, strategy="whole", min_chunk_size=0))
    chunker = MarkdownChunker(case.config, strategies=[Given(drafts)])
    vars(case)["result"] = chunker.chunk_hierarchical(TEXT)
    for law in (laws.exact_source, laws.nothing_lost, laws.size_within_limit, laws.one_tree):
        law(case)
    laws.no_dangling_heading(case)


@pytest.mark.parametrize(
    ("drafts", "message"),
    [
        ([], "blocks from 0 on are in no draft"),
        ([Draft(0, 3)], "blocks from 3 on are in no draft"),
        ([Draft(1, 5)], "does not start at block 0"),
        ([Draft(0, 2), Draft(3, 5)], "does not start at block 2"),
        ([Draft(0, 3), Draft(2, 5)], "does not start at block 3"),
        ([Draft(0, 0), Draft(0, 5)], "does not start at block 0"),
        ([Draft(0, 5), Draft(5, 5)], "does not start at block 5"),
        ([Draft(0, 9)], "in no draft|does not"),
    ],
)
def test_drafts_that_do_not_tile_are_refused(drafts: list[Draft], message: str) -> None:
    """Drafts with gaps or overlaps would lose or repeat text: the strategy is at fault."""
    chunker = MarkdownChunker(strategies=[Given(drafts)])
    with pytest.raises(ExtensionError, match=f"strategy 'whole': .*({message})"):
        chunker.chunk(TEXT)


@pytest.mark.parametrize("drafts", [None, "drafts", [(0, 5)], 5], ids=repr)
def test_drafts_of_other_types_are_errors(drafts: object) -> None:
    with pytest.raises(ExtensionError) as caught:
        MarkdownChunker(strategies=[Given(drafts)]).chunk(TEXT)
    assert str(caught.value) == f"strategy 'whole': {drafts!r} is no list of drafts"


def test_code_aware_makes_cuts_beside_atoms_cost_more() -> None:
    """`code_aware` binds atoms to paragraphs and to each other; the others bind nothing."""
    kinds = BlockKind
    aware, plain = CodeAwareStrategy(), FallbackStrategy()
    for atom in (kinds.FENCED_CODE, kinds.INDENTED_CODE, kinds.TABLE, kinds.MATH):
        assert aware.extra_cut_cost(kinds.PARAGRAPH, atom) > 0
        assert aware.extra_cut_cost(atom, kinds.PARAGRAPH) > 0
        assert aware.extra_cut_cost(kinds.FENCED_CODE, atom) > 0
        assert aware.extra_cut_cost(kinds.LIST, atom) == 0
        assert plain.extra_cut_cost(kinds.PARAGRAPH, atom) == 0
    assert aware.extra_cut_cost(kinds.PARAGRAPH, kinds.PARAGRAPH) == 0


def test_a_strategy_without_can_handle_is_an_error() -> None:
    """A strategy has to say what it handles."""

    class Half(BaseStrategy):
        name = "half"
        priority = 1

    with pytest.raises(TypeError, match="can_handle"):
        Half()  # type: ignore[abstract]


def test_a_part_that_starts_with_a_heading_repeats_none() -> None:
    """Only parts that start below the headings of a draft have them above their text."""
    first, second = "# A\n\nText of A, some of it.", "## B\n\nText of B, some more."
    config = ChunkConfig(max_chunk_size=36, strategy="whole")
    chunks = MarkdownChunker(config, strategies=[Whole()]).chunk(f"{first}\n\n{second}\n")
    assert [chunk.content for chunk in chunks] == [first, second]
