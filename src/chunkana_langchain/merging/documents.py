"""Auto-merging of documents, by the rule of `chunkana_retrieval.merge_hits`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_langchain.merging.scores import ScoredDocument
from chunkana_retrieval import Hit, Parent, merge_hits
from chunkana_retrieval.errors import warn


def merge_documents(
    found: Sequence[ScoredDocument],
    parents: Mapping[str, Document],
    *,
    ratio: float,
    max_parent_size: int | None,
) -> list[Document]:
    """Replace documents by their parents where enough children were found.

    Args:
        found: with the scores by which they are ranked, the best first.
        parents: by id, all those above what was found; see `missing`.
        ratio: a parent replaces its children where more than this part of them was found.
        max_parent_size: the largest parent's text, in code points; None for any.

    Returns:
        Documents, none of which lies inside another, each at the place of the best one found in it
        and with the `score` of that one's metadata.
    """
    documents: dict[str, Document] = {}
    for document, _ in found:
        documents.setdefault(_identity(document), document)
    sound = _sound_parents(parents)
    hits = [Hit(_identity(document), score, parent_id(document)) for document, score in found]
    merged = merge_hits(
        [hit if hit.parent_id in sound else replace(hit, parent_id=None) for hit in hits],
        sound,
        ratio=ratio,
        max_parent_size=max_parent_size,
    )
    known = {**parents, **documents}
    return [_with_score(known[one.node_id], known[one.hit_ids[0]]) for one in merged]


def _sound_parents(parents: Mapping[str, Document]) -> dict[str, Parent]:
    """Return parents whose metadata say what merging has to know, with a warning of others.

    What is above a parent that is left out, or above itself, is not merged.
    """
    read = {name: _as_parent(document) for name, document in parents.items()}
    sound = {name: parent for name, parent in read.items() if parent is not None}
    if damaged := sorted(read.keys() - sound.keys()):
        warn(
            f"metadata of the parents {', '.join(damaged)} are damaged: nothing is merged into "
            "them; index their documents again"
        )
    # What contains others is larger, so that none is above itself.
    return {
        name: parent if _is_below(parent, sound) else replace(parent, parent_id=None)
        for name, parent in sound.items()
    }


def _is_below(parent: Parent, sound: Mapping[str, Parent]) -> bool:
    """Tell whether the parent of a parent is known, and larger."""
    above = sound.get(parent.parent_id or "")
    return above is not None and above.size > parent.size


def _as_parent(document: Document) -> Parent | None:
    metadata = document.metadata
    try:
        size = len(document.page_content) - int(metadata[keys.PREFIX_CHARS])
        return Parent(int(metadata[keys.CHILD_COUNT]), parent_id(document), size)
    except (KeyError, TypeError, ValueError):
        return None


def parent_id(document: Document) -> str | None:
    """Return the id of a document's parent; None for a root, and for documents of others.

    A root names itself as its parent. Where a vector store gave a root leaf another id, its parent
    is the copy of it in the document store, which counts no children and so replaces it.
    """
    above = document.metadata.get(keys.PARENT_ID)
    return None if above is None or above == document.id else str(above)


def missing(documents: Iterable[Document], parents: Mapping[str, Document]) -> list[str]:
    """Return the ids of parents of documents that are still to be fetched."""
    ids = (parent_id(document) for document in documents)
    return list(dict.fromkeys(above for above in ids if above and above not in parents))


def _identity(document: Document) -> str:
    """Return what tells documents apart: the id, or where a store returns none, the content."""
    return document.id or document.page_content


def _with_score(document: Document, child: Document) -> Document:
    score = child.metadata.get(keys.SCORE)
    if document is child or score is None:
        return document
    metadata = document.metadata | {keys.SCORE: score}
    return Document(page_content=document.page_content, metadata=metadata, id=document.id)
