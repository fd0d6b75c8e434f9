"""Names of documents and sections: those that match a pattern, and those that are similar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from chunkana_retrieval.errors import UnknownNameError

_MOST_SIMILAR = 3  # names that are proposed
_LEAST_SIMILARITY = 0.5  # of a proposed name, by difflib


def matching_names(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names of documents that are in a folder, or match a pattern, in their order.

    Args:
        pattern: a name, a folder, or a pattern of `fnmatch`, whose `*` matches slashes, too.
        names: the names, with slashes.

    Raises:
        UnknownNameError: with similar names if there is none, except for a pattern of all names.

    >>> matching_names("docs", ["docs/tea.md", "docs.md"]), matching_names("*.md", ["a/b.md"])
    (['docs/tea.md'], ['a/b.md'])
    """
    given, wanted = [*names], pattern.removeprefix("./").rstrip("/")
    matches_all = wanted in {"", ".", "*"}
    folder = "" if matches_all else f"{wanted}/"
    found = [
        name for name in given
        if name.startswith(folder) or name == wanted or fnmatchcase(name, wanted)
    ]  # fmt: skip
    if not (found or matches_all):
        raise UnknownNameError("document", pattern, similar_names(wanted, given))
    return found


def similar_names(name: str, names: Iterable[str]) -> Sequence[str]:
    """Return the names that are most similar to one, whatever their case.

    Those with the same last part are first: documents that were moved.

    >>> similar_names("docs/tea.md", ["guides/tea.md", "docs/team.md", "docs/coffee.md"])
    ['guides/tea.md', 'docs/team.md', 'docs/coffee.md']
    """
    given, folded = [*names], name.casefold()
    last = folded.rpartition("/")[2]
    moved = [one for one in given if one.casefold().rpartition("/")[2] == last][:_MOST_SIMILAR]
    by_folded = {one.casefold(): one for one in given}
    close = get_close_matches(folded, by_folded, _MOST_SIMILAR, _LEAST_SIMILARITY)
    return [*dict.fromkeys([*moved, *(by_folded[one] for one in close)])]
