"""`chunkana explain`: explain the position of each cut."""

from __future__ import annotations

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import AsJson, epilog, reads_documents
from chunkana_cli.output.output import open_console, write_json
from chunkana_cli.streams import visible
from chunkana_core import ChunkConfig, Context
from chunkana_explain import Explanation
from chunkana_explain import explain as explain_cuts

EPILOG = epilog("explain README.md", "explain --json README.md --max-chunk-size 500")


@reads_documents()
def explain(
    batch: Batch,
    *,
    as_json: AsJson = False,
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Explain the position of each cut, with the alternatives.

    First come the steps of the stages: small neighbours merged, headings moved to their text,
    sections split. Then each cut follows with its line, its cost and its best alternatives.
    """
    explained = (
        (
            one.name,
            explain_cuts(one.text, config, format=result.format, path=one.name, context=context),
        )
        for one, result in batch.chunk_documents(config, context)
    )
    if as_json:
        write_json([{"file": name, **found.to_dict()} for name, found in explained])
    else:
        with open_console() as console:
            for name, found in explained:
                console.print(_text(name, found), markup=False, highlight=False, emoji=False)


def _text(name: str, explanation: Explanation) -> str:
    return "\n".join(visible(line) for line in (name, *str(explanation).splitlines()))
