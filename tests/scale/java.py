"""Java, which Spark needs: asked for as modules are collected, so that its absence is one line."""

from __future__ import annotations

import os
import shutil

import pytest

_MISSING = "Spark needs Java 17 or later: there is no JAVA_HOME and no `java` on the path"


def require_java() -> None:
    """Skip the module that calls this where there is no Java; where CI is set, fail."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    if os.environ.get("CI"):
        pytest.fail(_MISSING)
    pytest.skip(_MISSING, allow_module_level=True)
