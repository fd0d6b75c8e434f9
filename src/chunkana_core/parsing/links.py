"""A parser that leaves the targets of links as they are, since nobody reads them."""

from __future__ import annotations

from markdown_it import MarkdownIt


class Markdown(MarkdownIt):
    """A parser that does not put the targets of links into a normal form.

    What does keeps every scheme that it has ever seen, and tables that threads may find half made.
    """

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        """Return what a link leads to."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """Return an address that is shown as a link."""
        return link
