"""Run the tests on mutants (small errors inserted into the core), and summarise the results.

The script prints the diff of each mutant that survived or timed out, then a table of modules. It
fails if fewer than `LEAST` percent are killed. Results are kept in `mutants`: the next run tries
only mutants of changed functions, and those that survived.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

LEAST = 85  # percent
MISSED = {"survived", "no tests"}
ENDLESS = "timeout"
_NOT_RUN = {"not checked", "check was interrupted by user", "skipped"}
_ROW = "| {:<12} | {:>7} | {:>8} | {:>7} | {:>7} |".format
_MUTMUT = Path(sys.executable).with_name("mutmut")


def run(jobs: int | None) -> None:
    """Try untested mutants, then again those that survived before: tests may have improved."""
    before = _missed() if Path("mutants").exists() else set()
    arguments = ["run", *(["--max-children", str(jobs)] if jobs else [])]
    subprocess.run([_MUTMUT, *arguments], check=True)  # noqa: S603  # our own command
    if again := before & _missed():
        subprocess.run([_MUTMUT, *arguments, *sorted(again)], check=True)  # noqa: S603


def results() -> dict[str, str]:
    """Return the status of each tested mutant, by name."""
    lines = (line.strip().rpartition(": ") for line in _run_mutmut("results", "--all", "true"))
    return {name: status for name, _, status in lines if name and status not in _NOT_RUN}


def _missed() -> set[str]:
    return {name for name, status in results().items() if status in MISSED}


def _run_mutmut(*arguments: str) -> list[str]:
    """Run a mutmut command and return the lines of its output."""
    output = subprocess.check_output([_MUTMUT, *arguments], encoding="utf-8")  # noqa: S603
    return output.splitlines()


def table(found: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a table of modules, in Markdown."""
    yield _ROW("module", "mutants", "survived", "endless", "killed")
    yield _ROW("---", "--:", "--:", "--:", "--:")
    modules = {name: name.split(".")[-2] for name in found}
    for module in sorted({*modules.values()}):
        yield _line(module, (status for name, status in found.items() if modules[name] == module))
    yield _line("all", found.values())


def _line(name: str, statuses: Iterable[str]) -> str:
    counts = Counter(statuses)
    missed = sum(counts[status] for status in MISSED)
    return _ROW(name, counts.total(), missed, counts[ENDLESS], f"{killed(counts):.1f} %")


def killed(counts: Counter[str]) -> float:
    """Return the percentage of killed mutants; a timeout counts as killed."""
    missed = sum(counts[status] for status in MISSED)
    return 100 * (1 - missed / counts.total())


def main() -> int:
    """Print the missed mutants and the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--jobs", type=int, help="number of processes; one for each CPU if not given"
    )
    parser.add_argument("--no-run", action="store_true", help="sum up what was found before")
    arguments = parser.parse_args()
    if not arguments.no_run:
        run(arguments.jobs)
    found = results()
    for name, status in found.items():
        if status in {*MISSED, ENDLESS}:
            print(*_run_mutmut("show", name), sep="\n")
    print(*table(found), sep="\n")
    return int(killed(Counter(found.values())) < LEAST)


if __name__ == "__main__":
    sys.exit(main())
