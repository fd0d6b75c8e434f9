"""Level and path of a section, and the one rule that merges them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from itertools import takewhile

from msgspec import Struct

Path = tuple[str, ...]
_MAX_TITLE = 200  # characters; the whole text of a heading is in the content of chunks


class SectionPath(Struct, frozen=True, gc=False):
    """Where in the outline a chunk belongs: level 0 and path () are the document.

    The path holds the titles from the outermost heading to its own. It need not be unique, nor as
    long as the level says: H1 then H3 is level 3, path of two.
    """

    level: int = 0
    path: Path = ()


class PathSummary(Struct, frozen=True, gc=False):
    """What is to be known of several sections to merge them, and to join others to them.

    Attributes:
        level: the lowest.
        common: what all paths start with.
        deepest: the longest path.
        is_chain: whether that one starts with each of the others.
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
        """Return the summary of the sections of both."""
        outer, inner = self.deepest, other.deepest
        if len(outer) > len(inner):
            outer, inner = inner, outer
        is_chain = self.is_chain and other.is_chain and inner[: len(outer)] == outer
        level = min(self.level, other.level)
        return PathSummary(level, find_common_prefix(self.common, other.common), inner, is_chain)

    @property
    def merged(self) -> SectionPath:
        """Level and path of a chunk that holds all these sections."""
        return SectionPath(self.level, self.deepest if self.is_chain else self.common)


def find_common_prefix(first: SectionPath | Path, second: SectionPath | Path) -> Path:
    """Return the titles that two sections' paths start with alike.

    >>> find_common_prefix(("Guide", "Install", "Linux"), ("Guide", "Install", "macOS"))
    ('Guide', 'Install')
    """
    pairs = zip(_titles(first), _titles(second), strict=False)
    return tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def is_parent_child(parent: SectionPath | Path, child: SectionPath | Path) -> bool:
    """Tell whether the second section is under the first, however deep, by their paths.

    That is where the first path is the start of the second, and shorter.

    >>> is_parent_child(("Guide",), ("Guide", "Install", "Linux"))
    True
    """
    outer, inner = _titles(parent), _titles(child)
    return len(outer) < len(inner) and inner[: len(outer)] == outer


def merge_sections(sections: Iterable[SectionPath]) -> SectionPath:
    """Return level and path of a chunk that holds several sections, in whatever order.

    The level is the lowest. The path is the deepest one where all lie on one chain, else what all
    paths have in common.

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
    r"""Return a path for display and for queries by prefix.

    A slash and a backslash of a title are written with a backslash in front, so that what starts
    with a path and a slash is under it.

    >>> print(format_header_path(("Guide", "In/Out", "C:\\")))
    /Guide/In\/Out/C:\\
    """
    escaped = [title.replace("\\", r"\\").replace("/", r"\/") for title in titles]
    return "/" + "/".join(escaped)


def split_header_path(header_path: str) -> Path:
    r"""Return the titles of which `format_header_path` made a path; a "/" alone has none.

    >>> split_header_path(r"/Guide/In\/Out/C:\\")
    ('Guide', 'In/Out', 'C:\\')
    """
    titles = re.findall(r"/((?:[^/\\]|\\.)*)", header_path, re.DOTALL)
    written = [re.sub(r"\\(.)", r"\1", title, flags=re.DOTALL) for title in titles]
    return () if written == [""] else tuple(written)


def short_title(text: str) -> str:
    """Return a title on one line, cut at a word with `…` where it is long.

    Titles are in the paths of all that is under them, which must not grow with their length.
    """
    title = " ".join(text.split())
    if len(title) <= _MAX_TITLE:
        return title
    cut = title.rfind(" ", _MAX_TITLE // 2, _MAX_TITLE)
    return title[: cut if cut > 0 else _MAX_TITLE - 1] + "…"
