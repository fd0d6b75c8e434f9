"""Shows sessions in docstrings as code in the API reference, where they would be quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

_SESSION = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class DocstringSessions(griffe.Extension):
    """Puts fences around what starts with `>>>` and ends with the paragraph."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401
        """Rewrite the docstring of a class, function or module."""
        if obj.docstring:
            obj.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
