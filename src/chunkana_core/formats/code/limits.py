"""Limits on the texts that are given to the parser, and on its work.

At the end of a text, tree-sitter joins every reading of all that is still open there. The memory
for it grows with the square of the number of open brackets and of operators without an end, so that
4,000 characters of `a(/` in Java take 640 MB. Neither its options nor its callbacks can bound this,
so such texts are found before they are parsed.
"""

from __future__ import annotations

import re
from itertools import accumulate

_MAX_CHARACTERS = 2_000_000
_MAX_DEPTH = 400  # of brackets; 254 in the deepest of 6,500 real files
_MAX_OPERATORS = 1000  # in one expression; 660 in the largest of these files, with comments
_MAX_HALF_CONDITIONS = 200  # together, since they stay open; 50 in the largest of these files
_BRACKET = re.compile(r"[()\[\]{}]")
# A line of `=` is one operator.
_OPERATOR = re.compile(r"=++|-++|\*++|/++|\++|~++|[%&|^!<>`(\[{\\:?@$#]")
# `;` or a line ending after an operand, or an innermost bracket that contains an operand.
_EXPRESSION_END = re.compile(
    r"""[\w"')\]}][ \t]*+(?:;|\r?\n)|[(\[{][^()\[\]{}\w"']*+[\w"'][^()\[\]{}]*+[)\]}]"""
)
# Conditions without the branch after `:`; `?.` and `??` are other operators.
_HALF_CONDITION = re.compile(r"(?<!\?)\?(?![.?])[^:;?]*+;")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_ANY_STRING = re.compile(rf"{_STRING.pattern}|'(?:[^'\\\n]|\\.)*+'")
# In other languages, a single quote also starts a lifetime, or is in a number.
_WITH_SINGLE_QUOTES = frozenset(
    {"bash", "javascript", "php", "python", "ruby", "tsx", "typescript"}
)
_MAX_PROGRESS_CALLS = 50_000  # each after 100 steps of the parser, which take up to 450 KB
_FIRST_PROGRESS_CALLS = 300
_CHARACTERS_PER_CALL = 8  # 13 in the densest code


def is_within_limits(text: str, language: str) -> bool:
    """Return whether the parser takes at most 300 MB of memory for a text, in linear time."""
    if len(text) > _MAX_CHARACTERS or _bracket_depth(text) > _MAX_DEPTH:
        return False
    if language == "json":
        return True
    string = _ANY_STRING if language in _WITH_SINGLE_QUOTES else _STRING
    code = string.sub("''", text)
    if len(_HALF_CONDITION.findall(code)) > _MAX_HALF_CONDITIONS:
        return False
    return _longest_expression(code) <= _MAX_OPERATORS


def max_progress_calls(text: str) -> int:
    """Return the largest number of progress callbacks of tree-sitter for a text.

    Ordinary code takes a quarter of it; ambiguous code that tries several readings may take more.
    """
    return min(_MAX_PROGRESS_CALLS, _FIRST_PROGRESS_CALLS + len(text) // _CHARACTERS_PER_CALL)


def _bracket_depth(text: str) -> int:
    """Return how deep the brackets of a text are nested."""
    changes = (1 if bracket in "([{" else -1 for bracket in _BRACKET.findall(text))
    return max(accumulate(changes, lambda depth, change: max(0, depth + change), initial=0))


def _longest_expression(code: str) -> int:
    """Return the largest number of operators and open brackets between two ends of expressions."""
    expressions = (e for e in _EXPRESSION_END.split(code) if len(e) > _MAX_OPERATORS)
    return max((len(_OPERATOR.findall(expression)) for expression in expressions), default=0)
