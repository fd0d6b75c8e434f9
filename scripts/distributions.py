"""Check that the sdist and the wheel in a folder contain exactly the files of this checkout.

`twine check` and `check-wheel-contents` do not know which files belong to the project: those that
git tracks. Run from a checkout.
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
    """Return the files of a checkout that git tracks; `options` are passed to `git ls-files`."""
    command = ["git", "ls-files", "-z", *options]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603
    return {name for name in done.stdout.split("\0") if name}


def wheel_problems(files: dict[str, bytes], root: Path, known: set[str]) -> Iterator[str]:
    """Yield the problems of a wheel, which must contain `src/` unchanged, and metadata.

    Args:
        files: the bytes of the files in the wheel, by name.
        root: the folder of the checkout.
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
    """Yield the problems of an sdist, which may only contain files of the checkout.

    Args:
        names: the names of the files, without the top folder.
        known: the names of the checkout's files.
    """
    yield from (f"{name}: is stray in the sdist" for name in sorted(names - known - {"PKG-INFO"}))
    needed = {name for name in known if name.startswith(_SOURCES)} | {*_NEEDED}
    yield from (f"{name}: is not in the sdist" for name in sorted(needed - names))


def _metadata_problems(files: dict[str, bytes]) -> Iterator[str]:
    """Yield the differences between the metadata and pyproject.toml."""
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
    """Return the names of the files of an sdist, without the top folder."""
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def main() -> None:
    """Check the distributions in a folder; exit with 1 if there are problems."""
    folder, known = Path(sys.argv[1]), list_files(_ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    problems = [
        *wheel_problems(read_wheel(wheel), _ROOT, known),
        *sdist_problems(read_names(sdist), known),
    ]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{wheel.name} and {sdist.name} contain the files of this checkout")


if __name__ == "__main__":
    main()
