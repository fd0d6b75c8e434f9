"""Print the measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.printing import print_table
from benchmarks.retrieval.comparing import Numbers, difference
from benchmarks.retrieval.measuring import SEARCHES, Limit, Outcomes, System
from benchmarks.retrieval.metrics import BUDGETS, COUNTED, Counted
from benchmarks.retrieval.passages import Passages

KINDS_WITHIN: Limit = ("handed over", 3000)
_HEAD = tuple(f"{budget:,}" for budget in BUDGETS)


@dataclass(frozen=True, slots=True)
class Report:
    """Prints tables of outcomes.

    Attributes:
        outcomes: the outcomes, by system.
        peers: the names of the chunkers that Chunkana is compared with.
        kinds: the kind of each question.
    """

    outcomes: Outcomes
    peers: Collection[str]
    kinds: Sequence[str]

    def best(self, chunkers: Collection[str], search: str, within: Limit) -> System:
        """Return the best system of some chunkers at any size, for one search and budget."""
        systems = (s for s in self.outcomes if s.chunker in chunkers and s.search == search)
        return max(systems, key=lambda s: self.outcomes[s][within].mean())

    @property
    def searches(self) -> list[str]:
        """The names of the searches."""
        made = {system.search for system in self.outcomes}
        return [search for search in SEARCHES if search in made]

    @property
    def chunkers(self) -> list[str]:
        """The names of all chunkers."""
        return list(dict.fromkeys(system.chunker for system in self.outcomes))

    def print_best(self, counted: Counted) -> None:
        """Print each chunker at its best size for each budget, beside the best peer."""
        for search in self.searches:
            rows = ((name, *self._best_cells(name, search, counted)) for name in self.chunkers)
            title = f"{search}, {counted} counted, each chunker at its best size"
            print_table(title, ("chunker", *_HEAD), rows)

    def _best_cells(self, name: str, search: str, counted: Counted) -> Iterator[str]:
        for budget in BUDGETS:
            system = self.best([name], search, (counted, budget))
            yield self._cell(system, (counted, budget), f" ({system.size})")

    def _cell(self, system: System, within: Limit, note: str = "") -> str:
        """Return a recall as text; for Chunkana, with its ratio to the best peer."""
        recalls = self.outcomes[system][within]
        if system.chunker in self.peers:
            return f"{recalls.mean():.3f}{note}"
        peer = self.outcomes[self.best(self.peers, system.search, within)][within]
        return f"{recalls.mean():.3f}{note} {difference(recalls, peer)}"

    def print_sizes(self) -> None:
        """Print every chunker at every size."""
        for counted in COUNTED:
            rows = (
                (
                    system.chunker,
                    str(system.size),
                    search,
                    *(self._cell(system, (counted, budget)) for budget in BUDGETS),
                )
                for search in self.searches
                for system in self.outcomes
                if system.search == search
            )
            head = ("chunker", "size", "search", *_HEAD)
            print_table(f"Every size, {counted} counted", head, rows)

    def print_kinds(self) -> None:
        """Print the recall of the best Chunkana and peer systems by kind of answer."""
        kinds = np.asarray(self.kinds)
        names = sorted(set(self.kinds))
        ours = [name for name in self.chunkers if name not in self.peers]
        best = (
            self.best(chunkers, search, KINDS_WITHIN)
            for search in self.searches
            for chunkers in (*([name] for name in ours), self.peers)
        )
        rows = (
            (f"{s.chunker} {s.size}, {s.search}", *_by_kind(self.outcomes[s][KINDS_WITHIN], kinds))
            for s in best
        )
        counted, budget = KINDS_WITHIN
        head = (f"within {budget:,}", *(f"{name} ({(kinds == name).sum()})" for name in names))
        print_table(f"By kind of answer, {counted} counted", head, rows)


def _by_kind(recalls: Numbers, kinds: Iterable[str]) -> Iterator[str]:
    kind_of = np.asarray(kinds)
    return (f"{recalls[kind_of == name].mean():.3f}" for name in sorted({*kinds}))


def print_chunks(made: dict[tuple[str, int], Passages]) -> None:
    """Print the numbers and sizes of the chunks that each chunker made."""
    head = ("chunker", "size", "chunks", "mean characters", "handed over", "source not found")
    print_table("Chunks", head, (_described(*key, found) for key, found in made.items()))


def _described(name: str, size: int, found: Passages) -> tuple[str, ...]:
    count = len(found.found)
    own = sum(len(passage.span) for passage in found.found) / count
    read = sum(passage.size for passage in found.found) / count
    return name, str(size), f"{count:,}", f"{own:,.0f}", f"{read:,.0f}", f"{found.share_lost:.1%}"
