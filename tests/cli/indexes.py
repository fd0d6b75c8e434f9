"""Run `chunkana index` in the tests' own process, and see what it reads and chunks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from chunkana_cli.indexing import updating
from chunkana_cli.inputs import batch
from chunkana_cli.inputs.files import read_text
from chunkana_retrieval import Index
from chunkana_retrieval.index import record_document
from tests.cli.command import call

OLD = 1_600_000_000_000_000_000  # a time of files, in nanoseconds since 1970
_COUNT = re.compile(r"(\d+) ([a-z]+?)s?,")


class Run(NamedTuple):
    """A run of `chunkana index`.

    Attributes:
        code: the exit code.
        counts: the numbers in its summary by what they count, without zeros.
        errors: what it prints before the summary.
    """

    code: int
    counts: dict[str, int]
    errors: list[str]


class Work(NamedTuple):
    """What was done in this process.

    Attributes:
        read: the names of the files that were read.
        chunked: the ids of the documents that were chunked.
    """

    read: list[str]
    chunked: list[str]

    def clear(self) -> None:
        self.read.clear()
        self.chunked.clear()


@pytest.fixture
def work() -> Iterator[Work]:
    """Return what is read and chunked during a test, by one process."""
    done = Work([], [])

    def read(name: str, *arguments: Any) -> str:  # noqa: ANN401  # as those of the function
        done.read.append(name)
        return read_text(name, *arguments)

    def record(document_id: str, *arguments: Any) -> object:  # noqa: ANN401
        done.chunked.append(document_id)
        return record_document(document_id, *arguments)

    with patch.object(batch, "read_text", read), patch.object(updating, "record_document", record):
        yield done


def write(name: str | Path, text: str | bytes, changed: int = OLD) -> None:
    """Write a file that was changed at some time."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, ns=(changed, changed))


def index(*arguments: str | Path) -> Run:
    """Build or update an index in this process."""
    code, output, printed = call("index", *arguments, "--jobs=1")
    assert output == ""
    *errors, summary = printed.splitlines()
    counts = {what: int(count) for count, what in _COUNT.findall(summary) if int(count)}
    assert summary.endswith(" seconds"), printed
    return Run(code, counts, errors)


def texts_of(folder: str | Path) -> dict[str, str]:
    """Return the texts of the documents in an index, by their ids."""
    with Index.load(folder) as opened:
        return {name: opened.document(name).text for name in opened.document_ids()}
