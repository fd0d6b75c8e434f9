"""Measure what the adapters cost: the code that one document runs through, text counted, time.

- The way of one document: modules of this project with a function that is called between the
  document and its nodes, and changes of module from one such call to the next, as `sys.setprofile`
  sees them (returns are not counted, calls of other packages neither). The document is a page of
  Traefik's documentation (`chain.md` of the corpus, 4,405 characters, Markdown), else one of the
  project's own documents, which is printed. The parser and the splitter have their default options
  and have parsed another document before.
- Text counted: the characters that a length function is given, divided by those of the texts, with
  leaves of 256 tokens by a simple tokenizer: words of up to five letters, and other signs.
- Time: that of the adapters on the documents, relative to `Chunker.chunk_hierarchical` with a
  context and the adapters' defaults. All are timed alternately, in processor time, and compared by
  the median ratio.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType

from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument

from benchmarks.corpus import CORPUS
from benchmarks.printing import Target, machine, print_table, print_targets
from benchmarks.run import documents, documents_name, interleaved, ratio
from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import ChunkanaNodeParser

Task = Callable[[str], object]

_CHAIN = "traefik+traefik__*__http__middlewares__chain.md"
_OWN_DOCUMENT = Path(__file__).parents[1] / "tests" / "data" / "documents" / "readme_project.md"
_NAME = "docs/guide.md"
_TOKEN = re.compile(r"\w{1,5}|[^\w\s]")
_TOKENS = 256
_ROUNDS, _QUICK_ROUNDS = 9, 3
_QUICK_PART = 4  # every n-th document
_CORE, _PARSER, _SPLITTER = "core", "LlamaIndex node parser", "LangChain splitter"
_MOST_MODULES, _MOST_CHANGES, _MOST_COUNTED, _MOST_TIME = 35, 450, 4, 1.5


class TokenCounter:
    """A length function that adds up the characters that it is given."""

    def __init__(self) -> None:
        """Start at 0."""
        self.given = 0

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        self.given += len(text)
        return _TOKEN.findall(text)

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self.tokens(text))


def tasks(counter: TokenCounter | None = None) -> dict[str, Task]:
    """Return the core and both adapters by name, with sizes in tokens if there is a counter."""
    size = _TOKENS if counter else 1000
    length = counter.count if counter else len
    config = ChunkConfig(max_chunk_size=size, atomic_blocks="split", length_function=length)
    chunker = Chunker(config, Context())
    parser = ChunkanaNodeParser(max_chunk_size=size, tokenizer=counter.tokens if counter else None)
    splitter = ChunkanaSplitter(size, length_function=config.length_function)

    def parse(text: str) -> object:
        return parser([LlamaIndexDocument(text=text, metadata={"file_path": _NAME})])

    def split(text: str) -> object:
        document = LangChainDocument(page_content=text, metadata={"source": _NAME})
        return splitter.split_documents([document])

    def chunk(text: str) -> object:
        return chunker.chunk_hierarchical(text, path=_NAME)

    return {_CORE: chunk, _PARSER: parse, _SPLITTER: split}


def modules_called(task: Task, text: str) -> list[str]:
    """Return the module of each call of a function of this project, in order."""
    modules: list[str] = []

    def profile(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001
        module = str(frame.f_globals.get("__name__", ""))
        if event == "call" and module.startswith("chunkana_"):
            modules.append(module)

    sys.setprofile(profile)
    try:
        task(text)
    finally:
        sys.setprofile(None)
    return modules


def count_changes(modules: list[str]) -> int:
    """Return how often a module differs from the one before it."""
    return sum(before != after for before, after in pairwise(modules))


def measure_way() -> Iterator[Target]:
    """Print the modules and the changes of module, and yield the targets."""
    document = next(CORPUS.rglob(_CHAIN), _OWN_DOCUMENT)
    text = document.read_bytes().decode()
    counts: dict[str, tuple[int, int]] = {}
    for name, task in tasks().items():
        task("# Another\n\nText.\n")
        modules = modules_called(task, text)
        counts[name] = len({*modules}), count_changes(modules)
    rows = ((name, *map(str, both)) for name, both in counts.items())
    print_table(f"The way of `{document.name}`", ("", "modules", "changes of module"), rows)
    modules_entered, changes = counts[_PARSER]
    yield Target(f"modules, {_PARSER}", modules_entered, _MOST_MODULES)
    yield Target(f"changes of module, {_PARSER}", changes, _MOST_CHANGES)


def measure_counted(texts: list[str]) -> Iterator[Target]:
    """Print how many times the text a token counter is given, and yield the targets."""
    counter, size = TokenCounter(), sum(map(len, texts))
    counted: dict[str, float] = {}
    for name, task in tasks(counter).items():
        counter.given = 0
        for text in texts:
            task(text)
        counted[name] = counter.given / size
    rows = ((name, f"{times:.2f}") for name, times in counted.items())
    print_table(f"Characters counted, {documents_name()}", ("", "times the text"), rows)
    for name in (_PARSER, _SPLITTER):
        yield Target(f"times the text that is counted, {name}", counted[name], _MOST_COUNTED)


def measure_time(texts: list[str], rounds: int) -> Iterator[Target]:
    """Print the times relative to the core, and yield the targets."""
    times = interleaved(tasks(), texts, rounds)
    ratios = {name: ratio(times, name, _CORE) for name in times}
    rows = ((name, f"{value:.2f}") for name, value in ratios.items())
    print_table(f"Time on {documents_name()}, {rounds} rounds", ("", "core = 1"), rows)
    for name in (_PARSER, _SPLITTER):
        yield Target(f"time, core = 1, {name}", ratios[name], _MOST_TIME)


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description="Measure what the adapters cost.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and documents")
    is_quick = parser.parse_args().quick
    print("\n## Adapters\n\n" + machine(["llama-index-core", "langchain-text-splitters"]))
    texts = documents()[:: _QUICK_PART if is_quick else 1]
    targets = [*measure_way(), *measure_counted(texts)]
    print_targets([*targets, *measure_time(texts, _QUICK_ROUNDS if is_quick else _ROUNDS)])


if __name__ == "__main__":
    main()
