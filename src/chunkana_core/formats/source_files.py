"""The source file of a document: its path and format, by the metadata of the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from chunkana_core.config import AUTO
from chunkana_core.formats.registry import (
    HEADED_FORMATS,
    TEXT,
    format_of,
    is_installed,
    registered_format_of,
    unknown_file_type,
)
from chunkana_core.text.file_names import is_file_suffix, label_of, suffix_of

_PATH_KEYS: Final = ("file_path", "file_name", "source", "filename")
_MEDIA_TYPE_KEYS: Final = ("file_type", "mime_type", "content_type")
_MAX_FILE_TYPES: Final = 10  # in one message


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The source file of a document.

    Attributes:
        name: the path or URL, "" if it is unknown.
        format: the name of the document's format.
        unknown: the suffix or file name of a file whose format is not known, "" if it is known or
            Markdown by default.
    """

    name: str
    format: str
    unknown: str = ""

    @classmethod
    def of(
        cls, metadata: Mapping[str, object], format_name: str = AUTO, fallback: str = TEXT.name
    ) -> SourceFile:
        """Return the source file that metadata name.

        The format is that of the first path with a known format, else that of the first known media
        type, else that of the first path with a suffix, as `format_of` returns it.

        Args:
            metadata: the metadata of a document.
            format_name: the name of the format to use, "auto" for the format of the file.
            fallback: the name of the format of files whose format is not known.

        >>> SourceFile.of({"file_path": "src/app.py"}).format
        'python'
        >>> SourceFile.of({"source": "https://docs.rs"}).format
        'markdown'
        >>> SourceFile.of({"file_name": "tea.brew"})
        SourceFile(name='tea.brew', format='text', unknown='.brew')
        """
        paths = [*_texts(metadata, _PATH_KEYS)]
        files = [
            path for path in paths if is_file_suffix(suffix_of(path)) or unknown_file_type(path)
        ]
        name = next(iter([*filter(registered_format_of, paths), *files, *paths]), "")
        if format_name != AUTO:
            return cls(name, format_name)
        media_types = filter(registered_format_of, _texts(metadata, _MEDIA_TYPE_KEYS))
        typed = name if registered_format_of(name) else next(media_types, name)
        unknown = unknown_file_type(typed)
        return cls(name, fallback if unknown else format_of(typed), unknown)

    @property
    def label(self) -> str:
        """The label of the file in contexts."""
        return label_of(self.name)

    @property
    def title(self) -> str:
        """The title for passages: the label if the format has no headings, else ""."""
        return "" if self.format in HEADED_FORMATS else self.label


def require_installed(files: Iterable[SourceFile]) -> None:
    """Raise an ImportError for the first file whose format needs an extra that is missing."""
    first_files: dict[str, SourceFile] = {}
    for file in files:
        first_files.setdefault(file.format, file)
    for file in first_files.values():
        if not is_installed(file.format):
            raise ImportError(
                f"{file.name!r} is {file.format}, which needs "
                'pip install "chunkana-rag[code]"; without it, format="markdown" treats '
                "all documents as Markdown"
            )


def describe_unknown_file_types(file_types: Iterable[str], fallback: str = TEXT.name) -> str:
    """Return a message that counts the files of unknown formats by type, "" if there are none.

    Args:
        file_types: the `unknown_file_type` of each document.
        fallback: the name of the format in which such files are chunked.

    >>> describe_unknown_file_types([".brew", "", ".cup", ".brew"])
    '3 files of unknown format were chunked as plain text: .brew (2), .cup (1)'
    """
    counts = Counter(filter(None, file_types))
    if not counts:
        return ""
    number = counts.total()
    several = f"{number:,} files of unknown format were"
    files = "1 file of unknown format was" if number == 1 else several
    named = [f"{file_type} ({count})" for file_type, count in counts.most_common(_MAX_FILE_TYPES)]
    more = ["…"] if len(counts) > _MAX_FILE_TYPES else []
    form = "plain text" if fallback == TEXT.name else fallback
    return f"{files} chunked as {form}: {', '.join([*named, *more])}"


def _texts(metadata: Mapping[str, object], keys: Iterable[str]) -> Iterator[str]:
    values = (metadata.get(key) for key in keys)
    return (str(value) for value in values if value and isinstance(value, str | PurePath))
