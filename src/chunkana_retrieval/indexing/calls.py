"""Procedures over stores that are written once, and run with an event loop or without one.

A procedure is a generator that yields calls and is sent what each of them returns. `run` makes
the calls one after the other, and so does `run_async`, in their asynchronous form.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a procedure yields.

    Attributes:
        now: makes it.
        later: makes it in an event loop.
        expected: the errors that are raised in the procedure; for others it is closed.
    """

    now: Callable[[], object]
    later: Callable[[], Awaitable[object]]
    expected: tuple[type[Exception], ...] = ()


Procedure = Generator[Call, object, T]


def call(
    now: Callable[..., T],
    later: Callable[..., Awaitable[T]],
    *arguments: object,
    expected: tuple[type[Exception], ...] = (),
    **options: object,
) -> Procedure[T]:
    """Yield a call, and return what it returns.

    Args:
        now: what is called.
        later: what is called in an event loop.
        arguments: of both.
        expected: see `Call`.
        options: keyword arguments of both.
    """
    calls = partial(now, *arguments, **options), partial(later, *arguments, **options)
    return cast("T", (yield Call(*calls, expected)))


def call_in_thread(function: Callable[..., T], *arguments: object) -> Procedure[T]:
    """Yield the call of a function that has no asynchronous form; return what it returns."""
    return (yield from call(function, partial(asyncio.to_thread, function), *arguments))


def run(procedure: Procedure[T]) -> T:
    """Run a procedure to its end, and return what it returns; close it where a call fails."""
    with closing(procedure):
        try:
            step = next(procedure)
            while True:
                try:
                    answer = step.now()
                except step.expected as error:
                    step = procedure.throw(error)
                else:
                    step = procedure.send(answer)
        except StopIteration as stop:
            return cast("T", stop.value)


async def run_async(procedure: Procedure[T]) -> T:
    """Do what `run` does, asynchronously."""
    with closing(procedure):
        try:
            step = next(procedure)
            while True:
                try:
                    answer = await step.later()
                except step.expected as error:
                    step = procedure.throw(error)
                else:
                    step = procedure.send(answer)
        except StopIteration as stop:
            return cast("T", stop.value)
