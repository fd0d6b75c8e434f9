"""The tests of the server need its extra, the command's, and processes as POSIX has them."""

from __future__ import annotations

import os
from importlib.util import find_spec

_NEEDED = ("mcp", "typer", "rich", "numpy", "jinja2", "jsonschema")

_HAS_ALL = os.name == "posix" and all(map(find_spec, _NEEDED))
collect_ignore_glob = [] if _HAS_ALL else ["test_*.py"]

if _HAS_ALL:
    from tests.mcp.fixtures import folder, session  # noqa: F401
