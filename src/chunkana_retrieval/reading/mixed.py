"""What to read of hits that are mixed with texts of which no place in a document is known."""

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
    """Return what to read of hits and of other texts, as `assemble` does of hits alone.

    A text that is no hit is handed over whole, at its place in the ranking. If it does not fit it
    is left out, with those after it that are not smaller, and what follows is read in its place.

    Args:
        found: hits and texts, the best first; texts that are "" are left out.
        budget: the most that all that is handed over, joined by blank lines, may measure.
        length: measures a text, in characters by default.
        sources: the texts of the hits' documents by their ids, or a function that returns one.
        written: returns what is handed over of a passage, where that is more than its text.

    Returns:
        Passages, and for each text that fits its index in `found`.

    Raises:
        ConfigurationError: naming the argument, as `assemble` does.

    >>> assemble_mixed(["A text of others.", "Too much.", "Fits."], 25)
    [0, 2]
    """
    require_number("budget", budget, 0, inf, "a number of at least 0")
    mixture = _Mixture.of(found, length, sources)

    def shown(passage: Passage) -> str:
        return passage.text if passage.document_id in mixture.texts else written(passage)

    return mixture.parts(budget, shown)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is no hit: its index among all that was found, its characters and its size."""

    index: int
    span: Span
    size: float


@dataclass(frozen=True, slots=True)
class _Mixture:
    """Hits and texts in one ranking.

    Attributes:
        ranked: all of them as hits, each text one in a document of its own.
        texts: the texts by the ids of these documents.
        length: the measure.
        sources: returns the text of a document; None where they are not known.
    """

    ranked: Sequence[Hit]
    texts: Mapping[str, _Text]
    length: _Length
    sources: Callable[[str], str] | None

    @classmethod
    def of(cls, found: Sequence[Hit | str], length: _Length, sources: _Sources | None) -> _Mixture:
        """Make hits of texts."""
        ranked: list[Hit] = []
        texts: dict[str, _Text] = {}
        contents: dict[str, str] = {}
        for index, one in enumerate(found):
            if isinstance(one, Hit):
                ranked.append(one)
            elif one:
                name, span = f"\0{index}", Span(0, len(one))  # what no document is called
                ranked.append(Hit(name, 0.0, document_id=name, span=span, text=one))
                texts[name], contents[name] = _Text(index, span, length(one)), one
        text_of = None if sources is None else _with_contents(sources, contents)
        return cls(ranked, texts, length, text_of)

    def parts(self, budget: float, written: Callable[[Passage], str]) -> list[Passage | int]:
        """Return what fits as it is written: passages, and the indices of texts."""
        ranked = self.ranked
        while True:
            passages = assemble(ranked, budget, self.length, self.sources, written=written)
            fitting = self._without_first_left_out(ranked, passages)
            if len(fitting) == len(ranked):
                break
            ranked = fitting
        return [
            self.texts[one.document_id].index if one.document_id in self.texts else one
            for one in passages
        ]

    def _without_first_left_out(
        self, ranked: Sequence[Hit], passages: Sequence[Passage]
    ) -> list[Hit]:
        """Return hits without the first text that is not shown whole, and what cannot fit then.

        That is any text after it that is not smaller: each time the largest that is left is smaller
        than before, so that few times will do.
        """
        shown = {passage.document_id: passage.spans for passage in passages}
        most, fitting = inf, list[Hit]()
        for hit in ranked:
            text = self.texts.get(hit.document_id)
            if text is None:
                fitting.append(hit)
            elif most == inf and shown.get(hit.document_id) != (text.span,):
                most = text.size
            elif text.size < most:
                fitting.append(hit)
        return fitting


def _with_contents(sources: _Sources, contents: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that returns the texts of documents, each asked for once."""

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
