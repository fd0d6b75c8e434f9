"""A progress bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MIN_DOCUMENTS = 10  # fewer documents are done before a bar is drawn


@contextmanager
def progress_bar(count: int, *, is_shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error, if that is a terminal; remove it at the end.

    Args:
        count: the number of all documents.
        is_shown: False if results are printed to the same terminal meanwhile.

    Yields:
        A function to call with the number of documents done.
    """
    if not is_shown or count < _MIN_DOCUMENTS or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console  # noqa: PLC0415  # slow to load; needed for a bar only
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415

    columns = (*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Documents", total=count)
        yield lambda done: bar.update(task, completed=done)
