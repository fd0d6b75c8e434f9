"""Short, stable ids of sections and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from chunkana_core.document.document import UNTITLED, Document
from chunkana_core.document.outline import ROOT

_LENGTH = 4  # bytes, each two hex digits


class Ids(Protocol):
    """A set of ids."""

    def __contains__(self, chunk_id: object, /) -> bool:
        """Tell whether an id is in it."""

    def __len__(self) -> int:
        """Return how many ids are in it."""

    def add(self, chunk_id: str, /) -> None:
        """Put an id into it."""


@dataclass(slots=True)
class IdRegister:
    """Gives out ids that are unique in one document.

    Equal parts get different ids, numbered in the order in which they are asked for; so does the
    rare hash that is taken.

    Attributes:
        taken: ids that are not to be given out.
    """

    taken: Ids = field(default_factory=set[str])
    _repeats: dict[bytes, int] = field(default_factory=dict)  # of what was repeated at all

    def new(self, *parts: str) -> str:
        """Return an id made from some strings."""
        # Lone surrogates are part of what a str may hold.
        seed = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
        chunk_id = seed[:_LENGTH].hex()
        while chunk_id in self.taken:
            repeats = self._repeats[seed] = self._repeats.get(seed, 0) + 1
            chunk_id = sha256(seed + str(repeats).encode()).digest()[:_LENGTH].hex()
        self.taken.add(chunk_id)
        return chunk_id


@dataclass(frozen=True, slots=True)
class SectionIds:
    """Gives sections ids, made from their titles and their numbers among namesakes.

    A section gets its id before the first leaf that has its heading, so that ids depend on nothing
    that comes later.

    Attributes:
        document: the document.
        register: gives out the ids.
        ids: those of the first sections.
    """

    document: Document
    register: IdRegister
    ids: list[str] = field(default_factory=list)

    def up_to(self, stop: int) -> Sequence[str]:
        """Return the ids of the document and of all sections that begin before a position."""
        sections, ids, folded = self.document.sections, self.ids, self.document.folded
        if not ids:
            title = self.document.title if self.document.is_titled else UNTITLED
            ids.append(self.register.new("document", title))  # which goes by no later heading
        while len(ids) < len(sections) and (section := sections[len(ids)]).first < stop:
            is_title = section.index == folded
            names = ("section", ids[section.parent], section.title)
            ids.append(ids[ROOT] if is_title else self.register.new(*names))
        return ids


def section_ids(document: Document, register: IdRegister) -> Sequence[str]:
    """Return the id of every section."""
    return SectionIds(document, register).up_to(len(document.top))
