"""Fuzz for some time, and print and save what breaks a law: `python -m tests.fuzz --seconds 60`.

Where atheris is installed, inputs that reach new code of the core are kept and changed further;
elsewhere they are random. They are bytes, of which Hypothesis makes a text and a configuration.
"""

from __future__ import annotations

import argparse
import random
import sys
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.session import Session

LONGEST = 8192  # bytes of an input
SEEDS = 64


def session(seconds: float, folder: Path) -> Session:
    """Load what is fuzzed, only now, so that atheris sees it."""
    from tests.fuzz.session import Session

    return Session(monotonic() + seconds, folder)


def guided(options: argparse.Namespace, inputs: Path) -> None:
    """Let atheris choose inputs by the code that they reach."""
    import atheris

    with atheris.instrument_imports(include=["chunkana_core"]):
        tried = session(options.seconds, options.folder)
    for number in range(SEEDS):
        (inputs / f"random-{number}").write_bytes(random.randbytes(LONGEST // 2))
    arguments = (
        "-len_control=0",
        f"-max_len={LONGEST}",
        "-verbosity=0",
        f"-artifact_prefix={options.folder}/",
    )
    atheris.Setup([sys.argv[0], *arguments, str(inputs)], tried.one_input)
    atheris.Fuzz()  # never returns; the session ends it


def at_random(options: argparse.Namespace) -> None:
    """Choose inputs at random."""
    print("Without atheris, inputs are random: nothing guides them to what is new.", flush=True)
    tried = session(options.seconds, options.folder)
    while True:
        tried.one_input(random.randbytes(LONGEST))


def main() -> None:
    """Fuzz."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the laws.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="for finds and inputs")
    options = parser.parse_args()
    inputs: Path = options.folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    if find_spec("atheris"):
        guided(options, inputs)
    else:
        at_random(options)


if __name__ == "__main__":
    main()
