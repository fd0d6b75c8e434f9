"""The stages of the pipeline from a document to the parts of its chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import ContextWriter
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import prevent_dangling
from chunkana_core.drafting.merging import MergeObstacle, Merger
from chunkana_core.drafting.strategies import BaseStrategy, make_drafts
from chunkana_core.splitting.plans import CutPlanner
from chunkana_core.splitting.splitter import Part, Splitter


class StageResults(Struct, frozen=True):
    """The results of the stages for one document, in the order of the pipeline.

    Drafts are ranges of positions of top-level blocks, sizes are in units of the length function.

    Attributes:
        document: the parsed text.
        strategy_drafts: the drafts of the strategy.
        merged_drafts: the drafts after merging small neighbours.
        obstacles: why a draft was not merged with the one before it, by its first position; None if
            it was merged. Drafts that are not under one section have no entry.
        drafts: the drafts after headings without a body are moved to the text below them.
        parts: for each of `drafts`, the text, context and size of each of its chunks.
        planners: for each of `drafts`, the planner of its cuts; None if it fits whole.
        splitter: splits the drafts; it has the strategy, the options and the sizes of the document.
    """

    document: Document
    strategy_drafts: Sequence[Draft]
    merged_drafts: Sequence[Draft]
    obstacles: Mapping[int, MergeObstacle | None]
    drafts: Sequence[Draft]
    parts: Sequence[Sequence[Part]]
    planners: Sequence[CutPlanner | None]
    splitter: Splitter


def run_stages(
    document: Document,
    strategy: BaseStrategy,
    config: ChunkConfig,
    contexts: ContextWriter,
    own: range | None = None,
) -> StageResults:
    """Run the stages on a document.

    Args:
        document: the parsed text.
        strategy: makes the first drafts.
        config: the options.
        contexts: writes the contexts of the document's leaves.
        own: the positions of the blocks to make parts of; all by default. A window of a stream also
            contains blocks before and after its own.

    Raises:
        ExtensionError: if the drafts of the strategy do not tile the document.
    """
    own = own or range(len(document.top))
    sizes = DocumentSizes(document, contexts.sizer)
    strategy_drafts = make_drafts(document, strategy, config)
    merger = Merger(sizes, contexts, config, strategy.minimum_draft_size(config))
    merged = [draft for draft in merger.merge(strategy_drafts) if draft.stop > own.start]
    drafts = [draft for draft in prevent_dangling(merged, sizes) if draft.first < own.stop]
    splitter = Splitter(sizes, contexts, config, strategy)
    splits = [splitter.split(draft) for draft in drafts]
    return StageResults(
        document,
        strategy_drafts,
        merged_drafts=merged,
        obstacles=merger.obstacles,
        drafts=drafts,
        parts=[parts for parts, _ in splits],
        planners=[planner for _, planner in splits],
        splitter=splitter,
    )
