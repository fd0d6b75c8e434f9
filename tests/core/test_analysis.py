"""The analysis: what a document consists of, in numbers."""

from __future__ import annotations

import pytest

from chunkana_core import ContentAnalysis, analyze_markdown
from chunkana_core.formats.markdown.parser import parse_markdown

TEXT = """Before.

# A

- one
  - nested

    ```
    code
    ```

> | a |
> |---|
> | b |

### C

    indented
"""


def test_counts() -> None:
    """Blocks inside containers count; headings inside them do not."""
    code = sum(len(line) + 1 for line in ("    ```", "    code", "    ```", "    indented"))
    assert analyze_markdown(TEXT) == ContentAnalysis(
        total_chars=len(TEXT),
        total_lines=18,
        code_ratio=code / len(TEXT),
        code_block_count=2,
        table_count=1,
        list_count=2,
        header_count=2,
        max_header_depth=3,
        has_preamble=True,
    )
    assert parse_markdown(TEXT).analysis == analyze_markdown(TEXT)


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\n\r\nb\r", 3), ("\n", 1)]
)
def test_lines(text: str, lines: int) -> None:
    """An unfinished last line counts, and what follows the last line end does not."""
    assert analyze_markdown(text).total_lines == lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text\n\n# A\n", True),
        ("# A\n\ntext\n", False),
        ("---\na: 1\n---\n\n# A\n", False),
        ("---\na: 1\n---\n\ntext\n\n# A\n", True),
        ("[a]: /b\n\n# A\n", False),
        ("\n\n# A\n", False),
        ("text without headings\n", False),
        ("", False),
    ],
)
def test_preamble(text: str, expected: object) -> None:
    """A preamble is text before the first heading; front matter and definitions are none."""
    assert analyze_markdown(text).has_preamble is expected


def test_nothing() -> None:
    assert analyze_markdown("") == ContentAnalysis(0, 0, 0.0, 0, 0, 0, 0, 0, has_preamble=False)


def test_all_code() -> None:
    assert analyze_markdown("```\ncode\n```\n").code_ratio == 1.0
