"""A small repository on disk, of many formats, and LlamaIndex's reader over it."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from llama_index.core import Document, SimpleDirectoryReader

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Trip\n", "\n", "A plan."]},
        {"cell_type": "code", "metadata": {}, "source": ["ferry = 12"], "outputs": []},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "README.md": "# Ferry\n\n## Install\n\nRun the installer.\n\n## Use\n\nBook a crossing.\n",
    "docs/crossings.md": "# Crossings\n\n## Winter\n\nNo crossing while there is ice.\n",
    "src/booking.py": '''\
        """Bookings of crossings."""

        from dataclasses import dataclass

        # seats of the smallest boat
        SEATS = 40


        @dataclass
        class Booking:
            """A seat on a crossing."""

            name: str
            seat: int = 0

            def cancel(self, hours_left: int) -> float:
                """Return the refund of a cancelled booking."""
                if hours_left < 24:
                    return 0.0
                return 0.5

            def move(self, crossing: str) -> None:
                """Move the passenger to another crossing."""
                self.crossing = crossing


        def overbooked(passengers: list[str]) -> bool:
            """Tell whether more passengers than seats were sold."""
            return len(passengers) > SEATS
        ''',
    "src/tide.ts": """\
        /** Computes when water is high. */
        export class TideTable {
          constructor(private harbour: string) {}

          /** The next high water after a moment. */
          nextHighWater(moment: Date): Date {
            return new Date(moment.getTime() + 12.4 * 3600 * 1000);
          }
        }
        """,
    "package.json": """\
        {
          "name": "ferry",
          "scripts": {"build": "tsc", "deploy": "rsync dist harbour:"}
        }
        """,
    "notes.txt": "# of passengers\n\nCount the passengers twice.\n",
    "LICENSE": "Anybody may sail with it.\n",
    "trip.ipynb": json.dumps(NOTEBOOK),
}


def write_repository(folder: Path) -> Path:
    """Write the files, and return their folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def read_repository(folder: Path) -> list[Document]:
    """Return the documents that LlamaIndex's reader makes of a folder."""
    return SimpleDirectoryReader(str(folder), recursive=True, filename_as_id=True).load_data()
