"""`chunkana compare`: a document, cut by several tools."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.commands.epilogs import epilog
from chunkana_cli.comparing.comparison import Comparison
from chunkana_cli.errors import fail
from chunkana_cli.options import AsJson, with_config
from chunkana_cli.reading.documents import AUTO, InputFormat, read_or_fail
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.writing.output import open_console, write_json
from chunkana_core import ChunkConfig

EPILOG = epilog(
    "compare README.md",
    "compare docs/guide.md --max-chunk-size 500 --atomic-blocks split",
    "compare README.md --json",
)
_WIDTH = 100  # in a pipe


@with_config()
def compare(
    file: Annotated[str, typer.Argument(metavar="FILE", help="- for standard input.")],
    *,
    as_json: AsJson = False,
    given: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Cut a file with Chunkana, LangChain and LlamaIndex, and measure all alike.

    Sizes are characters, nothing overlaps, all else is each tool's default; options but for
    --max-chunk-size are Chunkana's alone. Tools that are not installed are named. What is a
    heading, a table or a fence is what a CommonMark parse says.
    """
    document = read_or_fail(file, given, encoding)
    if not document.text.strip():
        fail(f"{file}: has no text to chunk")
    comparison = Comparison.of(document, config)
    if as_json:
        write_json(comparison.to_dict())
        return
    from chunkana_cli.comparing.view import show_comparison  # noqa: PLC0415  # rich's tables

    with open_console(_WIDTH) as console:
        show_comparison(comparison, console)
