"""The `chunkana` command and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from chunkana_cli import describe_version
from chunkana_cli.commands import ask, compare, demo, explain, split, stats, tree, validate, view

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=split.EPILOG)(split.split)
app.command(epilog=tree.EPILOG)(tree.tree)
app.command(epilog=view.EPILOG)(view.view)
app.command(epilog=explain.EPILOG)(explain.explain)
app.command(epilog=stats.EPILOG)(stats.stats)
app.command(epilog=validate.EPILOG)(validate.validate)
app.command(epilog=compare.EPILOG)(compare.compare)
app.command(epilog=ask.EPILOG)(ask.ask)
app.command(epilog=demo.EPILOG)(demo.demo)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(describe_version())
        raise typer.Exit


@app.callback()
def chunkana(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Cut Markdown into exact chunks and their hierarchy."""
