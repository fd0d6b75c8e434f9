"""Measure one index in a process of its own, and print the measurements as JSON.

`python -m benchmarks.index.probe ENGINE KIND PHASE FOLDER`, as `benchmarks.index` runs it. ENGINE
is a module of this folder. The files of documents and questions are in FOLDER, and the index is
made in a folder there.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.index.documents import NamedText, edited
from benchmarks.index.engines import SIZE, Engine

Measured = dict[str, float]  # seconds of processor time, or bytes

DOCUMENTS, QUESTIONS = "documents.json", "questions.json"
WORDS, HYBRID = "words", "hybrid"
BUILD_PHASE, LOAD_PHASE = "build", "load"
BUILD, UPDATE, FIRST_QUERY = "build", "update of one document", "first query after it"
QUERY, UPDATE_ALL = "query", "update with all files, one changed"
LOAD, MEMORY = "load and first query", "memory of that"
FILE, TEXT, VECTORS = "closed file", "text", "vectors"
_INDEX = "index"
_LEAST, _MOST, _ENOUGH = 2, 15, 8.0  # repetitions, and the seconds after which there are enough
_STATUS = Path("/proc/self/status")


def build(engine: Engine, folder: Path) -> Measured:
    """Build an index, update it, ask questions, close it, and return the measurements."""
    texts = [NamedText(*one) for one in json.loads((folder / DOCUMENTS).read_bytes())]
    questions = json.loads((folder / QUESTIONS).read_bytes())
    documents = engine.prepared(texts)
    found = {BUILD: seconds(lambda: engine.build(documents))}
    vector_count = engine.model.count if engine.model else 0
    engine.ask(questions[0])
    found[UPDATE], found[FIRST_QUERY] = updates(engine, texts, questions)
    found[QUERY] = queries(engine, questions)
    changed = engine.prepared([edited(texts[0], 0), *texts[1:]])
    found[UPDATE_ALL] = seconds(lambda: engine.update(changed))
    engine.close()
    sizes = [path.stat().st_size for path in (folder / _INDEX).rglob("*") if path.is_file()]
    text_size = sum(len(text.encode()) for _, text in texts)
    return found | {FILE: sum(sizes), TEXT: text_size, VECTORS: vector_count * SIZE * 4}


def updates(
    engine: Engine, texts: Sequence[NamedText], questions: Sequence[str]
) -> tuple[float, float]:
    """Return the median times of an update of one document, and of the first query after it.

    Each document is changed twice, so that the index ends with the documents as they were.
    """
    times: list[tuple[float, float]] = []
    while len(times) < _LEAST or (len(times) < _MOST and sum(map(sum, times)) < _ENOUGH):
        turn = len(times)
        text = texts[-1 - turn // 2 % len(texts)]
        one = engine.prepared([text if turn % 2 else edited(text, turn)])
        question = questions[turn % len(questions)]
        times.append((seconds(lambda: engine.update(one)), seconds(lambda: engine.ask(question))))  # noqa: B023
    update, query = map(median, zip(*times, strict=True))
    return update, query


def queries(engine: Engine, questions: Sequence[str]) -> float:
    """Return the median time of queries."""
    times: list[float] = []
    for question in questions:
        times.append(seconds(lambda: engine.ask(question)))  # noqa: B023
        if len(times) >= _LEAST and sum(times) > _ENOUGH:
            break
    return median(times)


def load(engine: Engine, folder: Path) -> Measured:
    """Load an index, ask one question, and return the time and the memory that both took."""
    (question, *_) = json.loads((folder / QUESTIONS).read_bytes())
    before = _peak()

    def load_and_ask() -> None:
        engine.load()
        engine.ask(question)

    took = seconds(load_and_ask)
    return {LOAD: took, MEMORY: _peak() - before}


def seconds(function: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    start = process_time()
    function()
    return process_time() - start


def _peak() -> int:
    """Return the resident peak of this process in bytes."""
    if _STATUS.exists():  # on Linux `ru_maxrss` starts with the peak of the process that started it
        found = re.search(r"^VmHWM:\s*(\d+) kB", _STATUS.read_text(encoding="utf-8"), re.MULTILINE)
        return int(found[1]) * 1024 if found else 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in bytes on macOS


def main(name: str, kind: str, phase: str, folder: str) -> None:
    """Run one phase."""
    module = import_module(f"benchmarks.index.{name}")
    engine = module.Engine(Path(folder, _INDEX), has_vectors=kind == HYBRID)
    print(json.dumps({BUILD_PHASE: build, LOAD_PHASE: load}[phase](engine, Path(folder))))


if __name__ == "__main__":
    main(*sys.argv[1:])
