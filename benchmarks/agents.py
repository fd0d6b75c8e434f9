"""Measure an index on the command line and in the server that agents ask, in processor time.

The documents are generated. The server is asked over its standard streams, by lines of JSON-RPC.
Its time and memory are those that the system counts for its process, so this needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import IO, cast

from benchmarks.index.documents import generated, questions
from benchmarks.printing import Target, machine, print_table, print_targets
from benchmarks.runs import run
from chunkana_retrieval import Index, ReadingOptions, SearchOptions

_FILES, _FEW_FILES = 3_000, 300
_ROUNDS = 5
_QUESTIONS = 100
_BUDGET, _HITS = 6000, 60  # the server's own
_MEGABYTE = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A running server: its process, and its standard streams."""

    def __init__(self, number: int, requests: IO[str], answers: IO[str]) -> None:
        self._files = Path(f"/proc/{number}")
        self._requests, self._answers, self._count = requests, answers, 0
        version = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self.ask("initialize", {**version, "clientInfo": {"name": "benchmark", "version": "1"}})
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, parameters: dict[str, object]) -> dict[str, object]:
        """Return the result of a request.

        Raises:
            RuntimeError: if the server has ended, or the result is an error.
        """
        self._count += 1
        self._send({"id": self._count, "method": method, "params": parameters})
        answer = json.loads(self._answers.readline() or "{}")
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("isError"):
            raise RuntimeError(f"{method} failed: {answer}")
        return result

    def search(self, question: str) -> None:
        """Ask a question."""
        self.ask("tools/call", {"name": "search", "arguments": {"query": question}})

    def seconds(self) -> float:
        """Return the processor time of the server."""
        fields = (self._files / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def megabytes(self) -> float:
        """Return the most memory that the server has had."""
        lines = (self._files / "status").read_text(encoding="utf-8").splitlines()
        (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
        return int(peak) * 1024 / _MEGABYTE

    def _send(self, message: dict[str, object]) -> None:
        self._requests.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._requests.flush()


@contextmanager
def serve(index: Path) -> Iterator[Server]:
    """Start a server for an index."""
    command = [sys.executable, "-m", "chunkana_cli", "mcp", str(index)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603
        try:
            yield Server(
                process.pid, cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
            )
        finally:
            process.kill()


def measure_server(folder: Path, asked: Sequence[str]) -> tuple[float, float, float]:
    """Return the seconds of a question to the engine and to the server, and its megabytes."""
    with Index.load(folder) as index, serve(folder) as server:
        options, reading = SearchOptions(fetch_k=_HITS), ReadingOptions(_BUDGET)

        def search(question: str) -> None:
            index.search(question, options).without_weak_hits().passages(reading)

        search(asked[0])
        server.search(asked[0])
        own, before = process_time(), server.seconds()
        for question in asked:
            search(question)
        own = process_time() - own
        for question in asked:
            server.search(question)
        spent = server.seconds() - before
        return own / len(asked), spent / len(asked), server.megabytes()


def processor_seconds(*arguments: str | Path) -> float:
    """Return the least processor time of a command in some runs."""
    return min(run(*arguments)[1] for _ in range(_ROUNDS))


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="300 files in place of 3,000")
    count = _FEW_FILES if parser.parse_args().quick else _FILES
    print("\n## An index on the command line, and a server\n\n" + machine(["mcp"]))
    documents = generated(count)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for document in documents:
            path = folder / document.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.text.encode())
            os.utime(path, (0, 0))  # files that are younger than a run are read again
        docs, index = folder / "docs", folder / "index"
        asked = questions(documents, _QUESTIONS)
        build = run("index", docs, "-o", index, "--jobs=1")[1]
        again = processor_seconds("index", docs, "-o", index, "--jobs=1")
        version = processor_seconds("--version")
        ask = processor_seconds("ask", index, "-q", asked[0])
        engine, server, memory = measure_server(index, asked)
    rows = [
        ("`index`", f"{build:.2f}"),
        ("again, nothing changed", f"{again:.2f}"),
        ("`--version`", f"{version:.3f}"),
        ("`ask`", f"{ask:.3f}"),
        ("a search by the engine", f"{engine:.4f}"),
        ("a search by the server", f"{server:.4f}"),
    ]
    print_table(f"{count:,} files, seconds of processor time", ("", "seconds"), rows)
    print_targets([
        Target("`index` again to a build", again / build, 0.05),
        Target("`ask` to `--version`", ask / version, 1.7),
        Target("a search by the server to the engine's", server / engine, 2),
        Target("the server's memory", memory, 200, " MB"),
    ])  # fmt: skip


if __name__ == "__main__":
    main()
