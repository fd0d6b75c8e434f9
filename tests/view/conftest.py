"""Skip the tests of the view without its extra; in CI, require Selenium."""

import os
from importlib import import_module
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("jinja2") else ["test_*.py"]
if os.environ.get("CI"):
    import_module("selenium")  # else its absence would skip tests, and nobody would see it
