"""The options of chunking, validated once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from chunkana_core.errors import ConfigurationError, InputTypeError, require

LengthFunction = Callable[[str], int]
AUTO = "auto"
SMALLEST_LIMIT = 32  # below it, not even a word and its header stack fit


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkConfig:
    """How to chunk; sizes are in units of `length_function`, by default code points.

    Attributes:
        max_chunk_size: the largest size of a chunk's content, at least 32.
        min_chunk_size: drafts under it are merged with a neighbour of the same parent; None is
            `min(100, max_chunk_size // 4)`.
        overlap_size: how much of the neighbours goes into `previous_content` and `next_content`.
        length_function: measures a text; need not be additive.
        strategy: "auto" or the name of a registered strategy.
        code_threshold: the `code_ratio` from which a document counts as code, 0.0 to 1.0.
        structure_threshold: the number of headings from which a document counts as structured.
        atomic_blocks: "keep" leaves code, tables and math whole at any size, "split" does not.
        oversize_tolerance: keeps a section whole up to `max_chunk_size * (1 + tolerance)`.
        merge_boundary_level: small drafts are not merged across headings of this level or above.
        min_content_after_header: parts with less text of their own are avoided; None is
            `min(100, max_chunk_size // 4)`.
        include_document_summary: whether the root's content has a summary below the title.
        validation: "off", "warn" or "strict"; what becomes of violated invariants.
        debug: adds the validation's outcome to the metadata of every chunk.

    Raises:
        ConfigurationError: naming the field, the value and what is allowed.

    >>> ChunkConfig(max_chunk_size=500).min_chunk
    100
    """

    max_chunk_size: int = 1000
    min_chunk_size: int | None = None
    overlap_size: int = 0
    length_function: LengthFunction = len
    strategy: str = AUTO
    code_threshold: float = 0.3
    structure_threshold: int = 3
    atomic_blocks: Literal["keep", "split"] = "keep"
    oversize_tolerance: float = 0.0
    merge_boundary_level: int = 2
    min_content_after_header: int | None = None
    include_document_summary: bool = True
    validation: Literal["off", "warn", "strict"] = "off"
    debug: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        self._require_int("max_chunk_size", SMALLEST_LIMIT)
        for name in ("min_chunk_size", "min_content_after_header"):
            if getattr(self, name) is not None:
                self._require_int(name, 0, self.max_chunk_size, "None or {}")
        self._require_int("overlap_size", 0)
        self._require_int("structure_threshold", 0)
        self._require_int("merge_boundary_level", 0, 6)
        self._require_number("code_threshold", 0.0, 1.0)
        self._require_number("oversize_tolerance", 0.0, None)
        self._require_choice("atomic_blocks", "keep", "split")
        self._require_choice("validation", "off", "warn", "strict")
        for name in ("include_document_summary", "debug"):
            if not isinstance(value := getattr(self, name), bool):
                raise InputTypeError(name, value, "True or False")
        if not isinstance(self.strategy, str):
            raise InputTypeError("strategy", self.strategy, '"auto" or the name of a strategy')
        if not callable(self.length_function):
            raise InputTypeError("length_function", self.length_function, "a callable str -> int")

    @property
    def min_chunk(self) -> int:
        """`min_chunk_size`, or what None stands for."""
        return self._default_minimum if self.min_chunk_size is None else self.min_chunk_size

    @property
    def min_content(self) -> int:
        """`min_content_after_header`, or what None stands for."""
        given = self.min_content_after_header
        return self._default_minimum if given is None else given

    @property
    def _default_minimum(self) -> int:
        return min(100, self.max_chunk_size // 4)

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a JSON-able dict, without `length_function`."""
        names = (field.name for field in fields(self) if field.name != "length_function")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(
        cls, options: Mapping[str, object], length_function: LengthFunction = len
    ) -> ChunkConfig:
        """Make a configuration from `to_dict()`'s result.

        Raises:
            ConfigurationError: for an unknown key or a value that is not allowed.
        """
        known = {field.name for field in fields(cls)} - {"length_function"}
        for name, value in options.items():
            require(ok=name in known, field=name, value=value, allowed=", ".join(sorted(known)))
        return cls(**dict(options), length_function=length_function)  # type: ignore[arg-type]

    def _require_int(
        self, name: str, least: int, most: int | None = None, words: str = "{}"
    ) -> None:
        value = getattr(self, name)
        allowed = words.format(_range_words("a whole number", least, most))
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputTypeError(name, value, allowed)
        if value < least or (most is not None and value > most):
            raise ConfigurationError(name, value, allowed)

    def _require_number(self, name: str, least: float, most: float | None) -> None:
        value = getattr(self, name)
        allowed = _range_words("a number", least, most)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise InputTypeError(name, value, allowed)
        if not least <= value <= (float("1e9") if most is None else most):
            raise ConfigurationError(name, value, allowed)

    def _require_choice(self, name: str, *choices: str) -> None:
        value = getattr(self, name)
        if value not in choices:
            raise ConfigurationError(name, value, " or ".join(map(repr, choices)))


def _range_words(what: str, least: float, most: float | None) -> str:
    return f"{what} of at least {least}" if most is None else f"{what} from {least} to {most}"
