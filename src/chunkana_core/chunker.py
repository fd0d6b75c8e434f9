"""The pipeline: parse, draft, merge, split, build the tree, validate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from chunkana_core.arguments import require_each, require_type
from chunkana_core.checking.trees import validate_tree
from chunkana_core.checking.validation import InvariantValidator
from chunkana_core.config import AUTO, ChunkConfig
from chunkana_core.context.context import Context, ContextWriter
from chunkana_core.document.analysis import ContentAnalysis
from chunkana_core.document.document import Document
from chunkana_core.drafting.strategies import BaseStrategy, StrategySelector
from chunkana_core.errors import ChunkanaWarning, InvariantViolationError, warn
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.registry import TEXT, Format, FormatSelector, unknown_file_type
from chunkana_core.sizing import Sizer
from chunkana_core.stages import StageResults, run_stages
from chunkana_core.text.file_names import AnyPath
from chunkana_core.tree.builder import TreeBuilder
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import IdRegister, SectionIds
from chunkana_core.tree.leaves import LeafMaker
from chunkana_core.tree.result import HierarchicalChunkingResult
from chunkana_core.violations import ValidationResult


@dataclass(frozen=True, slots=True)
class _Pipeline:
    """Base class of chunkers: the common arguments, and the stages after parsing."""

    config: ChunkConfig = field(default_factory=ChunkConfig)
    context: Context | None = None
    strategies: Iterable[BaseStrategy] = field(default=(), kw_only=True)
    plugins: Iterable[BlockRule] = field(default=(), kw_only=True)
    _formats: FormatSelector = field(init=False, repr=False, compare=False)
    _selector: StrategySelector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the arguments."""
        self._prepare(())

    def _prepare(self, formats: Iterable[Format]) -> FormatSelector:
        """Check the arguments, and return the selector of formats with the user's formats."""
        require_type("config", self.config, ChunkConfig)
        require_type("context", self.context, Context | None)
        strategies = require_each("strategies", self.strategies, BaseStrategy)
        selector = StrategySelector(tuple(strategies))
        object.__setattr__(self, "strategies", selector.registered)
        object.__setattr__(self, "_selector", selector)
        selected = FormatSelector.of(formats, self.plugins)
        object.__setattr__(self, "plugins", selected.plugins)
        object.__setattr__(self, "_formats", selected)
        return selected

    def _stages(
        self,
        text: str,
        given: Format,
        context: Context | None,
        path: AnyPath | None = None,
        fallback: Format = TEXT,
    ) -> StageResults:
        """Run the stages on a text of the given format."""
        require_type("text", text, str)
        require_type("context", context, Context | None)
        document, sizer = given.document(text, fallback), Sizer.of(self.config)
        strategy = self._selector.select(document.analysis, self.config)
        context = context or self.context
        contexts = ContextWriter(document, sizer, context and context.with_path(path))
        return run_stages(document, strategy, self.config, contexts)

    def _result(self, stages: StageResults) -> HierarchicalChunkingResult:
        """Return the chunks of a document and their tree, from the results of the stages."""
        document, strategy = stages.document, stages.splitter.strategy.name
        parts, ids = [*chain(*stages.parts)], IdRegister()
        sections = SectionIds(document, ids)
        sizer = stages.splitter.contexts.sizer
        leaves = LeafMaker(document, self.config, strategy, sections, ids).leaves(parts, sizer)
        tree = TreeBuilder(document, self.config, strategy, sections.ids)
        chunks = tree.chunks(leaves, [part.location for part in parts], sizer)
        result = HierarchicalChunkingResult.of(
            document, chunks, sections.up_to(len(document.top)), strategy, sizer
        )
        if self.config.validation == "off":
            return result
        return self._validated(result, document, stages.splitter.contexts.reserved)

    def _validated(
        self, result: HierarchicalChunkingResult, document: Document, reserved: str
    ) -> HierarchicalChunkingResult:
        outcome = InvariantValidator(self.config).check(result.chunks, document, reserved)
        errors = (*outcome.errors, *validate_tree(result).errors)
        if errors and self.config.validation == "strict":
            raise InvariantViolationError(errors)
        if errors:
            warn(ChunkanaWarning("; ".join(map(str, errors))))
        outcome = ValidationResult(not errors, errors, outcome.warnings, outcome.coverage)
        return result.validated(outcome, debug=self.config.debug)


@dataclass(frozen=True, slots=True)
class MarkdownChunker(_Pipeline):
    r"""Splits Markdown into exact chunks and their hierarchy; may be shared by threads.

    Attributes:
        config: the options.
        context: what to embed before the content of each leaf; None for nothing.
        strategies: user-defined strategies, in addition to the built-in ones.
        plugins: user-defined block rules of Markdown, in addition to the built-in ones.

    Raises:
        ConfigurationError: for arguments of other types, and for plugins with a rule that would
            never be called.

    >>> chunker = MarkdownChunker(ChunkConfig(max_chunk_size=200))
    >>> [chunk.text for chunk in chunker.chunk("# A\n\nText.\n\n# B\n\nMore.\n")]
    ['# A\n\nText.', '# B\n\nMore.']
    """

    def chunk(self, text: str, *, context: Context | None = None) -> list[Chunk]:
        """Return every leaf of a document, in order; together the leaves contain all of its text.

        Arguments and errors are those of `chunk_hierarchical`.
        """
        return self.chunk_hierarchical(text, context=context).get_leaves()

    def chunk_hierarchical(
        self, text: str, *, context: Context | None = None
    ) -> HierarchicalChunkingResult:
        """Return the chunks of a document and their tree.

        Args:
            text: Markdown; any str.
            context: replaces the chunker's context for this document.

        Raises:
            ConfigurationError: if `text` is not a str, the configured strategy is not registered,
                or the context reserves more than half of the limit.
            InvariantViolationError: if chunks violate laws; only with `validation="strict"`.
        """
        return self._result(self._stages(text, self._formats.markdown, context))


@dataclass(frozen=True, slots=True)
class Chunker(_Pipeline):
    r"""Splits texts of any format into exact chunks and their hierarchy.

    Attributes:
        config: the options.
        context: what to embed before the content of each leaf; None for nothing.
        strategies: user-defined strategies, in addition to the built-in ones.
        plugins: user-defined block rules of Markdown, also used in notebooks.
        formats: user-defined formats, in addition to the built-in ones.
        fallback: the name of the format of files whose suffix or file name is of no known format,
            and of JSON and notebooks that do not load. The result has the `format` that was used.

    Raises:
        ConfigurationError: for arguments of other types, for an unknown format, and for plugins
            with a rule that would never be called.

    >>> [chunk.content_type for chunk in Chunker().chunk("# not a heading\n", path="notes.txt")]
    ['text']
    """

    formats: Iterable[Format] = field(default=(), kw_only=True)
    fallback: str = field(default=TEXT.name, kw_only=True)
    _fallback: Format = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the arguments."""
        selector = self._prepare(self.formats)
        object.__setattr__(self, "formats", selector.registered)
        object.__setattr__(self, "_fallback", selector.named(self.fallback, "fallback"))

    def chunk(
        self,
        text: str,
        format: str = AUTO,  # noqa: A002 -- what it is called everywhere
        path: AnyPath | None = None,
        *,
        context: Context | None = None,
    ) -> list[Chunk]:
        """Return every leaf of a document, in order; together the leaves contain all of its text.

        Arguments and errors are those of `chunk_hierarchical`.
        """
        return self.chunk_hierarchical(text, format, path, context=context).get_leaves()

    def chunk_hierarchical(
        self,
        text: str,
        format: str = AUTO,  # noqa: A002
        path: AnyPath | None = None,
        *,
        context: Context | None = None,
    ) -> HierarchicalChunkingResult:
        """Return the chunks of a document and their tree.

        Args:
            text: the text of the document.
            format: the name of a format; "auto" selects it by the path: by a known suffix or file
                name, else `fallback` for a file, and Markdown for a path without a suffix (such as
                a URL), for files that tools convert to Markdown (such as PDF), and without a path.
            path: the document's path or URL, or a media type. A path is also the label of a context
                with a breadcrumb and without a label.
            context: replaces the chunker's context for this document.

        Raises:
            ConfigurationError: if `text` is not a str, the format is unknown, the configured
                strategy is not registered, or the context reserves more than half of the limit.
            ImportError: if the extra that the format needs is not installed.
            InvariantViolationError: if chunks violate laws; only with `validation="strict"`.
        """
        return self._result(self.stages(text, format, path, context=context))

    def stages(
        self,
        text: str,
        format: str = AUTO,  # noqa: A002
        path: AnyPath | None = None,
        *,
        context: Context | None = None,
    ) -> StageResults:
        r"""Return the results of the stages, from which chunks are made, to explain cuts by.

        Arguments and errors are those of `chunk_hierarchical`, but nothing is validated.

        >>> Chunker().stages("# A\n\nText.\n\n# B\n\nMore.\n").drafts
        [Draft(first=0, stop=2), Draft(first=2, stop=4)]
        """
        given = self._formats.select(format, path, self._fallback)
        return self._stages(text, given, context, path, self._fallback)


def chunk_markdown(text: str, config: ChunkConfig | None = None) -> list[Chunk]:
    r"""Return every leaf of a Markdown document; see `MarkdownChunker.chunk`.

    >>> [chunk.section.path for chunk in chunk_markdown("# Guide\n\nHello.\n")]
    [('Guide',)]
    """
    return MarkdownChunker(config or ChunkConfig()).chunk(text)


def chunk_hierarchical(text: str, config: ChunkConfig | None = None) -> HierarchicalChunkingResult:
    r"""Return the chunks of a Markdown document and their tree; see `MarkdownChunker`.

    >>> chunk_hierarchical("# Guide\n\nHello.\n").toc()[0].title
    'Guide'
    """
    return MarkdownChunker(config or ChunkConfig()).chunk_hierarchical(text)


def chunk_file(path: str | Path, config: ChunkConfig | None = None) -> list[Chunk]:
    """Return every leaf of a UTF-8 file; the format is that of the path, see `format_of`.

    Line endings and a BOM are kept. A file of no known format, and one that is not valid in its
    format or too long for it, is chunked as plain text with a `ChunkanaWarning`.

    Raises:
        OSError: if the file cannot be read.
        UnicodeDecodeError: if the file is not UTF-8; the message names it.
        ImportError: if the extra that the format needs is not installed.
    """
    text, found = _decoded(path), FormatSelector().select(AUTO, path)
    result = Chunker(config or ChunkConfig()).chunk_hierarchical(text, found.name)
    is_unknown = bool(unknown_file_type(path))
    if is_unknown or result.format != found.name:
        invalid = f"not valid {found.name}, or too long for it"
        why = "of no known format" if is_unknown else invalid
        warn(ChunkanaWarning(f"{path} is {why}, and chunked as plain text"))
    return result.get_leaves()


def _decoded(path: str | Path) -> str:
    """Return the text of a UTF-8 file."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        error.reason += (
            f"; {path} is not UTF-8: decode it by its encoding, and chunk the text, as in "
            'Chunker().chunk(Path(path).read_bytes().decode("cp1252"), path=path)'
        )
        raise


def analyze_markdown(text: str) -> ContentAnalysis:
    r"""Return the counts of a Markdown document.

    >>> analyze_markdown("# A\n\n- b\n").list_count
    1
    """
    require_type("text", text, str)
    return parse_markdown(text).analysis
