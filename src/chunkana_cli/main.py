"""The `chunkana` command."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Literal

import typer

from chunkana_cli.documents import (
    DEFAULT_QUESTION,
    STANDARD_INPUT,
    Document,
    default_documents,
    read_document,
)
from chunkana_cli.errors import FAILED, USAGE, InputError, fail, report
from chunkana_cli.formats import Format, to_jsonl, to_text
from chunkana_cli.options import with_config
from chunkana_cli.output import STANDARD_OUTPUT, open_console, open_output, require_other_file
from chunkana_cli.tree_view import full_tree
from chunkana_core import ChunkConfig, MarkdownChunker

_ANY_WIDTH = 10**6  # of lines in a pipe, where nothing should be wrapped
_DEMO_WIDTH = 100
_PARENT_DEFAULT = "three times that of a chunk"
_FORMATS: dict[str, Format] = {"jsonl": to_jsonl, "text": to_text}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"chunkana {version('chunkana-rag')}")
        raise typer.Exit


@app.callback()
def chunkana(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Cut Markdown into exact chunks and their hierarchy."""


@app.command()
@with_config()
def split(
    files: Annotated[list[str], typer.Argument(help="Markdown; - for standard input.")],
    *,
    form: Annotated[
        Literal["jsonl", "text"], typer.Option("--format", help="For programs, or for people.")
    ] = "jsonl",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")
    ] = STANDARD_OUTPUT,
    config: ChunkConfig,
) -> None:
    """Write the chunks of files.

    As jsonl, one object a line with file, content, text (the exact slice of the file) and metadata.
    """
    if files.count(STANDARD_INPUT) > 1:
        fail("standard input (-) can be read only once", USAGE)
    require_other_file(output, files)
    chunker = MarkdownChunker(config)
    has_failed = False
    with open_output(output) as out:
        for name in files:
            try:
                document = read_document(name)
            except InputError as error:
                report(str(error))
                has_failed = True
                continue
            for text in _FORMATS[form](document, chunker.chunk_hierarchical(document.text)):
                out.write(text.encode("utf-8"))
    if has_failed:
        raise typer.Exit(FAILED)


@app.command()
@with_config()
def tree(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Markdown; - for standard input.")],
    *,
    config: ChunkConfig,
) -> None:
    """Show the hierarchy of a file.

    Beside each title: heading level, size in characters, lines, kind, and the chunk's id.
    """
    document = _read_or_fail(file)
    result = MarkdownChunker(config).chunk_hierarchical(document.text)
    with open_console(_ANY_WIDTH) as console:
        console.print(full_tree(document.name, result))


@app.command()
@with_config(atomic_blocks="split")
def demo(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Markdown; by default, documents of Chunkana's."),
    ] = None,
    *,
    question: Annotated[
        str | None,
        typer.Option("--question", "-q", help="What to ask; by default, one is chosen."),
    ] = None,
    hits: Annotated[int, typer.Option(min=1, help="How many chunks to find.")] = 8,
    max_parent_size: Annotated[
        int | None,
        typer.Option(min=1, help="The largest size of a parent.", show_default=_PARENT_DEFAULT),
    ] = None,
    config: ChunkConfig,
) -> None:
    """Show chunking, search and merging at work.

    Without a file, on documents of Chunkana's own.
    """
    # Their numpy takes longer to load than the other commands to run.
    from chunkana_cli import demo_view  # noqa: PLC0415
    from chunkana_cli.demo.running import Retrieval, run_demo  # noqa: PLC0415

    if file is None:
        documents, question = default_documents(), question or DEFAULT_QUESTION
    else:
        documents = [_read_or_fail(file)]
    if not any(document.text.strip() for document in documents):
        fail(f"{documents[0].name}: has no text to chunk")
    cap = max_parent_size or 3 * config.max_chunk_size
    shown = run_demo(documents, question, Retrieval(hits, cap), config)
    with open_console(_DEMO_WIDTH) as console:
        demo_view.show(shown, console)


def _read_or_fail(name: str) -> Document:
    try:
        return read_document(name)
    except InputError as error:
        fail(str(error))
