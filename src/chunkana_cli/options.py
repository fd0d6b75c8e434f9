"""Options shared by commands, above all the fields of `ChunkConfig`, and the help epilog."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from chunkana_cli.inputs.batch import AUTO, Batch
from chunkana_cli.inputs.files import UTF_8
from chunkana_cli.streams import USAGE, fail
from chunkana_core import ChunkConfig, ConfigurationError, Context

Strategy = Literal["auto", "code_aware", "structural", "fallback"]
AtomicBlocks = Literal["keep", "split"]
CodeCuts = Literal["lines", "syntax"]
Command = Callable[..., None]
INDEX_FOLDER = ".chunkana"  # by default
FILES_HELP = "Files, folders, quoted patterns; - for standard input."
_ALL_PROCESSORS = "auto"
_MAX_JOBS = 1000  # more processes help on no machine, and fail on some
_MAX_DIGITS = 20  # int() is slow for very long numbers
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
    "min_content_after_header": (
        int | None,
        "The least text of a part after its headings.",
        _SMALL,
    ),
    "code_threshold": (float, "The share of code from which `auto` chooses code_aware.", True),
    "structure_threshold": (int, "The headings from which `auto` chooses structural.", True),
}
_EXIT_CODES = "0 done; 1 a file could not be read, chunked or written; 2 invalid usage"


def require_name(parameter: typer.CallbackParam, name: str | None) -> str | None:
    """End the command if the name of a file or folder is empty: it would be the current folder."""
    if name == "":
        fail(f"{parameter.opts[0]} is ''; allowed: the name of a file or folder", USAGE)
    return name


def output_option(metavar: str, help_text: str) -> typer.models.OptionInfo:
    """Return the option for the file or folder that a command writes."""
    option: typer.models.OptionInfo = typer.Option(
        "--output", "-o", metavar=metavar, help=help_text, callback=require_name
    )
    return option


def _require_encoding(name: str) -> str:
    """Return the name of an encoding; end the command if Python does not know it."""
    try:
        b" ".decode(name, "replace")
    except (LookupError, ValueError):  # codecs other than text encodings, such as hex, too
        fail(f"--encoding is {name!r}; allowed: one that Python knows, such as latin-1", USAGE)
    return name


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


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Jobs = Annotated[
    str,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; auto or 0: one for each processor."),
]
IndexFolder = Annotated[str, typer.Argument(metavar="INDEX", help="The folder of an index.")]
EmbeddingName = Annotated[
    str | None,
    typer.Option(
        "--embedding",
        metavar="MODULE:OBJECT",
        help="An embedding of LangChain or LlamaIndex, or a function of a list of texts.",
        show_default="none: words alone",
    ),
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


def _inputs(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    *,
    input_format: Annotated[
        str,
        typer.Option(
            "--from", metavar="FORMAT", help="The format of the files; auto: by their names."
        ),
    ] = AUTO,
    encoding: InputEncoding = UTF_8,
    context: Annotated[
        bool,
        typer.Option(
            "--context/--no-context",
            help="Whether titles and an introduction are embedded before each content.",
        ),
    ] = True,
) -> tuple[Batch, Context | None]:
    return Batch(files or (), input_format, encoding), Context() if context else None


def reads_documents(files: object = None, **defaults: object) -> Callable[[Command], Command]:
    """Make a function a command that chunks files.

    The command has an argument for the files, the options `--from` and `--encoding`, and those of
    `ChunkConfig`. The function gets them as the arguments `batch` and `config`. If it has an
    argument `context`, there is an option for it, too: a `Context`, or None. At the end, a file
    that failed makes the exit code an error.

    Args:
        files: the annotation of the files if they need not be given.
        **defaults: defaults of this command that differ from the common ones, which are those of
            `ChunkConfig` but with atomic_blocks="split", as in the adapters.
    """

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = dict(signature.parameters)
        has_context = own.pop("context", None) is not None
        inputs = dict(inspect.signature(_inputs, eval_str=True).parameters)
        if files is not None:
            inputs["files"] = inputs["files"].replace(annotation=files, default=None)
        if not has_context:
            del inputs["context"]

        @wraps(command)
        def run(**arguments: Any) -> None:  # noqa: ANN401  # of any command
            config = _config({name: arguments.pop(name) for name in _OPTIONS})
            batch, context = _inputs(**{name: arguments.pop(name) for name in inputs})
            if has_context:
                arguments["context"] = context
            command(batch=batch, config=config, **arguments)
            batch.end()

        first, *others = inputs.values()
        kept = (parameter for name, parameter in own.items() if name not in {"batch", "config"})
        parameters = [first, *kept, *others, *_parameters(defaults)]
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
