"""What is embedded with a node's text: the caller's metadata and the headings above it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_core import SectionPath
from chunkana_llamaindex import keys

HeaderContext = Literal["metadata", "text", "none"]
AFTER_TEXT = "\n\n"  # between headings in a text and what is below them
_UNTITLED = "Document"  # what the core calls a document without H1 and front matter title


@dataclass(frozen=True, slots=True)
class Embedded:
    """Writes what goes before the content of one document's nodes when they are embedded.

    Attributes:
        context: where the headings go: in the metadata, in the text, or nowhere.
        title: the document's, "" for none.
        blank: a node without text that has the document's metadata, exclusions and templates.
        has_metadata: whether nodes have metadata.
        is_counted: whether sizes were measured with what it writes.
    """

    context: HeaderContext
    title: str
    blank: TextNode
    has_metadata: bool = True
    is_counted: bool = False

    @classmethod
    def of(
        cls,
        context: HeaderContext,
        title: str,
        headings: Iterable[str],
        blank: TextNode,
        *,
        has_metadata: bool,
    ) -> Embedded:
        """Look at the title and headings of a document."""
        is_titled = title != _UNTITLED or _UNTITLED in headings
        if context == "metadata" and not has_metadata:
            context = "none"
        return cls(context, title if is_titled else "", blank, has_metadata)

    def breadcrumb(self, path: tuple[str, ...]) -> str:
        """Return title and path on a line: "Title > A > B"."""
        titles = path if path[:1] == (self.title,) or not self.title else (self.title, *path)
        return " > ".join(titles)

    def prefix(self, section: SectionPath) -> str:
        """Return what is embedded before the content of a section's nodes."""
        return self._before(self.breadcrumb(section.path))

    def fits(self, length: Callable[[str], int], limit: int) -> bool:
        """Tell whether what the caller's metadata take leaves half of the limit."""
        return length(self._before("")) <= limit // 2

    def shown(self, section: SectionPath, prefix: str) -> str:
        """Return the breadcrumb of a section: as it was counted, less outermost titles, or ""."""
        if not self.is_counted:
            return self.breadcrumb(section.path)
        paths = (section.path[dropped:] for dropped in range(len(section.path) + 1))
        crumbs = (self.breadcrumb(path) for path in paths)
        return next((crumb for crumb in crumbs if self._before(crumb) == prefix), "")

    def _before(self, breadcrumb: str) -> str:
        """Return what is embedded before a content with some breadcrumb."""
        own = {keys.BREADCRUMB: breadcrumb} if self.context == "metadata" and breadcrumb else {}
        node = self.blank.model_copy(update={"metadata": self.blank.metadata | own})
        metadata = node.get_metadata_str(MetadataMode.EMBED).strip()
        before = node.text_template.format(metadata_str=metadata, content="") if metadata else ""
        return before + (breadcrumb + AFTER_TEXT if self.context == "text" and breadcrumb else "")


def text_of(node: BaseNode) -> str:
    """Return the text of a document or node, without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)
