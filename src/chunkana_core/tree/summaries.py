"""The contents of nodes: the title, and a summary from the start of the text."""

from __future__ import annotations

from typing import NamedTuple

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT
from chunkana_core.sizing import CHARACTERS_PER_UNIT, Sizer
from chunkana_core.splitting.repeats import has_fence, leaves_fence_open
from chunkana_core.text.source import BOM, Span

_MAX_PREFIX_LENGTH = 500  # code points, if no text precedes the first section


class Summary(NamedTuple):
    """The content of a node, its size, and the span of the text in it."""

    text: str
    size: int
    span: Span


def section_summary(document: Document, section: int, sizer: Sizer) -> Summary:
    """Return a section's heading and own text, cut at a line within the limit."""
    first, own_stop = document.sections[section].first, document.sections[section].own_stop
    end = _trimmed(document, first, max(first + 1, own_stop)).end
    return _cut_to_limit("", document, Span(document.heading_span(first).start, end), sizer)


def document_summary(document: Document, sizer: Sizer, *, with_text: bool) -> Summary:
    """Return the document's title and a summary, cut at a line within the limit.

    The summary is the text before the first section or, without any, the start of the document. The
    title is not added if the summary starts with it, or if the document has none.
    """
    summary = _summary_span(document) if with_text else Span(0, 0)
    title = f"# {document.title}"
    if not len(summary):
        found = _cut_to_limit(title, document, summary, sizer)
    elif not document.is_titled or _starts_with_title(document, summary):
        return _cut_to_limit("", document, summary, sizer)
    else:
        found = _cut_to_limit(f"{title}\n\n", document, summary, sizer)
    heading = _title_heading(document)
    if heading is None:
        return found
    spans = [heading, *([found.span] if len(found.span) else [])]
    span = Span(min(s.start for s in spans), max(s.end for s in spans))
    return found._replace(span=span)


def _starts_with_title(document: Document, span: Span) -> bool:
    """Return whether a span starts with the title, as a heading in Markdown or HTML."""
    block = document.top[document.positions(span).start]
    if block.kind is BlockKind.HTML:
        return document.title in document.text[block.start : block.end]
    return block.kind is BlockKind.HEADING and block.info == document.title


def _title_heading(document: Document) -> Span | None:
    """Return the span of the heading that is the document's title, None if there is none."""
    tops = [s for s in document.sections if s.level == 1 and not s.kind]
    is_title = document.is_titled and len(tops) == 1 and tops[0].title
    return document.heading_span(tops[0].first) if is_title else None


def _summary_span(document: Document) -> Span:
    """Return the span of the preamble or the title's own text, else of the first lines."""
    root, title = document.sections[ROOT], document.sections[document.folded]
    start = document.front_matter_stop
    if document.has_content(start, root.own_stop):
        return _trimmed(document, start, root.own_stop)
    if document.folded:
        start = title.first + 1
        if title.has_body:
            return _trimmed(document, start, title.own_stop)
    rest = _trimmed(document, start, len(document.top))
    return _cut_at_line(document, rest, rest.start + _MAX_PREFIX_LENGTH)


def _trimmed(document: Document, first: int, stop: int) -> Span:
    start = document.start_of(first)
    span = document.source.trim(start, document.start_of(stop)) or Span(start, start)
    has_bom = not span.start and document.text.startswith(BOM)
    return Span(span.start + has_bom, span.end)


def _cut_to_limit(title: str, document: Document, span: Span, sizer: Sizer) -> Summary:
    """Return a title and the lines of a span that fit below it, with the span of these lines."""
    content = title + document.text[span.start : span.end]
    if len(content) <= CHARACTERS_PER_UNIT * sizer.max_size:
        size = sizer.length(content)
        if size <= sizer.max_size:
            return Summary(content, size, span)
    stop = sizer.longest(content, 0, len(content), sizer.max_size)
    fitting = Span(span.start, span.start)
    if stop > len(title):
        fitting = _cut_at_line(document, span, span.start + stop - len(title))
        stop = len(title) + len(fitting)
    text = content[:stop].rstrip()
    return Summary(text, sizer.length(text), fitting)


def _cut_at_line(document: Document, span: Span, stop: int) -> Span:
    """Return a span up to the last line that ends before an offset.

    A fence that the cut would leave open is not part of the result.
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
