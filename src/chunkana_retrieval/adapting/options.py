"""The options of a question, which the retrievers of all frameworks have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Literal, Self, TypeVar, get_args

from chunkana_core.extending import require_choice
from chunkana_retrieval.index import (
    Found,
    MergingOptions,
    Order,
    ReadingOptions,
    Relation,
    SearchKind,
    SearchOptions,
)
from chunkana_retrieval.reading.passages import Passage

Kind = TypeVar("Kind", SearchOptions, ReadingOptions, MergingOptions)
Returns = Literal["passages", "parents"]
_SEARCHING, _READING, _MERGING = SearchOptions(), ReadingOptions(), MergingOptions()
# The options that tools of other names have, by these names.
OTHER_NAMES: Mapping[str, str] = {
    "score_threshold": "min_score",
    "similarity_cutoff": "min_score",
    "simple_ratio_thresh": "ratio",
    "similarity_top_k": "k, the number of results, or fetch_k, the number of leaves of each search",
    "top_k": "k, the number of results, or fetch_k, the number of leaves of each search",
}


class QuestionOptions:
    """The options of a question, as attributes with their defaults."""

    search: SearchKind = _SEARCHING.search
    """The kind of search: "dense" (by vectors), "lexical" (by words) or "hybrid" (by both)."""
    fetch_k: int = _SEARCHING.fetch_k
    """The number of leaves that each search finds."""
    lexical_weight: float = _SEARCHING.lexical_weight
    """The weight of the lexical scores in a hybrid search, from 0 to 1."""
    section_weight: float = _SEARCHING.section_weight
    """The weight of the best score of a leaf's section, relative to its own; 0 to ignore it."""
    document_weight: float = _SEARCHING.document_weight
    """The weight of the best score of a leaf's document, relative to its own; 0 to ignore it."""
    min_score: float | None = _SEARCHING.min_score
    """The least cosine similarity of a leaf to the question; None for any."""
    returns: Returns = "passages"
    """What is returned: "passages" within the budget, or "parents": leaves, which are replaced by
    their parent if enough of its children were found."""
    k: int | None = _READING.k
    """The largest number of results, the best first; None for any number, and for 4 parents."""
    budget: float = _READING.budget
    """The largest size of all passages together; parents have no budget."""
    length_function: Callable[[str], float] = _READING.length_function
    """The function that returns the size of a text, by default in characters."""
    around: Sequence[Relation] = _READING.around
    """The relations by which further leaves are added after all found ones, the nearest first:
    "parent" for those directly in the section around a leaf's section, "siblings" for those of its
    own and of sibling sections, "children" for those of its direct subsections."""
    order: Order = _READING.order
    """The order of passages: "score" for the best first, or "document" for that in documents."""
    ratio: float = _MERGING.ratio
    """The ratio of found children above which a parent replaces its children."""
    max_parent_size: int | None = _MERGING.max_parent_size
    """The size limit of parents, in characters of their text; None for no limit."""

    def options_of(self, kind: type[Kind]) -> Kind:
        """Return options of an index with the values of the attributes of the same names."""
        values = {one.name: getattr(self, one.name) for one in fields(kind)}
        return kind(**{name: value for name, value in values.items() if value is not None})

    def require_valid(self) -> Self:
        """Return the options; raise a ConfigurationError that names the first invalid one."""
        self.options_of(SearchOptions)
        self.options_of(ReadingOptions)
        self.options_of(MergingOptions)
        require_choice("returns", self.returns, get_args(Returns))
        return self

    def passages_of(
        self, found: Found, counted_text: Callable[[Passage], str] = attrgetter("text")
    ) -> list[Passage]:
        """Return the passages or parents of found leaves; for the arguments see `Found`."""
        if self.returns == "parents":
            return found.parents(self.options_of(MergingOptions))
        return found.passages(self.options_of(ReadingOptions), counted_text)
