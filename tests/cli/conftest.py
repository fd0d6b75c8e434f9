"""Skip the tests of the command if its extra is not installed; keep indexes in their own folder."""

from importlib.util import find_spec
from pathlib import Path

import pytest

_HAS_EXTRA = all(find_spec(name) for name in ("typer", "rich", "numpy", "jinja2", "platformdirs"))
collect_ignore_glob = [] if _HAS_EXTRA else ["test_*.py"]


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that is the user's cache folder during a test."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
