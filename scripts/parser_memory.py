"""Search for short patterns whose repetition takes the parsers much memory.

`python scripts/parser_memory.py search` tries all pairs and 2,000 triples of the operators and
brackets of each grammar, repeated to 10,000 characters, and writes the worst 20 of each to
tests/data/parser_memory.json (on Linux, in an hour). `python scripts/parser_memory.py peak LANGUAGE
SIZE...` prints how many MB the worst of the kept patterns of a language takes at one of the sizes.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import sys
from itertools import product
from pathlib import Path

from chunkana_core.formats.code.grammars import grammar, parse
from chunkana_core.formats.code.languages.table import LANGUAGES

KEPT = Path(__file__).parents[1] / "tests" / "data" / "parser_memory.json"
_SIZE = 10_000  # characters
_TRIPLES = 2_000
_WORST = 20
_SEED = 20261122
_KIB_IN_MB = 1024
_MARKS = re.compile(r"[!-/:-@\[-^`{-~]+")  # ASCII punctuation


def operators(language: str) -> list[str]:
    """Return the operators and brackets of a grammar."""
    rules = grammar(language)
    names = {rules.node_kind_for_id(number) for number in range(rules.node_kind_count)}
    return sorted(name for name in names if name and _MARKS.fullmatch(name))


def patterns(language: str) -> list[str]:
    """Return the patterns to try, each after an operand and without one."""
    marks, drawn = operators(language), random.Random(_SEED)
    pairs = ["".join(pair) for pair in product(marks, repeat=2)]
    triples = [drawn.choice(["", "a"]).join(drawn.choices(marks, k=3)) for _ in range(_TRIPLES)]
    return [f"a{pattern}" for pattern in [*marks, *pairs, *triples]]


def growth_kib(pattern: str, language: str, size: int) -> int:
    """Return the KiB by which the memory grows at most while a repeated pattern is parsed.

    A process of its own parses it, since memory that was used before would not be counted.
    """
    process = os.fork()
    if not process:
        parse((pattern * (size // len(pattern) + 1))[:size], language)
        os._exit(0)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{language}: the parser ends with status {status} for {pattern!r}")
    return usage.ru_maxrss - resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def search(languages: list[str]) -> None:
    """Write the worst patterns of some languages."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    for language in languages:
        parse("", language)
        growths = {p: growth_kib(p, language, _SIZE) for p in patterns(language)}
        worst = sorted(growths, key=lambda pattern: -growths[pattern])[:_WORST]
        kept[language] = {pattern: growths[pattern] for pattern in worst}
        print(language, len(growths), "patterns, at most", growths[worst[0]], "KiB", flush=True)
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")


def peak_mb(language: str, sizes: list[int]) -> float:
    """Return the MB that the worst of the kept patterns of a language takes at most."""
    parse("", language)
    kept = json.loads(KEPT.read_text("utf-8"))[language]
    return max(growth_kib(p, language, size) for p, size in product(kept, sizes)) / _KIB_IN_MB


if __name__ == "__main__":
    if sys.argv[1] == "search":
        search(sys.argv[2:] or [*LANGUAGES, "json"])
    else:
        print(f"{peak_mb(sys.argv[2], [int(size) for size in sys.argv[3:]]):.0f}")
