"""What strategies, formats, block rules and adapters of one's own are made of.

A module by itself, since most users need none of this: what they need is in `chunkana_core`.
"""

from chunkana_core.arguments import (
    require_callable,
    require_choice,
    require_each,
    require_finite,
    require_known_arguments,
    require_number,
    require_type,
)
from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import Section, SectionRange
from chunkana_core.document.paths import format_header_path, split_header_path
from chunkana_core.document.traits import FormatTraits, MergeRule
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
    parse_document,
    registered_format_of,
    unknown_file_type,
)
from chunkana_core.formats.source_files import (
    SourceFile,
    describe_unknown_file_types,
    require_installed,
)
from chunkana_core.splitting.plans import CutPlanner, PackedUnits
from chunkana_core.splitting.repeats import first_fence
from chunkana_core.splitting.splitter import Part, Splitter
from chunkana_core.splitting.units import Unit
from chunkana_core.stages import StageResults
from chunkana_core.text.cutting import UNSPACED_SCRIPTS
from chunkana_core.tree.ids import derive_uuid, text_digest
from chunkana_core.windows.chunking import WindowChunker
from chunkana_core.windows.window import Window, WindowEnd, WindowState

__all__ = [
    "HEADED_FORMATS", "LONGEST_SHORTCODE", "PROSE_FORMATS", "UNSPACED_SCRIPTS", "BaseStrategy",
    "Block", "BlockKind", "BlockRule", "CutPlanner", "Document", "Draft", "ExtensionError",
    "Field", "FieldReader", "Format", "FormatTraits", "MergeObstacle", "MergeRule", "PackedUnits",
    "Part", "Section", "SectionRange", "SourceFile", "Splitter", "StageResults",
    "StrategySelector", "Unit", "Window", "WindowChunker", "WindowEnd", "WindowState",
    "derive_uuid", "describe_unknown_file_types", "first_fence", "format_header_path",
    "parse_document", "registered_format_of", "require_callable", "require_choice", "require_each",
    "require_finite", "require_installed", "require_known_arguments", "require_number",
    "require_type", "split_header_path", "text_digest", "unknown_file_type", "warn",
]  # fmt: skip
