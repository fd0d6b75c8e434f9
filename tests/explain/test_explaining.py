"""`explain`: every cut that is there, with its reason, and none better beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from chunkana_core import ChunkConfig, Chunker, ContentAnalysis, Context, InputTypeError
from chunkana_core.drafting.merging import MergeObstacle
from chunkana_core.extending import BaseStrategy, Document, Draft
from chunkana_explain import Cut, explain
from tests import corpora
from tests.core.configurations import CONTEXTS, configs, contexts, matrix
from tests.explain.explained import explained
from tests.strategies import any_markdown

LONG = "Words of it. " * 6


def weighed(cut: Cut) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the weight of a cut beside that of each alternative that fits."""
    for other in cut.alternatives:
        assert other.start != cut.start
        if not other.over and cut.cost is not None and cut.small_parts is not None:
            yield (cut.small_parts, cut.cost), (other.small_parts, other.cost)


@given(any_markdown(), configs(), contexts())
def test_every_cut_is_explained(text: str, config: ChunkConfig, context: Context | None) -> None:
    explained(text, config, context)


@pytest.mark.parametrize(("number", "config"), [*enumerate(matrix((64,)))])
@pytest.mark.parametrize("context", [None, CONTEXTS[-1]], ids=["alone", "with a context"])
def test_no_alternative_is_better_than_the_cut(
    number: int, config: ChunkConfig, context: Context | None
) -> None:
    """Given the other cuts; where sizes add up, which those of tokens need not."""
    weights = 0
    for sample in corpora.own_documents()[number % 3 :: 3]:
        for cut in explained(sample.text, config, context).cuts:
            for chosen, other in weighed(cut):
                assert chosen <= other, cut
                weights += 1
    assert weights


def test_reasons_are_those_of_the_stages() -> None:
    text = "---\na: 1\n---\n\n# T\n\nShort.\n\n## A\n\n### A1\n\n" + "Words here. " * 12
    text += (
        "\n\nMore of them.\n\n### A2\n\nTiny.\n\n### A3\n\nTiny.\n\n## Empty\n\n# End\n\nText.\n"
    )
    explanation = explained(text, ChunkConfig(max_chunk_size=100, min_chunk_size=30))
    steps = [(s.stage, s.first_line, s.last_line, s.what) for s in explanation.steps]
    assert ("merging", 17, 23, "2 neighbours, 13 + 13") in steps
    assert any(stage == "headings" and first == 9 for stage, first, _, _ in steps)
    assert any(stage == "size" and "2 parts" in what for stage, _, _, what in steps)
    stages = {cut.line: (cut.stage, cut.why) for cut in explanation.cuts}
    assert stages[5] == ("sections", MergeObstacle.PREAMBLE.value)
    assert stages[17][0] == "sections"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Text.\n\n#### A\n\nText.\n", MergeObstacle.PREAMBLE),
        ("---\na: 1\n---\n\nText.\n", MergeObstacle.PREAMBLE),
        ("#### A\n\nText.\n\n## B\n\nText.\n", MergeObstacle.HEADING),
        (f"### A\n\n{LONG}\n\n### B\n\n{LONG}\n", MergeObstacle.LARGE),
        (f"### A\n\n{LONG}Longer.\n\n### B\n\nText.\n", MergeObstacle.LIMIT),
    ],
)
def test_reasons_are_those_that_merging_had(text: str, why: MergeObstacle) -> None:
    config = ChunkConfig(max_chunk_size=100, min_chunk_size=30, strategy="structural")
    cut = explained(text, config).cuts[0]
    assert (cut.stage, cut.why) == ("sections", why.value)


def test_drafts_of_different_sections_have_no_obstacle_of_merging() -> None:
    text = f"### A\n\n#### A1\n\n{LONG}\n\n#### A2\n\n{LONG}\n\n### B\n\n{LONG}\n"
    first, second = explained(text, ChunkConfig(max_chunk_size=100, min_chunk_size=30)).cuts
    assert (first.why, second.why) == (MergeObstacle.LARGE.value, "they are not under one section")


def test_sizes_over_the_limit_are_those_that_would_be() -> None:
    """Plans overestimate what is repeated around rows of a table."""
    rows = "| a | b |\n|---|---|\n| theta. lambda | lambda |\n| pi omicron | kappa |\n"
    config = ChunkConfig(max_chunk_size=60, atomic_blocks="split")
    cut, _ = explained(rows + "| gamma delta | mu |\n", config).cuts
    assert [(other.line, other.over) for other in cut.alternatives] == [(3, 9)]


@pytest.mark.parametrize("context", [Context("x" * 20), Context(reserved="x" * 20)])
def test_chunks_with_a_context_are_explained_as_they_are_cut(context: Context) -> None:
    text, config = f"# A\n\n{LONG}\n\n{LONG}\n", ChunkConfig(max_chunk_size=170)
    assert len(explained(text, config, context).cuts) > len(explained(text, config).cuts)


def test_atoms_that_do_not_fit_are_parts_by_themselves() -> None:
    text = "Before.\n\n```\n" + "code\n" * 30 + "```\n\nAfter.\n"
    explanation = explained(text, ChunkConfig(max_chunk_size=60))
    assert [cut.why for cut in explanation.cuts] == ["what does not fit is a part by itself"] * 2
    (step,) = explanation.steps
    assert step.what == "174 is over the limit: 3 parts, some of them over it: code_block_integrity"


def test_printed_it_is_for_people() -> None:
    text = "# T\n\nOne sentence here. Another one there. A third one at last.\n"
    explanation = explained(text, ChunkConfig(max_chunk_size=45, min_chunk_size=0))
    printed = str(explanation).splitlines()
    assert printed[0] == "Strategy fallback, limit 45."
    assert printed[1] == "lines 1-3: size: 63 is over the limit: 2 parts"
    cut = "line 3, 'A third one at last.': cut inside a paragraph: "
    assert printed[2] == cut + "the draft is over the limit, cost 20"
    other = "    or line 3, 'Another one there. A third one at last.': inside a paragraph: cost 20"
    assert printed[3] == other


def test_blank_documents_have_no_cuts() -> None:
    explanation = explained(" \n", ChunkConfig())
    assert (explanation.steps, explanation.cuts) == ((), ())
    with pytest.raises(InputTypeError, match="text"):
        explain(None)  # type: ignore[arg-type]


class Pairs(BaseStrategy):
    """Drafts two blocks at a time, whatever they are."""

    name = "pairs"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:  # noqa: ARG002
        return True

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        count = len(document.top)
        return [Draft(first, min(first + 2, count)) for first in range(0, count, 2)]


def test_headings_are_parted_from_what_is_before_them() -> None:
    """Where a strategy leaves them at the end of a draft."""
    text = "Before.\n\n# A\n\nText.\n\n# B\n\nText.\n"
    config = ChunkConfig(strategy="pairs", min_chunk_size=0)
    explanation = explain(text, config, strategies=[Pairs()])
    first, *_ = explanation.cuts
    assert (first.line, first.stage) == (3, "headings")
    assert first.why == "a heading goes with the text below it"
    assert [step.stage for step in explanation.steps] == ["headings", "headings"]


@pytest.mark.parametrize(
    ("context", "over"),
    [
        (None, {0, 2}),
        (Context(introduction=False, reserved="reserved\n"), {0, 11}),
        (Context("label", introduction=False), {0, 9}),
    ],
)
def test_excess_of_alternatives(context: Context | None, over: set[int]) -> None:
    """Three paragraphs are over the limit by two, and by what is before them."""
    text = "".join(f"Paragraph {number} of some words.\n\n" for number in range(9))
    cuts = explained(text, ChunkConfig(max_chunk_size=80), context).cuts
    assert {other.over for cut in cuts for other in cut.alternatives} == over


@pytest.mark.parametrize(
    ("heading", "limit", "minimum", "chosen", "other"),
    [
        ("", 41, 18, (1, 0, 0), (1, 0, 0)),
        ("", 40, 18, (1, 0, 0), (1, 0, 1)),  # which is over the limit
        ("", 41, 19, (1, 0, 0), (1, 1, 0)),  # the last paragraph is small
        ("", 41, 30, (1, 1, 0), (1, 1, 0)),
        ("", 41, 31, (1, 1, 0), (1, 2, 0)),
        ("# H\n\n", 46, 19, (1, 0, 0), (1, 1, 0)),
        (f"# {'h' * 25}\n\n", 80, 33, (1, 1, 0), (1, 2, 0)),  # small without its heading
    ],
)
def test_cost_and_small_parts_of_alternatives(
    heading: str,
    limit: int,
    minimum: int,
    chosen: tuple[int, int, int],
    other: tuple[int, int, int],
) -> None:
    """A cut is said with its cost, the parts beside it that are small by it, and the excess."""
    text = heading + "\n\n".join(("a" * 30, "b" * 9, "c" * 18))
    config = ChunkConfig(max_chunk_size=limit, min_content_after_header=minimum)
    (cut,) = explained(text, config).cuts
    assert (cut.cost, cut.small_parts, 0) == chosen
    assert [(o.cost, o.small_parts, o.over) for o in cut.alternatives] == [other]


def test_a_lead_in_is_where_it_stands() -> None:
    """What is kept with the list below it is a paragraph all the same."""
    text = f"{LONG}\n\nDo these:\n\n" + "- one item of text\n" * 6
    cut, *_ = explained(text, ChunkConfig(max_chunk_size=80)).cuts
    assert (cut.begins, cut.where) == ("Do these:", "before a paragraph")


SOURCE = (
    "class Kettle:\n    def boil(self):\n        self.water = hot\n        return self.water\n\n"
    "    def whistle(self, first_argument, second_argument):\n        return 1\n\n\n"
    "def pour():\n    return 2\n"
)
PLACES = {
    "a.py": (SOURCE, {"before a method", "before a statement", "before a function",
                      "inside a definition"}),
    "a.json": ('{\n"a": "words and words",\n"b": "and more of the words, too many"\n}\n',
               {"before a value", "inside a value"}),
    "a.md": ("# A\n\nText of it.\n\n## B\n\nMore of the text.\n", {"before a heading"}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "places"), [(n, *p) for n, p in PLACES.items()])
def test_places_are_named_in_the_words_of_the_format(
    name: str, text: str, places: set[str]
) -> None:
    pytest.importorskip("tree_sitter")
    config = ChunkConfig(max_chunk_size=32, min_chunk_size=0, atomic_blocks="split")
    explanation = explain(text, config, format="auto", path=name)
    assert {cut.where for cut in explanation.cuts} == places


def test_the_path_of_source_code_is_its_label_as_in_its_chunks() -> None:
    pytest.importorskip("tree_sitter")
    config, path = ChunkConfig(max_chunk_size=80), "src/kettles/kettle.py"
    explanation = explain(SOURCE, config, format="auto", path=path, context=Context())
    chunks = Chunker(config, Context()).chunk(SOURCE, path=path)
    assert chunks[0].embedded.startswith(path)
    assert [cut.start for cut in explanation.cuts] == [chunk.span.start for chunk in chunks[1:]]
