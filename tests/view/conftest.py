"""What the view's tests need: its extra."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("jinja2") else ["test_*.py"]
