"""The licences of all that is installed at run time are known and permissive."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import corpora

PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT",
    "MIT-0", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
OF_FILES = {"MPL-2.0"}  # asks for changes of its own files alone; of what others depend on
EXTRAS = ("llamaindex", "langchain", "retrieval", "code", "cli", "view", "mcp", "arrow")
# What packages without a licence expression say, in words of their own.
WORDS = {
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License": "ISC",
    "MIT License": "MIT",
    "PSFL": "PSF-2.0",
}
_OPERATORS = {"AND", "OR", "WITH"}
_ROW = re.compile(r"^\| `([\w.-]+)`[^|]*\| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def licences_of(found: Distribution) -> set[str]:
    """Return the SPDX identifiers of a package's licences, its own words where it has none."""
    metadata = found.metadata
    texts = metadata.get_all("License-Expression") or metadata.get_all("License") or [""]
    said = texts[0].partition("\n")[0].strip()
    if not said:
        classifiers = metadata.get_all("Classifier") or []
        licences = [name for name in classifiers if name.startswith("License :: ")]
        said = " AND ".join(WORDS.get(x, x) for x in (x.rpartition(" :: ")[2] for x in licences))
    if said in WORDS:
        return {WORDS[said]}
    words = re.split(r"[\s()]+", said)
    return {word for word in words if word and word not in _OPERATORS} or {"none"}


def dependencies(name: str, extras: frozenset[str]) -> list[Requirement]:
    """Return what a package needs here with some extras."""
    found = map(Requirement, distribution(name).requires or [])
    environments = [{"extra": extra} for extra in ("", *extras)]
    return [x for x in found if x.marker is None or any(map(x.marker.evaluate, environments))]


def runtime_packages() -> dict[str, Distribution]:
    """Return all packages that the extra `all` installs here, and those that these need."""
    found: dict[str, Distribution] = {}
    waiting = [("chunkana-rag", frozenset({"all"}))]
    seen = {*waiting}
    while waiting:
        name, extras = waiting.pop()
        found[name] = distribution(name)
        for needed in dependencies(name, extras):
            entry = (canonicalize_name(needed.name), frozenset(needed.extras))
            if entry not in seen:
                seen.add(entry)
                waiting.append(entry)
    return found


@pytest.fixture(scope="module")
def packages() -> dict[str, Distribution]:
    """Return the packages, where all of them are installed."""
    try:
        return runtime_packages()
    except PackageNotFoundError as error:
        pytest.skip(f"not everything is installed: {error}")


def test_licences_are_known_and_permissive(packages: dict[str, Distribution]) -> None:
    unknown = {name: licences_of(x) - PERMISSIVE - OF_FILES for name, x in packages.items()}
    assert {name: words for name, words in unknown.items() if words} == {}
    assert len(packages) > 80


def test_the_page_says_a_licence_of_each_dependency(packages: dict[str, Distribution]) -> None:
    """And names each package whose licence is not permissive."""
    page = corpora.read(corpora.REPOSITORY / "docs" / "dependencies.md")
    needed = [x for extra in EXTRAS for x in dependencies("chunkana-rag", frozenset({extra}))]
    names = {canonicalize_name(x.name) for x in needed} - {"chunkana-rag"}
    said: dict[str, str] = dict(_ROW.findall(page))
    assert {*said} == names
    assert [name for name in names if said[name] not in licences_of(packages[name])] == []
    assert {*said.values()} <= PERMISSIVE
    assert all(f"`{name}`" in page for name, x in packages.items() if licences_of(x) & OF_FILES)
