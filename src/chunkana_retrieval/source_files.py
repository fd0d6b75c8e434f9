"""The name, format and label of a document's source file, read from the document's metadata."""

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
_SHOWN_PARTS: Final = 2  # path parts in the label of an absolute path: the folder and the file


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The source file of a document.

    Attributes:
        name: the path or URL, "" if the metadata contain none.
        format: the name of the document's format.
    """

    name: str
    format: str

    @classmethod
    def of(cls, metadata: Mapping[str, object], asked: str = _AUTO) -> SourceFile:
        """Return the source file that metadata name; the format is Markdown if none is recognised.

        The first name with a known suffix is used; without one, the format is that of the media
        type.

        Args:
            metadata: the metadata of a document.
            asked: the name of the format to use, "auto" for the format of the file.

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
        r"""The label of the file in contexts; for an absolute path, its last folder and file name.

        The label depends only on the name, not on other files or the current directory. In a
        relative Windows path, which has only backslashes, slashes replace them.

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
        """The title for passages: the label if the format has no headings, else ""."""
        return "" if self.format in _TITLED else self.label


def require_installed(files: Iterable[SourceFile]) -> None:
    """Raise an ImportError for the first file whose format needs an extra that is missing."""
    installed = {*format_names()}
    for file in files:
        if file.format not in installed:
            raise ImportError(
                f"{file.name!r} is {file.format}, which needs "
                'pip install "chunkana-rag[code]"; without it, format="markdown" treats '
                "all documents as Markdown"
            )


def _texts(metadata: Mapping[str, object], keys: Iterable[str]) -> Iterator[str]:
    values = (metadata.get(key) for key in keys)
    return (str(value) for value in values if value and isinstance(value, str | PurePath))


def _path(name: str) -> str:
    """Return the path of a URL, since its host may end like a file name; other names unchanged."""
    scheme, separator, rest = name.partition("://")
    if not separator:
        return scheme
    return rest.partition("#")[0].partition("?")[0].partition("/")[2]
