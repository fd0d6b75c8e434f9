"""What a document's metadata say of the file that it is from: its format, and what to call it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Final

from chunkana_core import format_names, format_of

_AUTO: Final = "auto"
_MARKDOWN: Final = "markdown"
_TITLED: Final = (_MARKDOWN, "notebook")  # formats whose documents may have a title
_NAME_KEYS: Final = ("file_path", "file_name", "source", "filename")
_MEDIA_TYPE_KEYS: Final = ("file_type", "mime_type", "content_type")
_SHOWN_PARTS: Final = 2  # of an absolute path: the folder and the file


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The file that a document is from.

    Attributes:
        name: a path or URL, "" where the metadata have none.
        format: the name of a format.
    """

    name: str
    format: str

    @classmethod
    def of(cls, metadata: Mapping[str, object], asked: str = _AUTO) -> SourceFile:
        """Return what metadata say; the format is Markdown where they say nothing that is known.

        A name with a known suffix goes before others, and names before media types.

        Args:
            metadata: of a document.
            asked: the name of a format, "auto" for that of the file.

        >>> SourceFile.of({"file_path": "src/app.py"}).format
        'python'
        >>> SourceFile.of({"source": "https://docs.rs"}).format
        'markdown'
        """
        names = [*_texts(metadata, _NAME_KEYS)]
        for name in names:
            if found := format_of(_path(name)):
                return cls(name, found if asked == _AUTO else asked)
        name = names[0] if names else ""
        media_types = map(format_of, _texts(metadata, _MEDIA_TYPE_KEYS))
        found = next(filter(None, media_types), _MARKDOWN)
        return cls(name, found if asked == _AUTO else asked)

    @property
    def label(self) -> str:
        r"""What the file is called in contexts; of an absolute path, its folder and itself.

        It depends on nothing but the name: not on other files, nor on where the program runs. A
        relative path of Windows, with backslashes alone, has slashes instead.

        >>> SourceFile("/home/ada/shop/src/app.py", "python").label
        'src/app.py'
        >>> print(SourceFile("src\\app.py", "python").label)
        src/app.py
        """
        for path in (PurePosixPath(self.name), PureWindowsPath(self.name)):
            if path.is_absolute():
                return "/".join(path.parts[1:][-_SHOWN_PARTS:])
        name = self.name if "/" in self.name else self.name.replace("\\", "/")
        return name.removeprefix("./")

    @property
    def title(self) -> str:
        """What stands for a title in passages: the label of what has no headings, else ""."""
        return "" if self.format in _TITLED else self.label


def require_installed(files: Iterable[SourceFile]) -> None:
    """Raise an ImportError for the first file whose format needs an extra that is missing."""
    installed = {*format_names()}
    for file in files:
        if file.format not in installed:
            raise ImportError(
                f"{file.name!r} is {file.format}, which needs "
                'pip install "chunkana-rag[code]"; without it, format="markdown" takes '
                "all documents for Markdown"
            )


def _texts(metadata: Mapping[str, object], keys: Iterable[str]) -> Iterator[str]:
    values = (metadata.get(key) for key in keys)
    return (str(value) for value in values if value and isinstance(value, str | PurePath))


def _path(name: str) -> str:
    """Return the path of a URL, whose host may end as files do; a path as it is."""
    scheme, separator, rest = name.partition("://")
    if not separator:
        return scheme
    return rest.partition("#")[0].partition("?")[0].partition("/")[2]
