"""Cases in files: a title, options, a document, and the content of every leaf.

A line of `=` starts a case, a line of `-` ends what stands before it. Beside the options may stand
the `format` of the document, its expected `outline`, the `summary` of its root, and under `leaves`
what the metadata of each leaf says. To add a case, add it to a file in `tests/data/cases`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from chunkana_core import ChunkConfig
from chunkana_core.extending import Format
from chunkana_core.formats.registry import TEXT, FormatSelector
from tests import corpora
from tests.core.laws import Case, lawful, require_laws
from tests.core.nested import NESTED

CASES = corpora.REPOSITORY / "tests" / "data" / "cases"
BESIDE = ("format", "leaves")  # what is no option of `ChunkConfig`
NEXT_CASE, NEXT_PART = "=" * 70 + "\n", "-" * 70 + "\n"


def cases() -> Iterator[object]:
    """Yield every case of every file."""
    for path in sorted(CASES.glob("*.md")):
        for case in corpora.read(path).split(NEXT_CASE)[1:]:
            head, text, *contents = case.split(NEXT_PART)
            title, _, options = head.partition("\n")
            values = yaml.safe_load(options) or {}
            yield pytest.param(values, text, contents, id=f"{path.stem}: {title}")


def results(case: Case) -> dict[str, object]:
    """Return what a case may expect of the whole document."""
    outline = [f"{'#' * entry.level} {entry.title}" for entry in case.result.toc()]
    return {"outline": outline, "summary": case.result.chunks[0].content}


def format_named(name: str | None) -> Format | None:
    """Return a format by its name; None stands for Markdown."""
    if name is None or name == NESTED.name:
        return NESTED if name else None
    if name != TEXT.name:
        pytest.importorskip("tree_sitter")
    return FormatSelector().select(name)


@pytest.mark.parametrize(("values", "text", "contents"), [*cases()])
def test_case(values: dict[str, Any], text: str, contents: list[str]) -> None:
    """A document gives the leaves that its case says, and the laws hold."""
    expected = {name: values[name] for name in ("outline", "summary") if name in values}
    metadata, kind = values.get("leaves", {}), format_named(values.get("format"))
    if "code_cuts" in values:
        pytest.importorskip("tree_sitter")
    options = {name: values[name] for name in values if name not in {*expected, *BESIDE}}
    case = Case(text, ChunkConfig.from_dict(options), format=kind)
    assert [f"{chunk.content}\n" for chunk in case.leaves] == contents
    assert {key: [leaf.metadata[key] for leaf in case.leaves] for key in metadata} == metadata
    assert results(case) | expected == results(case)
    require_laws(case)


def test_headings_of_a_long_document_are_with_their_text() -> None:
    """All five sections of a report are cut alike, where headings were left behind once."""
    case = lawful(corpora.own_document("regression_ru.md"), overlap_size=200)
    text = "\n\n\n".join(chunk.text for chunk in case.leaves)
    for title, below in (
        ("Итоги работы", r"1\. \w+"),
        ("Кто участвовал в реализации", r"\w+.{60}"),
    ):
        assert len(re.findall(rf"^#### {title}\n\n{below}", text, re.MULTILINE)) == 5
    assert len(re.findall(r"^## .*\n\n#### Описание\n\n\w+.{60}", text, re.MULTILINE)) == 5
    assert max(chunk.size for chunk in case.result.chunks) <= 1000
    assert sum(chunk.header_moved_from_id is not None for chunk in case.leaves) >= 5
