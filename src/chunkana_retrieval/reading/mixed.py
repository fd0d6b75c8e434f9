"""Assembly of passages from hits and from texts without a known position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from operator import attrgetter

from chunkana_core import ConfigurationError, Span
from chunkana_retrieval.checks import require_number
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.reading.assembly import assemble
from chunkana_retrieval.reading.passages import Passage

_Length = Callable[[str], float]
_Sources = Mapping[str, str] | Callable[[str], str]


def assemble_mixed(
    found: Sequence[Hit | str],
    budget: float,
    length: _Length = len,
    sources: _Sources | None = None,
    written: Callable[[Passage], str] = attrgetter("text"),
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
        written: returns the text of a passage whose size counts, if it is more than the passage's
            text.

    Returns:
        Passages, and for each text that fits its index in `found`.

    Raises:
        ConfigurationError: naming the argument, as `assemble` does.

    >>> assemble_mixed(["A text of others.", "Too much.", "Fits."], 25)
    [0, 2]
    """
    require_number("budget", budget, 0, inf, "a number of at least 0")
    ranking = _MixedRanking.of(found, length, sources)

    def counted(passage: Passage) -> str:
        return passage.text if passage.document_id in ranking.texts else written(passage)

    return ranking.assemble(budget, counted)


@dataclass(frozen=True, slots=True)
class _PlainText:
    """A text that is not a hit: its index in the ranking, its whole range and its size."""

    index: int
    span: Span
    size: float


@dataclass(frozen=True, slots=True)
class _MixedRanking:
    """A ranking of hits and texts.

    Attributes:
        ranked: the hits and texts as hits; each text is a hit in a document of its own.
        texts: the texts by the ids of these documents.
        length: returns the size of a text.
        sources: returns the text of a document by its id; None without sources.
    """

    ranked: Sequence[Hit]
    texts: Mapping[str, _PlainText]
    length: _Length
    sources: Callable[[str], str] | None

    @classmethod
    def of(
        cls, found: Sequence[Hit | str], length: _Length, sources: _Sources | None
    ) -> _MixedRanking:
        """Build the ranking, with a document for each text."""
        ranked: list[Hit] = []
        texts: dict[str, _PlainText] = {}
        contents: dict[str, str] = {}
        for index, one in enumerate(found):
            if isinstance(one, Hit):
                ranked.append(one)
            elif one:
                name, span = f"\0{index}", Span(0, len(one))  # no document has such an id
                ranked.append(Hit(name, 0.0, document_id=name, span=span, text=one))
                texts[name], contents[name] = _PlainText(index, span, length(one)), one
        text_of = None if sources is None else _with_contents(sources, contents)
        return cls(ranked, texts, length, text_of)

    def assemble(self, budget: float, written: Callable[[Passage], str]) -> list[Passage | int]:
        """Return the passages and the indices of the texts that fit into a budget."""
        ranked = self.ranked
        while True:
            passages = assemble(ranked, budget, self.length, self.sources, written=written)
            fitting = self._without_first_unfit(ranked, passages)
            if len(fitting) == len(ranked):
                break
            ranked = fitting
        return [
            self.texts[one.document_id].index if one.document_id in self.texts else one
            for one in passages
        ]

    def _without_first_unfit(self, ranked: Sequence[Hit], passages: Sequence[Passage]) -> list[Hit]:
        """Return the hits without the first text that did not fit whole.

        Lower ranked texts that are not smaller are removed as well, so that few rounds suffice.
        """
        spans = {passage.document_id: passage.spans for passage in passages}
        smallest_unfit, fitting = inf, list[Hit]()
        for hit in ranked:
            text = self.texts.get(hit.document_id)
            if text is None:
                fitting.append(hit)
            elif smallest_unfit == inf and spans.get(hit.document_id) != (text.span,):
                smallest_unfit = text.size
            elif text.size < smallest_unfit:
                fitting.append(hit)
        return fitting


def _with_contents(sources: _Sources, contents: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that returns the text of a document by its id and caches it."""

    @cache
    def text_of(document_id: str) -> str:
        if document_id in contents:
            return contents[document_id]
        if callable(sources):
            return sources(document_id)
        if document_id not in sources:
            allowed = "the texts of all documents of the hits"
            raise ConfigurationError("sources", document_id, allowed)
        return sources[document_id]

    return text_of
