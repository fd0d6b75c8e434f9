"""Skip the tests of the command if its extra is not installed; keep indexes in their own folder."""

from importlib.util import find_spec
from pathlib import Path

import pytest

_HAS_EXTRA = all(find_spec(name) for name in ("typer", "rich", "numpy", "jinja2", "platformdirs"))
collect_ignore_glob = [] if _HAS_EXTRA else ["test_*.py"]


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of kept indexes during a test, which is not made yet."""
    from platformdirs import user_cache_path

    folder = tmp_path_factory.mktemp("cache")
    for variable in ("XDG_CACHE_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):  # read by platformdirs
        monkeypatch.setenv(variable, str(folder))
    return user_cache_path("chunkana", appauthor=False)
