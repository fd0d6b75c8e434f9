"""Sum up what `mutmut run` found: the mutants that no test noticed, then a table of modules.

Ends with an error where fewer are killed than `LEAST`. A mutant whose tests did not end in time, or
whose process died, is killed: with it they do not pass.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

LEAST = 85  # percent
MISSED = {"survived", "no tests"}
NOT_RUN = {"not checked", "check was interrupted by user", "skipped"}
_ROW = "| {:<12} | {:>7} | {:>8} | {:>6} | {:>7} |".format
_MUTMUT = Path(sys.executable).with_name("mutmut")


def mutmut(*arguments: str) -> str:
    """Return what a command of mutmut prints."""
    command = [_MUTMUT, *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout  # noqa: S603  # ours


def results() -> Iterator[tuple[str, str]]:
    """Yield the name of each mutant that was run, and what became of it."""
    for line in mutmut("results", "--all", "true").splitlines():
        name, _, status = line.strip().rpartition(": ")
        if status not in NOT_RUN:
            yield name, status


def table(found: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a table of modules, in Markdown."""
    yield _ROW("module", "mutants", "survived", "killed", "by time")
    yield _ROW("---", "--:", "--:", "--:", "--:")
    counts = Counter((name.split(".")[1], status) for name, status in found.items())
    modules = sorted({module for module, _ in counts})
    for module in modules:
        yield _line(module, Counter({s: n for (m, s), n in counts.items() if m == module}))
    yield _line("all", Counter(found.values()))


def _line(name: str, counts: Counter[str]) -> str:
    missed = sum(counts[status] for status in MISSED)
    share = f"{percent(counts):.1f} %"
    return _ROW(name, counts.total(), missed, share, counts["timeout"])


def percent(counts: Counter[str]) -> float:
    """Return what share of mutants was killed."""
    missed = sum(counts[status] for status in MISSED)
    return 100 * (1 - missed / counts.total())


def main() -> int:
    """Print the mutants that were missed, and the table; return the exit status."""
    found = dict(results())
    if not found:
        print("no mutants: run `make mutants`", file=sys.stderr)
        return 2
    for name, status in found.items():
        if status in MISSED:
            print(mutmut("show", name))
    print(*table(found), sep="\n")
    return int(percent(Counter(found.values())) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
