"""Procedures run with an event loop and without one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from chunkana_retrieval.indexing import Procedure, call, call_in_thread, run, run_async


def half(number: int) -> float:
    return 1 / number


async def half_later(number: int) -> float:
    return -1 / number


def halves(number: int, closed: list[int]) -> Procedure[list[float]]:
    try:
        try:
            found = yield from call(half, half_later, number, expected=(ZeroDivisionError,))
        except ZeroDivisionError:
            found = yield from call(half, half_later, number=4)
        return [found, (yield from call_in_thread(half, 2))]
    finally:
        closed.append(number)


def run_later(procedure: Procedure[list[float]]) -> list[float]:
    return asyncio.run(run_async(procedure))


@pytest.mark.parametrize(("runs", "sign"), [(run, 1), (run_later, -1)])
def test_calls_are_made_in_the_form_of_the_runner(
    runs: Callable[[Procedure[list[float]]], list[float]], sign: int
) -> None:
    closed: list[int] = []
    assert runs(halves(8, closed)) == [sign / 8, 0.5]
    assert runs(halves(0, closed)) == [sign / 4, 0.5]  # an expected error
    with pytest.raises(TypeError):
        runs(halves("one", closed))  # type: ignore[arg-type]
    assert closed == [8, 0, "one"]
