"""Introductions: first sentences of sections, for the chunks that do not contain them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT
from chunkana_core.sizing import Sizer
from chunkana_core.text.cutting import LEAD_IN_ENDS, UNSPACED_SCRIPTS, Cutter
from chunkana_core.text.markup import ATTRIBUTES
from chunkana_core.text.source import Source, Span

_LIMIT_FRACTION = 8  # of the limit: a sentence takes at most the limit divided by it
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
# All patterns are linear: an attempt ends at the next possible start or after few characters.
_TARGET = r"\((?:[^()]|\([^()]*+\))*+\)"
_TEXT = r"\[[^\[\]]*+\]"
_IMAGE = re.compile(rf"!{_TEXT}(?:{_TARGET}|{_TEXT})?+")
_INLINE_LINK = re.compile(rf"\[([^\[\]]*+)\]{_TARGET}")
_TAG = re.compile(rf"<(?!/?a\b|https?:)[A-Za-z/!?]{ATTRIBUTES}>")
_LINK = re.compile(
    rf"{_TEXT}(?:{_TARGET}|{_TEXT})|<a\b{ATTRIBUTES}>[^<]*+(?:</a>)?+|<?https?://[^\s<>]++"
)
_MARKER = re.compile(r"[*_]*+(?::::|!!!|\?\?\?|\{\{[<%]|\{%)")  # a marker line of a container
_DATE = re.compile(
    r"""[0-9]{4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,2}日?+|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}
    |[0-9]{1,2}(?:st|nd|rd|th|\.)?\s[^\W\d_]{3,12}\.?,?\s[0-9]{4}
    |[^\W\d_]{3,12}\.?\s[0-9]{1,2}(?:st|nd|rd|th)?,?\s[0-9]{4}
    """,
    re.VERBOSE,
)
_YEAR = re.compile(r"[0-9]{4}")  # in every date
_MAX_WORDS_AROUND_DATE = 5  # in a line that only dates a page, on each side of the date
_UNSPACED = UNSPACED_SCRIPTS + r"\u0f00-\u0fff"  # and Tibetan
_WORDS = re.compile(rf"([{_UNSPACED}])|[^\W\d_][^\s{_UNSPACED}]*+")
_MIN_WORDS = 6
_LETTERS_PER_WORD = 2  # in scripts without spaces


class FirstSentence(Struct, frozen=True, gc=False):
    """The first sentence of a section's own text.

    Attributes:
        text: the sentence, "" for none.
        start: the offset where its paragraph starts.
        is_lead_in: whether it ends in a colon, so that it introduces the rest of its own section.
    """

    text: str = ""
    start: int = 0
    is_lead_in: bool = False


@dataclass(frozen=True, slots=True)
class Introductions:
    """The first sentences of a document's sections, for the chunks that do not contain them.

    Such chunks are the later parts of a split section, and the chunks of its subsections. Their
    topic is often stated only in the section's first sentence.

    Attributes:
        document: the document.
        sizer: the length function and the limit.
        found: the sentences found so far, by section.
    """

    document: Document
    sizer: Sizer
    found: dict[int, FirstSentence] = field(default_factory=dict, repr=False, compare=False)

    @property
    def longest(self) -> int:
        """The largest size of a sentence."""
        return self.sizer.max_size // _LIMIT_FRACTION

    def before(self, span: Span) -> str:
        """Return the first sentence of the innermost section whose sentence is before a span.

        The sentence is on one line; "" if no section around the span has one. A sentence that is a
        lead-in (see `FirstSentence`) counts only for chunks of its own section.
        """
        innermost = section = self.document.section_at(self.document.positions(span).start).index
        while section >= ROOT:
            sentence = self.first_sentence(section)
            is_applicable = section == innermost or not sentence.is_lead_in
            if sentence.text and sentence.start < span.start and is_applicable:
                return sentence.text
            section = self.document.sections[section].parent
        return ""

    def first_sentence(self, section: int) -> FirstSentence:
        """Return the first sentence of a section's own text, with the text "" if it has none."""
        if section not in self.found:
            self.found[section] = self._find_sentence(section)
        return self.found[section]

    def _find_sentence(self, section: int) -> FirstSentence:
        """Return the first sentence of a section's first paragraph of prose."""
        document, outline_section = self.document, self.document.sections[section]
        for position in range(outline_section.first, outline_section.own_stop):
            kind = document.top[position].kind
            if kind is BlockKind.PARAGRAPH:
                span = document.trimmed_block(position)
                cutter = Cutter.of(document.source, span, self.sizer, 1, lambda *_: 0)
                cutter = replace(cutter, is_markup=document.is_markup(position))
                first = next((piece.span for piece in cutter.sentences()), span)
                sentence = document.text[first.start : first.end]
                if is_prose(sentence):
                    return self._shorten(sentence, span.start)
            elif kind not in _SKIPPED_KINDS:
                break
        return FirstSentence()

    def _shorten(self, sentence: str, start: int) -> FirstSentence:
        """Return the words of a sentence that fit, no sentence if these are fewer than six."""
        text = whole = " ".join(without_targets(sentence).split())
        if (size := self.sizer.length(whole)) > self.longest:
            source, span = Source.of(whole), Span(0, len(whole))
            cutter = Cutter.of(source, span, self.sizer, self.longest, lambda *_: size)
            fitting = next(cutter.words(span)).span
            text = whole[fitting.start : fitting.end]
        if count_words(text) < _MIN_WORDS:
            return FirstSentence()
        return FirstSentence(text, start, whole.rstrip("*_").endswith(LEAD_IN_ENDS))


def is_prose(sentence: str) -> bool:
    """Return whether a sentence is not just links, a date or the marker line of a container.

    In prose, at least half of the letters are outside links. The letters of a link are those of its
    text and its target. Images and HTML tags do not count.
    """
    shown = _TAG.sub("", _IMAGE.sub("", sentence))
    if _MARKER.match(sentence) or not any(map(str.isalpha, shown)):
        return False
    outside = _LINK.sub("", shown)
    if outside != shown and 2 * _count_letters(outside) < _count_letters(shown):
        return False
    parts = _DATE.split(shown, maxsplit=1) if _YEAR.search(shown) else [shown]
    return len(parts) == 1 or max(map(count_words, parts)) > _MAX_WORDS_AROUND_DATE


def _count_letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def without_targets(sentence: str) -> str:
    """Return a sentence without images and without the targets of links."""
    return _INLINE_LINK.sub(r"\1", _IMAGE.sub("", sentence))


def count_words(text: str) -> float:
    """Return the number of words; in scripts without spaces, two letters count as a word."""
    matches = _WORDS.findall(text)
    words = matches.count("")
    return words + (len(matches) - words) / _LETTERS_PER_WORD
