"""Where a chunk comes from and what introduces it, written in front of its page content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from chunkana_core import ConfigurationError, Introductions, SectionPath, Span
from chunkana_core import Document as MarkdownDocument
from chunkana_langchain.origin import Heading, Origin

HeaderContext = Literal["breadcrumb", "stack", "none"]
_END: Final = "\n\n"


def require_context(value: object) -> None:
    """Raise a ConfigurationError unless a value is a kind of context."""
    if value not in get_args(HeaderContext):
        allowed = " or ".join(map(repr, get_args(HeaderContext)))
        raise ConfigurationError("header_context", value, allowed)


def require_label(value: object, context: HeaderContext) -> None:
    """Raise a ConfigurationError for a label of the source that would not be shown."""
    if value is not None and context != "breadcrumb":
        raise ConfigurationError("source_label", value, 'None unless header_context="breadcrumb"')


@dataclass(frozen=True, slots=True)
class Headings:
    """Writes what goes in front of the chunks of one document.

    Attributes:
        kind: "breadcrumb" for the title and full path on a line, "stack" for the headings above
            those that the chunk itself starts with, "none" for nothing.
        titles: of the source and the document, "" for none; before the path in a breadcrumb.
        above: the headings around the first one in the text.
        around: by a section's path, its headings from the outermost one in the text on.
        introductions: the sentences below breadcrumbs, None for none.
        length: measures a text.
        most: the largest context, in its units.
    """

    kind: HeaderContext
    titles: tuple[str, str]
    above: tuple[Heading, ...]
    around: Mapping[tuple[str, ...], tuple[Heading, ...]]
    introductions: Introductions | None
    length: Callable[[str], int]
    most: int

    @classmethod
    def of(
        cls,
        kind: HeaderContext,
        document: MarkdownDocument,
        origin: Origin,
        length: Callable[[str], int],
        limit: int,
        *,
        label: str = "",
        has_introductions: bool = False,
    ) -> Headings:
        """Look at a parsed document."""
        sections = document.sections
        around: dict[tuple[str, ...], tuple[Heading, ...]] = {(): ()}
        for section in sections[1:]:
            outer = around[sections[section.parent].path]
            around.setdefault(section.path, (*outer, Heading(section.level, section.title)))
        title = document.title if document.is_titled else ""
        title = title if origin.title is None else origin.title
        is_introduced = has_introductions and kind == "breadcrumb"
        said = Introductions(document, length, limit) if is_introduced else None
        return cls(kind, (label, title), origin.above, around, said, length, limit // 2)

    @property
    def title(self) -> str:
        """The document's title, "" for none."""
        return self.titles[1]

    def path(self, titles: Sequence[str]) -> tuple[Heading, ...]:
        """Return all headings around a section: those in the text, below those above it."""
        local = self.around.get(tuple(titles), ())
        outer = (h for h in self.above if not local or h.level < local[0].level)
        return (*outer, *local)

    def prefix(self, section: SectionPath) -> str:
        """Return the longest that may go before the chunks of a section, to leave room for."""
        above = self._outer(section)
        said = self.introductions.longest(section) if self.introductions else ""
        introduced = f"{above}{said}{_END}" if said else above
        return introduced if self.length(introduced) <= self.most else above

    def before(self, counted: str, section: SectionPath, first: tuple[Heading, ...]) -> str:
        """Return what goes before a text without an introduction, at most as long as was counted.

        Args:
            counted: the prefix of its section that its size was measured with.
            section: that section.
            first: the headings around the one that it starts with, else around its section.
        """
        is_stack = self.kind == "stack"
        return self._written(first, self.length(counted)) if is_stack else self._outer(section)

    def introduction(self, span: Span) -> str:
        """Return what goes between that and a chunk, where it fits."""
        said = self.introductions.before(span) if self.introductions else ""
        return said and said + _END

    def _outer(self, section: SectionPath) -> str:
        """Return the headings around a section, at most half of the limit."""
        path = self.path(section.path)
        if self.kind == "breadcrumb":
            is_title = [h.title for h in path[:1]] == [self.title]
            outer = self.titles[: 2 - is_title]
            path = (*(Heading(0, title) for title in outer if title), *path)
        return self._written(path, self.most)

    def _written(self, path: tuple[Heading, ...], most: int) -> str:
        """Write headings, without as many of the outermost as it takes to be short enough."""
        written = (self._write(path[dropped:]) for dropped in range(len(path)))
        return next((text for text in written if self.length(text) <= most), "")

    def _write(self, path: tuple[Heading, ...]) -> str:
        if self.kind == "breadcrumb":
            titles = " > ".join(heading.title for heading in path if heading.title)
            return titles + _END if titles else ""
        if self.kind == "stack":
            return "".join(f"{'#' * h.level} {h.title}{_END}" for h in path)
        return ""
