"""Print the other supported Python versions on this machine, as `3.12 /path/to/python`.

The running Python is left out. If there is no other, a message says so, without an error.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

_PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
_CLASSIFIER = "Programming Language :: Python :: 3."
_ASK = "import sys, venv; print('.'.join(map(str, sys.version_info[:3])))"


def supported() -> list[str]:
    """Return the Python versions of the classifiers, such as "3.12", the oldest first."""
    project = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]
    found = [name for name in project["classifiers"] if name.startswith(_CLASSIFIER)]
    return [name.rpartition(" ")[2] for name in found]


def candidates(version: str) -> Iterator[str]:
    """Yield possible paths of a Python version: on PATH, and in the folders of pyenv and uv."""
    name = f"python{version}"
    if on_path := shutil.which(name):
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    for folder in (pyenv, uv):
        yield from map(str, sorted(folder.glob(f"*/bin/{name}"), reverse=True))


def runs(python: str, version: str) -> bool:
    """Return whether a Python starts, has the right version and can create environments.

    A shim of pyenv on PATH may not start.
    """
    done = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False)  # noqa: S603
    return done.returncode == 0 and done.stdout.startswith(f"{version}.")


def others() -> dict[str, str]:
    """Return the path of each supported Python version on this machine except the running one."""
    running = ".".join(map(str, sys.version_info[:2]))
    found = {
        version: next((path for path in candidates(version) if runs(path, version)), "")
        for version in supported()
        if version != running
    }
    return {version: path for version, path in found.items() if path}


def main() -> None:
    """Print the versions and paths found, and a summary on standard error."""
    found = others()
    print(f"Other Pythons here: {', '.join(found) or 'none'}", file=sys.stderr)
    for version, path in found.items():
        print(version, path)


if __name__ == "__main__":
    main()
