"""The pipeline, on one screen."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.chunks import Chunk, ValidationResult
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft, require_tiling
from chunkana_core.errors import (
    InputTypeError,
    InvariantViolationError,
    InvariantWarning,
    require_str,
    require_type,
)
from chunkana_core.explaining import explain
from chunkana_core.explanation import Explanation
from chunkana_core.headings import prevent_dangling
from chunkana_core.hierarchy import TreeMaker, hang
from chunkana_core.ids import IdRegister, section_ids
from chunkana_core.leaves import LeafMaker, find_leaves
from chunkana_core.merging import merge_small
from chunkana_core.overlap import Overlap
from chunkana_core.result import HierarchicalChunkingResult
from chunkana_core.sizing import Prefix, Sizer
from chunkana_core.splitting import Part, Splitter
from chunkana_core.strategies import BaseStrategy, StrategySelector
from chunkana_core.validation import InvariantValidator, validate_tree


@dataclass(frozen=True, slots=True)
class MarkdownChunker:
    r"""Cuts Markdown into exact chunks and their hierarchy; serves any number of documents.

    Attributes:
        config: how to chunk.
        strategies: strategies of the user's own, beside the built-in ones.

    Raises:
        ConfigurationError: for anything else than a `ChunkConfig` and strategies.

    >>> chunker = MarkdownChunker(ChunkConfig(max_chunk_size=200))
    >>> [chunk.text for chunk in chunker.chunk("# A\n\nText.\n\n# B\n\nMore.\n")]
    ['# A\n\nText.', '# B\n\nMore.']
    """

    config: ChunkConfig = field(default_factory=ChunkConfig)
    strategies: Iterable[BaseStrategy] = ()
    _selector: StrategySelector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the arguments."""
        require_type("config", self.config, ChunkConfig, "a ChunkConfig")
        require_type("strategies", self.strategies, Iterable, "an iterable of strategies")
        selector = StrategySelector(tuple(self.strategies))
        object.__setattr__(self, "strategies", selector.registered)
        object.__setattr__(self, "_selector", selector)

    def chunk(self, text: str) -> list[Chunk]:
        """Return every leaf of a document, in order: together they hold all of it.

        Raises:
            ConfigurationError: if `text` is no str or the configured strategy is not registered.
            InvariantViolationError: with `validation="strict"` only.
        """
        return self.chunk_hierarchical(text).get_leaves()

    def chunk_hierarchical(
        self, text: str, *, prefix: Prefix | None = None
    ) -> HierarchicalChunkingResult:
        """Return a document's chunks with their tree.

        Args:
            text: Markdown; any str.
            prefix: returns what an adapter will put before a chunk's content, by its section; its
                size counts, and it is shortened from the outermost title to half the limit.

        Raises:
            ConfigurationError: if `text` is no str or the configured strategy is not registered.
            InvariantViolationError: with `validation="strict"` only.
        """
        require_str("text", text)
        return self._chunked(Document.parse(text), prefix)

    def chunk_document(
        self, document: Document, *, prefix: Prefix | None = None
    ) -> HierarchicalChunkingResult:
        """Return the chunks of a parsed document; see `chunk_hierarchical`.

        For those who need to know something of a document, like its title, before it is chunked.
        """
        require_type("document", document, Document, "a Document")
        return self._chunked(document, prefix)

    def _chunked(self, document: Document, prefix: Prefix | None) -> HierarchicalChunkingResult:
        if prefix is not None and not callable(prefix):
            raise InputTypeError("prefix", prefix, "None or a callable")
        strategy = self._selector.select(document.analysis, self.config)
        sizer = Sizer.of(self.config, prefix)
        parts = self._parts(document, strategy, sizer)
        register = IdRegister()
        sections = section_ids(document, register)
        leaves = find_leaves(document, parts, sections, register)
        children = hang(document, leaves)
        overlap = Overlap(document.text, leaves, sizer, self.config.overlap_size)
        maker = LeafMaker(
            document, self.config, strategy.name, parts, leaves, sections, children, overlap
        )
        tree = TreeMaker(
            document, self.config, strategy.name, sections, leaves, children, maker.make
        )
        result = HierarchicalChunkingResult.of(document, tree.chunks(), strategy.name, sizer)
        return result if self.config.validation == "off" else self._validated(result)

    def explain(self, text: str, *, prefix: Prefix | None = None) -> Explanation:
        r"""Return why a document is cut where it is; the arguments are those of chunking.

        >>> text = "# Tea\n\nBoil the water first.\n\nThen wait.\n\n# Cups\n\nWarm them.\n"
        >>> print(MarkdownChunker(ChunkConfig(max_chunk_size=32)).explain(text))
        Strategy fallback, limit 32.
        lines 1-5: size: 40 is over the limit: 2 parts
        line 5, 'Then wait.': cut before a paragraph: the draft is over the limit, cost 1
        line 7, '# Cups': cut before a heading: that heading is at or above merge_boundary_level

        Raises:
            ConfigurationError: if `text` is no str or the configured strategy is not registered.
        """
        require_str("text", text)
        document = Document.parse(text)
        strategy = self._selector.select(document.analysis, self.config)
        splitter = Splitter(document, Sizer.of(self.config, prefix), self.config, strategy)
        return explain(splitter, self._drafts(splitter))

    def _parts(self, document: Document, strategy: BaseStrategy, sizer: Sizer) -> list[Part]:
        splitter = Splitter(document, sizer, self.config, strategy)
        merged = merge_small(document, self._drafts(splitter), sizer, self.config)
        drafts = prevent_dangling(document, merged, sizer)
        return [part for draft in drafts for part in splitter.split(draft)]

    @staticmethod
    def _drafts(splitter: Splitter) -> list[Draft]:
        """Return the drafts of a strategy, checked."""
        drafts = splitter.strategy.apply(splitter.document, splitter.config)
        require_tiling(drafts, splitter.document, splitter.strategy.name)
        return drafts

    def _validated(self, result: HierarchicalChunkingResult) -> HierarchicalChunkingResult:
        outcome = InvariantValidator(self.config).validate(result.chunks, result.source)
        errors = (*outcome.errors, *validate_tree(result).errors)
        if errors and self.config.validation == "strict":
            raise InvariantViolationError(errors)
        if errors:
            warnings.warn("; ".join(errors), InvariantWarning, stacklevel=4)
        outcome = ValidationResult(not errors, errors, outcome.warnings, outcome.coverage)
        return result.validated(outcome, debug=self.config.debug)


def chunk_markdown(text: str, config: ChunkConfig | None = None) -> list[Chunk]:
    r"""Return every leaf of a document; see `MarkdownChunker.chunk`.

    >>> [chunk.section.path for chunk in chunk_markdown("# Guide\n\nHello.\n")]
    [('Guide',)]
    """
    return MarkdownChunker(config or ChunkConfig()).chunk(text)


def chunk_hierarchical(text: str, config: ChunkConfig | None = None) -> HierarchicalChunkingResult:
    r"""Return a document's chunks with their tree; see `MarkdownChunker.chunk_hierarchical`.

    >>> chunk_hierarchical("# Guide\n\nHello.\n").toc()[0].title
    'Guide'
    """
    return MarkdownChunker(config or ChunkConfig()).chunk_hierarchical(text)


def chunk_file(path: str | Path, config: ChunkConfig | None = None) -> HierarchicalChunkingResult:
    """Return the chunks of a UTF-8 file with their tree; line endings and a BOM stay.

    Raises:
        OSError: if the file cannot be read.
        UnicodeDecodeError: if it is not UTF-8.
    """
    return chunk_hierarchical(Path(path).read_bytes().decode("utf-8"), config)


def analyze_markdown(text: str) -> ContentAnalysis:
    r"""Return the counts of a document.

    >>> analyze_markdown("# A\n\n- b\n").list_count
    1
    """
    require_str("text", text)
    return Document.parse(text).analysis
