"""Find the files that command line arguments name: files, folders, patterns."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from chunkana_cli.inputs.files import INSTALL_CODE, STANDARD_INPUT
from chunkana_cli.inputs.manifest import MANIFEST, written_by_split
from chunkana_cli.streams import USAGE, fail, format_count, report
from chunkana_core import format_names
from chunkana_core.extending import registered_format_of

_PATTERN = re.compile(r"[*?]|\A[^\[]*+\[.+\]")  # the special characters of glob
_ANY_DEPTH = re.compile(r"(?:^|(?<=/))\*\*(?:/+|$)")
_VERBATIM_PREFIXES = ("\\\\?\\", "\\\\.\\")  # Windows reads no "/" after these
_IGNORED_FOLDERS = {"node_modules", "venv", "__pycache__", "site-packages"}
# What is in the folder of an index, besides hidden files.
_INDEX_FILES = {"index.db", "index.db-shm", "index.db-wal", "index.lock", "files.msgpack"}
_ABSENT = (FileNotFoundError, NotADirectoryError)


def find_files(arguments: Iterable[str]) -> tuple[list[str], bool]:
    """Return the files that arguments name, each once, in the order of the arguments.

    The files of a folder or pattern are sorted by path. Names have slashes on every system, so that
    ids and the order of documents are the same everywhere. Arguments without files are reported,
    and so are unreadable folders and broken links below them.

    Returns:
        The files, and whether all arguments could be resolved without errors.
    """
    requested = list(arguments)
    if requested.count(STANDARD_INPUT) > 1:
        fail("standard input (-) can be read only once", USAGE)
    files: dict[str, str] = {}
    is_complete = True
    for argument in requested:
        names, errors = _resolve_argument(_normalize_slashes(argument))
        for name in map(_normalize_slashes, names):
            files.setdefault(_real_path(name), name)
        for error in sorted(errors):
            report(error)
        is_complete = is_complete and not errors
    return list(files.values()), is_complete


def _normalize_slashes(name: str) -> str:
    r"""Return a name with "/" in place of the separator of this system.

    On systems other than Windows, a backslash is an ordinary character.
    """
    return name if name.startswith(_VERBATIM_PREFIXES) else name.replace(os.sep, "/")


def _real_path(name: str) -> str:
    """Return the resolved path of a file; "-" and invalid names are returned unchanged."""
    is_none = name == STANDARD_INPUT or "\0" in name
    return name if is_none else os.path.realpath(name)  # a Path can be in a loop


def _resolve_argument(argument: str) -> tuple[list[str], set[str]]:
    """Return the files that an argument names, and the errors found below it."""
    if argument == STANDARD_INPUT or "\0" in argument:
        return [argument], set()
    if os.path.isdir(argument):  # a Path would drop a leading "./"
        return _find_in_folder(argument)
    if not os.path.lexists(argument) and _PATTERN.search(argument):
        return _find_by_pattern(argument)
    return [argument], set()


def _find_in_folder(folder: str) -> tuple[list[str], set[str]]:
    errors: set[str] = set()
    names = _sorted_by_path(_walk_documents(folder, errors))
    installed = format_names()
    readable = [name for name in names if registered_format_of(name) in installed]
    if len(readable) < len(names):
        count = format_count(len(names) - len(readable), "file")
        report(f"{folder}: {count} skipped; to read them: {INSTALL_CODE}")
    if not (readable or errors):
        kinds = ", ".join(installed)
        written = ", ".join(sorted(written_by_split(folder)))
        what = f"but what split wrote ({written})" if written else f"of a known type ({kinds})"
        errors.add(f"{folder}: no file {what}; name files or a pattern")
    return readable, errors


def _walk_documents(folder: str, errors: set[str]) -> Iterator[str]:
    for place, folders, files in _walk(folder, errors):
        folders[:] = [name for name in folders if not _is_ignored_folder(name)]
        written = written_by_split(place) if MANIFEST in files else set()
        for name in files:
            if name in written:
                continue
            path = os.path.join(place, name)
            if (
                registered_format_of(name)
                and not name.startswith(".")
                and _is_readable_file(path, errors)
            ):
                yield path


def _find_by_pattern(pattern: str) -> tuple[list[str], set[str]]:
    asked = _IGNORED_FOLDERS.intersection(Path(pattern).parts)
    ignored = _IGNORED_FOLDERS - asked
    errors: set[str] = set()
    files = [
        name for name in _expand(pattern, ignored, errors)
        if ignored.isdisjoint(Path(name).parts)
        and _is_readable_file(name, errors)
        and not _is_of_index(Path(name))
    ]  # fmt: skip
    if not (files or errors):
        errors.add(f"{pattern}: this pattern matches no file")
    return _sorted_by_path(files), errors


def _is_of_index(path: Path) -> bool:
    """Return whether a file belongs to an index, so that it is no document."""
    if path.name not in _INDEX_FILES:
        return False
    from chunkana_retrieval.index import has_database  # noqa: PLC0415  # loads numpy

    return has_database(path.parent)


def _sorted_by_path(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: Path(name).parts)


def _is_ignored_folder(folder: str) -> bool:
    return folder.startswith(".") or folder in _IGNORED_FOLDERS


def _walk(folder: str, errors: set[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the tuples of `os.walk`; add unreadable folders to `errors`."""

    def add(error: OSError) -> None:
        errors.add(_describe(str(error.filename), error))

    yield from os.walk(folder, onerror=add)


def _is_readable_file(name: str, errors: set[str]) -> bool:
    """Return whether a name is a regular file; add an error if that cannot be determined.

    Errors are broken links, and files in folders that may be listed but not searched.
    """
    try:
        return stat.S_ISREG(Path(name).stat().st_mode)
    except FileNotFoundError:
        if Path(name).is_symlink():  # otherwise the file has just been removed
            errors.add(f"{name}: is a broken link")
    except OSError as error:
        errors.add(_describe(name, error))
    return False


def _expand(pattern: str, ignored: AbstractSet[str], errors: set[str]) -> dict[str, None]:
    """Return the paths that match a pattern; `**` does not follow links, which may be cyclic.

    Args:
        pattern: a pattern in the syntax of `glob`.
        ignored: names of folders that are not searched.
        errors: the set to which unreadable folders are added.
    """
    match = _ANY_DEPTH.search(pattern)
    if match is None:
        errors.update(_unreadable(pattern, ignored))
        return dict.fromkeys(glob.glob(pattern))  # a Path would drop "./"
    head, tail = pattern[: match.start()], pattern[match.end() :] or "*"
    if head:
        errors.update(_unreadable(head.rstrip("/"), ignored))
    found: dict[str, None] = {}
    below: set[str] = set()
    for base in glob.glob(head) if head else [os.curdir]:
        for place, folders, _ in _walk(base, below):
            folders[:] = [x for x in folders if not (x.startswith(".") or x in ignored)]
            name = place if head else os.path.relpath(place)
            inside = "" if name == os.curdir else os.path.join(glob.escape(name), "")
            found |= _expand(inside + tail, ignored, errors)
    errors.update(error if head else error.removeprefix(f"{os.curdir}/") for error in below)
    return found


def _unreadable(pattern: str, ignored: AbstractSet[str]) -> Iterator[str]:
    """Yield an error for each unreadable folder that `glob` would skip silently."""
    head, tail = os.path.split(pattern)
    for folder in glob.glob(head) if head else [os.curdir]:
        if ignored.isdisjoint(Path(folder).parts):
            try:
                with suppress(*_ABSENT):
                    _look_into(folder, tail)
            except OSError as error:
                yield _describe(str(error.filename), error)
    if head and head != pattern and glob.has_magic(head):
        yield from _unreadable(head, ignored)


def _look_into(folder: str, name: str) -> None:
    """Access a folder as `glob` does: list it for a pattern, look up a plain name."""
    if glob.has_magic(name):
        with os.scandir(folder):
            pass
    elif name:
        os.lstat(os.path.join(folder, name))


def _describe(name: str, error: OSError) -> str:
    return f"{name}: {error.strerror or error}"
