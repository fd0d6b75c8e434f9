"""Assembly of hits into passages: the selection of what fits into the budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from chunkana_core import ConfigurationError, Span
from chunkana_core.extending import require_number
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.reading.cutting import line_ends, sentence_ends, word_ends
from chunkana_retrieval.reading.layout import (
    BLANK_LINE,
    OMISSION,
    Gap,
    Layout,
    Ranked,
    part_of,
)
from chunkana_retrieval.reading.passages import Passage

_Length = Callable[[str], float]
_Sources = Mapping[str, str] | Callable[[str], str]
_CountedText = Callable[[Passage], str]
_TEXT: _CountedText = attrgetter("text")


def assemble(
    hits: Sequence[Hit],
    budget: float,
    length: _Length = len,
    sources: _Sources | None = None,
    *,
    counted_text: _CountedText = _TEXT,
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
        counted_text: returns the text of a passage whose size counts, if it is more than the
            passage's text.
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
    require_number("budget", budget, 0)
    ranked, texts = _with_texts(hits, sources)
    selection = _Selection(budget, length, Layout(texts), counted_text, k)
    return selection.passages([*enumerate(ranked)])


def assemble_mixed(
    found: Sequence[Hit | str],
    budget: float,
    length: _Length = len,
    sources: _Sources | None = None,
    counted_text: _CountedText = _TEXT,
) -> list[Passage | int]:
    """Assemble hits and other texts within a budget; for hits alone use `assemble`.

    A text that is not a hit is returned whole, at its rank. If it does not fit, it is omitted, with
    all lower ranked texts that are not smaller, and lower ranked items take its place.

    Args:
        found: hits and texts, the best first; empty texts are omitted.
        budget: the largest size of all passages and texts, joined by blank lines.
        length: returns the size of a text, by default in characters.
        sources: the texts of the hits' documents by id, or a function that returns the text for an
            id.
        counted_text: returns the text of a passage whose size counts, if it is more than the
            passage's text.

    Returns:
        Passages, and for each text that fits its index in `found`.

    Raises:
        ConfigurationError: naming the argument, as `assemble` does.

    >>> assemble_mixed(["A text of others.", "Too much.", "Fits."], 25)
    [0, 2]
    """
    require_number("budget", budget, 0)
    texts = {f"\0{n}": one for n, one in enumerate(found) if isinstance(one, str)}
    hits = [
        one if isinstance(one, Hit) else _hit_of_text(one, f"\0{n}")
        for n, one in enumerate(found)
        if one
    ]

    def source(document_id: str) -> str:
        return texts[document_id] if document_id in texts else _source(document_id, sources or {})

    def counted(passage: Passage) -> str:
        return passage.text if passage.document_id in texts else counted_text(passage)

    ranked, known = _with_texts(hits, None if sources is None else source)
    selection = _Selection(budget, length, Layout(known), counted)
    passages = selection.passages_beside(texts, [*enumerate(ranked)])
    return [
        int(one.document_id.removeprefix("\0")) if one.document_id in texts else one
        for one in passages
    ]


def _hit_of_text(text: str, document_id: str) -> Hit:
    """Return a text as a hit that is all of a document, whose id no other document has."""
    return Hit(document_id, 0.0, document_id=document_id, span=Span(0, len(text)), text=text)


def _with_texts(
    hits: Sequence[Hit], sources: _Sources | None
) -> tuple[list[Hit], dict[str, str] | None]:
    """Return hits with their texts, and the texts of their documents, None without sources."""
    for hit in hits:
        if not 0 <= hit.span.start < hit.span.end:
            raise ConfigurationError("hits", hit, "hits with the span of their text")
        if sources is None and len(hit.text) != len(hit.span):
            raise ConfigurationError("hits", hit, "hits with the text of their span")
    if sources is None:
        return list(hits), None
    names = dict.fromkeys(hit.document_id for hit in hits)
    texts = {document_id: _source(document_id, sources) for document_id in names}
    return [_with_text(hit, texts[hit.document_id]) for hit in hits], texts


def _source(document_id: str, sources: _Sources) -> str:
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
    return hit if hit.text else replace(hit, text=text)


@dataclass(frozen=True, slots=True)
class _Selection:
    """The selection of hits that fit into a budget; the last of them may be cut.

    Attributes:
        budget: the largest size of all passages together.
        length: returns the size of a text.
        layout: lays out the passages.
        counted_text: returns the text of a passage whose size counts.
        k: the largest number of passages; None for any.
    """

    budget: float
    length: _Length
    layout: Layout
    counted_text: _CountedText
    k: int | None = None

    def passages(self, ranked: Sequence[Ranked]) -> list[Passage]:
        """Return the passages of the selected hits, with as many gaps filled as fit."""
        whole = _largest(len(ranked), lambda count: self._fits(ranked[:count]))
        selected = ranked[:whole]
        if whole < len(ranked):
            selected = [*selected, *self._cut(selected, *ranked[whole])]
        gaps = sorted(self._gaps(selected, ranked[whole:]), key=lambda gap: len(gap[1]))
        count = _largest(len(gaps), lambda count: self._fits(selected, gaps[:count]))
        return self.layout.passages(selected, {*gaps[:count]})

    def passages_beside(self, texts: Mapping[str, str], ranked: Sequence[Ranked]) -> list[Passage]:
        """Return the passages of selected hits, and of the texts that fit whole.

        Args:
            texts: the texts by the ids of their documents.
            ranked: the hits, and the texts as hits.
        """
        sizes = {document_id: self.length(text) for document_id, text in texts.items()}
        while True:
            passages = self.passages(ranked)
            fitting = {
                one.document_id
                for one in passages
                if one.document_id in texts and len(one.spans[0]) == len(texts[one.document_id])
            }
            others = (hit.document_id for _, hit in ranked if hit.document_id in texts)
            unfit = next((name for name in others if name not in fitting), None)
            if unfit is None:
                return passages
            fitting |= {name for name, size in sizes.items() if size < sizes[unfit]}
            ranked = [
                (rank, hit)
                for rank, hit in ranked
                if hit.document_id not in texts or hit.document_id in fitting
            ]

    def _fits(self, ranked: Sequence[Ranked], filled: Collection[Gap] = ()) -> bool:
        passages = self.layout.passages(ranked, {*filled})
        if self.k is not None and len(passages) > self.k:
            return False
        return self.length(BLANK_LINE.join(map(self.counted_text, passages))) <= self.budget

    def _cut(self, selected: Sequence[Ranked], rank: int, hit: Hit) -> list[Ranked]:
        """Return the longest beginning of a hit that fits next to selected hits, [] for none."""
        cut = self._longest(selected, rank, hit, (sentence_ends if hit.is_prose else line_ends))
        return cut if cut or selected else self._longest([], rank, hit, word_ends)

    def _longest(
        self, selected: Sequence[Ranked], rank: int, hit: Hit, ends_in: Callable[[str], list[int]]
    ) -> list[Ranked]:
        """Return the longest beginning of a hit up to one of some ends that fits, [] for none."""
        first, ends = hit.span.start, ends_in(hit.text)

        def beginning(count: int) -> Ranked:
            return rank, part_of(hit, first, first + ends[count - 1])

        count = _largest(len(ends), lambda count: self._fits([*selected, beginning(count)]))
        return [beginning(count)] if count else []

    def _gaps(self, selected: Sequence[Ranked], omitted: Sequence[Ranked]) -> Iterator[Gap]:
        """Yield the gaps between selected hits that are short and contain no omitted hit."""
        for (document_id, gap), after in self.layout.gaps(selected):
            longest = max(len(OMISSION), sum(map(len, after.path)))
            if len(gap) <= longest and not any(
                hit.document_id == document_id
                and hit.span.start < gap.end
                and gap.start < hit.span.end
                for _, hit in omitted
            ):
                yield document_id, gap


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
