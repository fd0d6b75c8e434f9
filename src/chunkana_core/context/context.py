"""What stands before a chunk's content when it is embedded: label, breadcrumb, introduction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from msgspec import Struct

from chunkana_core.context.introductions import Introductions
from chunkana_core.document.document import Document
from chunkana_core.document.paths import Path
from chunkana_core.errors import ConfigurationError, require_type
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Span

AFTER_CONTEXT = "\n\n"
_BETWEEN_TITLES = " > "


@dataclass(frozen=True, slots=True)
class Context:
    r"""What is embedded before the content of each leaf, within the limit.

    Attributes:
        label: names the document's source, such as a file or a site; "" for none.
        breadcrumb: whether the document's title and the path of headings are part of it.
        introduction: whether the first sentence of the section that the chunk continues or is
            under is part of it.
        reserved: what a framework puts before all that; it counts, and is not in the chunk.

    Raises:
        InputTypeError: naming the field, its value and what is allowed.

    >>> from chunkana_core import ChunkConfig, Context, MarkdownChunker
    >>> chunker = MarkdownChunker(ChunkConfig(), Context(label="guide.md"))
    >>> chunker.chunk("# Guide\n\n## Install\n\nRun pip.\n")[0].context
    'guide.md > Guide > Install'
    """

    label: str = ""
    breadcrumb: bool = True
    introduction: bool = True
    reserved: str = ""

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("label", "reserved"):
            require_type(name, getattr(self, name), str, "a str")
        for name in ("breadcrumb", "introduction"):
            require_type(name, getattr(self, name), bool, "True or False")

    def titles(self, title: str, path: Path) -> Path:
        """Return what the breadcrumb of a section shows: label, title and path, outermost first.

        A title that the next one repeats is left out, and so are empty ones.

        Args:
            title: of the document, "" for none.
            path: of the section.

        >>> Context("guide.md > Guide").titles("Guide", ("Guide", "Install"))
        ('guide.md', 'Guide', 'Install')
        """
        titles: Path = ()
        if self.breadcrumb:
            titles = tuple(filter(None, path if path[:1] == (title,) else (title, *path)))
        label = " ".join(self.label.split())
        if titles and label == titles[0]:
            return titles
        if titles:
            label = label.removesuffix(_BETWEEN_TITLES + titles[0])
        return (label, *titles) if label else titles

    def format_breadcrumb(self, title: str, path: Path) -> str:
        """Return the whole breadcrumb of a section; the arguments are those of `titles`.

        >>> Context("guide.md").format_breadcrumb("Guide", ("Install",))
        'guide.md > Guide > Install'
        """
        return _BETWEEN_TITLES.join(self.titles(title, path))


class WrittenContext(Struct, frozen=True, gc=False):
    """A leaf's context, "" for none, and the size of that and the content together."""

    text: str
    size: int


@dataclass(frozen=True, slots=True)
class ContextWriter:
    """Writes the contexts of one document's leaves, and says how much room they leave.

    What stands before a content, reserved text and context, takes at most half of the limit: the
    introduction is left out first, then the outermost titles.

    Attributes:
        document: the document.
        sizer: the measure and the limit.
        context: what to write; None for nothing.
        reserved: what a framework puts before contexts.
        full_room: the size that a content may have where its context is left out.
        introductions: the first sentences of sections.
    """

    document: Document
    sizer: Sizer
    context: Context | None
    reserved: str = field(init=False, repr=False)
    full_room: int = field(init=False)
    introductions: Introductions = field(init=False, repr=False)
    _breadcrumbs: dict[Path, str] = field(default_factory=dict, repr=False, compare=False)
    _taken: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _rooms: dict[Path, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the reserved text.

        Raises:
            ConfigurationError: if it takes more than half of the limit.
        """
        reserved = "" if self.context is None else self.context.reserved
        size, half = self._added(reserved), self.sizer.max_size // 2
        if size > half:
            allowed = f"a text of at most {half}, half of max_chunk_size"
            raise ConfigurationError("reserved", reserved, allowed)
        object.__setattr__(self, "reserved", reserved)
        object.__setattr__(self, "full_room", self.sizer.max_size - size)
        object.__setattr__(self, "introductions", Introductions(self.document, self.sizer))

    def room(self, path: Path) -> int:
        """Return the size that a content may have beside the context of a section.

        Room for an introduction is the same whether there is one and whatever it says, so that
        its wording moves no cut.
        """
        if self.context is None:
            return self.sizer.max_size
        if path not in self._rooms:
            taken = self._size_before_content(self._breadcrumb(path))
            if self._has_introductions:
                introduced = taken + self.introductions.longest + self._added(AFTER_CONTEXT)
                taken = introduced if introduced <= self.sizer.max_size // 2 else taken
            self._rooms[path] = self.sizer.max_size - taken
        return self._rooms[path]

    def excess(self, content: str) -> int:
        """Return by how much a content without a context is over the limit, 0 if it fits."""
        return max(0, self.sizer.length(self.reserved + content) - self.sizer.max_size)

    def fit(self, span: Span, path: Path, content: str) -> WrittenContext | None:
        """Return as much of a leaf's context as fits, None where the content alone does not.

        Args:
            span: the leaf's.
            path: of its section.
            content: the leaf's.
        """
        if self.context is None:
            size = self.sizer.length(content)
            return WrittenContext("", size) if size <= self.sizer.max_size else None
        for text in chain(self._texts(span, path), [""]):
            size = self._size(self.reserved, text, content)
            if size <= self.sizer.max_size:
                return WrittenContext(
                    text, self._size("", text, content) if self.reserved else size
                )
        return None

    def oversize(self, path: Path, content: str) -> WrittenContext:
        """Return the context of a leaf that is over the limit in any case: its breadcrumb."""
        text = "" if self.context is None else self._breadcrumb(path)
        return WrittenContext(text, self._size("", text, content))

    def _size(self, reserved: str, text: str, content: str) -> int:
        if self.sizer.is_exact:
            return len(reserved) + len(_followed(text)) + len(content)
        return self.sizer.length(reserved + embedded(text, content))

    def _texts(self, span: Span, path: Path) -> Iterator[str]:
        """Yield the contexts that a leaf may have, the longest first."""
        breadcrumb = self._breadcrumb(path)
        if self._has_introductions:
            introduction = self.introductions.before(span)
            text = AFTER_CONTEXT.join(filter(None, (breadcrumb, introduction)))
            if introduction and self._is_short(text):
                yield text
        if breadcrumb:
            yield from (text for text in self._shortened(path) if len(text) <= len(breadcrumb))

    @property
    def _has_introductions(self) -> bool:
        has_them = self.document.traits.has_introductions
        return has_them and self.context is not None and self.context.introduction

    def _breadcrumb(self, path: Path) -> str:
        """Return the longest breadcrumb of a path that leaves the content half of the limit."""
        if path not in self._breadcrumbs:
            self._breadcrumbs[path] = next(filter(self._is_short, self._shortened(path)), "")
        return self._breadcrumbs[path]

    def _shortened(self, path: Path) -> Iterator[str]:
        """Yield the breadcrumb of a path, and what is left as its outermost titles are dropped."""
        titles = self._titles(path)
        return (_BETWEEN_TITLES.join(titles[dropped:]) for dropped in range(len(titles)))

    def _titles(self, path: Path) -> Path:
        """Return label, title and path, where there is a context."""
        title = self.document.title if self.document.is_titled else ""
        return self.context.titles(title, path) if self.context else ()

    def _is_short(self, text: str) -> bool:
        """Tell whether a context leaves the content half of the limit."""
        return self._size_before_content(text) <= self.sizer.max_size // 2

    def _size_before_content(self, text: str) -> int:
        """Return the size of the reserved text and a context, which many leaves have alike."""
        if text not in self._taken:
            self._taken[text] = self._added(self.reserved + _followed(text))
        return self._taken[text]

    def _added(self, text: str) -> int:
        """Return what a text adds to the size of one that it stands before."""
        return self.sizer.length(text) - self.sizer.overhead


def embedded(context: str, content: str) -> str:
    """Return the text to embed: the context, a blank line, the content."""
    return _followed(context) + content


def _followed(context: str) -> str:
    return context and context + AFTER_CONTEXT
