"""Measure the chunking of a table of documents in one process, with Ray Data and with Spark."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import ray.data
from pyspark.sql import SparkSession

from benchmarks.corpus import CORPUS, ROOT
from benchmarks.printing import machine, print_table
from chunkana_batch import SCHEMA, chunk_batches, chunk_table, spark_schema
from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_core.formats.markdown.parser import parse_markdown

T = TypeVar("T")
_CONFIG = ChunkConfig()  # the default of tables
_FILES = 8
_BATCH = 500  # rows of an input batch
_RUNS = 2
_MILLION = 1_000_000
_SPARK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """The times of a job.

    Attributes:
        processor: seconds of processor time of this process and its children.
        elapsed: seconds of wall time.
    """

    processor: float
    elapsed: float


@dataclass(slots=True)
class Stopwatch:
    """Adds up the processor time of calls.

    Attributes:
        taken: the seconds of each stage, by its name.
    """

    taken: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def run(self, name: str, call: Callable[[], T]) -> T:
        """Run a call as part of a stage, and return its result."""
        start = process_time()
        result = call()
        self.taken[name] += process_time() - start
        return result


@dataclass(frozen=True, slots=True)
class Input:
    """Files of documents.

    Attributes:
        folder: a folder of Parquet files with the columns `path` and `text`.
        documents: the number of documents.
        size: the size of all texts in bytes of UTF-8.
    """

    folder: Path
    documents: int
    size: int

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as Arrow batches."""
        for path in sorted(self.folder.glob("*.parquet")):
            yield from pq.ParquetFile(path).iter_batches(_BATCH)


Job = Callable[[Input, Path], object]


def write_documents(folder: Path, size: int) -> Input:
    """Write copies of the corpus, or of the project's pages, up to a size in bytes."""
    folder.mkdir()
    paths = sorted(CORPUS.rglob("*.md")) or sorted((ROOT / "docs").rglob("*.md"))
    texts = [path.read_bytes().decode("utf-8") for path in paths]
    once = sum(len(text.encode()) for text in texts)
    copies = max(_FILES, size // once)
    for file in range(_FILES):
        numbers = range(file, copies, _FILES)
        names = [f"{number}/{path.name}" for number in numbers for path in paths]
        table = pa.table({"path": names, "text": texts * len(numbers)})
        # With dictionary encoding, copies would be read and decoded only once.
        pq.write_table(table, folder / f"{file}.parquet", use_dictionary=False)
    return Input(folder, copies * len(paths), copies * once)


def processor_seconds() -> float:
    """Return the processor time of this process and its descendants, from /proc."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # the process has just ended
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        ticks[number] = sum(map(int, fields[11:15]))  # with children that have ended
    return sum(ticks[number] for number in ticks if _is_ours(number, parents)) / os.sysconf(
        "SC_CLK_TCK"
    )


def _is_ours(number: int, parents: dict[int, int]) -> bool:
    while number in parents and number != os.getpid():
        number = parents[number]
    return number == os.getpid()


def spend(job: Job, given: Input, folder: Path) -> Spent:
    """Run a job several times, each into its own folder, and return the least times."""
    runs = []
    for _ in range(_RUNS):
        with TemporaryDirectory(dir=folder) as name:
            processor, clock = processor_seconds(), perf_counter()
            job(given, Path(name) / "chunks")
            runs.append(Spent(processor_seconds() - processor, perf_counter() - clock))
    return min(runs, key=lambda spent: spent.processor)


def measure_stages(given: Input, folder: Path) -> dict[str, float]:
    """Return the processor seconds of each stage in one process, in the order of the stages.

    All stages of a batch run one after the other, so that a slow phase of the machine affects all.
    """
    chunker = Chunker(_CONFIG, Context())
    clock = Stopwatch()
    batches = given.batches()
    with pq.ParquetWriter(folder / "chunks.parquet", SCHEMA) as writer:
        while (batch := clock.run("reading", lambda: next(batches, None))) is not None:
            texts = clock.run("decoding", batch["text"].to_pylist)
            clock.run("parsing", partial(use_each, parse_markdown, texts))
            clock.run("chunking", partial(use_each, chunker.chunk_hierarchical, texts))
            made: list[pa.RecordBatch] = []
            clock.run("tables", partial(use_each, made.append, chunk_batches([batch])))
            clock.run("writing", partial(use_each, writer.write_batch, made))
    taken = clock.taken
    return {
        "reading Parquet, decoding strings": taken["reading"] + taken["decoding"],
        "parsing blocks": taken["parsing"],
        "sections, splitting, tree, breadcrumbs": taken["chunking"] - taken["parsing"],
        "rows: hashes, ids, Arrow": taken["tables"] - taken["chunking"] - taken["decoding"],
        "writing Parquet": taken["writing"],
    }


def use_each(use: Callable[[T], object], values: Iterable[T]) -> None:
    """Call a function with each value, and ignore the results."""
    for value in values:
        use(value)


def chunk_in_one_process(given: Input, folder: Path) -> None:
    """Write the chunks of the documents to a Parquet file."""
    folder.mkdir()
    with pq.ParquetWriter(folder / "chunks.parquet", SCHEMA) as writer:
        for batch in chunk_batches(given.batches()):
            writer.write_batch(batch)


@contextmanager
def ray_chunking() -> Iterator[Job]:
    """Yield a function that chunks with Ray on two processors."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel("ERROR")

    def chunk(given: Input, folder: Path) -> None:
        documents = ray.data.read_parquet(str(given.folder))
        chunks = documents.map_batches(chunk_table, batch_format="pyarrow", batch_size=_BATCH)
        chunks.write_parquet(str(folder))

    yield chunk
    ray.shutdown()


@contextmanager
def spark_chunking(*, shuffle: bool) -> Iterator[Job]:
    """Yield a function that chunks with Spark on two processors, with a shuffle before or not."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config(map=_SPARK).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _BATCH)

    def chunk(given: Input, folder: Path) -> None:
        documents = session.read.parquet(str(given.folder))
        spread = documents.repartition(2 * _FILES) if shuffle else documents
        chunks = spread.mapInArrow(partial(chunk_batches), spark_schema())
        chunks.write.parquet(str(folder))

    yield chunk
    session.stop()


def measure_jobs(warm: Input, given: Input, folder: Path) -> Iterator[tuple[str, Spent]]:
    """Run whole jobs from Parquet to Parquet in warm processes, and yield their times."""
    yield "one process", spend(chunk_in_one_process, given, folder)
    engines = {
        "Ray Data": ray_chunking(),
        "Spark": spark_chunking(shuffle=False),
        "Spark, documents shuffled before": spark_chunking(shuffle=True),
    }
    for name, engine in engines.items():
        with engine as chunk:
            spend(chunk, warm, folder)
            yield name, spend(chunk, given, folder)


def core_hours(seconds: float, given: Input) -> str:
    """Return the core hours for a terabyte of text at the measured rate."""
    return f"{seconds / given.size * 1e12 / 3600:,.0f}"


def print_all(folder: Path, size: int) -> None:
    """Run all measurements and print tables."""
    given = write_documents(folder / "documents", size)
    warm = write_documents(folder / "few", 0)
    print(machine(("pyarrow", "ray", "pyspark")))
    print(
        f"- documents: {given.documents:,}, {given.size / _MILLION:,.0f} MB of UTF-8;"
        f" load average before {os.getloadavg()[0]:.1f}"
    )
    chunk_in_one_process(given, folder / "chunks")  # loads modules and compiles patterns
    written = folder / "chunks" / "chunks.parquet"
    print(f"- chunks: {pq.ParquetFile(written).metadata.num_rows:,}")
    stages = measure_stages(given, folder)
    whole = sum(stages.values())
    print_table(
        "Where the time of one process goes",
        ("stage", "share", "core hours for 1 TB"),
        (
            (name, f"{seconds / whole:.0%}", core_hours(seconds, given))
            for name, seconds in stages.items()
        ),
    )
    print_table(
        "Whole jobs",
        ("", "MB a core second", "core hours for 1 TB", "of one process", "elapsed, s"),
        job_rows(measure_jobs(warm, given, folder), given),
    )


def job_rows(jobs: Iterator[tuple[str, Spent]], given: Input) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each job, with its time relative to the first job."""
    first = 0.0
    for name, spent in jobs:
        first = first or spent.processor
        yield (
            name,
            f"{given.size / _MILLION / spent.processor:.2f}",
            core_hours(spent.processor, given),
            f"{spent.processor / first:.2f}",
            f"{spent.elapsed:.0f}",
        )


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--megabytes", type=int, default=60, help="of documents")
    with TemporaryDirectory() as name:
        print_all(Path(name), arguments.parse_args().megabytes * _MILLION)
