"""`chunkana cache`: the indexes that `ask --keep` keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from chunkana_cli.options import epilog
from chunkana_cli.output.output import open_text
from chunkana_cli.streams import format_count, on_one_line, report

EPILOG = epilog("cache", "cache --clear")
_MEGABYTE = 1_000_000


def cache(
    *, clears: Annotated[bool, typer.Option("--clear", help="Delete all of them.")] = False
) -> None:
    """List the indexes that `ask --keep` keeps, with their sizes and when they were last used."""
    from chunkana_cli.indexing.keeping import (  # noqa: PLC0415  # loads numpy
        MOST_BYTES,
        delete_indexes,
        kept_indexes,
    )
    from chunkana_cli.indexing.opening import reporting_errors  # noqa: PLC0415

    with reporting_errors():
        found = kept_indexes()
        if clears:
            delete_indexes()
    with open_text() as out:
        for one in [] if clears else found:
            used = datetime.fromtimestamp(one.used, UTC).strftime("%Y-%m-%d")
            out.write(f"{one.size / _MEGABYTE:8,.1f} MB  {used}  {on_one_line(one.names)}\n")
    size = f"{sum(one.size for one in found) / _MEGABYTE:,.1f} of {MOST_BYTES // _MEGABYTE:,} MB"
    report(f"{format_count(len(found), 'folder')}, {size}{' deleted' if clears else ''}")
