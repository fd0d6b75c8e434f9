"""`chunkana ask`: find the passages to read for a question."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli.asking import answer
from chunkana_cli.errors import USAGE, fail
from chunkana_cli.options import AsJson, epilog, with_config
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import AUTO, InputFormat
from chunkana_cli.reading.encodings import UTF_8, InputEncoding
from chunkana_cli.reading.paths import FILES_HELP
from chunkana_cli.writing.output import ANY_WIDTH, open_console, write_json
from chunkana_core import ChunkConfig
from chunkana_retrieval import words_of

EPILOG = epilog(
    'ask docs -q "How are tables split?"',
    'ask docs -q "How are tables split?" --json --budget 8000',
)


@with_config(atomic_blocks="split")
def ask(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    question: Annotated[str, typer.Option("--question", "-q", help="What to ask.")],
    budget: Annotated[int, typer.Option(min=1, help="Characters to return at most.")] = 4000,
    as_json: AsJson = False,
    input_format: InputFormat = AUTO,
    encoding: InputEncoding = UTF_8,
    config: ChunkConfig,
) -> None:
    """Find the passages to read for a question.

    The search is lexical and needs no model. Hits are joined into passages, the best first, each
    below its headings, with its file and lines.
    """
    if not words_of(question):
        what = "no word to search for; stop words such as 'the' and 'of' are ignored"
        fail(f"--question is {question!r}, which has {what}", USAGE)
    batch = Batch.of(files, input_format, encoding)
    found = answer(batch, question, budget, config)
    if as_json:
        write_json(found.to_dict())
    elif found.names:
        with open_console(ANY_WIDTH) as console:
            console.print(found.to_text(), soft_wrap=True)
    batch.end()
