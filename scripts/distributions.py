"""Check that a folder has the sdist and the wheel of this checkout, and nothing stray in them.

What `twine check` and `check-wheel-contents` do not know: which files are the project's. Run from a
checkout: those are the files that git tracks.
"""

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

_ROOT = Path(__file__).parents[1]
_SOURCES = "src/"
_NEEDED = ("LICENSE", "README.md", "pyproject.toml", "CHANGELOG.md")


def list_files(root: Path, *options: str) -> set[str]:
    """Return the names of the files of a checkout that git tracks, or with options others, too."""
    command = ["git", "ls-files", "-z", *options]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603
    return {name for name in done.stdout.split("\0") if name}


def wheel_problems(files: dict[str, bytes], root: Path, known: set[str]) -> Iterator[str]:
    """Yield what is wrong with the files of a wheel: it holds `src/` as it is, and metadata.

    Args:
        files: their bytes by their names.
        root: of the checkout.
        known: the names of the checkout's files.
    """
    sources = {name.removeprefix(_SOURCES) for name in known if name.startswith(_SOURCES)}
    found = {name for name in files if ".dist-info/" not in name}
    yield from (f"{name}: is not in the wheel" for name in sorted(sources - found))
    yield from (f"{name}: is stray in the wheel" for name in sorted(found - sources))
    for name in sorted(sources & found):
        if files[name] != (root / _SOURCES / name).read_bytes():
            yield f"{name}: is another in the wheel"
    for package in sorted({PurePosixPath(name).parts[0] for name in found}):
        if f"{package}/py.typed" not in files:
            yield f"{package}: has no py.typed in the wheel"
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in files):
        yield "LICENSE: is not in the wheel"
    yield from _metadata_problems(files)


def sdist_problems(names: set[str], known: set[str]) -> Iterator[str]:
    """Yield what is wrong with the names of the files of an sdist: git knows each.

    Args:
        names: without the folder that they are in.
        known: the names of the checkout's files.
    """
    yield from (f"{name}: is stray in the sdist" for name in sorted(names - known - {"PKG-INFO"}))
    needed = {name for name in known if name.startswith(_SOURCES)} | {*_NEEDED}
    yield from (f"{name}: is not in the sdist" for name in sorted(needed - names))


def _metadata_problems(files: dict[str, bytes]) -> Iterator[str]:
    """Yield where metadata are others than those of pyproject.toml."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = next((files[name] for name in files if name.endswith(".dist-info/METADATA")), b"")
    metadata: Message = BytesParser().parsebytes(found)
    expected = {
        "Name": project["name"],
        "Version": project["version"],
        "License-Expression": project["license"],
        "Requires-Python": project["requires-python"],
    }
    for field, value in expected.items():
        if metadata[field] != value:
            yield f"{field}: is {metadata[field]!r} in the wheel, not {value!r}"


def read_wheel(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel."""
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_names(path: Path) -> set[str]:
    """Return the names of the files of an sdist, without the folder that they are in."""
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def main() -> None:
    """Check the distributions in the folder that is named; exit with 1 if anything is wrong."""
    folder, known = Path(sys.argv[1]), list_files(_ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    problems = [
        *wheel_problems(read_wheel(wheel), _ROOT, known),
        *sdist_problems(read_names(sdist), known),
    ]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{wheel.name} and {sdist.name} hold what this checkout holds")


if __name__ == "__main__":
    main()
