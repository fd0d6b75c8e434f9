"""How `split` writes chunks: a module for each format."""

from __future__ import annotations

from chunkana_cli.formats import jsonl, markdown, text
from chunkana_cli.formats.format import Format

_FORMATS = {"jsonl": jsonl.FORMAT, "markdown": markdown.FORMAT, "text": text.FORMAT}


def find_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        ImportError: if it needs a package that is not installed; says what to install.
    """
    if name == "parquet":
        # pyarrow takes longer to load than the other formats to run.
        from chunkana_cli.formats.parquet import FORMAT  # noqa: PLC0415

        return FORMAT
    return _FORMATS[name]
