"""The headings above a chunk, written in front of its page content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from chunkana_core import ConfigurationError, SectionPath
from chunkana_core import Document as MarkdownDocument
from chunkana_langchain.origin import Origin

HeaderContext = Literal["breadcrumb", "stack", "none"]
_END: Final = "\n\n"
_UNTITLED: Final = "Document"  # what the core calls a document without H1 and front matter title


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
        origin: where the text comes from.
        levels: the levels of headings, by the titles from any of those around them to their own.
    """

    kind: HeaderContext
    title: str
    origin: Origin
    levels: Mapping[tuple[str, ...], int]

    @classmethod
    def of(cls, kind: HeaderContext, document: MarkdownDocument, origin: Origin) -> Headings:
        """Look at a parsed document."""
        sections = document.sections[1:]
        is_titled = document.title != _UNTITLED or any(s.title == _UNTITLED for s in sections)
        levels = {s.path[start:]: s.level for s in sections for start in range(len(s.path))}
        title = document.title if is_titled and not origin.is_chunk else ""
        return cls(kind, title, origin, levels)

    def prefix(self, section: SectionPath) -> str:
        """Return what goes before the chunks of a section; at most that, with "stack"."""
        path = self.origin.below(section.path)
        if self.kind == "breadcrumb":
            titles = path if path[:1] == (self.title,) or not self.title else (self.title, *path)
            return " > ".join(titles) + _END if titles else ""
        return self._stack(path) if self.kind == "stack" else ""

    def above(self, counted: str, section: SectionPath, first: tuple[str, ...] | None) -> str:
        """Return what goes before a chunk: as much as was counted.

        Args:
            counted: the prefix of its section that its size was measured with.
            section: its level and path.
            first: the path of the heading that it starts with, if it does.
        """
        if self.kind != "stack":
            return counted
        whole = self.origin.below(section.path)
        above = self.origin.below(first)[:-1] if first else whole
        return self._stack(above[len(whole) - counted.count(_END) : len(whole)])

    def by_level(self, path: tuple[str, ...]) -> dict[int, str]:
        """Return the titles of a path by the levels of their headings."""
        return {self.levels.get(path[: n + 1], n + 1): title for n, title in enumerate(path)}

    def _stack(self, path: tuple[str, ...]) -> str:
        return "".join(f"{'#' * n} {title}{_END}" for n, title in self.by_level(path).items())
