"""Chunks of a stream: text is read, cut into windows, and each window is chunked."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from msgspec.structs import replace

from chunkana_batch.streams.before import Before
from chunkana_batch.streams.cutting import Cut, Cutter, StreamLimits, front_matter_is_open
from chunkana_batch.streams.reading import Pieces, Titles, end_of_lines
from chunkana_batch.streams.windows import Window, WindowChunker
from chunkana_core.config import AUTO, ChunkConfig
from chunkana_core.context.context import Context
from chunkana_core.document.blocks import Block
from chunkana_core.document.document import Whole
from chunkana_core.drafting.strategies import StrategySelector
from chunkana_core.errors import (
    ConfigurationError,
    own_frames,
    require_str,
    require_type,
)
from chunkana_core.formats import plain
from chunkana_core.formats.markdown import parser as markdown
from chunkana_core.formats.markdown.parser import Stretch, parse_markdown, parse_stretch
from chunkana_core.formats.plain import parse_text
from chunkana_core.formats.table import MARKDOWN, TEXT
from chunkana_core.tree.chunks import Chunk

_LIMITS = StreamLimits()


class StreamWarning(UserWarning):
    """Chunks of a stream that may not be those of the whole text, for they were made too early."""


def chunk_stream(  # noqa: PLR0913 -- all but two have defaults
    lines: Iterable[str] | TextIO,
    config: ChunkConfig,
    *,
    title: str | None = None,
    sole_h1: bool = True,
    format: str = MARKDOWN.name,  # noqa: A002 -- what it is called everywhere
    context: Context | None = None,
    limits: StreamLimits = _LIMITS,
) -> Iterator[Chunk]:
    r"""Yield every leaf of a document that need not fit into memory.

    Each is the leaf that `MarkdownChunker(config, context).chunk` makes of the whole text, if no
    `StreamWarning` says otherwise; its `source` is a part of that text.

    Args:
        lines: the text, in pieces of any length, or a file that is open for reading text; with
            `newline=""`, or else line ends are changed.
        config: how to chunk. The strategy has to be named, for "auto" goes by the whole text.
        title: of Markdown, what the whole text calls itself: `result.title`, "" for nothing.
        sole_h1: of Markdown whose first heading is an H1 that says this title, or nothing: whether
            it is the only H1.
        format: "markdown" or "text".
        context: what is embedded before each leaf's content; None for nothing.
        limits: how much is read at once.

    Raises:
        ConfigurationError: at once for arguments that are not allowed; and later where the text
            shows that `title` or `sole_h1` are not what they were said to be.

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
    _require_knowable(config, format, title)
    strategy = StrategySelector().select(parse_markdown("").analysis, config)
    is_markdown = format == MARKDOWN.name
    traits = markdown.TRAITS if is_markdown else plain.TRAITS
    chunker = WindowChunker(config, context, strategy, traits)
    titles = Titles(title or "", sole_h1) if is_markdown else None
    return _Stream(Pieces.of(lines), chunker, limits, titles).leaves()


def _require_knowable(config: ChunkConfig, format_name: str, title: str | None) -> None:
    """Raise a ConfigurationError for what only the whole text can answer."""
    if format_name not in {MARKDOWN.name, TEXT.name}:
        allowed = f"{MARKDOWN.name!r} or {TEXT.name!r} in a stream; others are parsed whole"
        raise ConfigurationError("format", format_name, allowed)
    if config.strategy == AUTO:
        allowed = "the name of a strategy in a stream; 'auto' goes by the whole text"
        raise ConfigurationError("strategy", config.strategy, allowed)
    if config.validation != "off":
        allowed = "'off' in a stream; laws are checked of the whole text"
        raise ConfigurationError("validation", config.validation, allowed)
    if format_name == TEXT.name:
        return
    if title is None:
        allowed = "in a stream, what the whole text calls itself, '' for nothing"
        raise ConfigurationError("title", title, allowed)
    require_str("title", title)
    if not config.merge_boundary_level:
        allowed = "at least 1 in a stream; with 0, chunks may be merged across any heading"
        raise ConfigurationError("merge_boundary_level", 0, allowed)


@dataclass(slots=True)
class _Stream:
    """Reads a text in windows, and chunks them."""

    pieces: Pieces
    chunker: WindowChunker
    limits: StreamLimits
    titles: Titles | None
    before: Before = field(default_factory=Before)

    def leaves(self) -> Iterator[Chunk]:
        """Yield all leaves."""
        text, wanted, is_end = "", self.limits.window, False
        after: Before | None
        while not is_end:
            text += self.pieces.read(wanted - len(text))
            is_end, after = self.pieces.is_done, None
            if not text or text.isspace():
                stop = end_of_lines(text) if self._is_large(text) else 0
                after = self.before.skipped(text[:stop]) if stop else None
            elif window := self._window(text, is_end=is_end):
                leaves, after = self.chunker.chunk(window)
                yield from leaves
            wanted = max(2 * len(text), self.limits.window)
            if after is not None:
                text, wanted = text[after.offset - self.before.offset :], self.limits.window
                self.before = after
        if self.titles:
            self.titles.end()
        if self.before.leaf:
            yield self.before.leaf

    def _window(self, text: str, *, is_end: bool) -> Window | None:
        """Return the next window, None if more has to be read to know where it ends."""
        prefix, _ = self.before.prefix(self.chunker.traits)
        if is_end:
            whole = prefix + text
            return self._window_of(whole, self._read(whole), None)
        is_large, lines = self._is_large(text), text[: end_of_lines(text)]
        cutter = self._cutter(prefix, lines) if lines.strip() else None
        cut = cutter.cut_at_heading() if cutter else None
        if cut is None and not is_large:
            return None
        if cutter is None or (cut is None and 2 * len(lines) < len(text)):
            cutter = self._cutter(prefix, text)
        if self._has_open_front_matter(cutter):
            self._warn("the front matter is not closed in time, and taken for Markdown")
        return self._window_of(*self._cut(cutter, cut or cutter.cut_anywhere()))

    def _cutter(self, prefix: str, text: str) -> Cutter:
        whole, first = prefix + text, len(self.before.sections)
        boundary = self.chunker.config.merge_boundary_level
        return Cutter(whole, self._read(whole), len(prefix), first, boundary, self.limits)

    def _is_large(self, text: str) -> bool:
        return len(text) >= self.limits.largest_section

    def _has_open_front_matter(self, cutter: Cutter) -> bool:
        is_start = self.titles is not None and not self.before.offset
        return is_start and front_matter_is_open(cutter.text)

    def _read(self, text: str) -> Stretch:
        if self.titles is None:
            return Stretch(parse_text(text).blocks, "", {}, ())
        stretch = parse_stretch(text, self.chunker.registers.definitions)
        for label, line in stretch.redefined:
            self._warn(f"the title in line {line} refers to {label!r}, defined too far below")
        return stretch

    def _cut(self, cutter: Cutter, cut: Cut) -> tuple[str, Stretch, Cut]:
        """Return the text up to a cut with its heading, and how it is read, which may be anew."""
        text, stretch = cutter.text, cutter.stretch
        if cut.heading is not None and cut.unclosed < 0:
            blocks = stretch.blocks[: cut.heading.index + 1]
            return text[: cut.heading.end], stretch._replace(blocks=blocks), cut
        stop = cut.offset if cut.heading is None else cut.heading.end
        text = text[:stop] + cut.closing
        stretch = self._read(text)
        last = stretch.blocks[-1]
        is_heading = cut.heading is not None and last.start == cut.offset and last.level > 0
        return text, stretch, replace(cut, heading=last if is_heading else None)

    def _window_of(self, text: str, stretch: Stretch, cut: Cut | None) -> Window:
        """Return a window, add its headings to the registers, and tell of what it guesses."""
        before, registers = self.before, self.chunker.registers
        headings = [block for block in stretch.blocks if block.level and not block.depth]
        headings = headings[len(before.sections) : len(headings) - bool(cut and cut.heading)]
        for heading in headings:
            if heading.anchor and registers.anchors.reserve(heading.anchor):
                self._warn(f"an earlier heading was given the anchor {heading.anchor!r}")
        whole = self._whole(headings, stretch)
        window = self.chunker.window(text, stretch.blocks, before, cut, whole)
        for heading in headings:
            shown = text[heading.start : heading.end]
            if "[" in shown:
                registers.definitions.expect(shown, window.line(heading.start))
        if cut and cut.unclosed >= 0:
            self._warn(f"the directive in line {window.line(cut.unclosed)} is not closed in time")
        elif cut and cut.heading is None:
            self._warn(f"the section around line {window.line(cut.offset)} is planned in parts")
        return window

    def _whole(self, headings: Sequence[Block], stretch: Stretch) -> Whole:
        """Return what is known of the whole document, with some more of its headings."""
        titles, before = self.titles, self.before
        if titles is None:
            return Whole("", is_folded=False, has_content=before.has_content)
        if not before.offset:
            titles.front_title = stretch.title
        titles.add(headings)
        return Whole(titles.title, titles.is_folded, before.has_content)

    @staticmethod
    def _warn(message: str) -> None:
        """Tell the caller of something that the whole text might show otherwise."""
        warnings.warn(message, StreamWarning, stacklevel=own_frames(globals()))
