"""The headings above a chunk, written in front of its page content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from chunkana_core import ConfigurationError, SectionPath
from chunkana_core import Document as MarkdownDocument
from chunkana_langchain.origin import Heading, Origin

HeaderContext = Literal["breadcrumb", "stack", "none"]
_END: Final = "\n\n"


def require_context(value: object) -> None:
    """Raise a ConfigurationError unless a value is a kind of context."""
    if value not in get_args(HeaderContext):
        allowed = " or ".join(map(repr, get_args(HeaderContext)))
        raise ConfigurationError("header_context", value, allowed)


@dataclass(frozen=True, slots=True)
class Headings:
    """Writes the headings above the chunks of one document.

    Attributes:
        kind: "breadcrumb" for the title and full path on a line, "stack" for the headings above
            those that the chunk itself starts with, "none" for nothing.
        title: the document's, "" for none.
        above: the headings around the first one in the text.
        around: by a section's path, its headings from the outermost one in the text on.
        length: measures a text.
        most: the largest context, in its units.
    """

    kind: HeaderContext
    title: str
    above: tuple[Heading, ...]
    around: Mapping[tuple[str, ...], tuple[Heading, ...]]
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
    ) -> Headings:
        """Look at a parsed document."""
        sections = document.sections
        around: dict[tuple[str, ...], tuple[Heading, ...]] = {(): ()}
        for section in sections[1:]:
            outer = around[sections[section.parent].path]
            around.setdefault(section.path, (*outer, Heading(section.level, section.title)))
        title = document.title if document.is_titled else ""
        title = title if origin.title is None else origin.title
        return cls(kind, title, origin.above, around, length, limit // 2)

    def path(self, titles: Sequence[str]) -> tuple[Heading, ...]:
        """Return all headings around a section: those in the text, below those above it."""
        local = self.around.get(tuple(titles), ())
        outer = (h for h in self.above if not local or h.level < local[0].level)
        return (*outer, *local)

    def prefix(self, section: SectionPath) -> str:
        """Return what goes before the chunks of a section, or with "stack" at most does.

        It loses its outermost titles where it would take over half of the limit.
        """
        path = self.path(section.path)
        if self.kind == "breadcrumb" and [h.title for h in path[:1]] != [self.title]:
            path = (Heading(0, self.title), *path)
        return self._written(path, self.most)

    def before(self, counted: str, first: tuple[Heading, ...]) -> str:
        """Return what goes before a chunk, at most as long as what was counted.

        Args:
            counted: the prefix of its section that its size was measured with.
            first: the headings around the one that it starts with, else around its section.
        """
        return self._written(first, self.length(counted)) if self.kind == "stack" else counted

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
