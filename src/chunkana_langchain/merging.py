"""Auto-merging: found chunks are replaced by their parent where enough of its children were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from langchain_core.documents import Document

from chunkana_langchain import keys


@dataclass(frozen=True, slots=True)
class Merging:
    """How found documents are merged.

    Attributes:
        ratio: the share of a parent's children of which more have to be found.
        max_parent_size: the largest parent's text, in code points; None for any.
    """

    ratio: float
    max_parent_size: int | None

    def merge(self, found: Sequence[Document], parents: Mapping[str, Document]) -> list[Document]:
        """Replace documents by their parents, and those by theirs, as far as it goes.

        Args:
            found: the best first.
            parents: by id, all those above what was found; see `missing`.

        Returns:
            Documents none of which is in another, each where the best of what it replaces was. A
            parent has the score of that one.
        """
        chosen: dict[str, Document] = {}
        while True:
            read: dict[str, Document] = {}
            for document in found:
                whole = _outermost(document, chosen, parents)
                read.setdefault(_identity(whole), _with_score(whole, document))
            counts = Counter(above for d in read.values() if (above := parent_id(d)))
            merged = {i: parents[i] for i, n in counts.items() if self._is_merged(parents[i], n)}
            if not merged:
                return list(read.values())
            chosen |= merged

    def _is_merged(self, parent: Document, found: int) -> bool:
        size = len(parent.page_content) - int(parent.metadata[keys.PREFIX_CHARS])
        fits = self.max_parent_size is None or size <= self.max_parent_size
        return fits and found > self.ratio * int(parent.metadata[keys.CHILD_COUNT])


def parent_id(document: Document) -> str | None:
    """Return the id of a document's parent, None where it has none or is not ours.

    What has no parent names itself. Where a vector store gave it another id, it is found by that
    name, without children, and replaced by itself.
    """
    above = document.metadata.get(keys.PARENT_ID)
    return None if above is None or above == document.id else str(above)


def missing(documents: Iterable[Document], parents: Mapping[str, Document]) -> list[str]:
    """Return the ids of parents of documents that are still to be fetched."""
    ids = (parent_id(document) for document in documents)
    return list(dict.fromkeys(above for above in ids if above and above not in parents))


def _outermost(
    document: Document, chosen: Mapping[str, Document], parents: Mapping[str, Document]
) -> Document:
    """Return the outermost of the chosen parents around a document, or itself."""
    around = (chosen[above] for above in _above(document, parents) if above in chosen)
    return next(iter([*around][-1:]), document)


def _above(document: Document, parents: Mapping[str, Document]) -> Iterator[str]:
    while (above := parent_id(document)) is not None:
        yield above
        document = parents[above]


def _identity(document: Document) -> str:
    """Return what tells documents apart: the id, or where a store returns none, the content."""
    return document.id or document.page_content


def _with_score(document: Document, child: Document) -> Document:
    score = child.metadata.get(keys.SCORE)
    if document is child or score is None:
        return document
    metadata = document.metadata | {keys.SCORE: score}
    return Document(page_content=document.page_content, metadata=metadata, id=document.id)
