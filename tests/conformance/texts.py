"""Documents of the suite, edits of them, and what is true of every answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from hypothesis import strategies as st

from tests.conformance.frameworks import Answer

TEA = "# Tea\n\nBoil fresh water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
OVEN = "# Oven\n\nHeat it first.\n\n## Bread\n\nBake the bread for an hour.\n"
TEXTS = {"tea.md": TEA, "oven.md": OVEN}
COOLER = {**TEXTS, "tea.md": TEA.replace("80", "75")}
QUESTION = "How long does green tea wait?"
QUESTIONS = ("water", "green tea", "a cup")

_NAMES = st.sampled_from(["a.md", "b.md", "c.md"])
_PARAGRAPHS = st.sampled_from(
    ["Boil the water first, then wait.", "Green tea takes 80 degrees.", "# Tea", "## Cup",
     "A cup is for two, green or black.", "```\nx = 1\n```"]
)  # fmt: skip
_Kind = Literal["add", "move", "rename", "edit", "delete"]


@dataclass(frozen=True)
class Edit:
    """A change of one document: of the paragraph at a position, or of all of it.

    Attributes:
        kind: what happens: "add" puts a paragraph in front, also of a new document; "move" puts
            one at the end; "rename" gives the document another name; "edit" replaces a paragraph;
            "delete" removes the document.
        name: the name of the document.
        other: its new name.
        position: the number of the paragraph, from 0.
        paragraph: the new paragraph.
    """

    kind: _Kind
    name: str
    other: str
    position: int
    paragraph: str

    def apply(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the documents after the change."""
        paragraphs = texts.get(self.name, "").split("\n\n") if self.name in texts else []
        left = {name: text for name, text in texts.items() if name != self.name}
        if self.kind == "delete" or (not paragraphs and self.kind != "add"):
            return left
        at = self.position % max(len(paragraphs), 1)
        name = self.other if self.kind == "rename" else self.name
        changed = {
            "add": [self.paragraph, *paragraphs],
            "move": paragraphs[at + 1 :] + paragraphs[: at + 1],
            "rename": paragraphs,
            "edit": [*paragraphs[:at], self.paragraph, *paragraphs[at + 1 :]],
        }[self.kind]
        return {**left, name: "\n\n".join(changed)}


EDITS = st.lists(
    st.builds(
        Edit, st.sampled_from(get_args(_Kind)), _NAMES, _NAMES, st.integers(0, 3), _PARAGRAPHS
    ),
    min_size=2,
    max_size=7,
)
DOCUMENTS = st.dictionaries(
    _NAMES, st.lists(_PARAGRAPHS, min_size=1, max_size=6).map("\n\n".join), max_size=3
)


def assert_true(answers: Iterable[Answer], texts: Mapping[str, str]) -> None:
    """Assert that answers are exact slices of documents, in the lines that they name."""
    for answer in answers:
        text, metadata, at = texts[answer.document_id], answer.metadata, 0
        spans = metadata["spans"]
        for start, end in spans:
            assert 0 <= start < end <= len(text)
            at = answer.text.index(text[start:end], at) + end - start
        lines = [[_line(text, start), _line(text, end - 1)] for start, end in spans]
        assert [[*pair] for pair in metadata["lines"]] == lines
        assert (metadata["start_line"], metadata["end_line"]) == (lines[0][0], lines[-1][1])
        assert metadata["chunk_ids"]


def assert_of_either(
    answers: Iterable[Answer], before: Mapping[str, str], after: Mapping[str, str]
) -> None:
    """Assert that each answer is of its document as it was, or as it is."""
    for answer in answers:
        known = [texts[answer.document_id] for texts in (before, after)
                 if answer.document_id in texts]  # fmt: skip
        spans = answer.metadata["spans"]
        assert any(all(text[a:b] in answer.text for a, b in spans) for text in known)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def read(answers: Iterable[Answer]) -> str:
    """Return all that is handed over."""
    return "\n\n".join(answer.text for answer in answers)


def sorted_texts(answers: Iterable[Answer]) -> list[tuple[str, str]]:
    """Return the ids and texts of answers in an order of their own: that of ties may differ."""
    return sorted((answer.document_id, answer.text) for answer in answers)


def sources(answers: Iterable[Answer]) -> set[str]:
    """Return the ids of the documents that answers are from."""
    return {answer.document_id for answer in answers}
