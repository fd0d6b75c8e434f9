"""What stands at the end of each command's help: examples and exit codes."""

from __future__ import annotations

_CODES = "0 done; 1 a file could not be read, chunked or written; 2 a wrong call"


def epilog(*examples: str, codes: str = _CODES) -> str:
    r"""Return the end of a help text; `\b` keeps its lines as they are."""
    shown = "\n".join(f"  chunkana {example}" for example in examples)
    return f"\b\nExamples:\n{shown}\n\n\b\nExit codes: {codes}."
