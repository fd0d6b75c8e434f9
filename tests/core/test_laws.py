"""The laws L1 to L7 on our own documents, the CommonMark examples, the corpus and made Markdown.

There is more on L6 in `test_stable.py`, on L8 in `test_linear.py` and on L9 in `test_total.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Context
from tests import corpora
from tests.core import laws
from tests.core.configurations import CONTEXTS, SIZES, configs, contexts, matrix
from tests.core.laws import Case, require, require_laws
from tests.core.merge_laws import sound
from tests.corpora import Sample
from tests.strategies import any_markdown

Law = Callable[[Case], None]
Configuration = tuple[ChunkConfig, Context | None]


def configurations(sizes: Iterable[int], with_context: Iterable[int]) -> tuple[Configuration, ...]:
    """Return every configuration of some sizes, and some of them with contexts of all kinds."""
    contexts = cycle(filter(None, CONTEXTS))
    alone = ((config, None) for config in matrix(sizes))
    return (*alone, *((config, next(contexts)) for config in matrix(with_context)))


EVERY = configurations(SIZES, (64, 500))
SMALL = configurations((32, 64, 200), (32, 64))  # CommonMark's examples are of a few words each
SLOW = settings.get_profile("slow")

pytestmark = pytest.mark.no_cover  # cases cover the same, and coverage doubles the time


@dataclass(frozen=True)
class Cases:
    """Documents in several configurations; what they yield is kept while tests share it."""

    cases: tuple[Case, ...]

    @classmethod
    def of(
        cls, samples: Iterable[Sample], configurations: Sequence[Configuration], step: int
    ) -> Cases:
        """Pair each document with every so-manieth configuration, the next one from the next."""
        return cls(
            tuple(
                Case(sample.text, config, sample.name, context)
                for number, sample in enumerate(samples)
                for config, context in configurations[number % step :: step]
            )
        )

    def obey(self, law: Law) -> None:
        """Assert a law of every case."""
        for case in self.cases:
            require(law, case)


def _documents() -> Iterator[ParameterSet]:
    """Yield documents, configurations, and the step by which documents take turns with these.

    A configuration is tried with one document in so many as the step says.
    """
    for name, samples, configurations, steps in (
        ("own documents", corpora.own_documents(), EVERY, (7, 2)),
        ("CommonMark examples", corpora.spec_examples(), SMALL, (7, 2)),
        ("corpus", tuple(corpora.corpus()), EVERY, (25, 5)),
    ):
        absent = [] if samples else [pytest.mark.skip(f"no {name} in {corpora.SHARED}")]
        for step, marks in zip(steps, ([], [pytest.mark.slow]), strict=True):
            yield pytest.param(
                (samples, configurations, step), id=f"{name}, step {step}", marks=absent + marks
            )


@pytest.fixture(scope="module", params=_documents())
def cases(request: pytest.FixtureRequest) -> Cases:
    """Documents in the configurations that they are tested with."""
    return Cases.of(*request.param)


def test_l1_exact_source(cases: Cases) -> None:
    """Each chunk's text is the exact slice of the source at its span."""
    cases.obey(laws.exact_source)


def test_l2_nothing_lost_nothing_twice(cases: Cases) -> None:
    """Every character that is not white space is in exactly one leaf."""
    cases.obey(laws.nothing_lost)


def test_l3_size(cases: Cases) -> None:
    """Nothing to embed is over the limit, but for flagged atoms under their headings."""
    cases.obey(laws.size_within_limit)


def test_contexts(cases: Cases) -> None:
    """Leaves alone have contexts, and as much of them as fits."""
    cases.obey(laws.contexts_sound)


def test_l4_no_dangling_heading(cases: Cases) -> None:
    """No leaf but the last ends with a heading whose body is elsewhere."""
    cases.obey(laws.no_dangling_heading)


def test_l5_tree(cases: Cases) -> None:
    """Chunks form one tree, linked both ways."""
    cases.obey(laws.one_tree)


def test_l6_same_again(cases: Cases) -> None:
    """The same text and configuration give the same chunks and ids."""
    cases.obey(laws.same_again)


def test_l7_fences(cases: Cases) -> None:
    """No content opens a fence that it does not close."""
    cases.obey(laws.fences_closed)


def test_metadata_is_sound(cases: Cases) -> None:
    """Metadata has the same keys for all chunks, is JSON-able, and agrees with the fields."""
    cases.obey(laws.metadata_sound)


@settings(max_examples=2 * settings().max_examples)
@given(text=any_markdown(), config=configs(), context=contexts())
def test_made_markdown_keeps_all_laws(
    text: str, config: ChunkConfig, context: Context | None
) -> None:
    """Each law holds for made Markdown."""
    require_laws(Case(text, config, context=context))


@pytest.mark.slow
@settings(SLOW)
@given(any_markdown(), configs(), contexts(), st.integers(1, 5000), st.integers(2, 10))
def test_more_made_markdown_keeps_all_laws(
    text: str, config: ChunkConfig, context: Context | None, cap: int, most: int
) -> None:
    """Each law, and those of merge trees, hold for many more made documents."""
    case = Case(text, config, context=context)
    require_laws(case)
    sound(case.result, config, cap, most)
