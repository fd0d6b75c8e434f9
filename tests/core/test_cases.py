"""Cases in files: a title, options, a document, and the content of every leaf.

A line of `=` starts a case, a line of `-` ends what stands before it. To add a case, add it to a
file in `tests/data/cases`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml

from chunkana_core import ChunkConfig
from tests import corpora
from tests.core import laws
from tests.core.laws import Case

CASES = corpora.REPOSITORY / "tests" / "data" / "cases"
NEXT_CASE, NEXT_PART = "=" * 70 + "\n", "-" * 70 + "\n"


def cases() -> Iterator[object]:
    """Yield every case of every file."""
    for path in sorted(CASES.glob("*.md")):
        for case in corpora.read(path).split(NEXT_CASE)[1:]:
            head, text, *contents = case.split(NEXT_PART)
            title, _, options = head.partition("\n")
            yield pytest.param(options, text, contents, id=f"{path.stem}: {title}")


@pytest.mark.parametrize(("options", "text", "contents"), [*cases()])
def test_case(options: str, text: str, contents: list[str]) -> None:
    """A document gives the leaves that its case says, and the laws hold."""
    case = Case(text, ChunkConfig.from_dict(yaml.safe_load(options) or {}))
    assert [f"{chunk.content}\n" for chunk in case.leaves] == contents
    for law in laws.ALL:
        law(case)
