"""JSON that any reader of lines takes as it was meant."""

from __future__ import annotations

import json
import re

# JSON allows them in strings, but `str.splitlines` and some terminals take them for line ends.
_LINE_ENDS_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def to_json(fields: object, indent: int | None = None) -> str:
    """Return JSON that is valid UTF-8, with no line end but those of the indentation."""
    line = json.dumps(fields, ensure_ascii=False, indent=indent)
    return _LINE_ENDS_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", line)
