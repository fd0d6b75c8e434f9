"""The options of `ChunkConfig` as options of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Literal

import typer

from chunkana_cli.errors import USAGE, fail
from chunkana_core import ChunkConfig, ConfigurationError

Strategy = Literal["auto", "code_aware", "structural", "fallback"]
AtomicBlocks = Literal["keep", "split"]
CodeCuts = Literal["lines", "syntax"]
Command = Callable[..., None]
AsJson = Annotated[bool, typer.Option("--json", help="For programs.")]

_SMALL = "a quarter of the maximum, at most 100"
# Field: type, help, the default in words where None stands for it.
_OPTIONS: dict[str, tuple[object, str, str | bool]] = {
    "max_chunk_size": (int, "The largest size of a chunk, in characters.", True),
    "min_chunk_size": (int | None, "Smaller neighbours are merged.", _SMALL),
    "overlap_size": (int, "Characters of the neighbours to put into the metadata.", True),
    "strategy": (Strategy, "How to cut.", True),
    "atomic_blocks": (AtomicBlocks, "What becomes of code and tables over the limit.", True),
    "code_cuts": (CodeCuts, "Where fenced code is cut that has to be.", True),
    "oversize_tolerance": (float, "Keep a section whole up to this share over the limit.", True),
    "merge_boundary_level": (int, "Never merge across headings up to this level.", True),
    "min_content_after_header": (int | None, "Avoid parts with less text.", _SMALL),
    "code_threshold": (float, "The share of code from which `auto` takes code_aware.", True),
    "structure_threshold": (int, "The headings from which `auto` takes structural.", True),
}


def with_config(**defaults: object) -> Callable[[Command], Command]:
    """Give a command those options; it receives them as one argument, `config`.

    Args:
        **defaults: of the command, where they are not those of `ChunkConfig`.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**given: object) -> None:
            options = {name: given.pop(name) for name in _OPTIONS}
            command(**given, config=_config(options))

        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "config"]
        parameters = [*own, *_parameters(defaults)]
        # Typer reads both of a function.
        vars(run)["__signature__"] = signature.replace(parameters=parameters)
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _parameters(defaults: dict[str, object]) -> list[inspect.Parameter]:
    usual = ChunkConfig().to_dict() | defaults
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=usual[name],
            annotation=Annotated[kind, typer.Option(help=words, show_default=shown)],
        )
        for name, (kind, words, shown) in _OPTIONS.items()
    ]


def _config(options: dict[str, object]) -> ChunkConfig:
    try:
        return ChunkConfig.from_dict(options)
    except ConfigurationError as error:
        option = "--" + error.field.replace("_", "-")
        fail(f"{option} is {error.value!r}; allowed: {error.allowed}", USAGE)
