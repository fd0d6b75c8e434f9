"""Code fences that a text leaves open, for `compare` and `validate`, which share nothing else."""

from __future__ import annotations

from chunkana_core.extending import BlockKind, parse_document


def leaves_fence_open(text: str) -> bool:
    r"""Return whether a text has a code fence that is not closed.

    >>> [leaves_fence_open(text) for text in ("~~~\na\n~~~", "~~~\na", "a ~~~ b")]
    [False, True, False]
    """
    if "```" not in text and "~~~" not in text:
        return False
    blocks = parse_document(text).blocks
    return any(block.is_open and block.kind is BlockKind.FENCED_CODE for block in blocks)
