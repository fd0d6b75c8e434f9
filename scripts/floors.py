"""Print the oldest allowed version of every dependency in pyproject.toml, as `name==version`.

A dependency with a different floor for newer Python versions has a line for each marker.
"""

import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

_PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
_RANGE = re.compile(r"(?P<name>[\w.-]+)>=(?P<floor>[\w.]+),<[\w.]+(?P<marker>; .+)?")


def floors() -> Iterator[str]:
    """Yield a requirement for each dependency of the core and of the extras.

    Raises:
        ValueError: a dependency is not of the form `name>=floor,<cap`, with or without a marker.
    """
    project = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    for dependency in chain(project["dependencies"], *extras):
        if dependency.startswith(f"{project['name']}["):  # an extra that combines other extras
            continue
        if not (found := _RANGE.fullmatch(dependency)):
            raise ValueError(f"{dependency!r} is not of the form 'name>=floor,<cap; marker'")
        yield f"{found['name']}=={found['floor']}{found['marker'] or ''}"


if __name__ == "__main__":
    print(*floors(), sep="\n")
