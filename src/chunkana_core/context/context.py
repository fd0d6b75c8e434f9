"""The contexts of a document's leaves, and the limits that they leave for contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from msgspec import Struct

from chunkana_core.arguments import require_type
from chunkana_core.context.introductions import Introductions
from chunkana_core.document.document import Document
from chunkana_core.document.location import Location, breadcrumb_path, section_path
from chunkana_core.document.paths import Path
from chunkana_core.errors import ConfigurationError
from chunkana_core.sizing import Sizer
from chunkana_core.text.file_names import AnyPath, label_of
from chunkana_core.text.source import Span

CONTEXT_SEPARATOR = "\n\n"
_TITLE_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Context:
    r"""Options of the context that is embedded before the content of each leaf.

    The size of context and content together is within the limit.

    Attributes:
        label: what stands before the document's title; None for the document's path, where one is
            given and there is a breadcrumb: a relative path as it is, an absolute one or a URL by
            its last two parts; "" for none.
        breadcrumb: whether to add the document's title and the header path.
        introduction: whether to add the first sentence of the section that the chunk continues, or
            of a section around it.
        reserved: text that a framework puts before the context; its size counts, but the text is
            not part of the chunk.

    Raises:
        InputTypeError: naming the field, its value and what is allowed.

    >>> from chunkana_core import ChunkConfig, Context, MarkdownChunker
    >>> from chunkana_core import Chunker, Context
    >>> chunker = Chunker(context=Context())
    >>> chunker.chunk("# Guide\n\n## Install\n\nRun pip.\n", path="docs/guide.md")[0].context
    'docs/guide.md > Guide > Install'
    """

    label: str | None = None
    breadcrumb: bool = True
    introduction: bool = True
    reserved: str = ""

    def __post_init__(self) -> None:
        """Check every field."""
        require_type("label", self.label, str | None)
        require_type("reserved", self.reserved, str)
        for name in ("breadcrumb", "introduction"):
            require_type(name, getattr(self, name), bool)

    def with_path(self, path: AnyPath | None) -> Context:
        """Return the options with the label of a document's path, unless there is a label.

        >>> Context().with_path("/home/ada/docs/guide.md").label
        'docs/guide.md'
        """
        if path is None or self.label is not None or not self.breadcrumb:
            return self
        return replace(self, label=label_of(path))

    def titles(self, title: str, path: Path) -> Path:
        """Return the titles in the breadcrumb of a section: label, title and path, outermost first.

        Empty titles are omitted, and so is a label or title that the next title repeats.

        Args:
            title: the document's title, "" for none.
            path: the header path of the section.

        >>> Context("guide.md > Guide").titles("Guide", ("Guide", "Install"))
        ('guide.md', 'Guide', 'Install')
        """
        titles: Path = ()
        if self.breadcrumb:
            titles = tuple(filter(None, path if path[:1] == (title,) else (title, *path)))
        label = " ".join((self.label or "").split())
        if titles and label == titles[0]:
            return titles
        if titles:
            label = label.removesuffix(_TITLE_SEPARATOR + titles[0])
        return (label, *titles) if label else titles

    def format_breadcrumb(self, title: str, path: Path) -> str:
        """Return the whole breadcrumb of a section; for the arguments see `titles`.

        >>> Context("guide.md").format_breadcrumb("Guide", ("Install",))
        'guide.md > Guide > Install'
        """
        return _TITLE_SEPARATOR.join(self.titles(title, path))


class WrittenContext(Struct, frozen=True, gc=False):
    """The text of a leaf's context, "" for none, and the size of context and content together."""

    text: str
    size: int


@dataclass(frozen=True, slots=True)
class ContextWriter:
    """Writes the contexts of one document's leaves, and computes the limits of their contents.

    Reserved text and context together take at most half of the limit. To achieve this, the
    introduction is omitted first, then the outermost titles.

    Attributes:
        document: the document.
        sizer: the length function and the limit.
        context: the options; None for no contexts.
        reserved: the text that a framework puts before contexts, "" for none.
        content_limit: the largest size of a content without a context.
        introductions: the first sentences of sections.
    """

    document: Document
    sizer: Sizer
    context: Context | None
    reserved: str = field(init=False, repr=False)
    content_limit: int = field(init=False)
    introductions: Introductions = field(init=False, repr=False)
    _breadcrumbs: dict[Path, str] = field(default_factory=dict, repr=False, compare=False)
    _content_limits: dict[Path, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the reserved text.

        Raises:
            ConfigurationError: if the reserved text takes more than half of the limit.
        """
        reserved = "" if self.context is None else self.context.reserved
        size, half = self.sizer.added_size(reserved), self.sizer.max_size // 2
        if size > half:
            allowed = f"a text of at most {half}, half of max_chunk_size"
            raise ConfigurationError("reserved", reserved, allowed)
        object.__setattr__(self, "reserved", reserved)
        object.__setattr__(self, "content_limit", self.sizer.max_size - size)
        object.__setattr__(self, "introductions", Introductions(self.document, self.sizer))

    def content_limit_in(self, path: Path) -> int:
        """Return the largest size that a content in a section may have next to its context.

        The size reserved for an introduction does not depend on its text, so that a change of its
        wording does not move cuts.
        """
        if self.context is None:
            return self.sizer.max_size
        if path not in self._content_limits:
            size = self._size_before_content(self._breadcrumb(path))
            if self._has_introductions:
                separator = self.sizer.added_size(CONTEXT_SEPARATOR)
                longer = size + self.introductions.longest + separator
                size = longer if longer <= self.sizer.max_size // 2 else size
            self._content_limits[path] = self.sizer.max_size - size
        return self._content_limits[path]

    def content_limit_of(self, first: int, stop: int) -> int:
        """Return the largest size that the content of a run of blocks may have."""
        if self.context is None:
            return self.content_limit
        return self.content_limit_in(section_path(self.document, first, stop).path)

    def excess(self, content: str) -> int:
        """Return the size by which a content without a context exceeds the limit, 0 if it fits."""
        return max(0, self.sizer.length(self.reserved + content) - self.sizer.max_size)

    def fit(self, span: Span, location: Location, content: str) -> WrittenContext | None:
        """Return the longest context of a leaf that fits, None if the content alone does not fit.

        Args:
            span: the leaf's span.
            location: the location of the span.
            content: the leaf's content.
        """
        texts: Iterable[str] = [""]
        if self.context is not None:
            path = breadcrumb_path(self.document, span, location)
            texts = chain(self._candidates(span, path), texts)
        for text in texts:
            size = self._size(text, content)
            if self._fits(text, content, size):
                return WrittenContext(text, size)
        return None

    def _fits(self, text: str, content: str, size: int) -> bool:
        """Return whether reserved text, context and content fit, given the size of the last two."""
        excess = size - self.content_limit
        if self.reserved and abs(excess) <= self.sizer.margin(2):
            whole = self.reserved + embedded(text, content)
            excess = self.sizer.length(whole) - self.sizer.max_size
        return excess <= 0

    def oversize(self, span: Span, location: Location, content: str) -> WrittenContext:
        """Return the context of a leaf whose content alone exceeds the limit: its breadcrumb."""
        text = ""
        if self.context is not None:
            text = self._breadcrumb(breadcrumb_path(self.document, span, location))
        return WrittenContext(text, self._size(text, content))

    def _size(self, text: str, content: str) -> int:
        if self.sizer.is_exact:
            return len(_with_separator(text)) + len(content)
        return self.sizer.length(embedded(text, content))

    def _candidates(self, span: Span, path: Path) -> Iterator[str]:
        """Yield the possible contexts of a leaf, the longest first."""
        breadcrumb = self._breadcrumb(path)
        if self._has_introductions:
            introduction = self.introductions.before(span)
            paragraphs = [*filter(None, (breadcrumb, introduction))]
            if introduction and self._is_within_half(*paragraphs):
                yield CONTEXT_SEPARATOR.join(paragraphs)
        if breadcrumb:
            yield from (text for text in self._shortenings(path) if len(text) <= len(breadcrumb))

    @property
    def _has_introductions(self) -> bool:
        has_them = self.document.traits.has_headings
        return has_them and self.context is not None and self.context.introduction

    def _breadcrumb(self, path: Path) -> str:
        """Return the longest breadcrumb of a path within half of the limit, "" if none fits."""
        if path not in self._breadcrumbs:
            fitting = filter(self._is_within_half, self._shortenings(path))
            self._breadcrumbs[path] = next(fitting, "")
        return self._breadcrumbs[path]

    def _shortenings(self, path: Path) -> Iterator[str]:
        """Yield the breadcrumb of a path, then breadcrumbs with ever fewer outermost titles."""
        titles = self._titles(path)
        return (_TITLE_SEPARATOR.join(titles[dropped:]) for dropped in range(len(titles)))

    def _titles(self, path: Path) -> Path:
        """Return the titles in the breadcrumb of a path, () without a context."""
        title = self.document.title if self.document.is_titled else ""
        return self.context.titles(title, path) if self.context else ()

    def _is_within_half(self, *paragraphs: str) -> bool:
        """Return whether reserved text and paragraphs of a context fit into half of the limit.

        They are measured together only if the sum of their sizes is close to that.
        """
        half = self.sizer.max_size // 2
        if self._size_before_content(*paragraphs) <= half - self.sizer.margin(1 + len(paragraphs)):
            return True
        context = CONTEXT_SEPARATOR.join(paragraphs)
        return self.sizer.added_size(self.reserved + _with_separator(context)) <= half

    def _size_before_content(self, *paragraphs: str) -> int:
        """Return the sum of the sizes of the reserved text and of paragraphs of a context."""
        sizes = [self.sizer.added_size(_with_separator(text)) for text in paragraphs]
        return self.sizer.max_size - self.content_limit + sum(sizes)


def embedded(context: str, content: str) -> str:
    """Return the text to embed: context, blank line and content."""
    return _with_separator(context) + content


def _with_separator(context: str) -> str:
    return context and context + CONTEXT_SEPARATOR
