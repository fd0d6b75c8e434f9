"""L6: a chunker remembers nothing, whoever uses it, in what order, and from how many threads."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import NamedTuple

import mdurl
import pytest
from markdown_it import MarkdownIt

from chunkana_batch import chunk_many
from chunkana_core import (
    ChunkConfig,
    ContentAnalysis,
    Context,
    HierarchicalChunkingResult,
    MarkdownChunker,
    MergeTree,
)
from chunkana_core.extending import BaseStrategy
from chunkana_explain import explain
from tests import corpora
from tests.core import module_state
from tests.core.laws import quarters, tokens

pytestmark = pytest.mark.no_cover  # what is said is compared with what is said again
THREADS = 8
OFTEN = 1e-6  # seconds between switches of threads: as often as there is a chance
CONFIGS = (
    ChunkConfig(),
    ChunkConfig(max_chunk_size=200, atomic_blocks="split", overlap_size=30),
    ChunkConfig(max_chunk_size=64, length_function=quarters, strategy="structural"),
    ChunkConfig(max_chunk_size=120, length_function=tokens, validation="strict", debug=True),
)
CONTEXT = Context("a.md", reserved="in front: ")


class Outcome(NamedTuple):
    """All that a chunker says of a text."""

    result: HierarchicalChunkingResult
    metadata: list[dict[str, object]]
    embedded: list[str]
    merge_tree: MergeTree
    tree: dict[str, object]
    explanation: dict[str, object]


def outcome(chunker: MarkdownChunker, text: str) -> Outcome:
    """Ask a chunker for all that there is."""
    result = chunker.chunk_hierarchical(text, context=CONTEXT)
    return Outcome(
        result,
        [chunk.metadata for chunk in result.chunks],
        [chunk.embedded for chunk in result.chunks],
        result.merge_tree(),
        result.to_tree_dict(),
        explain(text, chunker.config, context=CONTEXT).to_dict(),
    )


@cache
def texts() -> tuple[str, ...]:
    """Return documents that share titles, labels and footnotes, so that one may take another's."""
    names = {sample.name for sample in corpora.own_documents()} - {"regression_ru.md"}
    return (
        *(corpora.own_document(name) for name in sorted(names)[::2]),
        "# A *b* `c`\n\n[x]: /one\n[^1]: Note.\n\nText with [x] and [^1].\n",
        "# A *b* `c`\n\n[x]: new-scheme:two\n\nText with [x] and [^1].\n\n## <other-scheme:a>\n",
        "```\nnever closed, and headings alike\n\n# A *b* `c`\n",
        "---\ntitle: a\n---\n\n" + "> " * 150 + "deep\n",
        "",
        "\ufeff# \ud800\0\r\rtext\x85",
    )


@cache
def fresh(text: str, config: ChunkConfig) -> Outcome:
    """Return what a chunker says that has seen no other text."""
    return outcome(MarkdownChunker(config), text)


@pytest.fixture
def switching() -> Iterator[None]:
    """Switch threads as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    yield
    sys.setswitchinterval(before)


def shuffled(seed: int) -> list[tuple[str, ChunkConfig]]:
    """Return each text in each configuration, in some order."""
    pairs = [(text, config) for text in texts() for config in CONFIGS]
    random.Random(seed).shuffle(pairs)
    return pairs


def test_chunkers_used_in_turn_in_any_order() -> None:
    """Chunkers that have seen many texts, in any order, say of each what fresh ones say."""
    shared = {config: MarkdownChunker(config) for config in CONFIGS}
    for text, config in shuffled(1):
        assert outcome(shared[config], text) == fresh(text, config)


@pytest.mark.usefixtures("switching")
def test_chunkers_shared_by_threads() -> None:
    """Chunkers that threads share say of each text what fresh ones say, also at the same time."""
    shared = {config: MarkdownChunker(config) for config in CONFIGS}
    pairs = [pair for pair in shuffled(3) for _ in range(2)]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda pair: outcome(shared[pair[1]], pair[0]), pairs))
    for (text, config), said in zip(pairs, found, strict=True):
        assert said == fresh(text, config)


@pytest.mark.usefixtures("switching")
def test_a_result_shared_by_threads() -> None:
    """A result that threads share answers each of them what it answers one."""
    chunker = MarkdownChunker(CONFIGS[1], CONTEXT)

    def answers_of(result: HierarchicalChunkingResult) -> list[object]:
        return [[c.embedded for c in result.chunks], result.merge_tree(), result.to_tree_dict()]

    expected = answers_of(chunker.chunk_hierarchical(texts()[1]))
    again = chunker.chunk_hierarchical(texts()[1])

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(found == expected for found in pool.map(answers_of, [again] * 2 * THREADS))


_CHANGED = """
from tests.core.module_state import changed
from tests.core.test_stateless import CONFIGS, outcome, texts
from chunkana_core import MarkdownChunker
texts = texts()
print(changed(lambda: [outcome(MarkdownChunker(c), text) for c in CONFIGS for text in texts]))
"""


def test_first_use_changes_nothing_that_threads_share() -> None:
    """Nothing that modules hold, those of the parser included, is made or kept by chunking."""
    run = subprocess.run(
        [sys.executable, "-c", _CHANGED],
        cwd=corpora.REPOSITORY,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert run.stdout == "[]\n"


def test_changes_of_what_modules_hold_are_seen() -> None:
    """A table that a module fills when it is first asked for is seen; the test above can fail."""
    (change,) = module_state.changed(lambda: mdurl.encode("x", exclude="*"))
    assert "*" in change
    with pytest.raises(AssertionError):
        assert not module_state.changed(lambda: MarkdownIt().normalizeLink("scheme-of-its-own:x"))


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))],  # noqa: S301
    ids=["copied", "copied deeply", "pickled"],
)
def test_copies_of_a_chunker(copied: Callable[[MarkdownChunker], MarkdownChunker]) -> None:
    """A chunker that was copied or pickled, used or not, is equal and says the same."""
    chunker = MarkdownChunker(CONFIGS[-1], CONTEXT, strategies=[Quotes()])
    chunker.chunk(texts()[0])
    again = copied(chunker)
    assert (again.config, again.context) == (CONFIGS[-1], CONTEXT)
    assert [type(strategy) for strategy in again.strategies] == [Quotes]
    for text in texts()[:3]:
        assert outcome(again, text) == outcome(chunker, text)
        assert again.chunk(text) == chunker.chunk(text)


class Quotes(BaseStrategy):
    """A strategy of the user's own."""

    name = "quotes"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle what has lists."""
        return analysis.list_count > 0 and config.max_chunk_size > 0


def test_a_measure_that_chunks() -> None:
    """A length function may chunk, with the very chunker that asks it."""
    seen: list[str] = []

    def measure(text: str) -> int:
        if not seen:
            seen.append(text)  # once at a time, else it would never end
            shared.chunk_hierarchical("# Other\n\n[a]: b\n\nText of it. " * 9).merge_tree()
            explain("# Other *still*\n\n```\nopen", context=Context("other"))
            seen.clear()
        return quarters(text)

    seen.append("not yet")
    shared = MarkdownChunker(ChunkConfig(max_chunk_size=40, length_function=measure))
    seen.clear()
    plain = MarkdownChunker(ChunkConfig(max_chunk_size=40, length_function=quarters))
    for text in texts()[:3]:
        expected = plain.chunk_hierarchical(text[:1000], context=CONTEXT)
        assert shared.chunk_hierarchical(text[:1000], context=CONTEXT) == expected


def test_iterators_left_half_way() -> None:
    """What was begun and not finished changes nothing, and goes on where it was."""
    chunker, (first, second, third, *_) = MarkdownChunker(), texts()
    walk = chunker.chunk_hierarchical(first).walk()
    many = chunk_many(iter([("1", first), ("2", second), ("3", third)]), CONFIGS[1])
    begun = [*islice(walk, 2)], next(many)
    assert outcome(chunker, second) == fresh(second, CONFIGS[0])
    assert (*begun[0], *walk) == chunker.chunk_hierarchical(first).chunks
    alone = [
        MarkdownChunker(CONFIGS[1]).chunk_hierarchical(text) for text in (first, second, third)
    ]
    assert [made.value for made in (begun[1], *many)] == alone
