"""Compare splitters on source code and JSON: cut definitions, offsets, lost lines, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import process_time

from benchmarks.corpus import CORPUS, ROOT
from benchmarks.printing import machine
from chunkana_cli.comparing.measures import Measurement, Reference, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Splitter
from chunkana_cli.inputs.batch import Document
from chunkana_core import ChunkConfig, format_of

_LIMITS = (500, 1000)
_RUNS = 3
_PACKAGES = (
    "langchain-text-splitters",
    "llama-index-core",
    "chonkie",
    "tree-sitter-language-pack",
)
_COLUMNS = (
    "tool",
    "limit",
    "files",
    "definitions parted",
    "over the limit",
    "offsets wrong",
    "offsets absent",
    "lines lost",
    "time",
)


@dataclass(slots=True)
class Total:
    """The totals of a tool over all files that it applies to.

    Attributes:
        files: the number of files.
        found: the measurement of each file.
        definitions: the number of definitions that fit the limit.
        seconds: the processor time, the least of three runs for each file.
        ours: Chunkana's processor time for the same files.
    """

    files: int = 0
    found: list[Measurement] = field(default_factory=list)
    definitions: int = 0
    seconds: float = 0.0
    ours: float = 0.0

    def row(self, name: str, limit: int) -> str:
        """Return a row of the Markdown table."""
        parted, over, wrong, absent = (
            sum(getattr(one, key) for one in self.found)
            for key in ("definitions_parted", "over_limit", "offsets_wrong", "offsets_absent")
        )
        lost = sum(one.lines_lost for one in self.found) / self.files
        ratio = f"{self.seconds / self.ours:.2f}"
        parts = f"{parted} of {self.definitions}"
        cells = (name, limit, self.files, parts, over, wrong, absent, f"{lost:.1%}", ratio)
        return f"| {' | '.join(map(str, cells))} |"


def documents() -> Iterator[Document]:
    """Yield the source code and JSON of the corpus, or Chunkana's own code without a corpus."""
    paths = [*(CORPUS / "code").glob("*"), *(CORPUS / "data").glob("*.json*")]
    for path in sorted(paths or (ROOT / "src").rglob("*.py")):
        form = format_of(path)
        if form not in (None, "markdown", "text"):
            yield Document(path.name, path.read_bytes().decode("utf-8"), form or "")


def timed(tool: Splitter, document: Document, config: ChunkConfig) -> float:
    """Return the least processor time that a tool takes for a document."""
    times = []
    for _ in range(_RUNS):
        start = process_time()
        tool.pieces(document, config)
        times.append(process_time() - start)
    return min(times)


def totals(limit: int) -> dict[str, Total]:
    """Return the totals of each tool."""
    config = ChunkConfig(max_chunk_size=limit)
    found: dict[str, Total] = defaultdict(Total)
    for document in documents():
        truth, ours = Reference.of(document.text, document.format), 0.0
        for tool in SPLITTERS:
            pieces = tool.pieces(document, config) if tool.is_for(document.format) else None
            if pieces is None:
                continue
            total, seconds = found[tool.name], timed(tool, document, config)
            ours = ours or seconds  # the first tool is Chunkana
            total.files += 1
            total.found.append(measure(pieces, truth, limit))
            total.definitions += sum(len(text) <= limit for text in truth.definitions)
            total.seconds += seconds
            total.ours += ours
    return found


def main() -> None:
    """Print the table."""
    print("## Source code and JSON\n")
    print(machine(_PACKAGES))
    print(f"\n| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    for limit in _LIMITS:
        for name, total in totals(limit).items():
            print(total.row(name, limit))


if __name__ == "__main__":
    main()
