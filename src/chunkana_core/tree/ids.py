"""Short, stable ids of sections and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from chunkana_core.document.document import UNTITLED, Document
from chunkana_core.document.outline import ROOT

_LENGTH = 4  # bytes, each two hex digits


def derive_uuid(*parts: str) -> str:
    """Return a UUID derived from some strings, the same in every run.

    Vector stores accept it as an id. (Grouped as in RFC 9562 §4; lone surrogates are allowed.)
    """
    digits = text_digest(*parts).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"


def text_digest(*parts: str) -> bytes:
    """Return the SHA-256 of some strings, separated by NUL, in UTF-8 with lone surrogates."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


class Ids(Protocol):
    """A set of ids."""

    def __contains__(self, chunk_id: object, /) -> bool:
        """Return whether an id is in the set."""

    def __len__(self) -> int:
        """Return the number of ids in the set."""

    def add(self, chunk_id: str, /) -> None:
        """Add an id to the set."""


@dataclass(slots=True)
class IdRegister:
    """Creates ids that are unique in one document.

    Ids are hashes of their parts. Equal parts get different ids, which depend on the order of the
    calls; so do different parts with the same short hash.

    Attributes:
        taken: the ids that are in use.
    """

    taken: Ids = field(default_factory=set[str])
    _repeats: dict[bytes, int] = field(default_factory=dict)  # by hash, if repeated

    def new(self, *parts: str) -> str:
        """Return a new id derived from some strings."""
        seed = text_digest(*parts)
        chunk_id = seed[:_LENGTH].hex()
        while chunk_id in self.taken:
            repeats = self._repeats[seed] = self._repeats.get(seed, 0) + 1
            chunk_id = sha256(seed + str(repeats).encode()).digest()[:_LENGTH].hex()
        self.taken.add(chunk_id)
        return chunk_id


@dataclass(frozen=True, slots=True)
class SectionIds:
    """Creates the ids of sections, from the parent section's id and the title.

    A section's id is created before the id of the first leaf that contains its heading, so that ids
    do not depend on later text.

    Attributes:
        document: the document.
        register: the register that creates the ids.
        ids: the ids of the sections so far, in document order.
    """

    document: Document
    register: IdRegister
    ids: list[str] = field(default_factory=list)

    def up_to(self, stop: int) -> Sequence[str]:
        """Return the ids of the document and of all sections that start before a position."""
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
