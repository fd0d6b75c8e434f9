"""`chunkana outline`: the documents of an index, and the sections of a document."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec import structs

from chunkana_cli.options import AsJson, IndexFolder, epilog
from chunkana_cli.output.output import open_text, write_json
from chunkana_cli.streams import on_one_line

EPILOG = epilog("outline .chunkana", "outline .chunkana docs/guide.md", "outline .chunkana src")


def outline(
    folder: IndexFolder,
    document: Annotated[
        str | None, typer.Argument(help="A document, a folder or a pattern.", show_default="all")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List the documents of an index, or the sections of documents with their lines."""
    from chunkana_cli.indexing.opening import open_index  # noqa: PLC0415  # loads numpy
    from chunkana_retrieval.index import matching_names, section_names  # noqa: PLC0415

    with open_index(folder) as index:
        names = index.document_ids()
        names = matching_names(document, names) if document else names
        sections = {name: index.outline(name) if document else [] for name in names}
    if as_json:
        shown = {name: [*map(structs.asdict, entries)] for name, entries in sections.items()}
        write_json(shown if document else names)
        return
    with open_text() as out:
        for name, entries in sections.items():
            out.write(f"{on_one_line(name)}\n")
            for entry, section in zip(entries, section_names(entries), strict=True):
                lines = f"{entry.start_line}-{entry.end_line}"
                title = on_one_line(entry.title)
                out.write(f"{'  ' * entry.level}{title}  #{section}  {lines}\n")
