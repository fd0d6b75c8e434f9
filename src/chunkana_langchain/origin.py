"""Where a text to be split comes from, also where it is itself a chunk of Chunkana's."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from chunkana_langchain import keys

_SLASH = re.compile(r"(?<!\\)/")


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a text before it is chunked.

    Attributes:
        text: the Markdown.
        key: what ids of its parts are made from.
        metadata: the caller's; parts have a copy each.
        path: the titles above it, where it is a part of a longer document.
        start: its offset in that document, in code points.
        line: the number, from 1, of its first line there.
        shift: how much of the page content stands before it.
        is_chunk: whether it is a part that this package made.
    """

    text: str
    key: str
    metadata: dict[str, Any]
    path: tuple[str, ...] = ()
    start: int = 0
    line: int = 1
    shift: int = 0
    is_chunk: bool = False

    @classmethod
    def of(cls, document: Document, key: str) -> Origin:
        """Look at a document; of a chunk of ours, what was put before and after its text goes."""
        text, metadata = document.page_content, document.metadata
        places = (metadata.get(k) for k in (keys.PREFIX_CHARS, keys.START_CHAR, keys.END_CHAR))
        shift, start, end = (place if isinstance(place, int) else -1 for place in places)
        if keys.PARENT_ID not in metadata or min(shift, start, end) < 0:
            return cls(text, key, metadata)
        path = _titles(str(metadata.get(keys.HEADER_PATH, "")))
        line = metadata.get(keys.START_LINE, 1)
        own = text[shift : shift + end - start]
        return cls(own, key, metadata, path, start, line, shift, is_chunk=True)

    @property
    def kept(self) -> AbstractSet[str]:
        """The keys of the caller's that stay as they are, where there are some of the same name."""
        return frozenset() if self.is_chunk else self.metadata.keys() - {keys.START_INDEX}

    def header_path(self, path: tuple[str, ...]) -> str:
        """Return the path of a section of the text for display."""
        if not path and not self.path:
            return "/"
        return "".join("/" + title.replace("/", r"\/") for title in self.below(path))

    def below(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the path of a section of the text, below the titles that it comes with."""
        for shared in range(min(len(self.path), len(path)), 0, -1):
            if self.path[-shared:] == path[:shared]:
                return self.path + path[shared:]
        return self.path + path


def _titles(header_path: str) -> tuple[str, ...]:
    r"""Take a path for display apart: "/A/B", with "\/" for a "/" in a title."""
    titles = _SLASH.split(header_path)[1:]
    return tuple(title.replace(r"\/", "/") for title in titles if title not in ("", "__preamble__"))
