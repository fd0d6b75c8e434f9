"""Chunk a stream: read text, cut it into windows, and chunk each window."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from msgspec.structs import replace

from chunkana_batch.streams.cutting import Cut, Cutter, StreamLimits, front_matter_is_open
from chunkana_batch.streams.reading import PieceReader, TitleCheck, end_of_lines
from chunkana_batch.streams.state import StreamState
from chunkana_batch.streams.windows import Window, WindowChunker
from chunkana_core.config import AUTO, ChunkConfig
from chunkana_core.context.context import Context
from chunkana_core.document.blocks import Block
from chunkana_core.document.document import DocumentInfo
from chunkana_core.drafting.strategies import StrategySelector
from chunkana_core.errors import (
    ConfigurationError,
    own_frames,
    require_str,
    require_type,
)
from chunkana_core.formats import plain
from chunkana_core.formats.markdown import parser as markdown
from chunkana_core.formats.markdown.parser import ParsedWindow, parse_markdown, parse_window
from chunkana_core.formats.plain import parse_text
from chunkana_core.formats.registry import MARKDOWN, TEXT
from chunkana_core.tree.chunks import Chunk

_LIMITS = StreamLimits()


class StreamWarning(UserWarning):
    """Chunks of a stream may differ from those of the whole text because of the limits."""


def chunk_stream(  # noqa: PLR0913 -- all but two have defaults
    lines: Iterable[str] | TextIO,
    config: ChunkConfig,
    *,
    title: str | None = None,
    sole_h1: bool = True,
    format: str = MARKDOWN.name,  # noqa: A002 -- the same name as in every other function
    context: Context | None = None,
    limits: StreamLimits = _LIMITS,
) -> Iterator[Chunk]:
    r"""Chunk a document that may be larger than memory, and yield its leaves.

    The leaves are those that `MarkdownChunker(config, context).chunk` returns for the whole text,
    unless a `StreamWarning` is issued; the `source` of a leaf is a part of that text.

    Args:
        lines: the text, in pieces of any length, or an open text file. Open it with `newline=""`;
            otherwise Python changes the line ends.
        config: the chunking options. The strategy has to be named, because "auto" depends on the
            whole text.
        title: the title of the whole document for Markdown, that is `result.title`; "" for none.
        sole_h1: whether the first heading of a Markdown document is its only H1, if it is an H1
            with this title or without text.
        format: "markdown" or "text".
        context: the context that is embedded before each content; None for none.
        limits: how much is read at once.

    Raises:
        ConfigurationError: at once if an argument is not allowed; during iteration if the headings
            contradict `title` or `sole_h1`.

    >>> pieces = iter(["# Tea\n\nHot.\n\n## Gre", "en\n\nNot boiling.\n"])
    >>> config = ChunkConfig(strategy="structural")
    >>> [chunk.text for chunk in chunk_stream(pieces, config, title="Tea")]
    ['# Tea\n\nHot.', '## Green\n\nNot boiling.']
    """
    require_type("config", config, ChunkConfig, "a ChunkConfig")
    if context is not None:
        require_type("context", context, Context, "None or a Context")
    require_type("limits", limits, StreamLimits, "a StreamLimits")
    require_type("sole_h1", sole_h1, bool, "True or False")
    _require_stream_options(config, format, title)
    strategy = StrategySelector().select(parse_markdown("").analysis, config)
    is_markdown = format == MARKDOWN.name
    traits = markdown.TRAITS if is_markdown else plain.TRAITS
    chunker = WindowChunker(config, context, strategy, traits)
    title_check = TitleCheck(title or "", sole_h1) if is_markdown else None
    return _Stream(PieceReader.of(lines), chunker, limits, title_check).leaves()


def _require_stream_options(config: ChunkConfig, format_name: str, title: str | None) -> None:
    """Raise a ConfigurationError for options that need the whole text at once."""
    if format_name not in {MARKDOWN.name, TEXT.name}:
        allowed = f"{MARKDOWN.name!r} or {TEXT.name!r} in a stream; others are parsed whole"
        raise ConfigurationError("format", format_name, allowed)
    if config.strategy == AUTO:
        allowed = "the name of a strategy in a stream; 'auto' depends on the whole text"
        raise ConfigurationError("strategy", config.strategy, allowed)
    if config.validation != "off":
        allowed = "'off' in a stream; laws are checked on the whole text"
        raise ConfigurationError("validation", config.validation, allowed)
    if format_name == TEXT.name:
        return
    if title is None:
        allowed = "in a stream, the title of the whole text, '' for none"
        raise ConfigurationError("title", title, allowed)
    require_str("title", title)
    if not config.merge_boundary_level:
        allowed = "at least 1 in a stream; with 0, chunks may be merged across any heading"
        raise ConfigurationError("merge_boundary_level", 0, allowed)


@dataclass(slots=True)
class _Stream:
    """Reads a text in windows, and chunks them.

    Attributes:
        reader: the text that is not yet read.
        chunker: chunks the windows.
        limits: how much is read at once.
        title_check: checks the headings against the declared title; None for plain text.
        state: the state after the last window.
    """

    reader: PieceReader
    chunker: WindowChunker
    limits: StreamLimits
    title_check: TitleCheck | None
    state: StreamState = field(default_factory=StreamState)

    def leaves(self) -> Iterator[Chunk]:
        """Yield all leaves."""
        text, read_size, is_end = "", self.limits.window, False
        next_state: StreamState | None
        while not is_end:
            text += self.reader.read(read_size - len(text))
            is_end, next_state = self.reader.is_done, None
            if not text or text.isspace():
                stop = end_of_lines(text) if self._is_large(text) else 0
                next_state = self.state.skip_text(text[:stop]) if stop else None
            elif window := self._next_window(text, is_end=is_end):
                leaves, next_state = self.chunker.chunk(window)
                yield from leaves
            read_size = max(2 * len(text), self.limits.window)
            if next_state is not None:
                text, read_size = text[next_state.offset - self.state.offset :], self.limits.window
                self.state = next_state
        if self.title_check:
            self.title_check.end()
        if self.state.last_leaf:
            yield self.state.last_leaf

    def _next_window(self, text: str, *, is_end: bool) -> Window | None:
        """Return the next window, None if more text is needed to find its end."""
        prefix, _ = self.state.prefix(self.chunker.traits)
        if is_end:
            whole = prefix + text
            return self._build_window(whole, self._parse(whole), None)
        is_large, lines = self._is_large(text), text[: end_of_lines(text)]
        cutter = self._make_cutter(prefix, lines) if lines.strip() else None
        cut = cutter.cut_at_heading() if cutter else None
        if cut is None and not is_large:
            return None
        if cutter is None or (cut is None and 2 * len(lines) < len(text)):
            cutter = self._make_cutter(prefix, text)
        if self._has_open_front_matter(cutter):
            self._warn("the front matter is not closed in time; it is parsed as Markdown")
        return self._build_window(*self._cut(cutter, cut or cutter.cut_anywhere()))

    def _make_cutter(self, prefix: str, text: str) -> Cutter:
        whole, first = prefix + text, len(self.state.sections)
        boundary = self.chunker.config.merge_boundary_level
        return Cutter(whole, self._parse(whole), len(prefix), first, boundary, self.limits)

    def _is_large(self, text: str) -> bool:
        return len(text) >= self.limits.largest_section

    def _has_open_front_matter(self, cutter: Cutter) -> bool:
        is_start = self.title_check is not None and not self.state.offset
        return is_start and front_matter_is_open(cutter.text)

    def _parse(self, text: str) -> ParsedWindow:
        if self.title_check is None:
            return ParsedWindow(parse_text(text).blocks, "", {}, ())
        parsed = parse_window(text, self.chunker.registers.definitions)
        for label, line in parsed.redefined:
            self._warn(f"the title in line {line} refers to {label!r}, defined too far below")
        return parsed

    def _cut(self, cutter: Cutter, cut: Cut) -> tuple[str, ParsedWindow, Cut]:
        """Return the text up to a cut, with the heading at the cut, and its blocks.

        The text is parsed again unless the blocks before the heading are already final.
        """
        text, parsed = cutter.text, cutter.parsed
        if cut.heading is not None and cut.unclosed_directive < 0:
            blocks = parsed.blocks[: cut.heading.index + 1]
            return text[: cut.heading.end], parsed._replace(blocks=blocks), cut
        stop = cut.offset if cut.heading is None else cut.heading.end
        text = text[:stop] + cut.closing
        parsed = self._parse(text)
        last = parsed.blocks[-1]
        is_heading = cut.heading is not None and last.start == cut.offset and last.level > 0
        return text, parsed, replace(cut, heading=last if is_heading else None)

    def _build_window(self, text: str, parsed: ParsedWindow, cut: Cut | None) -> Window:
        """Build a window, register its headings, and warn where it may differ from the whole."""
        state, registers = self.state, self.chunker.registers
        headings = [block for block in parsed.blocks if block.level and not block.depth]
        headings = headings[len(state.sections) : len(headings) - bool(cut and cut.heading)]
        for heading in headings:
            if heading.anchor and registers.anchors.reserve(heading.anchor):
                self._warn(f"an earlier heading was given the anchor {heading.anchor!r}")
        info = self._add_headings(headings, parsed)
        window = self.chunker.window(text, parsed.blocks, state, cut, info)
        for heading in headings:
            source = text[heading.start : heading.end]
            if "[" in source:
                registers.definitions.expect(source, window.line(heading.start))
        if cut and cut.unclosed_directive >= 0:
            self._warn(
                f"the directive in line {window.line(cut.unclosed_directive)} is not closed in time"
            )
        elif cut and cut.heading is None:
            self._warn(f"the section around line {window.line(cut.offset)} is chunked in parts")
        return window

    def _add_headings(self, headings: Sequence[Block], parsed: ParsedWindow) -> DocumentInfo:
        """Check more headings, and return the known properties of the whole document."""
        title_check, state = self.title_check, self.state
        if title_check is None:
            return DocumentInfo("", is_folded=False, has_earlier_content=state.has_content)
        if not state.offset:
            title_check.front_title = parsed.title
        title_check.add(headings)
        return DocumentInfo(title_check.title, title_check.is_folded, state.has_content)

    @staticmethod
    def _warn(message: str) -> None:
        """Issue a StreamWarning at the caller's line."""
        warnings.warn(message, StreamWarning, stacklevel=own_frames(globals()))
