"""How `split` writes chunks: a module for each format, chosen by name or by the output's suffix."""

from __future__ import annotations

from pathlib import PurePath

from chunkana_cli.errors import USAGE, fail
from chunkana_cli.formats import jsonl, markdown, text
from chunkana_cli.formats.format import Format

_GZIP = ".gz"
_TEXTS = {form.name: form for form in (jsonl.FORMAT, markdown.FORMAT, text.FORMAT)}
_SUFFIXES = {suffix: form.name for form in _TEXTS.values() for suffix in form.suffixes} | {
    ".parquet": "parquet",
    ".pq": "parquet",
}
_DEFAULT = "jsonl"


def choose_format(given: str | None, output: str) -> tuple[Format, bool]:
    """Return a format, and whether what is written is compressed by gzip.

    Ends the command where the output's name says nothing that is known, or something else than
    what is given, or where the format needs what is not installed.

    Args:
        given: the name of a format, None for that of the output's suffix.
        output: the name of a file, "-" for standard output.
    """
    path = PurePath(output)
    is_compressed = path.suffix.lower() == _GZIP
    suffix = (PurePath(path.stem) if is_compressed else path).suffix.lower()
    named = _SUFFIXES.get(suffix)
    if given is not None and named is not None and given != named:
        fail(f"--format {given} and -o {output} disagree: {suffix} is {named}", USAGE)
    if given is None and named is None and suffix:
        known = ", ".join(_SUFFIXES)
        fail(f"-o is {output!r}, of no known format; allowed: {known}; or name a --format", USAGE)
    form = _find_format(given or named or _DEFAULT)
    if is_compressed and not form.is_text:
        fail(f"-o is {output!r}, but {form.name} is compressed as it is: leave out {_GZIP}", USAGE)
    return form, is_compressed


def _find_format(name: str) -> Format:
    if name != "parquet":
        return _TEXTS[name]
    try:  # pyarrow takes longer to load than the other formats to run
        from chunkana_cli.formats.parquet import FORMAT  # noqa: PLC0415
    except ImportError as error:
        fail(f"--format {name}: {error}", USAGE)
    return FORMAT
