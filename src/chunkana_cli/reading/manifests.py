"""Which files of a folder `split -o FOLDER/` wrote; they are no documents."""

from __future__ import annotations

from pathlib import Path

import msgspec

MANIFEST = "manifest.json"


class _RunManifest(msgspec.Struct, frozen=True):
    """The fields by which the manifest of a run is told from other files of that name."""

    chunks: str
    digest: str
    settings: msgspec.Raw
    documents: list[msgspec.Raw]


def written_by_split(folder: str) -> set[str]:
    """Return the names of the manifest of a run in a folder and of its chunks, if there is one."""
    try:
        text = (Path(folder) / MANIFEST).read_bytes()
        return {MANIFEST, msgspec.json.decode(text, type=_RunManifest).chunks}
    except (OSError, msgspec.MsgspecError):
        return set()
