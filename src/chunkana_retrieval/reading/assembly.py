"""What to read of the hits of a search, within a budget."""

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

_Gap = tuple[str, Span]  # with the id of its document


def assemble(
    hits: Sequence[Hit],
    budget: float,
    length: Callable[[str], float] = len,
    sources: Mapping[str, str] | Callable[[str], str] | None = None,
    *,
    written: Callable[[Passage], str] | None = None,
) -> list[Passage]:
    r"""Return what to read of hits, as much as fits into a budget.

    The best hits are taken as they are ranked. The first that does not fit is cut after a sentence,
    an item, a row or a line of code, or left out. Where not even the best one's first sentence
    fits, it is cut after a word. Nothing comes twice, where hits overlap. A larger budget never
    shows less of what was found.

    Every passage begins with the titles above it, on one line; those that its text begins with as
    headings are left out there. Header rows of tables and code fences are repeated where the text
    starts or ends inside, and so is the signature of a definition, before `…`. With `sources`,
    neighbours are joined, `…` stands for what is left out
    between slices under the same titles, and gaps that are shorter than the titles and that no hit
    is in are filled if there is room. Without, each hit is a passage.

    Args:
        hits: the best first; the order they are given in counts, not their scores. Each with its
            span, and its text unless there are sources.
        budget: the most that `length("\n\n".join(passage.text for passage in passages))` may be.
        length: measures a text, in characters by default. Sizes need not add up.
        sources: the texts of the documents by their ids, or a function that returns one.
        written: returns what is handed over of a passage, where that is more than its text; then
            that is what counts.

    Returns:
        Passages, documents in the order of their best hit, and by position in each document.

    Raises:
        ConfigurationError: naming the argument, for a budget below zero, a hit without a span or
            text, a source that is missing or that is not what the hits are from.

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
    located, texts = _located(hits, sources)
    return _Assembly(located, budget, length, Layout(texts), written).passages()


def _located(
    hits: Sequence[Hit], sources: Mapping[str, str] | Callable[[str], str] | None
) -> tuple[list[Hit], dict[str, str] | None]:
    """Return hits with their texts, and the texts of their documents if there are sources."""
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
    return [_checked(hit, texts[hit.document_id]) for hit in hits], texts


def _source(document_id: str, sources: Mapping[str, str] | Callable[[str], str]) -> str:
    if callable(sources):
        return sources(document_id)
    if document_id not in sources:
        raise ConfigurationError("sources", document_id, "the texts of all documents of the hits")
    return sources[document_id]


def _checked(hit: Hit, source: str) -> Hit:
    """Return a hit with the text that its document has."""
    text = source[hit.span.start : hit.span.end]
    if len(text) < len(hit.span) or hit.text not in {"", text}:
        allowed = "the texts that the hits are slices of"
        raise ConfigurationError("sources", hit.document_id, allowed)
    return replace(hit, text=text)


@dataclass(frozen=True, slots=True)
class _Assembly:
    """Selects what fits.

    Attributes:
        ranked: the hits, the best first.
        budget: the most that all texts together may measure.
        length: the measure.
        layout: writes the texts.
        written: returns what is handed over of a passage; None for its text.
    """

    ranked: Sequence[Hit]
    budget: float
    length: Callable[[str], float]
    layout: Layout
    written: Callable[[Passage], str] | None

    def passages(self) -> list[Passage]:
        """Return what is selected, and gaps that there is room for."""
        whole = _largest(len(self.ranked), lambda count: self._fits(self.ranked[:count]))
        selected = self.ranked[:whole]
        if whole < len(self.ranked):
            selected = [*selected, *self._cut(selected, self.ranked[whole])]
        gaps = sorted(self._gaps(selected, whole), key=lambda gap: len(gap[1]))
        count = _largest(len(gaps), lambda count: self._fits(selected, gaps[:count]))
        return self.layout.passages(selected, {*gaps[:count]})

    def _fits(self, hits: Sequence[Hit], filled: Collection[_Gap] = ()) -> bool:
        if self.written is None:
            return self.length(self.layout.text(hits, {*filled})) <= self.budget
        written = map(self.written, self.layout.passages(hits, {*filled}))
        return self.length(BLANK_LINE.join(written)) <= self.budget

    def _cut(self, selected: Sequence[Hit], hit: Hit) -> list[Hit]:
        """Return the largest beginning of a hit that fits beside others, if any does."""
        ends = (sentence_ends if hit.is_prose else line_ends)(hit.text)
        count = _largest(len(ends), lambda n: self._fits([*selected, _start(hit, ends[n - 1])]))
        if not count and not selected:
            ends = word_ends(hit.text)
            count = _largest(len(ends), lambda n: self._fits([_start(hit, ends[n - 1])]))
        return [_start(hit, ends[count - 1])] if count else []

    def _gaps(self, selected: Sequence[Hit], whole: int) -> Iterator[_Gap]:
        """Yield the gaps between selected hits that are short and that no other hit is in."""
        waiting = _Ranges.of(self.ranked[whole:])
        for gap, after in self.layout.gaps(selected):
            document_id = after.hit.document_id
            most = max(len(OMISSION), sum(len(title) for title in after.hit.path))
            if len(gap) <= most and not waiting.overlap(document_id, gap):
                yield document_id, gap


def _start(hit: Hit, size: int) -> Hit:
    """Return a hit with the first characters of its text alone."""
    span = Span(hit.span.start, hit.span.start + size)
    return replace(hit, span=span, text=hit.text[:size])


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """Return a number that fits while the next does not, or the most; 0 is not tried.

    Few numbers are tried, whatever the answer is, and always in the same order: what fits more
    often never gets a smaller answer.
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
class _Ranges:
    """Ranges of documents, disjoint and in order."""

    by_document: Mapping[str, tuple[Sequence[int], Sequence[int]]]  # their starts, their ends

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> _Ranges:
        """Return the ranges of hits, united where they overlap."""
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
        """Tell whether any of a document's ranges has a part of a span."""
        starts, ends = self.by_document.get(document_id, ((), ()))
        following = bisect_right(ends, span.start)
        return following < len(starts) and starts[following] < span.end
