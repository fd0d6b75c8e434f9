"""The configurations that tests run with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, Literal

from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Context
from tests.core.laws import quarters, tokens

SIZES: Final = (200, 500, 1000, 4000)
MEASURES: Final = (len, quarters, tokens)
Atoms = Literal["keep", "split"]
ATOMS: Final[tuple[Atoms, ...]] = ("keep", "split")


def matrix(sizes: Iterable[int] = SIZES) -> Iterator[ChunkConfig]:
    """Yield every combination of size, setting of atoms, and measure."""
    for size, atoms, measure in product(sizes, ATOMS, MEASURES):
        yield ChunkConfig(max_chunk_size=size, atomic_blocks=atoms, length_function=measure)


# The last one asks for all; what is reserved is within half of any limit, by any of the measures.
CONTEXTS: Final = (
    None,
    Context(),
    Context(introduction=False),
    Context(breadcrumb=False),
    Context("guide.md", reserved="title: A\n\n"),
)


def contexts() -> st.SearchStrategy[Context | None]:
    """Make contexts of all kinds, half of them none."""
    made = st.builds(
        Context,
        label=st.sampled_from((None, "", "guide.md", " of a\nsite ", "label " * 40)),
        breadcrumb=st.booleans(),
        introduction=st.booleans(),
        reserved=st.sampled_from(("", "", "a: b\n", "\n" * 16)),
    )
    return st.none() | made


@st.composite
def configs(draw: st.DrawFn) -> ChunkConfig:
    """Make valid configurations: most have the default options beside size, atoms and measure."""
    size = draw(st.sampled_from((32, 64, *SIZES)))
    config = ChunkConfig(
        max_chunk_size=size,
        atomic_blocks=draw(st.sampled_from(ATOMS)),
        length_function=draw(st.sampled_from(MEASURES)),
    )
    if draw(st.integers(0, 2)):
        return config
    minimum = st.sampled_from((None, 0, 1, size // 2, size))
    return ChunkConfig(
        max_chunk_size=size,
        atomic_blocks=config.atomic_blocks,
        length_function=config.length_function,
        min_chunk_size=draw(minimum),
        min_content_after_header=draw(minimum),
        overlap_size=draw(st.sampled_from((0, 1, 50, 10_000))),
        strategy=draw(st.sampled_from(("auto", "code_aware", "structural", "fallback"))),
        oversize_tolerance=draw(st.sampled_from((0, 0.2, 1.0))),
        merge_boundary_level=draw(st.integers(0, 6)),
        include_document_summary=draw(st.booleans()),
    )
