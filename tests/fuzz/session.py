"""A session of fuzzing: inputs tried, finds printed and saved, until time is over."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import NoReturn

from hypothesis import HealthCheck, given, settings

from tests.fuzz.inputs import inputs
from tests.fuzz.target import Find, Input, find, smallest

SLOWEST = 20.0  # seconds of the processor for a law


@dataclass
class Session:
    """What was tried and found so far.

    Attributes:
        end: when to stop.
        folder: where finds are saved.
    """

    end: float
    folder: Path
    tried: int = 0
    characters: int = 0
    finds: dict[tuple[str, str], Find] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Let Hypothesis make inputs of bytes."""
        tried = given(inputs())(self.try_one)
        tried = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))(
            tried
        )
        self._of_bytes = tried.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def one_input(self, data: bytes) -> None:
        """Try what some bytes make; most that are too few make nothing."""
        if monotonic() > self.end:
            self.stop()
        self._of_bytes(data)

    def try_one(self, made: Input) -> None:
        """Try an input; a find of a new kind is made small, printed and saved."""
        self.tried += 1
        self.characters += len(made.text)
        found = find(made, seconds=SLOWEST)
        if found and found.key not in self.finds:
            self.finds[found.key] = found = smallest(found, SLOWEST)
            name = f"{found.law.__name__}-{sha256(str(found).encode()).hexdigest()[:8]}.txt"
            (self.folder / name).write_text(f"{found}\n", "utf-8")
            print(found, flush=True)

    def stop(self) -> NoReturn:
        """Say what was done, and end the process, which libFuzzer would not let go on."""
        print(f"{self.tried:,} texts, {self.characters:,} characters, {len(self.finds)} finds")
        if self.finds:
            print(f"They are in {self.folder}, ready for tests/data/fuzz_finds.yaml")
        sys.stdout.flush()
        os._exit(bool(self.finds))
