"""The manifest of a folder of chunks: the documents, the hash of the chunks, and the changes."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgspec

from chunkana_cli.inputs.files import InputError

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """The manifest entry of a document.

    Attributes:
        file: the name of the file.
        hash: SHA-256 of the file, in hex; "" until it is known.
        chunks: the number of rows.
        over_limit: the number of rows over the limit.
        digests: the digests of the contents of all chunks, joined; base64 in JSON.
    """

    file: str
    hash: str
    chunks: int
    over_limit: int
    digests: bytes


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since an earlier run, as file names.

    Attributes:
        added: files that the earlier run did not have.
        changed: files with a different text; with other settings, all files that it had.
        removed: files that no longer exist.
        renamed: pairs of a removed and an added file with the same text.
        failed: files that could not be read or chunked, and have no rows.
        unchanged: the number of unchanged files.
    """

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()
    renamed: Sequence[tuple[str, str]] = ()
    failed: Sequence[str] = ()
    unchanged: int = 0

    @classmethod
    def between(
        cls,
        before: Sequence[DocumentEntry],
        after: Sequence[DocumentEntry],
        failed: Sequence[str],
        *,
        has_same_settings: bool,
    ) -> Changes:
        """Compare the documents of an earlier run with those of this one.

        Args:
            before: the documents of the earlier run.
            after: the documents of this run.
            failed: files that could not be read or chunked.
            has_same_settings: whether both runs make the same rows of the same text.
        """
        old, new = ({entry.file: entry.hash for entry in entries} for entries in (before, after))
        added = [name for name in new if name not in old]
        removed = [name for name in old if name not in new and name not in failed]
        old_names = {old[name]: name for name in reversed(removed)}
        pairs = [(old_names.pop(new[name], None), name) for name in added]
        renamed = [(before, name) for before, name in pairs if before is not None]
        kept = [name for name in new if name in old]
        changed = [name for name in kept if not has_same_settings or old[name] != new[name]]
        return cls(added, changed, removed, renamed, failed, len(kept) - len(changed))

    def line(self) -> str:
        """Return the counts as one line."""
        counts = {
            "added": len(self.added),
            "changed": len(self.changed),
            "unchanged": self.unchanged,
            "removed": len(self.removed),
        }
        renamed = f" ({len(self.renamed):,} renamed)" if self.renamed else ""
        return ", ".join(f"{count:,} {name}" for name, count in counts.items()) + renamed


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a folder of chunks, which a run writes last.

    A run that is killed before leaves the manifest of the run before it: the documents that are
    known, and that have rows in an index, although the chunks beside it may be others.

    Attributes:
        chunks: the name of the file of chunks in the folder.
        digest: SHA-256 of that file, in hex.
        settings: all settings that affect the rows of a document.
        documents: the entries of all documents, in the order of their rows.
        changes: the changes since the earlier run.
    """

    chunks: str
    digest: str
    settings: Mapping[str, object]
    documents: Sequence[DocumentEntry]
    changes: Changes = field(default_factory=Changes)

    def to_json(self) -> bytes:
        """Return the manifest as JSON."""
        return json.dumps(asdict(self), indent=1, default=_to_base64).encode() + b"\n"


def _to_base64(data: bytes) -> str:
    """Encode bytes for JSON as msgspec decodes them."""
    return b64encode(data).decode()


def load_manifest(path: Path) -> Manifest | None:
    """Read a manifest; return None if there is none.

    Raises:
        InputError: if the file cannot be read, or is no manifest.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except msgspec.MsgspecError:
        raise InputError(f"{path}: is no manifest") from None


def written_by_split(folder: str) -> set[str]:
    """Return the file names of the manifest and the chunks that a run wrote into a folder.

    They are not read as documents.
    """
    try:
        manifest = load_manifest(Path(folder, MANIFEST))
    except InputError:
        return set()
    return set() if manifest is None else {MANIFEST, manifest.chunks}
