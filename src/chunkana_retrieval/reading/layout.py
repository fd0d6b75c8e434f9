"""Layout of hits as passages: in document order, adjacent hits joined, titles above."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import NamedTuple

from chunkana_core import Source, Span
from chunkana_retrieval.hits import Hit, Path, titles_above
from chunkana_retrieval.reading.cutting import open_fence
from chunkana_retrieval.reading.passages import Lines, Passage, common_prefix

BLANK_LINE = "\n\n"
OMISSION = f"{BLANK_LINE}…{BLANK_LINE}"
Ranked = tuple[int, Hit]  # a hit with its rank, 0 for the best
Gap = tuple[str, Span]  # the id of a document, and a range between two of its hits
_TITLE_SEPARATOR = " > "
_JSON = "json"
_BLANK = re.compile(r"\s*+")


class Excerpt(NamedTuple):
    """The part of a hit that no earlier hit in the document covers.

    Attributes:
        part: the part, as a hit.
        found: the hit with its rank, and the hits with their ranks that earlier excerpts and this
            one cover completely.
    """

    part: Hit
    found: Sequence[Ranked]


def excerpts_of(ranked: Iterable[Ranked]) -> dict[str, list[Excerpt]]:
    """Return the excerpts of hits by document id, in document order."""
    by_document: dict[str, list[Ranked]] = {}
    for rank, hit in ranked:
        by_document.setdefault(hit.document_id, []).append((rank, hit))
    return {document_id: _divide(found) for document_id, found in by_document.items()}


def _divide(ranked: Iterable[Ranked]) -> list[Excerpt]:
    """Return the disjoint excerpts of the hits of one document."""
    excerpts: list[Excerpt] = []
    covered = 0
    for rank, hit in sorted(ranked, key=lambda one: (one[1].span.start, -one[1].span.end)):
        if hit.span.end > covered:
            part = part_of(hit, max(covered, hit.span.start), hit.span.end)
            excerpts.append(Excerpt(part, [(rank, hit)]))
            covered = hit.span.end
        else:
            excerpts[-1] = Excerpt(excerpts[-1].part, [*excerpts[-1].found, (rank, hit)])
    return excerpts


def part_of(hit: Hit, start: int, end: int) -> Hit:
    """Return the part of a hit in a range of the document, as a hit."""
    before = start - hit.span.start
    part = replace(hit, span=Span(start, end), text=hit.text[before : end - hit.span.start])
    if not before:
        return part
    fence = open_fence(hit.repeated + hit.text[:before]) if hit.has_fences else None
    return replace(
        part,
        start_line=hit.start_line and hit.start_line + Source.of(hit.text).line_at(before) - 1,
        repeated=f"{fence.opening}\n" if fence else "",
        signature="",
        contained_titles=0,
    )


class Slice(NamedTuple):
    """A contiguous slice of a document, covered by excerpts.

    Attributes:
        excerpts: the excerpts in document order.
        text: the exact slice.
        titles: the titles of the first excerpt's path, without those that the text itself contains
            at its start.
    """

    excerpts: Sequence[Excerpt]
    text: str
    titles: Path

    @classmethod
    def of(cls, excerpts: Sequence[Excerpt], text: str) -> Slice:
        """Build a slice and determine the titles above its text."""
        first = excerpts[0].part
        if first.format == _JSON:  # the text does not contain the indices of elements
            titles = common_prefix([one.part.path for one in excerpts])
        elif first.contained_titles:
            titles = first.path[: len(first.path) - first.contained_titles]
        else:
            titles = titles_above(first.path, text)
        return cls(excerpts, text, titles)

    @property
    def span(self) -> Span:
        """The range of the slice in the document."""
        return Span(self.excerpts[0].part.span.start, self.excerpts[-1].part.span.end)

    @property
    def found(self) -> list[Ranked]:
        """The hits in the slice with their ranks."""
        return [*chain.from_iterable(one.found for one in self.excerpts)]

    def format(self, paths_before: Collection[Path]) -> str:
        """Return the text with the header rows, fences and signature that it needs.

        Args:
            paths_before: the paths of the slices before it in the passage; their signatures are not
                repeated.
        """
        first = self.excerpts[0].part
        text = first.repeated + self.text
        fence = open_fence(text) if first.has_fences else None
        if fence:
            return f"{text}\n{fence.closing}"
        is_repeated = first.signature and first.path not in paths_before
        return f"{first.signature}{OMISSION}{text}" if is_repeated else text

    def continues(self, passage: Sequence[Slice]) -> bool:
        """Return whether this slice may follow a passage without its titles being repeated."""
        first, last = self.excerpts[0].part, passage[-1].excerpts[-1].part
        has_own_title = self.titles != first.path
        is_sibling = has_own_title and self.titles == passage[0].titles
        is_same = bool(first.signature) and first.path == last.path
        return is_sibling or is_same or self.titles == last.path

    def lines(self, source: Source | None) -> Lines | None:
        """Return the first and the last line of the slice, None if they are not known.

        Args:
            source: the document; None if only the texts of the hits are known.
        """
        first, span = self.excerpts[0].part, self.span
        if source is None and first.start_line is not None:
            line_starts = Source.of(self.text).line_starts
            source = Source(self.text, line_starts, span.start, first.start_line - 1)
        if source is None:
            return None
        return source.line_at(span.start), source.line_at(span.end - 1)


@dataclass(frozen=True, slots=True)
class Layout:
    """The passages of the hits of one ranking, each of which is laid out once.

    Attributes:
        texts: the texts of the documents by id; None if only the texts of the hits are known, so
            that adjacent hits cannot be joined.
    """

    texts: Mapping[str, str] | None
    _sources: dict[str, Source] = field(default_factory=dict, repr=False, compare=False)
    _passages: dict[object, Passage] = field(default_factory=dict, repr=False, compare=False)

    def passages(self, ranked: Iterable[Ranked], filled: Collection[Gap] = ()) -> list[Passage]:
        """Return the passages of hits, documents in the order of their best hit.

        Args:
            ranked: the hits, the best first.
            filled: the gaps between hits to include.
        """
        return [
            self._passage(document_id, slices)
            for document_id, excerpts in excerpts_of(ranked).items()
            for slices in self._groups(self._slices(document_id, excerpts, filled))
        ]

    def gaps(self, ranked: Iterable[Ranked]) -> Iterator[tuple[Gap, Hit]]:
        """Yield the gaps between the slices of a document, each with the hit after it.

        Without the texts of documents, no gaps are known.
        """
        found = {} if self.texts is None else excerpts_of(ranked)
        for document_id, excerpts in found.items():
            for before, after in pairwise(self._slices(document_id, excerpts, ())):
                gap = Span(before.span.end, after.span.start)
                yield (document_id, gap), after.excerpts[0].part

    def _passage(self, document_id: str, slices: Sequence[Slice]) -> Passage:
        """Return the passage that consists of slices, laid out when it is first needed."""
        found = [[(rank, hit.span) for rank, hit in one.found] for one in slices]
        key = tuple((one.span, *ranks) for one, ranks in zip(slices, found, strict=True))
        if key not in self._passages:
            self._passages[key] = lay_out(document_id, slices, self._source(document_id))
        return self._passages[key]

    def _source(self, document_id: str) -> Source | None:
        if self.texts is not None and document_id not in self._sources:
            self._sources[document_id] = Source.of(self.texts[document_id])
        return self._sources.get(document_id)

    def _groups(self, slices: Iterable[Slice]) -> Iterator[list[Slice]]:
        """Yield the slices of each passage of a document."""
        group: list[Slice] = []
        for one in slices:
            if group and (self.texts is None or not one.continues(group)):
                yield group
                group = []
            group.append(one)
        yield group

    def _slices(
        self, document_id: str, excerpts: Sequence[Excerpt], filled: Collection[Gap]
    ) -> Iterator[Slice]:
        """Yield the slices of a document: excerpts with nothing but filled gaps between them."""
        text, runs = None if self.texts is None else self.texts[document_id], [[excerpts[0]]]
        for before, after in pairwise(excerpts):
            gap = Span(before.part.span.end, after.part.span.start)
            if text is not None and (_is_blank(text, gap) or (document_id, gap) in filled):
                runs[-1].append(after)
            else:
                runs.append([after])
        for run in runs:
            first, last = run[0].part, run[-1].part
            yield Slice.of(run, text[first.span.start : last.span.end] if text else first.text)


def _is_blank(text: str, gap: Span) -> bool:
    blank = _BLANK.match(text, gap.start, gap.end)
    return blank is not None and blank.end() == gap.end


def lay_out(document_id: str, slices: Sequence[Slice], source: Source | None) -> Passage:
    """Return the passage that consists of slices of a document.

    Args:
        document_id: the id of the document.
        slices: the slices in document order.
        source: the document; None if only the texts of the hits are known.
    """
    parts = [excerpt.part for one in slices for excerpt in one.excerpts]
    found = [ranked for one in slices for ranked in one.found]
    hits = [hit for _, hit in found]
    lines = [known for one in slices if (known := one.lines(source))]
    first, last = parts[0].cells, parts[-1].cells
    return Passage(
        document_id,
        tuple(one.span for one in slices),
        lines[0][0] if lines else None,
        lines[-1][1] if lines else None,
        common_prefix([part.path for part in parts]),
        min(found)[1].score,
        tuple(hit.node_id for hit in hits),
        _text(slices),
        tuple(lines) or None,
        (first[0], last[1]) if first and last else None,
        _best(hit.similarity for hit in hits),
        _best(hit.bm25 for hit in hits),
    )


def _text(slices: Sequence[Slice]) -> str:
    """Return the text of the passage that consists of slices."""
    titles = _TITLE_SEPARATOR.join(" ".join(title.split()) for title in slices[0].titles)
    texts, paths = list[str](), set[Path]()
    for one in slices:
        texts.append(one.format(paths))
        paths |= {excerpt.part.path for excerpt in one.excerpts}
    text = OMISSION.join(texts)
    return f"{titles}{BLANK_LINE}{text}" if titles else text


def _best(scores: Iterable[float | None]) -> float | None:
    """Return the best of the scores that are known, None for none."""
    return max((score for score in scores if score is not None), default=None)
