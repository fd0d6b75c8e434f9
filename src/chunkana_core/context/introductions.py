"""The sentence that introduces a chunk: how the section begins that the chunk is parted from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT
from chunkana_core.sizing import Sizer
from chunkana_core.text.cutting import Cutter
from chunkana_core.text.source import Source, Span

_LONGEST = 8  # a sentence is cut to the limit divided by this, and so much room is reserved
_SKIPPED_KINDS = frozenset(
    {
        BlockKind.CONTAINER,
        BlockKind.FRONT_MATTER,
        BlockKind.HEADING,
        BlockKind.HTML,
        BlockKind.LINK_DEFINITION,
        BlockKind.THEMATIC_BREAK,
    }
)
# All of these are linear, because none looks beyond the start of another, or far.
_TARGET = r"\((?:[^()]|\([^()]*+\))*+\)"
_TEXT = r"\[[^\[\]]*+\]"
_IMAGE = re.compile(rf"!{_TEXT}(?:{_TARGET}|{_TEXT})?+")
_INLINE_LINK = re.compile(rf"\[([^\[\]]*+)\]{_TARGET}")
_TAG = re.compile(r"<(?!/?a\b|https?:)[A-Za-z/!?][^<>]*+>")
_LINK = re.compile(
    rf"{_TEXT}(?:{_TARGET}|{_TEXT})|<a\b[^<>]*+>[^<]*+(?:</a>)?+|<?https?://[^\s<>]++"
)
_MARKER = re.compile(r"[*_]*+(?::::|!!!|\?\?\?|\{\{[<%]|\{%)")  # of a container
_DATE = re.compile(
    r"""[0-9]{4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,2}日?+|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}
    |[0-9]{1,2}(?:st|nd|rd|th|\.)?\s[^\W\d_]{3,12}\.?,?\s[0-9]{4}
    |[^\W\d_]{3,12}\.?\s[0-9]{1,2}(?:st|nd|rd|th)?,?\s[0-9]{4}
    """,
    re.VERBOSE,
)
_YEAR = re.compile(r"[0-9]{4}")  # which every date has
_LONGEST_DATING = 5  # words before a date, and after it, in a line that dates a page
# Thai to Tibetan, Burmese, Khmer, Kana, and what is Chinese.
_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"([{_UNSPACED}])|[^\W\d_][^\s{_UNSPACED}]*+")
_LEAST_WORDS = 6
_LETTERS_OF_A_WORD = 2  # in a script that has no spaces
_LEAD_IN_ENDS = (":", "：")


class FirstSentence(Struct, frozen=True, gc=False):
    """The first sentence of a section's own text.

    Attributes:
        text: the sentence, "" for none.
        start: where its paragraph starts.
        is_lead_in: whether it announces what follows in its section.
    """

    text: str = ""
    start: int = 0
    is_lead_in: bool = False


@dataclass(frozen=True, slots=True)
class Introductions:
    """The first sentences of a document's sections, for the chunks that do not begin with them.

    A chunk that continues a section is parted from how that begins; one of a subsection from how
    the section around it does. What both are about is often said there alone.

    Attributes:
        document: the document.
        sizer: the measure and the limit.
        found: by section, the sentences that are known.
    """

    document: Document
    sizer: Sizer
    found: dict[int, FirstSentence] = field(default_factory=dict, repr=False, compare=False)

    @property
    def longest(self) -> int:
        """The largest size of a sentence."""
        return self.sizer.max_size // _LONGEST

    def before(self, span: Span) -> str:
        """Return the first sentence of the innermost section that begins before a span.

        It is on one line; "" where no such section begins with a paragraph that says something.
        What announces the rest of a section introduces that alone, and no subsection.
        """
        own = section = self.document.section_at(self.document.positions(span).start).index
        while section >= ROOT:
            found = self.first_sentence(section)
            says_it = section == own or not found.is_lead_in
            if found.text and found.start < span.start and says_it:
                return found.text
            section = self.document.sections[section].parent
        return ""

    def first_sentence(self, section: int) -> FirstSentence:
        """Return the first sentence of a section's own text, if it says something."""
        if section not in self.found:
            self.found[section] = self._find(section)
        return self.found[section]

    def _find(self, section: int) -> FirstSentence:
        """Return the first sentence of a section's first paragraph of prose."""
        document, own = self.document, self.document.sections[section]
        for position in range(own.first, own.own_stop):
            kind = document.top[position].kind
            if kind is BlockKind.PARAGRAPH:
                span = document.trimmed_block(position)
                cutter = Cutter.of(document.source, span, self.sizer, 1, lambda *_: 0)
                cutter = replace(cutter, is_markup=document.is_markup(position))
                first = next((piece.span for piece in cutter.sentences()), span)
                sentence = document.text[first.start : first.end]
                if is_prose(sentence):
                    return self._first(sentence, span.start)
            elif kind not in _SKIPPED_KINDS:
                break
        return FirstSentence()

    def _first(self, sentence: str, start: int) -> FirstSentence:
        """Return as many words of a sentence as fit, "" if these are fewer than six."""
        text = whole = " ".join(without_targets(sentence).split())
        if (size := self.sizer.length(whole)) > self.longest:
            source, span = Source.of(whole), Span(0, len(whole))
            cutter = Cutter.of(source, span, self.sizer, self.longest, lambda *_: size)
            fitting = next(cutter.words(span)).span
            text = whole[fitting.start : fitting.end]
        if count_words(text) < _LEAST_WORDS:
            return FirstSentence()
        return FirstSentence(text, start, whole.rstrip("*_").endswith(_LEAD_IN_ENDS))


def is_prose(sentence: str) -> bool:
    """Tell whether a sentence is more than links, a date, or the marker of a container.

    At least half of its letters are outside links; a link's letters are those of its text and its
    target. Images and tags do not count.
    """
    shown = _TAG.sub("", _IMAGE.sub("", sentence))
    if _MARKER.match(sentence) or not any(map(str.isalpha, shown)):
        return False
    outside = _LINK.sub("", shown)
    if outside != shown and 2 * _count_letters(outside) < _count_letters(shown):
        return False
    parts = _DATE.split(shown, maxsplit=1) if _YEAR.search(shown) else [shown]
    return len(parts) == 1 or max(map(count_words, parts)) > _LONGEST_DATING


def _count_letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def without_targets(sentence: str) -> str:
    """Return a sentence without images, and with the texts of its links alone."""
    return _INLINE_LINK.sub(r"\1", _IMAGE.sub("", sentence))


def count_words(text: str) -> float:
    """Return the number of words, two letters being one in a script that has no spaces."""
    found = _WORDS.findall(text)
    words = found.count("")
    return words + (len(found) - words) / _LETTERS_OF_A_WORD
