"""Recognise the files that `split -o FOLDER/` wrote, which are not read as documents."""

from __future__ import annotations

from pathlib import Path

import msgspec

MANIFEST = "manifest.json"


class _RunManifest(msgspec.Struct, frozen=True):
    """The fields that distinguish the manifest of a run from other files of that name."""

    chunks: str
    digest: str
    settings: msgspec.Raw
    documents: list[msgspec.Raw]


def written_by_split(folder: str) -> set[str]:
    """Return the file names of the manifest and the chunks that a run wrote into a folder."""
    try:
        text = (Path(folder) / MANIFEST).read_bytes()
        return {MANIFEST, msgspec.json.decode(text, type=_RunManifest).chunks}
    except (OSError, msgspec.MsgspecError):
        return set()
