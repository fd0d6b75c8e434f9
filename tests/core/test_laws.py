"""The laws L1 to L7 on our own documents, the CommonMark examples, the corpus and made Markdown.

There is more on L6 in `test_stable.py`, on L8 in `test_linear.py` and on L9 in `test_total.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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

Configuration = tuple[ChunkConfig, Context | None]


def configurations(sizes: Iterable[int], with_context: Iterable[int]) -> tuple[Configuration, ...]:
    """Return every configuration of some sizes, and some of them with contexts of all kinds."""
    contexts = cycle(filter(None, CONTEXTS))
    alone = ((config, None) for config in matrix(sizes))
    return (*alone, *((config, next(contexts)) for config in matrix(with_context)))


EVERY = configurations(SIZES, (64, 500))
SMALL = configurations((32, 64, 200), (32, 64))  # CommonMark's examples are of a few words each

pytestmark = pytest.mark.no_cover  # cases cover the same, and coverage doubles the time


def _corpora() -> Iterator[ParameterSet]:
    """Yield documents, configurations, and the step by which documents take turns with these.

    A configuration is tried with one document in so many as the step says.
    """
    for name, samples, configurations, steps in (
        ("own documents", corpora.own_documents(), EVERY, (11, 4)),
        ("CommonMark examples", corpora.spec_examples(), SMALL, (13, 4)),
        ("corpus", tuple(corpora.corpus()), EVERY, (35, 11)),
    ):
        absent = [] if samples else [pytest.mark.skip(f"no {name} in {corpora.SHARED}")]
        for step, marks in zip(steps, ([], [pytest.mark.slow]), strict=True):
            of = (samples, configurations, step)
            yield pytest.param(of, id=f"{name}, step {step}", marks=absent + marks)


@pytest.fixture(scope="module", params=_corpora())
def cases(request: pytest.FixtureRequest) -> list[Case]:
    """Pair each document with some configurations; what they yield is kept for all laws."""
    samples: Sequence[Sample]
    samples, configurations, step = request.param
    return [
        Case(sample.text, config, sample.name, context)
        for number, sample in enumerate(samples)
        for config, context in configurations[number % step :: step]
    ]


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_documents_obey_law(cases: list[Case], law: Callable[[Case], None]) -> None:
    """Each law holds for every document."""
    for case in cases:
        require(law, case)


@given(text=any_markdown(), config=configs(), context=contexts())
def test_made_markdown_obeys_all_laws(
    text: str, config: ChunkConfig, context: Context | None
) -> None:
    """Each law holds for made Markdown."""
    require_laws(Case(text, config, context=context))


@pytest.mark.slow
@settings(settings.get_profile("slow"), max_examples=400)
@given(any_markdown(), configs(), contexts(), st.integers(1, 5000), st.integers(2, 10))
def test_more_made_markdown_obeys_all_laws(
    text: str, config: ChunkConfig, context: Context | None, cap: int, most: int
) -> None:
    """Each law, and those of merge trees, hold for many more made documents."""
    case = require_laws(Case(text, config, context=context))
    sound(case.result, config, cap, most)
