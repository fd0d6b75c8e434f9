"""What the nodes of the tree say: a title, and what their text starts with."""

from __future__ import annotations

from chunkana_core.document import Document
from chunkana_core.outline import ROOT
from chunkana_core.parsing import parse
from chunkana_core.repeating import leaves_fence_open
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span

_LONGEST_SUMMARY = 500  # code points, where no text stands before the first section


def section_summary(document: Document, section: int, sizer: Sizer) -> tuple[str, Span]:
    """Return a section's heading and own text, cut at a line within the limit, and its span."""
    own = document.sections[section]
    span = _trimmed(document, own.first, own.own_end)
    kept = _cut_at_line(document.text[span.start : span.end], sizer)
    return kept, Span(span.start, span.start + len(kept))


def document_summary(document: Document, sizer: Sizer, *, with_text: bool) -> tuple[str, Span]:
    """Return the document's title and a summary, cut at a line within the limit, and its span.

    The summary is the text before the first section, else what the document starts with.
    """
    title = f"# {document.title}"
    summary = _before_sections(document) if with_text else Span(0, 0)
    if not len(summary):
        return _cut_at_line(title, sizer), summary
    text = document.text[summary.start : summary.end]
    kept = _cut_at_line(f"{title}\n\n{text}", sizer)
    end = summary.start + max(0, len(kept) - len(title) - 2)
    return kept, Span(summary.start, end)


def _before_sections(document: Document) -> Span:
    """Return the preamble or the title's own text, else the first lines of the document."""
    root, title = document.sections[ROOT], document.sections[document.folded]
    front = document.front_matter_end
    if root.has_body:
        return _trimmed(document, front, root.own_end)
    start = title.first + 1 if document.folded else front
    if title.has_body:
        return _trimmed(document, start, title.own_end)
    rest = _trimmed(document, start, len(document.top))
    if len(rest) <= _LONGEST_SUMMARY:
        return rest
    stop = document.text.rfind("\n", rest.start, rest.start + _LONGEST_SUMMARY)
    return Span(rest.start, max(stop, rest.start))


def _trimmed(document: Document, first: int, end: int) -> Span:
    start = document.start_of(first)
    return document.source.trim(start, document.start_of(end)) or Span(start, start)


def _cut_at_line(text: str, sizer: Sizer) -> str:
    """Return the start of a text that ends at a line, fits, and leaves no fence open."""
    stop = sizer.longest(text, 0, len(text), sizer.max_size)
    if stop == len(text):
        return text
    line_end = max(text.rfind("\n", 0, stop + 1), text.rfind("\r", 0, stop + 1))
    kept = text[: line_end if line_end > 0 else stop].rstrip()
    if leaves_fence_open(kept):
        kept = kept[: parse(kept).blocks[-1].start].rstrip()
    return kept
