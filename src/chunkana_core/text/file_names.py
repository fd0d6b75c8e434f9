"""The name of a document, a path or URL: its suffix, and its label in contexts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

AnyPath = str | PathLike[str]
_SHOWN_PARTS: Final = 2  # path parts in the label of an absolute path: the folder and the file
_SLASHES: Final = re.compile(r"[/\\]")
_SUFFIX: Final = re.compile(r"\.[a-z][a-z0-9_+-]{0,15}")
_HOST_SUFFIXES: Final = frozenset({".com", ".co", ".edu", ".gov", ".io", ".net", ".org"})
# RFC 6838 §3: of subtypes, only those of the vendor, personal and unregistered trees begin so.
_MEDIA_TYPE: Final = re.compile(
    r"(application|audio|font|image|message|model|multipart|text|video)/"
    r"((vnd|prs|x)\.[^\s/;]+|[^\s./;]+)\s*(;.*)?",
    re.IGNORECASE,
)


def file_name(path: AnyPath) -> str:
    """Return the file name at the end of a path or of a URL's path, "" for a media type.

    >>> file_name("docs/tea.md"), file_name("https://docs.rs/tea.md?raw#top")
    ('tea.md', 'tea.md')
    >>> file_name("https://docs.rs"), file_name("application/vnd.ms-excel")
    ('', '')
    """
    name = str(path)
    if is_media_type(name):
        return ""
    parts = _url_parts(name)
    return (_SLASHES.split(name) if parts is None else ["", *parts[1:]])[-1]


def suffix_of(path: AnyPath) -> str:
    """Return the text from the last dot of a file name on, in lower case; "" without a dot.

    >>> [suffix_of(path) for path in ("src/App.INI", ".env.example", ".gitignore", "Dr. Smith")]
    ['.ini', '.example', '.gitignore', '. smith']
    """
    _, dot, after = file_name(path).rpartition(".")
    return dot + after.lower()


def is_file_suffix(suffix: str) -> bool:
    """Return whether a suffix is likely that of a file, not a part of a version, title or host.

    It is if it consists of a letter and up to 15 letters, digits, `_`, `+` and `-`.

    >>> [is_file_suffix(suffix_of(path)) for path in ("app.ini", ".gitignore")]
    [True, True]
    >>> [is_file_suffix(suffix_of(path)) for path in ("docs/v1.2", "Dr. Smith", "tea.org")]
    [False, False, False]
    """
    return bool(_SUFFIX.fullmatch(suffix)) and suffix not in _HOST_SUFFIXES


def is_media_type(name: str) -> bool:
    """Return whether a name is that of a media type, such as "text/plain; charset=utf-8"."""
    return _MEDIA_TYPE.fullmatch(name.strip()) is not None


def label_of(path: AnyPath) -> str:
    r"""Return the label of a document in contexts: its path.

    Of an absolute path or a URL, the label is the last two parts, so that it is the same after the
    files were moved with their folder; of a URL without a path, it is the host. In a relative
    Windows path, which has only backslashes, slashes replace them. A media type, and a name without
    letters and digits such as "-", have no label.

    >>> label_of("docs/tea.md"), label_of("/home/ada/docs/tea.md"), label_of("src\\tea.md")
    ('docs/tea.md', 'docs/tea.md', 'src/tea.md')
    >>> label_of("https://tea.org/docs/green/water.html?lang=en"), label_of("https://tea.org/")
    ('green/water.html', 'tea.org')
    """
    name = str(path)
    if is_media_type(name) or not any(map(str.isalnum, name)):
        return ""
    if parts := _url_parts(name):
        host, *below = parts
        return "/".join([part for part in below if part][-_SHOWN_PARTS:]) or host
    for absolute in (PurePosixPath(name), PureWindowsPath(name)):
        if absolute.is_absolute():
            return "/".join(absolute.parts[1:][-_SHOWN_PARTS:])
    return (name if "/" in name else name.replace("\\", "/")).removeprefix("./")


def names_in_fences(name: str, suffixes: Iterable[str]) -> list[str]:
    """Return the names of a language in fences and notebooks: its own, and its suffixes.

    >>> names_in_fences("python", (".py", ".pyi"))
    ['python', 'py', 'pyi']
    """
    return [name, *(suffix.removeprefix(".") for suffix in suffixes)]


def _url_parts(name: str) -> list[str] | None:
    """Return the host of a URL and the parts of its path, without query; None for other names."""
    scheme, separator, rest = name.partition("://")
    if not (separator and scheme.replace("+", "").isalnum()):
        return None
    return rest.partition("#")[0].partition("?")[0].split("/")
