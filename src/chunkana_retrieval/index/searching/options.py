"""The options of a search, and of what is read of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from sys import float_info
from typing import Literal, get_args

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_core.extending import (
    require_callable,
    require_choice,
    require_finite,
    require_number,
)

SearchKind = Literal["hybrid", "dense", "lexical"]
Relation = Literal["parent", "siblings", "children"]
Order = Literal["document", "score"]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search.

    Attributes:
        search: the kind of search: by vectors ("dense"), by words ("lexical") or by both.
        lexical_weight: the weight of the lexical scores in a hybrid search, from 0 to 1.
        section_weight: the weight of the best score of a section, see `propagate_scores`.
        document_weight: the weight of the best score of a document, see `propagate_scores`.
        fetch_k: the number of leaves that each kind of search finds.
        min_score: the least cosine similarity of a leaf to the question, or the least score of a
            user's vector store; None for any.
    """

    search: SearchKind = "hybrid"
    lexical_weight: float = 0.4
    section_weight: float = 0.4
    document_weight: float = 0.2
    fetch_k: int = 30
    min_score: float | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_choice("search", self.search, get_args(SearchKind))
        require_number("fetch_k", self.fetch_k, 1, kind=int)
        require_number("lexical_weight", self.lexical_weight, 0, 1)
        require_finite("section_weight", self.section_weight, 0)
        require_finite("document_weight", self.document_weight, 0)
        finite = -float_info.max, float_info.max
        require_number(
            "min_score", self.min_score, *finite, kind=Real | None, allowed="None or a number"
        )
        if self.min_score is not None and self.search == "lexical":
            allowed = "None with search='lexical', which has no similarities"
            raise ConfigurationError("min_score", self.min_score, allowed)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Options of the passages to read.

    Attributes:
        budget: the largest total size of the passages.
        length_function: the function that returns the size of a text.
        around: the relations by which further leaves are added after all found leaves, see
            `add_related_leaves`.
        order: the order of passages: "score" for the one with the best leaf first; "document" for
            the documents by their best passage, and the passages of each by their position.
        k: the largest number of passages, which are then in the order "score"; None for any.
    """

    budget: float = 6000
    length_function: Callable[[str], float] = len
    around: tuple[Relation, ...] = ()
    order: Order = "score"
    k: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_number("budget", self.budget, 0)
        given: object = self.around  # a str is a sequence of str too, but not allowed
        if isinstance(given, str):
            raise InputTypeError("around", given, f"a tuple: around=({given!r},)")
        for relation in self.around:
            require_choice("around", relation, get_args(Relation))
        require_choice("order", self.order, get_args(Order))
        require_number("k", self.k, 1, kind=int | None)
        allowed = "a function that returns the size of a text"
        require_callable("length_function", self.length_function, allowed)


@dataclass(frozen=True, slots=True)
class MergingOptions:
    """Options of auto-merging.

    Attributes:
        k: the number of leaves and parents to return.
        ratio: a parent replaces its children if more than this ratio of them was found.
        max_parent_size: the most characters of a parent that replaces its children; None for any.
    """

    k: int = 4
    ratio: float = 0.5
    max_parent_size: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_number("k", self.k, 1, kind=int)
        require_number("ratio", self.ratio, 0, 1)
        require_number("max_parent_size", self.max_parent_size, 1, kind=int | None)
