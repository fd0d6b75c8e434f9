"""`chunk_many`: outcomes in order, in one process or several, also if some documents fail."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from collections.abc import Generator, Iterator
from typing import cast

import pytest

from chunkana_batch import DocumentError, Outcome, WorkerError, chunk_many
from chunkana_batch.outcomes import Make, Task
from chunkana_batch.processes import _run_batch, _unpickle_value, pickle_task
from chunkana_core import (
    ChunkConfig,
    Chunker,
    ConfigurationError,
    ContentAnalysis,
    HierarchicalChunkingResult,
    InputTypeError,
    chunk_hierarchical,
)
from chunkana_core.extending import BaseStrategy
from tests.corpora import own_documents

# Forking where other threads run, as pytest-xdist's, is what newer Pythons warn of.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

DOCUMENTS = [(sample.name, sample.text) for sample in own_documents()]
SHORT = [(name, text[:300]) for name, text in DOCUMENTS]
BOTH = pytest.mark.parametrize("workers", [1, 2])
Outcomes = Generator[Outcome[object]]
loaded: list[object] = []


class Tokenizer:
    """A length function that records when it is unpickled."""

    def __call__(self, text: str) -> int:
        return len(text)

    def __setstate__(self, state: object) -> None:
        loaded.append(state)

    def __getstate__(self) -> str:
        return "vocabulary"


class Odd(BaseStrategy):
    """A user's own strategy."""

    name = "odd"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle any document."""
        return analysis.total_chars > 0 and config.strategy == self.name


class Unloadable(str):
    """A string that pickles, but does not unpickle."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[int], tuple[str]]:
        return int, ("none",)


def strict_length(text: str) -> int:
    """Measure a text; raise an error for some texts, as some tokenizers do."""
    if "forbidden" in text:
        raise ValueError("forbidden token")
    return len(text)


# What is made of results; functions of the module, so that they can be sent to other processes.


def ids(_name: str, result: HierarchicalChunkingResult) -> list[str]:
    return [chunk.chunk_id for chunk in result.chunks]


def times_loaded(_name: str, _result: HierarchicalChunkingResult) -> int:
    return len(loaded)


def misspelt(_name: str, _result: HierarchicalChunkingResult) -> object:
    raise AttributeError("a mistake in a program")


def killed(_name: str, _result: HierarchicalChunkingResult) -> object:
    os._exit(9)


def interrupted(name: str, _result: HierarchicalChunkingResult) -> str:
    signal.raise_signal(signal.SIGINT)
    return name


def blocked_from_the_start(_name: str, _result: HierarchicalChunkingResult) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def endless(name: str, result: HierarchicalChunkingResult) -> str:
    return endless(name, result) if name == "b" else name


def too_large(name: str, _result: HierarchicalChunkingResult) -> str:
    if name == "b":
        raise MemoryError
    return name


def unsendable(name: str, _result: HierarchicalChunkingResult) -> object:
    return {"b": lambda: name, "c": Unloadable()}.get(name, name)


# Outcomes


@BOTH
def test_results_are_those_of_chunking_one_by_one(workers: int) -> None:
    outcomes = list(chunk_many(DOCUMENTS, ChunkConfig(max_chunk_size=300), workers))
    assert [outcome.name for outcome in outcomes] == [name for name, _ in DOCUMENTS]
    for (_, text), outcome in zip(DOCUMENTS, outcomes, strict=True):
        assert outcome.value is not None
        expected = chunk_hierarchical(text, ChunkConfig(max_chunk_size=300))
        assert outcome.value.chunks == expected.chunks
        assert outcome.value.toc() == expected.toc()
        assert outcome.value.merge_tree().nodes == expected.merge_tree().nodes


@pytest.mark.parametrize("workers", [0, 1, 2])  # 0: one for each processor
def test_values_are_made_where_results_are(workers: int) -> None:
    many = SHORT * 8  # several batches
    made = [outcome.value for outcome in chunk_many(many, None, workers, make=ids)]
    assert made == [ids(name, chunk_hierarchical(text)) for name, text in SHORT] * 8


FAILING = {
    "a measure": (ids, "forbidden", "ValueError: forbidden token"),
    "no text": (ids, None, "InputTypeError: text is None; allowed: a str"),
    "depth": (endless, "B.", "RecursionError: "),
    "memory": (too_large, "B.", "MemoryError: not enough memory"),
}


@BOTH
@pytest.mark.parametrize(("make", "text", "error"), FAILING.values(), ids=FAILING)
def test_a_document_that_fails_is_named_and_the_others_are_chunked(
    workers: int, make: Make[object], text: str, error: str
) -> None:
    documents = [("a", "# A\n\nfine"), ("b", text), ("c", "fine")]
    config = ChunkConfig(length_function=strict_length)
    good, bad, other = chunk_many(documents, config, workers, make=make)
    assert [outcome.name for outcome in (good, bad, other)] == ["a", "b", "c"]
    assert bad.value is None
    assert str(bad.error).startswith(error)
    assert all(outcome.value and outcome.error is None for outcome in (good, other))
    outcomes = chunk_many(documents, config, workers, make=make, on_error="raise")
    assert next(outcomes) == good
    with pytest.raises(DocumentError, match=f"^b: cannot be chunked: {error}"):
        next(outcomes)


def test_a_value_that_cannot_be_sent_fails_by_itself() -> None:
    documents = [("a", "A."), ("b", "B."), ("c", "C."), ("d", "D.")]
    outcomes = list(chunk_many(documents, None, 2, make=unsendable))
    assert [outcome.value for outcome in outcomes] == ["a", None, None, "d"]
    assert "cannot be sent from its process" in str(outcomes[1].error)
    assert "cannot be received from its process" in str(outcomes[2].error)


def test_a_batch_as_a_process_runs_it() -> None:
    """As above, in this process, where coverage sees it."""
    task = pickle_task(Task(Chunker(), unsendable, "auto"), 2)
    pickled = _run_batch(task, [("a", "A."), ("b", "B.")])
    outcomes: list[Outcome[object]] = [_unpickle_value(outcome) for outcome in pickled]
    assert outcomes[0] == Outcome("a", "a")
    assert str(outcomes[1].error).startswith("cannot be sent from its process (")


@BOTH
def test_progress_is_called_after_each_document(workers: int) -> None:
    told: list[int] = []
    outcomes = chunk_many(SHORT, None, workers, make=ids, progress=told.append)
    next(outcomes)
    assert told == [1]
    list(outcomes)
    assert told == list(range(1, len(SHORT) + 1))


@BOTH
def test_strategies_of_users(workers: int) -> None:
    config = ChunkConfig(strategy="odd")
    (outcome,) = chunk_many([("a", "Text.")], config, workers, strategies=[Odd()])
    assert outcome.value is not None
    assert outcome.value.strategy_used == "odd"


def test_a_task_is_loaded_once_in_each_process() -> None:
    """A tokenizer that takes long to load is not loaded with each batch."""
    loaded.clear()
    config = ChunkConfig(length_function=Tokenizer())
    outcomes = list(chunk_many(SHORT * 8, config, 2, make=times_loaded))
    assert {outcome.value for outcome in outcomes} == {1}


def test_no_documents() -> None:
    assert not list(chunk_many([]))
    assert not list(chunk_many([], None, 2))


def test_a_result_is_the_same_after_pickling() -> None:
    result = chunk_hierarchical(DOCUMENTS[0][1])
    again = pickle.loads(pickle.dumps(result))  # noqa: S301  # our own
    assert again == result
    assert again.toc() == result.toc()


# How documents are read


class Read:
    """Documents that record how many of them were read, and whether they were closed."""

    def __init__(self, count: int, text: str = "Text.", end: BaseException | None = None) -> None:
        self.count, self.text, self.end = count, text, end
        self.read, self.is_closed = 0, False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        try:
            for number in range(self.count):
                self.read += 1
                yield str(number), self.text
            if self.end:
                raise self.end
        finally:
            self.is_closed = True


@BOTH
@pytest.mark.parametrize(
    ("count", "text", "most"), [(10_000, "Text.", 64 * 9), (40, f"```\n{'x' * 240_000}\n```\n", 7)]
)
def test_documents_are_read_as_they_are_needed(
    workers: int, count: int, text: str, most: int
) -> None:
    """However many or large they are, only some batches are held at a time."""
    documents = Read(count, text)
    outcomes = cast("Outcomes", chunk_many(documents, None, workers, make=ids))
    assert not documents.read
    next(outcomes)
    assert documents.read <= most
    outcomes.close()
    assert documents.is_closed


@BOTH
def test_documents_read_before_an_error_are_chunked(workers: int) -> None:
    done: list[str] = []
    documents = Read(70, end=RuntimeError("the disk is gone"))  # more than a batch
    with pytest.raises(RuntimeError, match="the disk is gone"):
        done.extend(outcome.name for outcome in chunk_many(documents, None, workers))
    assert done == [str(number) for number in range(70)]


def test_an_interrupt_while_documents_are_read_ends_all_at_once() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        done.extend(o.name for o in chunk_many(Read(70, end=KeyboardInterrupt()), None, 2))
    assert not done


@BOTH
def test_documents_are_closed_if_iteration_ends_before_an_error_of_theirs(workers: int) -> None:
    documents = Read(200, end=RuntimeError("the disk is gone"))
    outcomes = chunk_many(documents, None, workers)
    assert next(outcomes).name == "0"
    del outcomes  # and the processes with it
    gc.collect()
    assert documents.is_closed


# Errors


@BOTH
def test_a_mistake_in_a_program_is_raised(workers: int) -> None:
    with pytest.raises(AttributeError, match="a mistake in a program"):
        list(chunk_many(SHORT, None, workers, make=misspelt))


def test_a_function_that_cannot_be_sent_is_an_error_before_anything_is_read() -> None:
    documents = Read(1)
    with pytest.raises(InputTypeError, match=r"workers is 2; allowed: 1 for what cannot be sent"):
        chunk_many(documents, None, 2, make=lambda _name, result: len(result.chunks))
    assert not documents.read


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": -1}, "workers is -1; allowed: a whole number of at least 0"),
        ({"documents": 3}, "documents is 3"),
        ({"progress": 3}, "progress is 3; allowed: None or a callable"),
        ({"make": 3}, "make is 3; allowed: None or a callable"),
        ({"on_error": "no"}, "on_error is 'no'; allowed: 'raise' or 'skip'"),
        ({"config": 3}, "config is 3"),
    ],
)
def test_wrong_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        chunk_many(**{"documents": [], **options})  # type: ignore[call-overload]


@BOTH
@pytest.mark.parametrize("documents", [["ab", "cd"], "ab", [("a", "b", "c")]])
def test_documents_are_pairs(workers: int, documents: list[tuple[str, str]]) -> None:
    with pytest.raises(InputTypeError, match="allowed: pairs of a name and a text"):
        list(chunk_many(documents, None, workers))


def test_a_process_that_is_killed_is_an_error() -> None:
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(chunk_many([("a", "Text.")], None, 2, make=killed))


def test_worker_processes_leave_an_interrupt_to_the_process_that_started_them() -> None:
    """Ctrl-C reaches all of them; a worker that ended by it would be reported as lost."""
    outcomes = chunk_many([("a", "A."), ("b", "B.")], None, 2, make=interrupted)
    assert [outcome.value for outcome in outcomes] == ["a", "b"]


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_while_worker_processes_start_does_not_end_them() -> None:
    (outcome,) = chunk_many([("a", "A.")], None, 2, make=blocked_from_the_start)
    assert outcome.value is True
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
