"""An embedding model for tests, which counts its calls and breaks when it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from threading import get_ident

from tests.vectors import word_vector

Vectors = list[list[float]]
Fault = Callable[[Vectors], Vectors]
SIZE = 128


class UnreachableError(Exception):
    """The model is out of reach."""


def raise_error(vectors: Vectors) -> Vectors:
    """Be out of reach."""
    raise UnreachableError(len(vectors))


def replace_last(vectors: Vectors, vector: list[float]) -> Vectors:
    """Return vectors with another last one."""
    return [*vectors[:-1], vector]


WRONG: Mapping[str, Fault] = {
    "too few": lambda vectors: vectors[:-1],
    "too many": lambda vectors: [*vectors, vectors[-1]],
    "not a number": lambda vectors: replace_last(vectors, [nan, *vectors[-1][1:]]),
    "infinite": lambda vectors: replace_last(vectors, [inf, *vectors[-1][1:]]),
    "zero": lambda vectors: replace_last(vectors, [0.0] * len(vectors[-1])),
    "shorter": lambda vectors: replace_last(vectors, vectors[-1][1:]),
    "empty": lambda vectors: replace_last(vectors, []),
    "all shorter": lambda vectors: [vector[1:] for vector in vectors],
}
"""What a model may return that must not get into an index."""


@dataclass
class Model:
    """Embeds a text as its words: texts with common words are near to each other.

    Attributes:
        name: the model's name; "" for a model without one.
        size: the length of its vectors.
        is_reversed: whether its numbers have the opposite order: another model of the same size.
        is_async_only: whether its synchronous calls fail.
        fault: changes the vectors of a call, or raises an error.
        fault_at: the number of the first call with the fault, from 0.
        question_fault: changes the vector of a question, as the only one of a call.
        log: the file to which the texts of each call are written, for processes that are killed.
        meeting: where asynchronous questions wait for each other.
        calls: the texts of each call that succeeded.
        questions: the questions that were embedded.
        threads: the threads in which synchronous calls ran.
        loops: the event loops in which asynchronous calls ran.
    """

    name: str = "words"
    size: int = SIZE
    is_reversed: bool = False
    is_async_only: bool = False
    fault: Fault | None = None
    fault_at: int = 0
    question_fault: Fault | None = None
    log: Path | None = None
    meeting: Meeting | None = None
    calls: list[list[str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    loops: list[asyncio.AbstractEventLoop] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The texts that were embedded, in the order of the calls."""
        return [text for call in self.calls for text in call]

    def clear(self) -> None:
        """Forget all calls."""
        self.calls.clear()
        self.questions.clear()

    def embed(self, texts: list[str]) -> Vectors:
        """Return vectors of texts."""
        self._require_sync()
        return self._embed(texts)

    async def aembed(self, texts: list[str]) -> Vectors:
        """Return vectors of texts; the caller's event loop runs it."""
        self.loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return self._embed(texts)

    def embed_question(self, question: str) -> list[float]:
        """Return the vector of a question."""
        self._require_sync()
        return self._embed_question(question)

    async def aembed_question(self, question: str) -> list[float]:
        """Return the vector of a question; wait for the other questions of a meeting."""
        self.loops.append(asyncio.get_running_loop())
        if self.meeting is not None:
            await self.meeting.wait()
        return self._embed_question(question)

    def _embed_question(self, question: str) -> list[float]:
        self.questions.append(question)
        vectors = [self._vector(question)]
        return self.question_fault(vectors)[0] if self.question_fault else vectors[0]

    def _require_sync(self) -> None:
        if self.is_async_only:
            raise NotImplementedError("this model has an asynchronous client alone")
        self.threads.append(get_ident())

    def _embed(self, texts: list[str]) -> Vectors:
        vectors = [self._vector(text) for text in texts]
        if self.fault is not None and len(self.calls) >= self.fault_at:
            vectors = self.fault(vectors)
        self.calls.append([*texts])
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(f"{texts!r}\n")
        return vectors

    def _vector(self, text: str) -> list[float]:
        vector = word_vector(text, self.size)
        return vector[::-1] if self.is_reversed else vector


@dataclass
class Meeting:
    """Lets calls go on as soon as as many wait as are expected."""

    expected: int
    waiting: int = 0
    everyone: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Wait for the others."""
        self.waiting += 1
        if self.waiting >= self.expected:
            self.everyone.set()
        async with asyncio.timeout(30):
            await self.everyone.wait()
