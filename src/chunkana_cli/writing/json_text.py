"""Write JSON that is safe for programs that read it line by line."""

from __future__ import annotations

import json
import re

# JSON allows these in strings, but `str.splitlines` and some terminals treat some as line ends,
# and UTF-8 cannot encode surrogates.
_LINE_ENDS_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def to_json(fields: object, indent: int | None = None) -> str:
    """Return JSON that UTF-8 can encode, without line ends except those of the indentation."""
    line = json.dumps(fields, ensure_ascii=False, indent=indent)
    return _LINE_ENDS_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", line)
