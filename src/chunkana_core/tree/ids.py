"""Short, stable ids of sections and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT

_LENGTH = 8  # hex digits


@dataclass(slots=True)
class IdRegister:
    """Gives out ids that are unique in one document.

    Equal parts get different ids, numbered in the order in which they are asked for; so does the
    rare hash that is taken.

    Attributes:
        taken: ids that are not to be given out.
    """

    taken: set[str] = field(default_factory=set)
    _repeats: dict[bytes, int] = field(default_factory=dict)

    def new(self, *parts: str) -> str:
        """Return an id made from some strings."""
        # Lone surrogates are part of what a str may hold.
        seed = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
        repeats = self._repeats.get(seed, -1) + 1
        while (chunk_id := _shortened(seed, repeats)) in self.taken:
            repeats += 1
        self._repeats[seed] = repeats
        self.taken.add(chunk_id)
        return chunk_id


def _shortened(seed: bytes, repeats: int) -> str:
    digest = sha256(seed + str(repeats).encode()).digest() if repeats else seed
    return digest.hex()[:_LENGTH]


def section_ids(document: Document, register: IdRegister) -> Sequence[str]:
    """Return the id of every section, made from its titles and its number among namesakes."""
    ids = [register.new("document", document.title)]
    for section in document.sections[1:]:
        is_title = section.index == document.folded
        ids.append(
            ids[ROOT] if is_title else register.new("section", ids[section.parent], section.title)
        )
    return ids
