"""The laws L1 to L7 on our own documents, the CommonMark examples, the corpus and made Markdown.

There is more on L6 in `test_stable.py`, on L8 in `test_linear.py` and on L9 in `test_total.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings

from chunkana_core import ChunkConfig
from tests import corpora
from tests.core import laws
from tests.core.configurations import configs, matrix
from tests.core.laws import Case
from tests.corpora import Sample
from tests.strategies import any_markdown

Law = Callable[[Case], None]
EVERY = (*matrix(),)
SMALL = (*matrix((32, 64, 200)),)  # the CommonMark examples are of a few words each
SOME = (
    ChunkConfig(),
    ChunkConfig(max_chunk_size=200, atomic_blocks="split", length_function=laws.tokens),
)
SLOW = settings.get_profile("slow")


@dataclass(frozen=True)
class Cases:
    """Documents in several configurations; what they yield is kept while tests share it."""

    cases: tuple[Case, ...]

    @classmethod
    def of(cls, samples: Iterable[Sample], configurations: Sequence[ChunkConfig]) -> Cases:
        """Pair every document with every configuration."""
        return cls(tuple(Case(s.text, c, s.name) for s in samples for c in configurations))

    def obey(self, law: Law) -> None:
        """Assert a law of every case."""
        for case in self.cases:
            obeys(case, law)


def obeys(case: Case, law: Law) -> None:
    """Assert a law of a case; what fails says of which."""
    try:
        law(case)
    except Exception as error:
        error.add_note(f"in {case.name or repr(case.text)} with {case.config}")
        raise


def _documents() -> Iterator[ParameterSet]:
    for sample in corpora.own_documents():
        yield pytest.param(([sample], EVERY), id=sample.name)
    examples = corpora.spec_examples()
    absent = [] if examples else [pytest.mark.skip(f"no examples in {corpora.SHARED}")]
    yield pytest.param((examples, SMALL), id="CommonMark examples", marks=absent)
    samples = list(corpora.corpus())
    absent = [] if samples else [pytest.mark.skip(f"no corpus in {corpora.SHARED}")]
    yield pytest.param((samples, SOME), id="corpus", marks=absent)
    for sample in samples:
        yield pytest.param(([sample], EVERY), id=f"corpus {sample.name}", marks=pytest.mark.slow)


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
    """No content is over the limit, but for flagged atoms under their headings."""
    cases.obey(laws.size_within_limit)


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


made = given(text=any_markdown(), config=configs())


@made
def test_l1_exact_source_of_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.exact_source(Case(text, config))


@made
def test_l2_nothing_lost_of_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.nothing_lost(Case(text, config))


@made
def test_l3_size_in_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.size_within_limit(Case(text, config))


@made
def test_l4_no_dangling_heading_in_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.no_dangling_heading(Case(text, config))


@made
def test_l5_tree_of_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.one_tree(Case(text, config))


@made
def test_l6_same_again_for_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.same_again(Case(text, config))


@made
def test_l7_fences_of_made_markdown(text: str, config: ChunkConfig) -> None:
    laws.fences_closed(Case(text, config))


@made
def test_metadata_of_made_markdown_is_sound(text: str, config: ChunkConfig) -> None:
    laws.metadata_sound(Case(text, config))


@pytest.mark.slow
@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_laws_hold_for_more_made_markdown(law: Law) -> None:
    """Each law holds for ten times as many made documents."""

    @settings(SLOW)
    @made
    def holds(text: str, config: ChunkConfig) -> None:
        law(Case(text, config))

    holds()
