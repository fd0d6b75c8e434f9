"""Options shared by commands, above all the fields of `ChunkConfig`, and the help epilog."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Literal

import typer

from chunkana_cli.streams import USAGE, fail
from chunkana_core import ChunkConfig, ConfigurationError, Context

Strategy = Literal["auto", "code_aware", "structural", "fallback"]
AtomicBlocks = Literal["keep", "split"]
CodeCuts = Literal["lines", "syntax"]
Command = Callable[..., None]
FILES_HELP = "Files, folders, quoted patterns; - for standard input."
_ALL_PROCESSORS = "auto"
_MAX_JOBS = 1000  # more processes help on no machine, and fail on some
_MAX_DIGITS = 20  # int() is slow for very long numbers


def _require_encoding(name: str) -> str:
    """Return the name of an encoding; end the command if Python does not know it."""
    try:
        b" ".decode(name, "replace")
    except (LookupError, ValueError):  # codecs other than text encodings, such as hex, too
        fail(f"--encoding is {name!r}; allowed: one that Python knows, such as latin-1", USAGE)
    return name


def require_name(parameter: typer.CallbackParam, name: str | None) -> str | None:
    """End the command if the name of a file or folder is empty: it would be the current folder."""
    if name == "":
        fail(f"{parameter.opts[0]} is ''; allowed: the name of a file or folder", USAGE)
    return name


InputFormat = Annotated[
    str,
    typer.Option("--from", metavar="FORMAT", help="The format of the files; auto: by their names."),
]
InputEncoding = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of the files, such as latin-1.",
        callback=_require_encoding,
    ),
]
Jobs = Annotated[
    str,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; auto or 0: one for each processor."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
_CONTEXT = inspect.Parameter(
    "context",
    inspect.Parameter.KEYWORD_ONLY,
    default=True,
    annotation=Annotated[
        bool,
        typer.Option(
            "--context/--no-context",
            help="Whether titles and an introduction are embedded before each content.",
        ),
    ],
)
_SMALL = "a quarter of the maximum, at most 100"
# Field of ChunkConfig: type, help, and the description of the default, True for its value.
_OPTIONS: dict[str, tuple[object, str, str | bool]] = {
    "max_chunk_size": (int, "The largest size of a chunk, in characters.", True),
    "min_chunk_size": (int | None, "Smaller neighbours are merged.", _SMALL),
    "overlap_size": (int, "Characters of the neighbours to put into the metadata.", True),
    "strategy": (Strategy, "The chunking strategy.", True),
    "atomic_blocks": (AtomicBlocks, "Keep or split code and tables over the limit.", True),
    "code_cuts": (CodeCuts, "Where fenced code over the limit is cut.", True),
    "oversize_tolerance": (float, "Keep a section whole up to this share over the limit.", True),
    "merge_boundary_level": (int, "Never merge across headings up to this level.", True),
    "min_content_after_header": (int | None, "Avoid parts with less text.", _SMALL),
    "code_threshold": (float, "The share of code from which `auto` chooses code_aware.", True),
    "structure_threshold": (int, "The headings from which `auto` chooses structural.", True),
}

_EXIT_CODES = "0 done; 1 a file could not be read, chunked or written; 2 invalid usage"


def workers_of(jobs: str) -> int:
    """Parse `--jobs`; return the number of processes, 0 for one for each processor."""
    if jobs == _ALL_PROCESSORS:
        return 0
    is_number = jobs.isascii() and jobs.isdigit() and len(jobs) <= _MAX_DIGITS
    if not (is_number and int(jobs) <= _MAX_JOBS):
        fail(f"--jobs is {jobs!r}; allowed: a whole number from 0 to {_MAX_JOBS}, or auto", USAGE)
    return int(jobs)


def epilog(*examples: str, codes: str = _EXIT_CODES) -> str:
    r"""Return the end of a command's help: examples and exit codes; `\b` keeps the line breaks."""
    lines = "\n".join(f"  chunkana {example}" for example in examples)
    return f"\b\nExamples:\n{lines}\n\n\b\nExit codes: {codes}."


def with_config(**defaults: object) -> Callable[[Command], Command]:
    """Add the options of `ChunkConfig` to a command, which receives them as argument `config`.

    If the command has an argument `context`, add an option for it, too: a `Context`, or None.

    Args:
        **defaults: defaults of this command that differ from the common ones, which are those of
            `ChunkConfig` but with atomic_blocks="split", as in the adapters.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**arguments: object) -> None:
            options = {name: arguments.pop(name) for name in _OPTIONS}
            if has_context:
                arguments["context"] = Context() if arguments["context"] else None
            command(**arguments, config=_config(options))

        signature = inspect.signature(command, eval_str=True)
        has_context = "context" in signature.parameters
        rest = [p for p in signature.parameters.values() if p.name not in {"config", "context"}]
        parameters = [
            *rest,
            *([_CONTEXT] if has_context else []),
            *_parameters(defaults),
        ]
        # Typer reads both the signature and the annotations.
        vars(run)["__signature__"] = signature.replace(parameters=parameters)
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _parameters(defaults: dict[str, object]) -> list[inspect.Parameter]:
    usual = ChunkConfig(atomic_blocks="split").to_dict() | defaults
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
        allowed = error.allowed.removeprefix("None or ")  # None is the omitted option
        fail(f"{option} is {error.value!r}; allowed: {allowed}", USAGE)
