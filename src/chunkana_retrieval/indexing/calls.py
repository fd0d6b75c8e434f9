"""Procedures over stores that are written once and run either synchronously or asynchronously.

A procedure is a generator that yields calls and receives their results. `run` executes the calls
one after the other; `run_async` does the same with the asynchronous form of each call.
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
        now: executes the call synchronously.
        later: executes the call asynchronously.
        expected: the error types that are raised inside the procedure; another error closes it.
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
    """Yield a call and return its result.

    Args:
        now: the function to call synchronously.
        later: the function to call asynchronously.
        arguments: the positional arguments of both functions.
        expected: the error types that are raised inside the procedure, see `Call`.
        options: the keyword arguments of both functions.
    """
    calls = partial(now, *arguments, **options), partial(later, *arguments, **options)
    return cast("T", (yield Call(*calls, expected)))


def call_in_thread(function: Callable[..., T], *arguments: object) -> Procedure[T]:
    """Yield a call of a function without an asynchronous form, and return its result."""
    return (yield from call(function, partial(asyncio.to_thread, function), *arguments))


def run(procedure: Procedure[T]) -> T:
    """Run a procedure synchronously and return its result; close it if a call fails."""
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
    """Run a procedure asynchronously and return its result; close it if a call fails."""
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
