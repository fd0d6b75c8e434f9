"""What is embedded before a node's text: the caller's metadata, and what we know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from llama_index.core.schema import BaseNode, MetadataMode, TextNode

from chunkana_core import Introductions, SectionPath, Span
from chunkana_llamaindex.metadata import BREADCRUMB, EMBEDDED, INTRODUCTION, KEYS, READ, is_ours

HeaderContext = Literal["metadata", "text", "none"]
_AFTER = "\n\n"  # between headings in a text and what is below them
_TEMPLATE = TextNode.model_fields["text_template"].default


def _is_short(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Embedded:
    """Writes what goes before the content of one document's nodes when they are embedded.

    Attributes:
        context: where headings and introductions go: in the metadata, in the text, or nowhere.
        titles: of the source and the document, "" for none.
        blank: a node without text that has the document's metadata, exclusions and templates.
        caller_s: the part of that metadata that is embedded, as LlamaIndex writes it; () for none.
        introductions: of the document, None for none.
        is_short: whether what is written is short enough; by default anything is.
    """

    context: HeaderContext
    titles: tuple[str, str]
    blank: TextNode
    caller_s: tuple[str, ...]
    introductions: Introductions | None = None
    is_short: Callable[[str], bool] = _is_short
    _breadcrumbs: dict[tuple[str, ...], str] = field(default_factory=dict, compare=False)

    @classmethod
    def of(
        cls,
        context: HeaderContext,
        titles: tuple[str, str],
        document: BaseNode,
        introductions: Introductions | None,
        *,
        has_metadata: bool,
    ) -> Embedded:
        """Look at a document."""
        blank = _blank(document, has_metadata=has_metadata)
        hidden = blank.excluded_embed_metadata_keys
        taken = {*blank.metadata, *hidden}
        if context == "metadata" and (BREADCRUMB in taken or not has_metadata):
            context = "none"
        if context == "none" or INTRODUCTION in taken:
            introductions = None
        is_empty = not blank.metadata.keys() - set(hidden)
        caller_s = () if is_empty else (blank.get_metadata_str(MetadataMode.EMBED),)
        if context != "metadata":
            hidden += [key for key in EMBEDDED if key not in taken]
        return cls(context, titles, blank, caller_s, introductions)

    def within(self, is_short: Callable[[str], bool]) -> Embedded:
        """Return the same, to be short; without the caller's metadata where they alone are not."""
        limited = replace(self, is_short=is_short)
        return limited if self.has_room(is_short) else replace(limited, caller_s=())

    def has_room(self, is_short: Callable[[str], bool]) -> bool:
        """Tell whether what the caller's metadata take is short."""
        return is_short(self._before("", ""))

    def prefix(self, section: SectionPath) -> str:
        """Return the longest that is embedded before the content of a section's nodes."""
        breadcrumb = self.breadcrumb(section.path)
        said = self.introductions.longest(section) if self.introductions else ""
        introduced = self._before(breadcrumb, said)
        return introduced if self.is_short(introduced) else self._before(breadcrumb, "")

    def breadcrumb(self, path: tuple[str, ...]) -> str:
        """Return "Label > Title > A > B" for a path, less as many of the outermost as it takes."""
        if path not in self._breadcrumbs:
            outer = self.titles[: 2 - (path[:1] == self.titles[1:])]
            titles = [*filter(None, (*outer, *path))]
            crumbs = (" > ".join(titles[dropped:]) for dropped in range(len(titles)))
            short = (crumb for crumb in crumbs if self.is_short(self._before(crumb, "")))
            self._breadcrumbs[path] = next(short, "")
        return self._breadcrumbs[path]

    def introduction(self, span: Span) -> str:
        """Return the sentence that introduces a leaf, where it fits."""
        return self.introductions.before(span) if self.introductions else ""

    def excluded(self, breadcrumb: str, introduction: str) -> list[str]:
        """Return the keys that are not embedded; what is empty was not counted."""
        hidden = []
        if self.context == "metadata":
            ours = zip(EMBEDDED, (breadcrumb, introduction), strict=True)
            hidden = [key for key, value in ours if not value and key not in self.blank.metadata]
        return [*dict.fromkeys([*self.blank.excluded_embed_metadata_keys, *hidden])]

    def text(self, breadcrumb: str, introduction: str, content: str) -> str:
        """Return the text of a leaf."""
        return self._above(breadcrumb, introduction) + content

    def written(self, breadcrumb: str, introduction: str, content: str) -> str:
        """Return all that is embedded of a leaf."""
        return self._before(breadcrumb, introduction) + content

    def _before(self, breadcrumb: str, introduction: str) -> str:
        """Return what is embedded before a content, as `TextNode.get_content` has it."""
        node, entries = self.blank, self.caller_s
        if self.context == "metadata":
            ours = zip(EMBEDDED, (breadcrumb, introduction), strict=True)
            template = node.metadata_template
            written = (template.format(key=key, value=value) for key, value in ours if value)
            entries = (*entries, *written)
        above = node.metadata_separator.join(entries).strip()
        above = node.text_template.format(metadata_str=above, content="") if above else ""
        return above + self._above(breadcrumb, introduction)

    def _above(self, breadcrumb: str, introduction: str) -> str:
        """Return what is above the content in a leaf's own text."""
        if self.context != "text":
            return ""
        return "".join(said + _AFTER for said in (breadcrumb, introduction) if said)


def _blank(document: BaseNode, *, has_metadata: bool) -> TextNode:
    """Return a node without text that has a document's metadata, exclusions and templates."""
    # A node of ours that is parsed further says no longer what its parts are.
    dropped = set(KEYS) if is_ours(document) else set()
    caller_s = {key: value for key, value in document.metadata.items() if key not in dropped}
    ours = [key for key in KEYS if key not in caller_s]
    not_embedded = [key for key in ours if key not in EMBEDDED]
    not_read = [key for key in ours if key != READ]
    excluded_embed = (key for key in document.excluded_embed_metadata_keys if key not in dropped)
    excluded_llm = (key for key in document.excluded_llm_metadata_keys if key not in dropped)
    return TextNode(
        metadata=caller_s if has_metadata else {},
        excluded_embed_metadata_keys=list(dict.fromkeys([*excluded_embed, *not_embedded])),
        excluded_llm_metadata_keys=list(dict.fromkeys([*excluded_llm, *not_read])),
        metadata_seperator=document.metadata_separator,  # as older versions spell it
        metadata_template=document.metadata_template,
        text_template=getattr(document, "text_template", _TEMPLATE),
    )
