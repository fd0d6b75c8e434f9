"""Print the results of benchmarks as Markdown: the machine, tables and targets."""

from __future__ import annotations

import os
import platform
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_PACKAGES = ("markdown-it-py", "mdit-py-plugins")


@dataclass(frozen=True, slots=True)
class Target:
    """A measured number with its upper or lower bound."""

    what: str
    number: float
    allowed: float
    unit: str = ""
    is_least: bool = False

    def __str__(self) -> str:
        """Return a table row with the number, the bound and whether it is met."""
        met = self.number >= self.allowed if self.is_least else self.number <= self.allowed
        words = "at least" if self.is_least else "at most"
        verdict = "met" if met else "**missed**"
        number = f"{self.number:.2f}{self.unit}"
        return f"| {self.what} | {words} {self.allowed:g}{self.unit} | {number} | {verdict} |"


def print_targets(targets: Iterable[Target]) -> None:
    """Print targets as a table."""
    print("\n### Targets\n\n| | target | measured | |\n|---|---|---|---|")
    print(*targets, sep="\n", flush=True)


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, each row as soon as it is available."""
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def machine(beside: Iterable[str] = ()) -> str:
    """Return the date, the machine and versions, with those of further packages, as a list."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text(encoding="utf-8").splitlines() if cpus.exists() else []
    models = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    cpu = next(models, platform.processor() or platform.machine())
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = (f"{name} {version(name)}" for name in (*_PACKAGES, *beside))
    return "\n".join(
        (
            f"- date: {datetime.now(tz=UTC):%Y-%m-%d}",
            f"- machine: {cpu}, {os.cpu_count()} CPUs, {platform.system()} {platform.machine()}",
            f"- Python: {platform.python_implementation()} {platform.python_version()}",
            f"- versions: {project['name']} {project['version']}, {', '.join(packages)}",
        )
    )
