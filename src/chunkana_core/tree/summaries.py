"""What the nodes of the tree say: a title, and what their text starts with."""

from __future__ import annotations

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.repeats import has_fence, leaves_fence_open
from chunkana_core.text.source import BOM, Span

_LONGEST_SUMMARY = 500  # code points, where no text stands before the first section


def section_summary(document: Document, section: int, sizer: Sizer) -> tuple[str, Span]:
    """Return a section's heading and own text, cut at a line within the limit, and its span."""
    own = document.sections[section]
    start, stop = document.heading_span(own.first).start, max(own.first + 1, own.own_stop)
    return _below("", document, Span(start, _trimmed(document, own.first, stop).end), sizer)


def document_summary(document: Document, sizer: Sizer, *, with_text: bool) -> tuple[str, Span]:
    """Return the document's title and a summary, cut at a line within the limit, and its span.

    The summary is the text before the first section, else what the document starts with. It stands
    alone where it says the title, or where there is none.
    """
    summary = _before_sections(document) if with_text else Span(0, 0)
    title = f"# {document.title}"
    if not len(summary):
        content, lines = _below(title, document, summary, sizer)
    elif not document.is_titled or _says_title(document, summary):
        return _below("", document, summary, sizer)
    else:
        content, lines = _below(f"{title}\n\n", document, summary, sizer)
    heading = _title_heading(document)
    if heading is None:
        return content, lines
    shown = [heading, *([lines] if len(lines) else [])]
    return content, Span(min(s.start for s in shown), max(s.end for s in shown))


def _says_title(document: Document, span: Span) -> bool:
    """Tell whether a span starts with a heading, in Markdown or HTML, that is the title."""
    block = document.top[document.positions(span).start]
    if block.kind is BlockKind.HTML:
        return document.title in document.text[block.start : block.end]
    return block.kind is BlockKind.HEADING and block.info == document.title


def _title_heading(document: Document) -> Span | None:
    """Return the heading that is the document's title, None where no heading is."""
    tops = [s for s in document.sections if s.level == 1 and not s.kind]
    is_title = document.is_titled and len(tops) == 1 and tops[0].title
    return document.heading_span(tops[0].first) if is_title else None


def _before_sections(document: Document) -> Span:
    """Return the preamble or the title's own text, else the first lines of the document."""
    root, title = document.sections[ROOT], document.sections[document.folded]
    start = document.front_matter_stop
    if document.has_content(start, root.own_stop):
        return _trimmed(document, start, root.own_stop)
    if document.folded:
        start = title.first + 1
        if title.has_body:
            return _trimmed(document, start, title.own_stop)
    rest = _trimmed(document, start, len(document.top))
    return _cut_at_line(document, rest, rest.start + _LONGEST_SUMMARY)


def _trimmed(document: Document, first: int, stop: int) -> Span:
    start = document.start_of(first)
    span = document.source.trim(start, document.start_of(stop)) or Span(start, start)
    has_bom = not span.start and document.text.startswith(BOM)
    return Span(span.start + has_bom, span.end)


def _below(title: str, document: Document, span: Span, sizer: Sizer) -> tuple[str, Span]:
    """Return a title and as much of a span as fits below it, and that part of the span."""
    content = title + document.text[span.start : span.end]
    stop = sizer.longest(content, 0, len(content), sizer.max_size)
    if stop <= len(title):
        return content[:stop].rstrip(), Span(span.start, span.start)
    kept = _cut_at_line(document, span, span.start + stop - len(title))
    return content[: len(title) + len(kept)].rstrip(), kept


def _cut_at_line(document: Document, span: Span, stop: int) -> Span:
    """Return the start of a span, up to the last line that ends before an offset.

    A fence that would be left open is left out.
    """
    if stop >= span.end:
        return span
    start, text = span.start, document.text
    end = max(text.rfind("\n", start, stop + 1), text.rfind("\r", start, stop + 1))
    end = end if end > start else stop
    block = document.block_at(end - 1)
    if block.kind is BlockKind.FENCED_CODE:
        is_open = bool(text[end : block.end].strip())
    else:
        touched = document.positions(Span(start, end))
        is_markup = document.is_markup(touched.start, touched.stop)
        may_have_fence = is_markup and has_fence(text, block.start, end)
        is_open = may_have_fence and leaves_fence_open(text[start:end], document.traits)
    end = max(start, block.start) if is_open else end
    return Span(start, start + len(text[start:end].rstrip()))
