"""The page on engines runs as it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests import corpora
from tests.core.pages import DOCS, readers_folder
from tests.scale.java import require_java

require_java()


def test_the_page_prints_what_it_says(tmp_path: Path) -> None:
    """It has a process of its own, for it starts Ray and Spark itself."""
    settings = {
        "PYTHONPATH": str(corpora.REPOSITORY),
        "PYTHONWARNINGS": "ignore",
        "RAY_USAGE_STATS_ENABLED": "0",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.pages", DOCS / "scale.md"],
        cwd=readers_folder(tmp_path),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
