"""Show the passages to read, trimmed to fit the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group
from rich.text import Text

from chunkana_cli.demo.auto_merge import Passage, leaves_under
from chunkana_cli.demo.excerpt import best_window
from chunkana_cli.demo.running import DemoRun
from chunkana_cli.screen.naming import format_location, path_of_all
from chunkana_cli.screen.visible import on_one_line, visible
from chunkana_retrieval import find_words

_EXCERPT_LINES = (20, 8, 8)  # of the passages shown, the best first
_NOT_WORTH_TRIMMING = 3  # lines
_BAR = "│ "


def render_passages(demo: DemoRun, width: int) -> Iterator[Group | Text]:
    """Yield the best passages, each below a citation."""
    shown = zip(demo.passages, _EXCERPT_LINES, strict=False)
    for number, ((index, passage), count) in enumerate(shown, 1):
        citation = Text(f"{number}. ").append(_citation(demo, index, passage))
        lines = _wrapped(passage.text, width - len(_BAR), demo.question)
        window = best_window([line.plain for line in lines], demo.question, count)
        yield Group(citation, *_trimmed(lines, window), Text())
    more = len(demo.passages) - len(_EXCERPT_LINES)
    if more > 0:
        yield Text(f"… and {more} more", style="dim")


def _citation(demo: DemoRun, index: int, passage: Passage) -> Text:
    document = demo.documents[index]
    leaves = leaves_under(document.tree, passage.node)
    name = "" if len(demo.documents) == 1 else f"{on_one_line(document.document.name)}, "
    place = f"  {name}{format_location(leaves[0], leaves[-1])}, {len(passage.text):,} characters"
    return Text(path_of_all(leaves), style="bold").append(place, style="not bold dim")


def _wrapped(text: str, width: int, question: str) -> list[Text]:
    """Wrap a text to the width of the screen, and highlight the words of the question."""
    marked = Text(visible(text), tab_size=4)
    for start, end in find_words(marked.plain, question):
        marked.stylize("bold yellow", start, end)
    lines = list(marked.wrap(Console(width=width), width, overflow="fold"))
    for line in lines:
        line.rstrip()
    return lines


def _trimmed(lines: Sequence[Text], window: range) -> Iterator[Text]:
    """Yield the lines of a window, with the numbers of lines left out before and after it."""
    above, below = window.start, len(lines) - window.stop
    start = window.start if above > _NOT_WORTH_TRIMMING else 0
    stop = window.stop if below > _NOT_WORTH_TRIMMING else len(lines)
    if start:
        yield Text(f"{_BAR}… {start} lines above", style="dim")
    for line in lines[start:stop]:
        yield Text(_BAR, style="dim").append(line)
    if stop < len(lines):
        yield Text(f"{_BAR}… {len(lines) - stop} lines below", style="dim")
