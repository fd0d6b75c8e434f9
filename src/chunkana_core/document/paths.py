"""The level and path of a section, and the rule that merges those of several sections."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from itertools import takewhile

from msgspec import Struct

Path = tuple[str, ...]
_MAX_TITLE = 200  # characters; the content of chunks has the whole heading
_ESCAPED_TITLE = re.compile(r"/((?:[^/\\]|\\.)*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class SectionPath(Struct, frozen=True, gc=False):
    """The level and path of a section; level 0 and path () are the document.

    The path has the titles from the outermost heading to the section's own. It need not be unique,
    and may be shorter than the level: an H3 under an H1 has level 3 and a path of two titles.
    """

    level: int = 0
    path: Path = ()

    @property
    def header_path(self) -> str:
        """The path as one string, see `format_header_path`."""
        return format_header_path(self.path)


class PathSummary(Struct, frozen=True, gc=False):
    """A summary of the paths of several sections, to which more sections can be added.

    Attributes:
        level: the lowest level.
        common: the common prefix of all paths.
        deepest: the longest path.
        is_chain: whether every path is a prefix of the longest path.
    """

    level: int
    common: Path
    deepest: Path
    is_chain: bool = True

    @classmethod
    def of(cls, section: SectionPath) -> PathSummary:
        """Return the summary of one section."""
        return cls(section.level, section.path, section.path)

    def joined(self, other: PathSummary) -> PathSummary:
        """Return the summary of the sections of two summaries."""
        outer, inner = self.deepest, other.deepest
        if len(outer) > len(inner):
            outer, inner = inner, outer
        is_chain = self.is_chain and other.is_chain and inner[: len(outer)] == outer
        level = min(self.level, other.level)
        return PathSummary(level, find_common_prefix(self.common, other.common), inner, is_chain)

    @property
    def merged(self) -> SectionPath:
        """The level and path of a chunk that contains all these sections."""
        return SectionPath(self.level, self.deepest if self.is_chain else self.common)


def find_common_prefix(first: SectionPath | Path, second: SectionPath | Path) -> Path:
    """Return the common prefix of the paths of two sections.

    >>> find_common_prefix(("Guide", "Install", "Linux"), ("Guide", "Install", "macOS"))
    ('Guide', 'Install')
    """
    pairs = zip(_titles(first), _titles(second), strict=False)
    return tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def is_parent_child(parent: SectionPath | Path, child: SectionPath | Path) -> bool:
    """Return whether the first path is a proper prefix of the second.

    The second section is then a descendant of the first.

    >>> is_parent_child(("Guide",), ("Guide", "Install", "Linux"))
    True
    """
    outer, inner = _titles(parent), _titles(child)
    return len(outer) < len(inner) and inner[: len(outer)] == outer


def merge_sections(sections: Iterable[SectionPath]) -> SectionPath:
    """Return the level and path of a chunk that contains several sections, in any order.

    The level is the lowest level. The path is the longest path if all other paths are prefixes of
    it, else the common prefix of all paths.

    Raises:
        ValueError: if there are no sections.

    >>> merge_sections([SectionPath(2, ("A", "B")), SectionPath(3, ("A", "B", "C"))])
    SectionPath(level=2, path=('A', 'B', 'C'))
    >>> merge_sections([SectionPath(3, ("A", "B")), SectionPath(3, ("A", "C"))])
    SectionPath(level=3, path=('A',))
    """
    summaries = [PathSummary.of(section) for section in sections]
    if not summaries:
        raise ValueError("sections is empty; allowed: one section or more")
    return reduce(PathSummary.joined, summaries).merged


def _titles(section: SectionPath | Path) -> Path:
    return section.path if isinstance(section, SectionPath) else tuple(section)


def format_header_path(titles: Iterable[str]) -> str:
    r"""Return a path as a string, for display and for queries by prefix.

    Slashes and backslashes in titles are escaped with a backslash, so that exactly the paths of
    descendants start with the string and a slash.

    >>> print(format_header_path(("Guide", "In/Out", "C:\\")))
    /Guide/In\/Out/C:\\
    """
    escaped = [title.replace("\\", r"\\").replace("/", r"\/") for title in titles]
    return "/" + "/".join(escaped)


def split_header_path(header_path: str) -> Path:
    r"""Return the titles of a string from `format_header_path`; () for "/".

    >>> split_header_path(r"/Guide/In\/Out/C:\\")
    ('Guide', 'In/Out', 'C:\\')
    """
    unescaped = [_ESCAPE.sub(r"\1", title) for title in _ESCAPED_TITLE.findall(header_path)]
    return () if unescaped == [""] else tuple(unescaped)


def short_title(text: str) -> str:
    """Return a title on one line, cut at a word and ended with `…` if it is over 200 characters.

    A title is in the paths of all its descendants, which would grow with its length.
    """
    title = " ".join(text.split())
    if len(title) <= _MAX_TITLE:
        return title
    cut = title.rfind(" ", _MAX_TITLE // 2, _MAX_TITLE)
    return title[: cut if cut > 0 else _MAX_TITLE - 1] + "…"
