"""The sentence that introduces a chunk: how the section begins that the chunk is parted from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT
from chunkana_core.sizing import Sizer
from chunkana_core.text.cutting import Cutter
from chunkana_core.text.source import Span

_LONGEST = 8  # a sentence is cut to the limit divided by this, and so much room is reserved
_SHORTEST = 40  # bytes of UTF-8; a shorter sentence says too little, in whatever script
_SKIPPED_KINDS = frozenset(
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


class FirstSentence(Struct, frozen=True, gc=False):
    """The first sentence of a section's own text, "" for none, and where its paragraph starts."""

    text: str = ""
    start: int = 0


@dataclass(frozen=True, slots=True)
class Introductions:
    """The first sentences of a document's sections, for the chunks that do not begin with them.

    A chunk that continues a section is parted from how that begins; one of a subsection from how
    the section around it does. What both are about is often said there alone.

    Attributes:
        document: the document.
        sizer: the measure and the limit.
    """

    document: Document
    sizer: Sizer
    _found: dict[int, FirstSentence] = field(default_factory=dict, repr=False, compare=False)

    @property
    def longest(self) -> int:
        """The largest size of a sentence."""
        return self.sizer.max_size // _LONGEST

    def before(self, span: Span) -> str:
        """Return the first sentence of the innermost section that begins before a span.

        It is on one line; "" where no such section begins with a paragraph that says something.
        """
        section = self.document.section_at(self.document.positions(span).start).index
        while section >= ROOT:
            found = self._first_sentence(section)
            if found.text and found.start < span.start:
                return found.text
            section = self.document.sections[section].parent
        return ""

    def _first_sentence(self, section: int) -> FirstSentence:
        if section not in self._found:
            self._found[section] = self._find(section)
        return self._found[section]

    def _find(self, section: int) -> FirstSentence:
        """Return the first sentence of the first block of a section that says something."""
        document, own = self.document, self.document.sections[section]
        for position in range(own.first, own.own_stop):
            kind = document.top[position].kind
            if kind is BlockKind.PARAGRAPH:
                span = document.trimmed_block(position)
                if self._has_words(span):
                    return self._sentence(span)
            elif kind not in _SKIPPED_KINDS:
                break
        return FirstSentence()

    def _has_words(self, span: Span) -> bool:
        """Tell whether there are words in a paragraph, besides images and links without text."""
        words = _NO_WORDS.sub("", self.document.source.text[span.start : span.end])
        return any(map(str.isalnum, words))

    def _sentence(self, span: Span) -> FirstSentence:
        """Return the first sentence of a paragraph, or as many words of it as fit."""
        cutter = Cutter.of(self.document.source, span, self.sizer, self.longest)
        first = next(cutter.sentences()).span
        sentence = " ".join(self.document.source.text[first.start : first.end].split())
        is_long = len(sentence.encode("utf-8", "surrogatepass")) >= _SHORTEST
        return FirstSentence(sentence, span.start) if is_long else FirstSentence()
