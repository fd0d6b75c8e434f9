"""The sentence that introduces a chunk: how the text begins that it was parted from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from chunkana_core.blocks import BlockKind
from chunkana_core.cutting import Cutter
from chunkana_core.document import Document
from chunkana_core.outline import ROOT, Path, SectionPath
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span

_SHARE = 6  # of the limit is the longest sentence
_LEAST = 40  # bytes of UTF-8; what is shorter says too little, in whatever script
_PASSED_OVER = frozenset(
    {
        BlockKind.FRONT_MATTER,
        BlockKind.HEADING,
        BlockKind.HTML,
        BlockKind.LINK_DEFINITION,
        BlockKind.THEMATIC_BREAK,
    }
)
# Images, targets and names of links, tags; linear, because none looks beyond the start of another.
_TARGET = r"(?:\([^()]*+\)|\[[^\[\]]*+\])"
_NO_WORDS = re.compile(rf"!\[[^\[\]]*+\]{_TARGET}?+|\]{_TARGET}|<[^<>]*+>")


@dataclass(frozen=True, slots=True)
class _Introduction:
    """How a section's own text begins, and where; "" for a section that begins otherwise."""

    sentence: str = ""
    start: int = 0


_NONE = _Introduction()


@dataclass(frozen=True, slots=True)
class Introductions:
    """The first sentences of a document's sections, for the chunks that do not begin with them.

    A chunk that continues a section has been parted from how that begins; one of a subsection from
    how the section around it does. What both are about is often said there alone.

    Attributes:
        document: the document.
        length: measures a text.
        max_size: the limit that chunks are made with; a sentence is cut to a sixth of it.
    """

    document: Document
    length: Callable[[str], int]
    max_size: int
    _found: dict[int, _Introduction] = field(default_factory=dict, repr=False, compare=False)
    _longest: dict[Path, str] = field(default_factory=dict, repr=False, compare=False)

    def before(self, span: Span) -> str:
        """Return the sentence for what a span of the text holds, "" for none.

        It is the first of the innermost section around the span that begins before it with a
        paragraph, on one line.
        """
        first = self.document.section_at(self.document.positions(span).start)
        return self._nearest(first.index, span.start)

    def longest(self, section: SectionPath) -> str:
        """Return the longest sentence that chunks of a section may have, to leave room for."""
        if not self._longest:  # filled at once, for threads could find it half full
            self._longest.update(self._all_longest())
        return self._longest.get(section.path, "")

    def _all_longest(self) -> dict[Path, str]:
        """Return by path the longest sentence of the sections that have it."""
        longest: dict[Path, str] = {}
        end = len(self.document.source.text)
        for each in self.document.sections:
            own, around = self._of(each.index).sentence, self._nearest(each.parent, end)
            said = (longest.get(each.path, ""), own, around)
            longest[each.path] = max(said, key=self.length)
        return longest

    def _nearest(self, section: int, offset: int) -> str:
        """Return the sentence of a section, or of the innermost around it, before an offset."""
        while section >= ROOT:
            found = self._of(section)
            if found.sentence and found.start < offset:
                return found.sentence
            section = self.document.sections[section].parent
        return ""

    def _of(self, section: int) -> _Introduction:
        if section not in self._found:
            self._found[section] = self._look(section)
        return self._found[section]

    def _look(self, section: int) -> _Introduction:
        """Look at the first block of a section that says something."""
        document, own = self.document, self.document.sections[section]
        for position in range(own.first, own.own_end):
            kind = document.top[position].kind
            if kind is BlockKind.PARAGRAPH:
                span = document.trimmed_block(position)
                if self._says(span):
                    return self._begun(span)
            elif kind not in _PASSED_OVER:
                break
        return _NONE

    def _says(self, span: Span) -> bool:
        """Tell whether there are words in a paragraph, besides images and links without text."""
        said = _NO_WORDS.sub("", self.document.source.text[span.start : span.end])
        return any(map(str.isalnum, said))

    def _begun(self, span: Span) -> _Introduction:
        """Return the first sentence of a paragraph, or as many words of it as fit."""
        sizer = Sizer(self.length, self.max_size)
        cutter = Cutter.of(self.document.source, span, sizer, self.max_size // _SHARE)
        first = next(cutter.sentences()).span
        sentence = " ".join(self.document.source.text[first.start : first.end].split())
        is_long = len(sentence.encode("utf-8", "surrogatepass")) >= _LEAST
        return _Introduction(sentence, span.start) if is_long else _NONE
