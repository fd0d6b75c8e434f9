"""The measurements as Markdown tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.printing import print_table
from benchmarks.retrieval.comparing import Numbers, difference
from benchmarks.retrieval.measuring import Outcomes, System
from benchmarks.retrieval.metrics import BUDGETS
from benchmarks.retrieval.passages import Passages

KINDS_AT = 3000  # characters


@dataclass(frozen=True, slots=True)
class Report:
    """Writes tables of outcomes.

    Attributes:
        outcomes: by system.
        peers: the names of the chunkers that ours are compared with.
        kinds: of each question.
    """

    outcomes: Outcomes
    peers: Collection[str]
    kinds: Sequence[str]

    def best(self, chunkers: Collection[str], search: str, budget: int) -> System:
        """Return the best system of some chunkers at any size, for one search and budget."""
        systems = (s for s in self.outcomes if s.chunker in chunkers and s.search == search)
        return max(systems, key=lambda s: self._recall(s, budget).mean())

    def _recall(self, system: System, budget: int) -> Numbers:
        return self.outcomes[system].recalls[budget]

    def searches(self, base: str) -> list[str]:
        """Return what was searched with: one of the three ways, and the same with options."""
        made = dict.fromkeys(system.search for system in self.outcomes)
        return [search for search in made if search.split(" + ")[0] == base]

    def by_chunker(self, search: str, chunkers: Iterable[str], note: str = "") -> None:
        """Print each chunker at its best size for each budget, beside the best peer."""
        print_table(
            f"{search}, each chunker at its best size{note}",
            ("chunker", *(f"recall within {budget:,}" for budget in BUDGETS)),
            ((name, *self._cells([name], search, search)) for name in chunkers),
        )
        best = [self.best(self.peers, search, budget) for budget in BUDGETS]
        said = (f"{s.chunker}, {s.size} ({b:,})" for s, b in zip(best, BUDGETS, strict=True))
        print(f"\nThe best peers: {'; '.join(said)}.")

    def by_option(self, base: str, ours: Collection[str]) -> None:
        """Print our best chunker with each option, beside the best peer without and with it."""

        def rows() -> Iterator[Sequence[str]]:
            for search in self.searches(base):
                yield search, "ours", *self._cells(ours, search, base)
                yield search, "peers", *self._cells(self.peers, search, base)

        head = ("search", "best of", *(f"recall within {budget:,}" for budget in BUDGETS))
        print_table(f"{base} with options, beside the best peer without any", head, rows())

    def _cells(self, names: Collection[str], search: str, against: str) -> Iterator[str]:
        for budget in BUDGETS:
            system = self.best(names, search, budget)
            peer = self._recall(self.best(self.peers, against, budget), budget)
            recall = self._recall(system, budget)
            yield f"{recall.mean():.3f} ({system.size}) {difference(recall, peer)}"

    def every_size(self, searches: Sequence[str]) -> None:
        """Print recall within each budget, and what the first five passages bring."""
        head = ("chunker", "size", "search", *(f"{budget:,}" for budget in BUDGETS))
        top = ("recall of 5", "precision of 5", "IoU of 5")
        rows = (
            (system.chunker, str(system.size), system.search, *self._means(system))
            for search in searches
            for system in self.outcomes
            if system.search == search
        )
        print_table("Every size", (*head, *top), rows)

    def _means(self, system: System) -> Iterator[str]:
        outcome = self.outcomes[system]
        top = (outcome.top_recall, outcome.top_precision, outcome.top_union_share)
        return (f"{numbers.mean():.3f}" for numbers in (*outcome.recalls.values(), *top))

    def by_kind(self, systems: Iterable[System]) -> None:
        """Print the recall of systems by the kind of answer."""
        kinds = np.asarray(self.kinds)
        names = sorted(set(self.kinds))
        head = (f"within {KINDS_AT:,}", *(f"{name} ({(kinds == name).sum()})" for name in names))
        rows = (
            (
                f"{system.chunker} {system.size}, {system.search}",
                *(f"{self._recall(system, KINDS_AT)[kinds == name].mean():.3f}" for name in names),
            )
            for system in systems
        )
        print_table("By kind of answer", head, rows)


def chunks(made: dict[tuple[str, int], Passages]) -> None:
    """Print what each chunker made."""
    head = ("chunker", "size", "chunks", "mean characters", "longest", "source not found")
    print_table("Chunks", head, (_described(*key, found) for key, found in made.items()))


def _described(name: str, size: int, found: Passages) -> tuple[str, ...]:
    sizes = [len(passage.span) for passage in found.found]
    mean, longest = sum(sizes) / len(sizes), max(sizes)
    lost = f"{found.share_lost:.1%}"
    return name, str(size), f"{len(sizes):,}", f"{mean:,.0f}", f"{longest:,}", lost
