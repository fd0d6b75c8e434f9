"""Fuzz for some time, and print and save what breaks a law: `python -m tests.fuzz --seconds 60`.

Where atheris is installed, inputs that reach new code of the core are kept and changed further;
elsewhere they are random. They are bytes, of which Hypothesis makes a text and a configuration.
"""

from __future__ import annotations

import argparse
import random
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

LONGEST = 8192  # bytes of an input
SEEDS = 64


def fuzz_guided(end: float, folder: Path) -> None:
    """Let atheris choose inputs by the code that they reach."""
    import atheris

    with atheris.instrument_imports(include=["chunkana_core"]):
        session = import_module("tests.fuzz.session").Session(end, folder)
    for number in range(SEEDS):
        (folder / "inputs" / f"random-{number}").write_bytes(random.randbytes(LONGEST // 2))
    options = ("-len_control=0", f"-max_len={LONGEST}", "-verbosity=0")
    arguments = [sys.argv[0], *options, f"-artifact_prefix={folder}/", f"{folder}/inputs"]
    atheris.Setup(arguments, session.one_input)
    atheris.Fuzz()  # never returns; the session ends it


def fuzz_at_random(end: float, folder: Path) -> None:
    """Choose inputs at random."""
    print("Without atheris, inputs are random: nothing guides them to what is new.", flush=True)
    session = import_module("tests.fuzz.session").Session(end, folder)
    while True:
        session.one_input(random.randbytes(LONGEST))


def main() -> None:
    """Fuzz."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the laws.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="for finds and inputs")
    options = parser.parse_args()
    (options.folder / "inputs").mkdir(parents=True, exist_ok=True)
    fuzz = fuzz_guided if find_spec("atheris") else fuzz_at_random
    fuzz(monotonic() + options.seconds, options.folder)


if __name__ == "__main__":
    main()
