"""What a strategy is: which documents it handles, what it binds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from chunkana_core.analysis import ContentAnalysis
from chunkana_core.blocks import BlockKind
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft, section_drafts


class BaseStrategy(ABC):
    """A way to chunk; subclass it and register an instance with the chunker.

    Attributes:
        name: how `ChunkConfig.strategy` and the chunks' metadata call it.
        priority: 1 is asked first.
    """

    name: ClassVar[str]
    priority: ClassVar[int]

    @abstractmethod
    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        """Tell whether the strategy suits a document."""

    def apply(self, document: Document, config: ChunkConfig) -> list[Draft]:  # noqa: ARG002
        """Return the initial drafts, which tile the document: by default its sections."""
        return section_drafts(document)

    def binding(self, before: BlockKind, after: BlockKind) -> int:  # noqa: ARG002
        """Return what parting two neighbouring blocks costs beyond the usual, by default 0."""
        return 0
