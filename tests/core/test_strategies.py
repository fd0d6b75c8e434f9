"""Strategies: the user's own beside the built-in ones, and what they bind."""

from __future__ import annotations

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
from chunkana_core.formats.markdown.parser import parse_markdown
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

    def binding(self, before: BlockKind, after: BlockKind) -> int:  # noqa: ARG002
        """Keep a list with what is before it."""
        return 50 if after is BlockKind.LIST else 0


class Tiles(Whole):
    """Return given drafts."""

    drafts: ClassVar[list[Draft]] = []

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        """Return the drafts, whatever the document."""
        return self.drafts


class Never(Whole):
    """Replace the fallback by one that handles nothing."""

    name: ClassVar[str] = "fallback"

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        """Handle nothing."""
        return False


def test_a_strategy_of_the_users_own_is_asked_by_priority() -> None:
    """A registered strategy takes the documents that it handles, and leaves the others."""
    chunker = MarkdownChunker(strategies=[Whole()])
    result = chunker.chunk_hierarchical(TEXT)
    assert result.strategy_used == "whole"
    assert {chunk.strategy for chunk in result.chunks} == {"whole"}
    assert [chunk.text for chunk in result.get_leaves()] == [TEXT.rstrip()]
    assert chunker.chunk_hierarchical("Text.\n").strategy_used == "fallback"


def test_a_strategy_of_the_users_own_can_be_chosen() -> None:
    chunker = MarkdownChunker(ChunkConfig(strategy="whole"), strategies=(Whole(),))
    assert chunker.chunk_hierarchical("Text.\n").strategy_used == "whole"
    assert [type(strategy) for strategy in chunker.strategies] == [Whole]


def test_strategies_may_come_from_any_iterable() -> None:
    chunker = MarkdownChunker(strategies=iter([Whole()]))
    for _ in range(2):
        assert chunker.chunk_hierarchical(TEXT).strategy_used == "whole"


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
def test_laws_hold_for_the_users_strategies(limit: int) -> None:
    """Whatever a strategy's drafts are, what comes of them is exact, lossless and within limits."""
    for drafts in ([(0, 6)], [(0, 1), (1, 6)], [(0, 2), (2, 4), (4, 6)], [(0, 5), (5, 6)]):
        document = parse_markdown(TEXT)
        bounds = [(a, min(b, len(document.top))) for a, b in drafts if a < len(document.top)]

        class Given(Tiles):
            drafts = [Draft(a, b) for a, b in bounds]  # noqa: RUF012

        config = ChunkConfig(max_chunk_size=limit, strategy="whole")
        result = MarkdownChunker(config, strategies=[Given()]).chunk_hierarchical(TEXT)
        case = laws.Case(TEXT, config)
        vars(case)["result"] = result
        for law in (laws.exact_source, laws.nothing_lost, laws.size_within_limit, laws.one_tree):
            law(case)


@pytest.mark.parametrize("drafts", [[(0, 1), (1, 3), (3, 5)], [(0, 3), (3, 4), (4, 5)]])
def test_no_heading_dangles_for_the_users_strategies(drafts: list[tuple[int, int]]) -> None:
    """A strategy that cuts after a heading does not part it from its body."""

    class Given(Tiles):
        drafts: ClassVar[list[Draft]] = []

    Given.drafts = [Draft(a, b) for a, b in drafts]
    config = ChunkConfig(strategy="whole", min_chunk_size=0)
    result = MarkdownChunker(config, strategies=[Given()]).chunk_hierarchical(TEXT)
    case = laws.Case(TEXT, config)
    vars(case)["result"] = result
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

    class Bad(Tiles):
        pass

    Bad.drafts = drafts
    chunker = MarkdownChunker(strategies=[Bad()])
    with pytest.raises(ExtensionError, match=f"strategy 'whole': .*({message})"):
        chunker.chunk(TEXT)


@pytest.mark.parametrize("drafts", [None, "drafts", [(0, 5)], 5], ids=repr)
def test_what_are_no_drafts_is_refused(drafts: list[Draft]) -> None:
    """So is anything that is no list of drafts."""

    class Bad(Tiles):
        pass

    Bad.drafts = drafts
    with pytest.raises(ExtensionError) as caught:
        MarkdownChunker(strategies=[Bad()]).chunk(TEXT)
    assert str(caught.value) == f"strategy 'whole': {drafts!r} is no list of drafts"


def test_bindings() -> None:
    """`code_aware` binds atoms to paragraphs and to each other; the others bind nothing."""
    kinds = BlockKind
    aware, plain = CodeAwareStrategy(), FallbackStrategy()
    for atom in (kinds.FENCED_CODE, kinds.INDENTED_CODE, kinds.TABLE, kinds.MATH):
        assert aware.binding(kinds.PARAGRAPH, atom) > 0
        assert aware.binding(atom, kinds.PARAGRAPH) > 0
        assert aware.binding(kinds.FENCED_CODE, atom) > 0
        assert aware.binding(kinds.LIST, atom) == 0
        assert plain.binding(kinds.PARAGRAPH, atom) == 0
    assert aware.binding(kinds.PARAGRAPH, kinds.PARAGRAPH) == 0


def test_a_strategy_cannot_be_used_by_halves() -> None:
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
