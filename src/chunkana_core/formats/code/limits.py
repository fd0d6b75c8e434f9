"""Limits on the texts that are given to the parser, and on its work.

At the end of a text, tree-sitter joins every reading of all that is still open there. The memory
for it grows with the square of the number of open brackets and of operators without an end, so that
4,000 characters of `a(/` in Java take 640 MB. Neither its options nor its callbacks can bound this,
so such texts are found before they are parsed.
"""

from __future__ import annotations

import re
from itertools import accumulate

from chunkana_core.formats.code.languages.table import LANGUAGES

_MAX_CHARACTERS = 2_000_000
_MAX_DEPTH = 400  # of brackets; 254 in the deepest of 6,500 real files
_MAX_UNOPENED = 1000  # brackets that are closed, but not open; 149 in these files
_MAX_OPERATORS = 1000  # in one expression; 660 in the largest of these files, with comments
_MAX_HALF_EXPRESSIONS = 200  # together, since they stay open; 38 in these files
_BRACKET = re.compile(r"[()\[\]{}]")
# A line of `=` is one operator.
_OPERATOR = re.compile(r"=++|-++|\*++|/++|\++|~++|[%&|^!<>`(\[{\\:?@$#]")
# `;` or a line ending after an operand, or an innermost bracket that contains an operand.
_EXPRESSION_END = re.compile(
    r"""[\w"')\]}][ \t]*+(?:;|\r?\n)|[(\[{][^()\[\]{}\w"']*+[\w"'][^()\[\]{}]*+[)\]}]"""
)
# Pipes into nothing, and conditions without the branch after `:`, up to `;`.
_HALF_EXPRESSION = re.compile(r"\|[ \t]*+;|(?<!\?)\?(?![.?])[^:;?]*+;")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_ANY_STRING = re.compile(rf"{_STRING.pattern}|'(?:[^'\\\n]|\\.)*+'")
_MAX_PROGRESS_CALLS = 50_000  # each after 100 steps of the parser, which take up to 450 KB
_FIRST_PROGRESS_CALLS = 300
_CHARACTERS_PER_CALL = 8  # 13 in the densest code


def is_within_limits(text: str, language: str) -> bool:
    """Return whether a text has none of the shapes that take the parser over 300 MB of memory.

    These are the shapes that are known, from `scripts/parser_memory.py`; this takes linear time.
    """
    if len(text) > _MAX_CHARACTERS:
        return False
    row = LANGUAGES.get(language)
    string = _ANY_STRING if row and row.has_single_quotes else _STRING
    code = string.sub("''", text)
    return _has_usual_brackets(code) and (language == "json" or _are_expressions_usual(code))


def max_progress_calls(text: str) -> int:
    """Return the largest number of progress callbacks of tree-sitter for a text.

    Ordinary code takes a quarter of it; ambiguous code that tries several readings may take more.
    """
    return min(_MAX_PROGRESS_CALLS, _FIRST_PROGRESS_CALLS + len(text) // _CHARACTERS_PER_CALL)


def _has_usual_brackets(code: str) -> bool:
    """Return whether brackets are not nested too deep, and few are closed that are not open."""
    changes = [1 if bracket in "([{" else -1 for bracket in _BRACKET.findall(code)]
    depths = [*accumulate(changes, lambda depth, change: max(0, depth + change), initial=0)]
    unopened = depths[-1] - sum(changes)
    return max(depths) <= _MAX_DEPTH and unopened <= _MAX_UNOPENED


def _are_expressions_usual(code: str) -> bool:
    """Return whether few expressions are unfinished, and none has too many operators."""
    if len(_HALF_EXPRESSION.findall(code)) > _MAX_HALF_EXPRESSIONS:
        return False
    expressions = (e for e in _EXPRESSION_END.split(code) if len(e) > _MAX_OPERATORS)
    return all(len(_OPERATOR.findall(e)) <= _MAX_OPERATORS for e in expressions)
