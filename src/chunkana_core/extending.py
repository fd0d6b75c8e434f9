"""What strategies, formats, block rules and adapters of one's own are made of.

A module by itself, since most users need none of this: what they need is in `chunkana_core`.
"""

from chunkana_core.arguments import (
    require_callable,
    require_choice,
    require_each,
    require_finite,
    require_known,
    require_number,
    require_type,
)
from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import Section, SectionRange
from chunkana_core.document.paths import format_header_path, split_header_path
from chunkana_core.document.traits import FormatTraits, Merging
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.merging import MergeObstacle
from chunkana_core.drafting.strategies import BaseStrategy, StrategySelector
from chunkana_core.errors import ExtensionError, warn
from chunkana_core.fields import Field, FieldReader
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.markdown.state import LONGEST_SHORTCODE
from chunkana_core.formats.registry import (
    HEADED_FORMATS,
    PROSE_FORMATS,
    Format,
    known_format,
    parse_document,
    unknown_kind,
)
from chunkana_core.formats.source_files import SourceFile, describe_unknown, require_installed
from chunkana_core.splitting.plans import PackedUnits, Plan
from chunkana_core.splitting.repeats import first_fence
from chunkana_core.splitting.splitter import Part, Splitter
from chunkana_core.splitting.units import Unit
from chunkana_core.stages import Stages
from chunkana_core.text.cutting import UNSPACED_SCRIPTS
from chunkana_core.tree.ids import derive_uuid, text_digest
from chunkana_core.windows.chunking import WindowChunker
from chunkana_core.windows.window import Window, WindowEnd, WindowState

__all__ = [
    "HEADED_FORMATS", "LONGEST_SHORTCODE", "PROSE_FORMATS", "UNSPACED_SCRIPTS", "BaseStrategy",
    "Block", "BlockKind", "BlockRule", "Document", "Draft", "ExtensionError", "Field",
    "FieldReader", "Format", "FormatTraits", "MergeObstacle", "Merging", "PackedUnits", "Part",
    "Plan", "Section", "SectionRange", "SourceFile", "Splitter", "Stages", "StrategySelector",
    "Unit", "Window", "WindowChunker", "WindowEnd", "WindowState", "derive_uuid",
    "describe_unknown", "first_fence", "format_header_path", "known_format", "parse_document",
    "require_callable", "require_choice", "require_each", "require_finite", "require_installed",
    "require_known", "require_number", "require_type", "split_header_path", "text_digest",
    "unknown_kind", "warn",
]  # fmt: skip
