"""`chunk_many`: outcomes in order, in one process or several, also if some documents fail."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from collections.abc import Iterator

import pytest

from chunkana_batch import DocumentError, Outcome, WorkerError, chunk_many
from chunkana_batch.outcomes import Task
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
BOTH = pytest.mark.parametrize("workers", [1, 2])


def ids(_name: str, result: HierarchicalChunkingResult) -> list[str]:
    return [chunk.chunk_id for chunk in result.chunks]


def strict_length(text: str) -> int:
    """Measure a text; raise an error for some texts, as some tokenizers do."""
    if "forbidden" in text:
        raise ValueError("forbidden token")
    return len(text)


def broken(_name: str, _result: HierarchicalChunkingResult) -> int:
    raise AttributeError("a mistake in a program")


loaded: list[object] = []


class Tokenizer:
    """A length function that records when it is unpickled."""

    def __call__(self, text: str) -> int:
        return len(text)

    def __setstate__(self, state: object) -> None:
        loaded.append(state)

    def __getstate__(self) -> str:
        return "vocabulary"


def times_loaded(_name: str, _result: HierarchicalChunkingResult) -> int:
    return len(loaded)


class Odd(BaseStrategy):
    """A user's own strategy."""

    name = "odd"
    priority = 1

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Handle any document."""
        return analysis.total_chars > 0 and config.strategy == self.name


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


@BOTH
def test_what_is_made_of_results_is_made_where_they_are(workers: int) -> None:
    many = DOCUMENTS * 8  # several batches
    made = [outcome.value for outcome in chunk_many(many, None, workers, make=ids)]
    assert made == [ids(name, chunk_hierarchical(text)) for name, text in DOCUMENTS] * 8


@BOTH
def test_a_document_that_fails_is_named_and_the_others_go_on(workers: int) -> None:
    documents = [("a", "# A\n\nfine"), ("b", "forbidden"), ("c", "fine")]
    config = ChunkConfig(length_function=strict_length)
    outcomes = list(chunk_many(documents, config, workers, make=ids))
    assert [outcome.name for outcome in outcomes] == ["a", "b", "c"]
    assert outcomes[1] == Outcome("b", None, "ValueError: forbidden token")
    assert all(outcome.value and outcome.error is None for outcome in outcomes[::2])


@BOTH
def test_what_is_no_text_fails_by_itself(workers: int) -> None:
    documents = [("a", None), ("b", "fine")]
    outcomes = list(chunk_many(documents, None, workers, make=ids))  # type: ignore[arg-type]
    assert [outcome.error is None for outcome in outcomes] == [False, True]
    assert "text is None" in str(outcomes[0].error)


@BOTH
def test_an_error_is_raised_where_the_caller_asks_for_it(workers: int) -> None:
    documents = [("a", "# A\n\nfine"), ("b", "forbidden"), ("c", "fine")]
    config = ChunkConfig(length_function=strict_length)
    outcomes = chunk_many(documents, config, workers, make=ids, on_error="raise")
    assert next(outcomes).name == "a"
    with pytest.raises(DocumentError, match=r"^b: cannot be chunked: ValueError: forbidden token$"):
        next(outcomes)


@BOTH
def test_a_mistake_in_a_program_ends_all(workers: int) -> None:
    with pytest.raises(AttributeError, match="a mistake in a program"):
        list(chunk_many(DOCUMENTS, None, workers, make=broken))


@BOTH
def test_documents_are_read_as_they_are_needed(workers: int) -> None:
    """However many there are, only some batches are held at a time."""
    read = []

    def documents() -> Iterator[tuple[str, str]]:
        for number in range(10_000):
            read.append(number)
            yield str(number), "# A\n\nText.\n"

    outcomes = chunk_many(documents(), None, workers, make=ids)
    assert not read
    next(outcomes)
    assert len(read) <= 64 * 3 * 3
    del outcomes  # and the processes with it
    gc.collect()


@BOTH
def test_large_documents_are_not_held_by_the_dozen(workers: int) -> None:
    read = []

    def documents() -> Iterator[tuple[str, str]]:
        for number in range(40):
            read.append(number)
            yield str(number), f"```\n{'x' * 240_000}\n```\n"

    outcomes = chunk_many(documents(), None, workers, make=count)
    next(outcomes)
    assert len(read) <= 3 * workers + 1
    outcomes.close()  # type: ignore[attr-defined]  # a generator


def count(_name: str, result: HierarchicalChunkingResult) -> int:
    return len(result.chunks)


@BOTH
def test_progress_is_told_of_each_document(workers: int) -> None:
    told: list[int] = []
    outcomes = chunk_many(DOCUMENTS, None, workers, make=ids, progress=told.append)
    next(outcomes)
    assert told == [1]
    list(outcomes)
    assert told == list(range(1, len(DOCUMENTS) + 1))


@BOTH
def test_strategies_of_the_users_own(workers: int) -> None:
    config = ChunkConfig(strategy="odd")
    (outcome,) = chunk_many([("a", "Text.")], config, workers, strategies=[Odd()])
    assert outcome.value is not None
    assert outcome.value.strategy_used == "odd"


def test_what_was_sent_is_loaded_once() -> None:
    """A tokenizer that takes long to load is not loaded with each batch."""
    loaded.clear()
    config = ChunkConfig(length_function=Tokenizer())
    outcomes = list(chunk_many(DOCUMENTS * 8, config, 2, make=times_loaded))
    assert {outcome.value for outcome in outcomes} == {1}


def test_no_workers_means_one_for_each_processor() -> None:
    made = [outcome.value for outcome in chunk_many(DOCUMENTS, None, 0, make=ids)]
    assert made == [ids(name, chunk_hierarchical(text)) for name, text in DOCUMENTS]


def test_no_documents() -> None:
    assert not list(chunk_many([]))
    assert not list(chunk_many([], None, 2))


def test_what_cannot_be_sent_is_said_before_anything_is_read() -> None:
    with pytest.raises(InputTypeError, match=r"workers is 2; allowed: 1 for what cannot be sent"):
        chunk_many(DOCUMENTS, None, 2, make=lambda _name, result: len(result.chunks))


def test_wrong_arguments() -> None:
    with pytest.raises(ConfigurationError, match="workers is -1; allowed: a whole number of at"):
        chunk_many([], None, -1)
    with pytest.raises(InputTypeError, match="documents is 3"):
        chunk_many(3)  # type: ignore[call-overload]
    with pytest.raises(InputTypeError, match="progress is 3; allowed: None or a callable"):
        chunk_many([], progress=3)  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="on_error is 'no'; allowed: 'raise' or 'skip'"):
        chunk_many([], on_error="no")  # type: ignore[call-overload]
    with pytest.raises(InputTypeError, match="config is 3"):
        chunk_many([], 3)  # type: ignore[call-overload]


def test_a_result_is_the_same_after_its_way_between_processes() -> None:
    result = chunk_hierarchical(DOCUMENTS[0][1])
    again = pickle.loads(pickle.dumps(result))  # noqa: S301  # our own
    assert again == result
    assert again.toc() == result.toc()


class Unloadable(str):
    """A string that pickles, but does not unpickle."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[int], tuple[str]]:
        return int, ("none",)


def unsendable(name: str, _result: HierarchicalChunkingResult) -> object:
    return {"b": lambda: name, "c": Unloadable()}.get(name, name)


def test_what_cannot_be_sent_back_fails_by_itself() -> None:
    documents = [("a", "A."), ("b", "B."), ("c", "C."), ("d", "D.")]
    outcomes = list(chunk_many(documents, None, 2, make=unsendable))
    assert [outcome.value for outcome in outcomes] == ["a", None, None, "d"]
    assert "cannot be sent from its process" in str(outcomes[1].error)
    assert "cannot be received from its process" in str(outcomes[2].error)


@BOTH
def test_what_was_read_before_an_error_is_done_first(workers: int) -> None:
    def documents() -> Iterator[tuple[str, str]]:
        for number in range(70):  # more than a batch
            yield str(number), "Text."
        raise RuntimeError("the disk is gone")

    done: list[str] = []
    outcomes = chunk_many(documents(), None, workers)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        done.extend(outcome.name for outcome in outcomes)
    assert done == [str(number) for number in range(70)]


def test_an_interrupt_while_documents_are_read_ends_all_at_once() -> None:
    def documents() -> Iterator[tuple[str, str]]:
        for number in range(70):
            yield str(number), "Text."
        raise KeyboardInterrupt

    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        done.extend(outcome.name for outcome in chunk_many(documents(), None, 2))
    assert not done


@BOTH
def test_documents_are_closed_when_nobody_asks_for_more(workers: int) -> None:
    """Also where an error of theirs would be next."""
    closed = []

    def documents() -> Iterator[tuple[str, str]]:
        try:
            for number in range(200):
                yield str(number), "Text."
            raise RuntimeError("the disk is gone")
        finally:
            closed.append(True)

    outcomes = chunk_many(documents(), None, workers)
    assert next(outcomes).name == "0"
    outcomes.close()  # type: ignore[attr-defined]  # a generator
    del outcomes
    gc.collect()
    assert closed == [True]


@BOTH
@pytest.mark.parametrize("documents", [["ab", "cd"], "ab", [("a", "b", "c")]])
def test_what_are_no_pairs(workers: int, documents: list[tuple[str, str]]) -> None:
    with pytest.raises(InputTypeError, match="allowed: pairs of a name and a text"):
        list(chunk_many(documents, None, workers))


def killed(_name: str, _result: HierarchicalChunkingResult) -> None:
    os._exit(9)


def test_a_process_that_is_lost_ends_all_by_an_error_of_ours() -> None:
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(chunk_many([("a", "Text.")], None, 2, make=killed))


def endless(name: str, result: HierarchicalChunkingResult) -> str:
    return endless(name, result) if name == "b" else name


@BOTH
def test_a_document_that_is_nested_too_deeply_fails_by_itself(workers: int) -> None:
    documents = [("a", "A."), ("b", "B."), ("c", "C.")]
    outcomes = list(chunk_many(documents, None, workers, make=endless))
    assert [outcome.value for outcome in outcomes] == ["a", None, "c"]
    assert str(outcomes[1].error).startswith("RecursionError: ")


def interrupted(name: str, _result: HierarchicalChunkingResult) -> str:
    signal.raise_signal(signal.SIGINT)
    return name


def test_worker_processes_leave_an_interrupt_to_the_process_that_started_them() -> None:
    """Ctrl-C reaches all of them; a worker that ended by it would be reported as lost."""
    outcomes = chunk_many([("a", "A."), ("b", "B.")], None, 2, make=interrupted)
    assert [outcome.value for outcome in outcomes] == ["a", "b"]


def blocked_from_the_start(_name: str, _result: HierarchicalChunkingResult) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_while_worker_processes_start_does_not_end_them() -> None:
    (outcome,) = chunk_many([("a", "A.")], None, 2, make=blocked_from_the_start)
    assert outcome.value is True
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def too_large(name: str, _result: HierarchicalChunkingResult) -> str:
    if name == "b":
        raise MemoryError
    return name


@BOTH
def test_a_document_that_takes_too_much_memory_fails_by_itself(workers: int) -> None:
    documents = [("a", "A."), ("b", "B."), ("c", "C.")]
    outcomes = list(chunk_many(documents, None, workers, make=too_large))
    failed: Outcome[str] = Outcome("b", None, "MemoryError: not enough memory")
    assert outcomes == [Outcome("a", "a"), failed, Outcome("c", "c")]


def test_a_batch_as_a_process_runs_it() -> None:
    """As above, in this process, where coverage sees it."""
    task = pickle_task(Task(Chunker(), unsendable, "auto"), 2)
    pickled = _run_batch(task, [("a", "A."), ("b", "B.")])
    outcomes: list[Outcome[object]] = [_unpickle_value(outcome) for outcome in pickled]
    good, bad = outcomes
    assert good == Outcome("a", "a")
    assert bad.value is None
    assert str(bad.error).startswith("cannot be sent from its process (")
