"""The `chunkana` command and its subcommands."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from chunkana_cli import describe_version

# In the order of the help: each is a function, and its EPILOG, in the module of its name.
COMMANDS = (
    "split", "tree", "view", "explain", "stats", "validate", "compare", "demo",
    "index", "ask", "outline", "read", "mcp", "cache",
)  # fmt: skip


def load_app(arguments: Sequence[str] = ()) -> typer.Typer:
    """Return the application for these arguments, with the command that they name.

    Other commands are not loaded, since that is slow. Without the name of a command, as for help
    or for an unknown name, for which Typer proposes similar ones, all are.
    """
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(chunkana)
    is_named = bool(arguments) and arguments[0] in COMMANDS
    for name in arguments[:1] if is_named else COMMANDS:
        module = import_module(f"chunkana_cli.commands.{name}")
        app.command(epilog=module.EPILOG)(getattr(module, name))
    return app


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(describe_version())
        raise typer.Exit


def chunkana(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Cut Markdown into exact chunks and their hierarchy."""
