"""Auto-merging of LangChain documents by the rule of `chunkana_retrieval.merge_hits`."""

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
    """Replace documents by their parents if enough children were found.

    Args:
        found: the found documents with the scores by which they are ranked, the best first.
        parents: all ancestors of the found documents by id; see `missing_parent_ids`.
        ratio: the ratio of found children above which a parent replaces its children.
        max_parent_size: the size limit of a parent's text in characters; None for no limit.

    Returns:
        Documents, none of which is contained in another, in the order of the best found document in
        each, with the `score` from the metadata of that document.
    """
    documents: dict[str, Document] = {}
    for document, _ in found:
        documents.setdefault(_identity(document), document)
    valid = _valid_parents(parents)
    hits = [Hit(_identity(document), score, parent_id(document)) for document, score in found]
    merged = merge_hits(
        [hit if hit.parent_id in valid else replace(hit, parent_id=None) for hit in hits],
        valid,
        ratio=ratio,
        max_parent_size=max_parent_size,
    )
    known = {**parents, **documents}
    return [_with_score(known[one.node_id], known[one.hit_ids[0]]) for one in merged]


def _valid_parents(parents: Mapping[str, Document]) -> dict[str, Parent]:
    """Return the parents with valid metadata by id; warn of others.

    A parent whose own parent is missing, or not larger, is treated as a root.
    """
    parsed = {name: _as_parent(document) for name, document in parents.items()}
    valid = {name: parent for name, parent in parsed.items() if parent is not None}
    if damaged := sorted(parsed.keys() - valid.keys()):
        warn(
            f"metadata of the parents {', '.join(damaged)} are damaged: nothing is merged into "
            "them; index their documents again"
        )
    # A parent is larger than its children, so links to larger parents never form a cycle.
    return {
        name: parent if _has_larger_parent(parent, valid) else replace(parent, parent_id=None)
        for name, parent in valid.items()
    }


def _has_larger_parent(parent: Parent, valid: Mapping[str, Parent]) -> bool:
    """Return whether the parent of a parent is valid and larger."""
    above = valid.get(parent.parent_id or "")
    return above is not None and above.size > parent.size


def _as_parent(document: Document) -> Parent | None:
    """Return a document as a parent, None if its metadata are damaged."""
    metadata = document.metadata
    try:
        size = len(document.page_content) - int(metadata[keys.PREFIX_CHARS])
        return Parent(int(metadata[keys.CHILD_COUNT]), parent_id(document), size)
    except (KeyError, TypeError, ValueError):
        return None


def parent_id(document: Document) -> str | None:
    """Return the id of a document's parent; None for a root and for documents not from Chunkana.

    The metadata of a root contain its own id as the parent id. If a vector store gave a root leaf
    another id, its parent is its copy in the document store, which has a child count of 0 and
    therefore replaces the leaf.
    """
    above = document.metadata.get(keys.PARENT_ID)
    return None if above is None or above == document.id else str(above)


def missing_parent_ids(documents: Iterable[Document], parents: Mapping[str, Document]) -> list[str]:
    """Return the ids of the documents' parents that are not among `parents`."""
    ids = (parent_id(document) for document in documents)
    return list(dict.fromkeys(above for above in ids if above and above not in parents))


def _identity(document: Document) -> str:
    """Return a key of a document: the id, or the content if a store returns no ids."""
    return document.id or document.page_content


def _with_score(document: Document, child: Document) -> Document:
    score = child.metadata.get(keys.SCORE)
    if document is child or score is None:
        return document
    metadata = document.metadata | {keys.SCORE: score}
    return Document(page_content=document.page_content, metadata=metadata, id=document.id)
