"""A bar on the terminal while many documents are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MANY = 10  # documents; fewer are done before a bar is drawn


@contextmanager
def progress_bar(count: int, *, is_shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal; it goes away at the end.

    Args:
        count: of all documents.
        is_shown: False where results go to the same terminal meanwhile.

    Yields:
        What is to be told how many documents are done.
    """
    if not is_shown or count < _MANY or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console  # noqa: PLC0415  # only where there is a bar
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415

    columns = (*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Documents", total=count)
        yield lambda done: bar.update(task, completed=done)
