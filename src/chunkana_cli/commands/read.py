"""`chunkana read`: the exact text of a document in an index, of a section or of lines."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from chunkana_cli.options import IndexFolder, epilog
from chunkana_cli.output.output import STANDARD_OUTPUT, open_output
from chunkana_cli.streams import visible

EPILOG = epilog("read .chunkana docs/guide.md#install", "read .chunkana src/app.py --lines 12-30")


def read(
    folder: IndexFolder,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT[#SECTION]", help="What to read.")],
    *,
    lines: Annotated[str, typer.Option(metavar="A-B", help="The first and the last line.")] = "",
) -> None:
    """Print the exact text of a document, or of one of its sections, as it was indexed."""
    from chunkana_cli.indexing.opening import open_index  # noqa: PLC0415  # loads numpy
    from chunkana_retrieval.index import parse_lines  # noqa: PLC0415

    document = document.removeprefix("./")
    with open_index(folder) as index:
        known = [one for one in index.document_ids() if f"{document}#".startswith(f"{one}#")]
        name = max(known, key=len, default=document.partition("#")[0])  # a name may have "#"
        section = document[len(name) + 1 :]
        text = index.read(name, section=section, lines=parse_lines(lines)).text
    is_shown = sys.stdout is not None and sys.stdout.isatty()
    with open_output(STANDARD_OUTPUT) as out:
        out.write((visible(text) if is_shown else text).encode("utf-8", "surrogatepass"))
