"""Chunk a stream: read text, cut it into windows, and chunk each window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from chunkana_batch.streams.cutting import Cut, CutFinder, StreamLimits, front_matter_is_open
from chunkana_batch.streams.reading import StreamReader, TitleCheck, end_of_lines
from chunkana_batch.streams.registers import AnchorRegister, IdSet
from chunkana_core import Chunk, ChunkConfig, ConfigurationError, Context, analyze_markdown
from chunkana_core.extending import (
    StrategySelector,
    Window,
    WindowChunker,
    WindowState,
    require_type,
    warn,
)

_MARKDOWN, _TEXT = "markdown", "text"
_LIMITS = StreamLimits()


class StreamWarning(UserWarning):
    """Chunks of a stream may differ from those of the whole text because of the limits."""


def chunk_stream(  # noqa: PLR0913 -- all but two have defaults
    lines: Iterable[str] | TextIO,
    config: ChunkConfig,
    *,
    title: str | None = None,
    sole_h1: bool = True,
    format: str = _MARKDOWN,  # noqa: A002 -- the same name as in every other function
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
    require_type("config", config, ChunkConfig)
    require_type("context", context, Context | None)
    require_type("limits", limits, StreamLimits)
    require_type("sole_h1", sole_h1, bool)
    _require_stream_options(config, format, title)
    strategy = StrategySelector().select(analyze_markdown(""), config)
    anchors, title_check = AnchorRegister(), TitleCheck(title or "", sole_h1)
    chunker = WindowChunker(config, context, strategy, format, title or "", IdSet(), anchors)
    is_checked = format == _MARKDOWN
    return _Stream(
        StreamReader.of(lines), chunker, anchors, limits, title_check if is_checked else None
    ).leaves()


def _require_stream_options(config: ChunkConfig, format_name: str, title: str | None) -> None:
    """Raise a ConfigurationError for options that need the whole text at once."""
    if format_name not in {_MARKDOWN, _TEXT}:
        allowed = f"{_MARKDOWN!r} or {_TEXT!r} in a stream; others are parsed whole"
        raise ConfigurationError("format", format_name, allowed)
    if config.strategy == "auto":
        allowed = "the name of a strategy in a stream; 'auto' depends on the whole text"
        raise ConfigurationError("strategy", config.strategy, allowed)
    if config.validation != "off":
        allowed = "'off' in a stream; laws are checked on the whole text"
        raise ConfigurationError("validation", config.validation, allowed)
    if format_name == _TEXT:
        return
    if title is None:
        allowed = "in a stream, the title of the whole text, '' for none"
        raise ConfigurationError("title", title, allowed)
    require_type("title", title, str)
    if not config.merge_boundary_level:
        allowed = "at least 1 in a stream; with 0, chunks may be merged across any heading"
        raise ConfigurationError("merge_boundary_level", 0, allowed)


@dataclass(slots=True)
class _Stream:
    """Reads a text in windows, and chunks them.

    Attributes:
        reader: the text that is not yet read.
        chunker: chunks the windows.
        anchors: the anchors of all headings so far.
        limits: how much is read at once.
        title_check: checks the headings against the declared title; None for plain text.
        state: the state after the last window.
    """

    reader: StreamReader
    chunker: WindowChunker
    anchors: AnchorRegister
    limits: StreamLimits
    title_check: TitleCheck | None
    state: WindowState = field(default_factory=WindowState)

    def leaves(self) -> Iterator[Chunk]:
        """Yield all leaves."""
        text, read_size, is_end = "", self.limits.window, False
        while not is_end:
            text += self.reader.read(read_size - len(text))
            is_end, offset = self.reader.is_done, self.state.offset
            if text and not text.isspace():
                yield from self._window_leaves(text, is_end=is_end)
            elif self._is_large(text):
                self.state = self.state.after_space(text[: end_of_lines(text)])
            is_read_on = self.state.offset == offset
            read_size = max(2 * len(text), self.limits.window) if is_read_on else self.limits.window
            text = text[self.state.offset - offset :]
        if self.title_check:
            self.title_check.end()
        if self.state.last_leaf:
            yield self.state.last_leaf

    def _window_leaves(self, text: str, *, is_end: bool) -> Sequence[Chunk]:
        """Return the leaves of the next window, none if more text is needed to find its end."""
        if is_end:
            return self._chunk(self._parse(text), None)
        is_large, lines = self._is_large(text), text[: end_of_lines(text)]
        finder = self._cut_finder(lines) if lines.strip() else None
        cut = finder.cut_at_heading() if finder else None
        if cut is None and not is_large:
            return ()
        if finder is None or (cut is None and 2 * len(lines) < len(text)):
            finder = self._cut_finder(text)
        is_start = self.title_check is not None and not self.state.offset
        if is_start and front_matter_is_open(finder.text):
            self._warn("the front matter is not closed in time; it is parsed as Markdown")
        cut = cut or finder.cut_anywhere()
        return self._chunk(self._cut_window(finder.window, cut), cut)

    def _cut_finder(self, text: str) -> CutFinder:
        return CutFinder(self._parse(text), self.chunker.config.merge_boundary_level, self.limits)

    def _is_large(self, text: str) -> bool:
        return len(text) >= self.limits.largest_section

    def _parse(self, text: str) -> Window:
        window = self.chunker.parse(text, self.state)
        for label, line in window.parsed.redefined:
            self._warn(f"the title in line {line} refers to {label!r}, defined too far below")
        return window

    def _cut_window(self, window: Window, cut: Cut) -> Window:
        """Return a window up to a cut, with the heading at the cut.

        The text is parsed again unless the blocks before the heading are already final.
        """
        if cut.heading is not None and cut.unclosed_directive < 0:
            return window.up_to(cut.heading)
        stop = cut.offset if cut.heading is None else cut.heading.end
        return self._parse(window.source.text[window.start : stop] + cut.closing)

    def _chunk(self, window: Window, cut: Cut | None) -> Sequence[Chunk]:
        """Chunk a window, and warn where its chunks may differ from those of the whole text."""
        headings = window.headings(cut.offset if cut else len(window.source.text))
        for heading in headings:
            if heading.anchor and self.anchors.reserve(heading.anchor):
                self._warn(f"an earlier heading was given the anchor {heading.anchor!r}")
        if self.title_check:
            if not self.state.offset:
                self.title_check.front_title = window.parsed.title
            self.title_check.add(headings)
        if cut and cut.unclosed_directive >= 0:
            line = window.line_at(cut.unclosed_directive)
            self._warn(f"the directive in line {line} is not closed in time")
        elif cut and cut.heading is None:
            self._warn(f"the section around line {window.line_at(cut.offset)} is chunked in parts")
        is_folded = self.title_check is not None and self.title_check.is_folded
        leaves, self.state = self.chunker.chunk(window, cut, is_folded=is_folded)
        return leaves

    @staticmethod
    def _warn(message: str) -> None:
        """Issue a StreamWarning at the caller's line."""
        warn(StreamWarning(message), ("chunkana_batch",))
