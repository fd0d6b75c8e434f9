"""Griffe extensions for the API reference; mkdocs loads this module."""

from __future__ import annotations

import ast
import re
from typing import Any

import griffe

_SESSION = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class Sessions(griffe.Extension):
    """Puts fences around interactive examples, which Markdown would parse as block quotes."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401
        """Rewrite the docstring of a class, function or module."""
        if obj.docstring:
            obj.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)


class Fields(griffe.Extension):
    """Shows pydantic's fields with their defaults, and their descriptions as docstrings."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:  # noqa: ANN401
        """Replace a call of `Field` with its default, and set the docstring."""
        call = attr.value
        if not (isinstance(call, griffe.ExprCall) and str(call.function) == "Field"):
            return
        said = {a.name: a.value for a in call.arguments if isinstance(a, griffe.ExprKeyword)}
        attr.value = said.get("default")
        if "description" in said:
            text = ast.literal_eval(str(said["description"]))
            attr.docstring = griffe.Docstring(text, parent=attr)
