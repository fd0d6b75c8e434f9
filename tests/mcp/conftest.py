"""The tests of the server need its extra, and the command's; else they are left out."""

from __future__ import annotations

from importlib.util import find_spec

_NEEDED = ("mcp", "typer", "rich", "numpy", "jinja2", "jsonschema")

collect_ignore_glob = [] if all(map(find_spec, _NEEDED)) else ["test_*.py"]

if not collect_ignore_glob:
    from tests.mcp.fixtures import folder, session  # noqa: F401
