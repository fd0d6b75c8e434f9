"""Skip the tests of the command if its extra is not installed."""

from importlib.util import find_spec

_HAS_EXTRA = all(find_spec(name) for name in ("typer", "rich", "numpy", "jinja2"))
collect_ignore_glob = [] if _HAS_EXTRA else ["test_*.py"]
