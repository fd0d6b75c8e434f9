"""What is fuzzed: every law, of any text in any configuration; and what a find looks like."""

from __future__ import annotations

import json
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import methodcaller
from pathlib import Path
from types import FrameType
from typing import Any

from chunkana_core import ChunkConfig, Context
from chunkana_core.formats.registry import FormatSelector
from tests.core import laws
from tests.core.counting import calls
from tests.core.laws import Case
from tests.core.merge_laws import sound
from tests.explain.explained import explained

Law = Callable[[Case], None]
MARKDOWN = "markdown"
LONGEST_UNIT = 30  # code points; longer texts take too long to repeat often enough
SIZES = (800, 3_200, 12_800)
MOST = 7.0  # times the calls, for four times the text


def linear(case: Case) -> None:
    """L8: four times a text, repeated, takes about four times the calls.

    Once it may take more: where a second plan is needed from some size on.
    """
    if not case.text or len(case.text) > LONGEST_UNIT:
        return
    config = ChunkConfig(
        max_chunk_size=32,  # the least, of which both sizes are many times
        length_function=case.config.length_function,
        atomic_blocks=case.config.atomic_blocks,
        strategy=case.config.strategy,
    )
    few, many, most = (partial(calls, case.text * (n // len(case.text)), config) for n in SIZES)
    before, found = few(), many()
    if found >= MOST * before:
        after = most()
        assert after < MOST * found, f"{after} calls for {SIZES[2]} characters, {found} before"


def merge_tree_sound(case: Case) -> None:
    """L5: the merge tree has its laws, too."""
    sound(case.result, case.config, None, 64)
    sound(case.result, case.config, case.config.max_chunk_size, 2)


def cuts_explained(case: Case) -> None:
    """Each cut is explained."""
    explained(case.text, case.config, case.context)


def valid(case: Case) -> None:
    """L9: the library's own validation finds nothing, and all that a result says can be asked."""
    strict = replace(case.config, validation="strict", debug=True)
    result = replace(case, config=strict).chunked()
    result.to_tree_dict()
    json.dumps(result.to_dict(), allow_nan=False)
    result.toc()
    assert all(chunk.metadata for chunk in result.chunks)
    assert all(chunk.embedded for chunk in result.get_leaves())


LAWS: tuple[Law, ...] = (*laws.ALL, merge_tree_sound, cuts_explained, valid, linear)
LAWS_OF_FORMATS: tuple[Law, ...] = (*laws.OF_FORMATS, merge_tree_sound, valid)


@dataclass(frozen=True, slots=True)
class Find:
    """A text that breaks a law in a configuration.

    Attributes:
        law: which one.
        what: the error.
        where: the file and line that raised it; finds with the same have one cause, probably.
        context: what is embedded before contents.
        format: the name of the format.
    """

    law: Law
    text: str
    config: ChunkConfig
    what: str
    where: str
    context: Context | None = None
    format: str = MARKDOWN

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes it from other finds."""
        return self.law.__name__, self.where

    def __str__(self) -> str:
        """Return it as a case for `tests/core/test_fuzz_finds.py`."""
        name = f"{self.law.__name__}, {self.where}: {self.what}".splitlines()[0][:160]
        context = (self.context,) if self.context else ()
        named = (repr(self.format),) if self.format != MARKDOWN else ()
        case = (ascii(self.text), written(self.config), *context, *named)
        return "\n".join([f"    {name!a}: (", *(f"        {part!s}," for part in case), "    ),"])


class TooSlowError(Exception):
    """A law took so long that the input must be of a shape that is not linear."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise where the processor takes longer than that; 0 is no limit."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise TooSlowError(f"over {seconds} seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def find(
    text: str,
    config: ChunkConfig,
    tried: Iterable[Law] = (),
    *,
    seconds: float = 0,
    context: Context | None = None,
    format: str = MARKDOWN,  # noqa: A002 -- as in the library
) -> Find | None:
    """Return the first law that a text breaks or takes too long to keep, None if it keeps all.

    Without laws, these are all laws of the format.
    """
    case = None
    for law in tried or (LAWS if format == MARKDOWN else LAWS_OF_FORMATS):
        try:
            with limited(seconds):
                case = case or case_of(text, config, context, format)
                law(case)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a find
            frame = traceback.extract_tb(error.__traceback__)[-1]
            is_slow = isinstance(error, TooSlowError)  # wherever that was noticed
            where = "time" if is_slow else f"{Path(frame.filename).name}:{frame.lineno}"
            what = f"{type(error).__name__}: {error}"
            return Find(law, text, config, what, where, context, format)
    return None


def case_of(text: str, config: ChunkConfig, context: Context | None, format: str) -> Case:  # noqa: A002
    """Return what is asked of a text of a format; the text of a notebook is that of its cells."""
    if format == MARKDOWN:
        return Case(text, config, context=context)
    kind = FormatSelector().select(format)
    return Case(kind.document(text).text, config, context=context, format=kind, file=text)


def smallest(found: Find, seconds: float = 0) -> Find:
    """Return the same find in less text and with fewer options."""
    for divide in (methodcaller("splitlines", keepends=True), list):
        pieces: list[str] = divide(found.text)
        count = len(pieces)
        while count:
            start = 0
            while start < len(pieces):
                fewer = pieces[:start] + pieces[start + count :]
                if again := _same(replace(found, text="".join(fewer)), seconds):
                    found, pieces = again, fewer
                else:
                    start += count
            count //= 2
    for field in fields(found.config):
        with suppress(ValueError):  # a minimum over the limit
            plainer: dict[str, Any] = {field.name: field.default}
            plain = replace(found, config=replace(found.config, **plainer))
            found = _same(plain, seconds) or found
    return _same(replace(found, context=None), seconds) or found


def _same(found: Find, seconds: float) -> Find | None:
    """Return a changed find if it is still found."""
    again = find(
        found.text,
        found.config,
        [found.law],
        seconds=seconds,
        context=found.context,
        format=found.format,
    )
    return again if again and again.key == found.key else None


def written(config: ChunkConfig) -> str:
    """Write a configuration as Python: what is not the default."""
    options = (
        f"{field.name}={getattr(value, '__name__', repr(value))}"
        for field in fields(config)
        if (value := getattr(config, field.name)) != field.default
    )
    return f"ChunkConfig({', '.join(options)})"
