"""Assembly of hits into passages: the selection of what fits into the budget."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from chunkana_core import ConfigurationError, Span
from chunkana_retrieval.checks import require_number
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.reading.cutting import line_ends, sentence_ends, word_ends
from chunkana_retrieval.reading.passages import BLANK_LINE, OMISSION, Layout, Passage

_Gap = tuple[str, Span]  # a document id, and a range between two hits


def assemble(
    hits: Sequence[Hit],
    budget: float,
    length: Callable[[str], float] = len,
    sources: Mapping[str, str] | Callable[[str], str] | None = None,
    *,
    written: Callable[[Passage], str] | None = None,
    k: int | None = None,
) -> list[Passage]:
    r"""Assemble hits into passages to read, as many as fit into a budget.

    The hits are taken in their order. The first hit that does not fit is cut after a sentence, a
    list item, a table row or a line of code, or omitted. If not even the first sentence of the best
    hit fits, that hit is cut after a word. The overlap of hits is included once. A larger budget
    never shows less of the found text.

    Every passage starts with a line of the titles above it, without those that its text repeats as
    headings at its start. Table header rows and code fences are repeated if the text starts or ends
    inside of a table or code block; so is the signature of a definition, followed by `…`. With
    `sources`, adjacent hits are joined, `…` marks omitted text between slices under the same
    titles, and gaps that are shorter than the titles and contain no hit are filled if there is
    room. Without `sources`, each hit is a passage.

    Args:
        hits: the hits, the best first; their order counts, not their scores. Each needs its span,
            and its text unless there are sources.
        budget: the maximum of `length("\n\n".join(passage.text for passage in passages))`.
        length: returns the size of a text, by default in characters; it need not be additive.
        sources: the texts of the documents by id, or a function that returns the text for an id.
        written: returns the text of a passage whose size counts, if it is more than the passage's
            text.
        k: the largest number of passages; None for any. The hits that are left out follow those
            that are in the passages.

    Returns:
        Passages; documents are in the order of their best hit, and the passages of each document in
        document order.

    Raises:
        ConfigurationError: naming the argument, for a budget below zero, a hit without a span or
            text, and a source that is missing or that the hits are not from.

    >>> from chunkana_core import ChunkConfig, MarkdownChunker
    >>> text = (
    ...     "# Tea\n\nBoil water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
    ... )
    >>> chunks = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk(text)
    >>> hits = [Hit.of_chunk(chunk, 1.0, "tea.md") for chunk in (chunks[2], chunks[0])]
    >>> (passage,) = assemble(hits, 100, sources={"tea.md": text})
    >>> print(passage.text)
    # Tea
    <BLANKLINE>
    Boil water.
    <BLANKLINE>
    …
    <BLANKLINE>
    ## Black
    <BLANKLINE>
    Do not wait.
    >>> passage.document_id, passage.start_line, passage.end_line, passage.path
    ('tea.md', 1, 11, ('Tea',))
    """
    require_number("budget", budget, 0, inf, "a number of at least 0")
    ranked, texts = _with_texts(hits, sources)
    return _Assembly(ranked, budget, length, Layout(texts), written, k).passages()


def _with_texts(
    hits: Sequence[Hit], sources: Mapping[str, str] | Callable[[str], str] | None
) -> tuple[list[Hit], dict[str, str] | None]:
    """Return hits with their texts, and the texts of their documents, None without sources."""
    for hit in hits:
        if not 0 <= hit.span.start < hit.span.end:
            raise ConfigurationError("hits", hit, "hits with the span of their text")
    if sources is None:
        for hit in hits:
            if len(hit.text) != len(hit.span):
                raise ConfigurationError("hits", hit, "hits with the text of their span")
        return list(hits), None
    texts: dict[str, str] = {}
    for document_id in dict.fromkeys(hit.document_id for hit in hits):
        texts[document_id] = _source(document_id, sources)
    return [_with_text(hit, texts[hit.document_id]) for hit in hits], texts


def _source(document_id: str, sources: Mapping[str, str] | Callable[[str], str]) -> str:
    if callable(sources):
        return sources(document_id)
    if document_id not in sources:
        raise ConfigurationError("sources", document_id, "the texts of all documents of the hits")
    return sources[document_id]


def _with_text(hit: Hit, source: str) -> Hit:
    """Return a hit with its slice of the document; raise an error if its own text differs."""
    text = source[hit.span.start : hit.span.end]
    if len(text) < len(hit.span) or hit.text not in {"", text}:
        allowed = "the texts that the hits are slices of"
        raise ConfigurationError("sources", hit.document_id, allowed)
    return replace(hit, text=text)


@dataclass(frozen=True, slots=True)
class _Assembly:
    """The selection of hits that fit into the budget; the last of them may be cut.

    Attributes:
        ranked: the hits, the best first.
        budget: the largest size of all passages together.
        length: returns the size of a text.
        layout: builds the passages.
        written: returns the text of a passage whose size counts; None for the passage's text.
        k: the largest number of passages; None for any.
    """

    ranked: Sequence[Hit]
    budget: float
    length: Callable[[str], float]
    layout: Layout
    written: Callable[[Passage], str] | None
    k: int | None

    def passages(self) -> list[Passage]:
        """Return the passages of the selected hits, with as many gaps filled as fit."""
        whole = _largest(len(self.ranked), lambda count: self._fits(self.ranked[:count]))
        selected = self.ranked[:whole]
        if whole < len(self.ranked):
            selected = [*selected, *self._cut(selected, self.ranked[whole])]
        gaps = sorted(self._gaps(selected, whole), key=lambda gap: len(gap[1]))
        count = _largest(len(gaps), lambda count: self._fits(selected, gaps[:count]))
        return self.layout.passages(selected, {*gaps[:count]})

    def _fits(self, hits: Sequence[Hit], filled: Collection[_Gap] = ()) -> bool:
        if self.k is not None and self.layout.count(hits) > self.k:
            return False
        if self.written is None:
            return self.length(self.layout.text(hits, {*filled})) <= self.budget
        written = map(self.written, self.layout.passages(hits, {*filled}))
        return self.length(BLANK_LINE.join(written)) <= self.budget

    def _cut(self, selected: Sequence[Hit], hit: Hit) -> list[Hit]:
        """Return the longest beginning of a hit that fits next to selected hits, [] for none."""
        ends = (sentence_ends if hit.is_prose else line_ends)(hit.text)
        count = _largest(len(ends), lambda n: self._fits([*selected, _start(hit, ends[n - 1])]))
        if not count and not selected:
            ends = word_ends(hit.text)
            count = _largest(len(ends), lambda n: self._fits([_start(hit, ends[n - 1])]))
        return [_start(hit, ends[count - 1])] if count else []

    def _gaps(self, selected: Sequence[Hit], whole: int) -> Iterator[_Gap]:
        """Yield the gaps between selected hits that are short and contain no omitted hit."""
        omitted = _DocumentRanges.of(self.ranked[whole:])
        for gap, after in self.layout.gaps(selected):
            document_id = after.hit.document_id
            most = max(len(OMISSION), sum(len(title) for title in after.hit.path))
            if len(gap) <= most and not omitted.overlap(document_id, gap):
                yield document_id, gap


def _start(hit: Hit, size: int) -> Hit:
    """Return a hit with only the first characters of its text."""
    span = Span(hit.span.start, hit.span.start + size)
    return replace(hit, span=span, text=hit.text[:size])


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """Return a number from 0 to `most` that fits while the next one does not, by galloping search.

    Numbers are doubled until one does not fit, then bisected. The order of the attempts is fixed,
    so a function that accepts more numbers never gets a smaller result. 0 is assumed to fit.
    """
    fitting, too_many = 0, most + 1
    tried = min(1, most)
    while fitting < tried < too_many:
        if fits(tried):
            fitting = tried
        else:
            too_many = tried
        is_doubling = too_many > most
        tried = min(2 * fitting, most) if is_doubling else (fitting + too_many) // 2
    return fitting


@dataclass(frozen=True, slots=True)
class _DocumentRanges:
    """Disjoint ranges of each document, in document order, as sorted starts and ends."""

    by_document: Mapping[str, tuple[Sequence[int], Sequence[int]]]

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> _DocumentRanges:
        """Return the ranges of hits; overlapping ones are united."""
        by_document: dict[str, tuple[list[int], list[int]]] = {}
        for hit in sorted(hits, key=lambda hit: hit.span.start):
            starts, ends = by_document.setdefault(hit.document_id, ([], []))
            if ends and hit.span.start < ends[-1]:
                ends[-1] = max(ends[-1], hit.span.end)
            else:
                starts.append(hit.span.start)
                ends.append(hit.span.end)
        return cls(by_document)

    def overlap(self, document_id: str, span: Span) -> bool:
        """Return whether any range of a document overlaps a span."""
        starts, ends = self.by_document.get(document_id, ((), ()))
        following = bisect_right(ends, span.start)
        return following < len(starts) and starts[following] < span.end
