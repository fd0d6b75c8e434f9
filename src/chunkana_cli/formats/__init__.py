"""Output formats of `split`: one module each, chosen by name or by the suffix of the output."""

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


def choose_format(format_name: str | None, output: str) -> tuple[Format, bool]:
    """Return the output format, and whether the output is compressed by gzip.

    The command ends if the suffix is unknown, contradicts the requested format, or the format is
    not installed.

    Args:
        format_name: the requested format, None to choose it by the suffix of the output.
        output: the name of a file, "-" for standard output.
    """
    path = PurePath(output)
    is_compressed = path.suffix.lower() == _GZIP
    suffix = (PurePath(path.stem) if is_compressed else path).suffix.lower()
    named = _SUFFIXES.get(suffix)
    if format_name is not None and named is not None and format_name != named:
        fail(f"--format {format_name} and -o {output} disagree: {suffix} is {named}", USAGE)
    if format_name is None and named is None and suffix:
        known = ", ".join(_SUFFIXES)
        fail(f"-o is {output!r}, of no known format; allowed: {known}; or name a --format", USAGE)
    form = _find_format(format_name or named or _DEFAULT)
    if is_compressed and not form.is_text:
        fail(f"-o is {output!r}, but {form.name} is compressed as it is: leave out {_GZIP}", USAGE)
    return form, is_compressed


def _find_format(name: str) -> Format:
    if name != "parquet":
        return _TEXTS[name]
    try:  # imported here because pyarrow is optional and slow to load
        from chunkana_cli.formats.parquet import FORMAT  # noqa: PLC0415
    except ImportError as error:
        fail(f"--format {name}: {error}", USAGE)
    return FORMAT
