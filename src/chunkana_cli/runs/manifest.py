"""The manifest beside the chunks of a run: which documents they are of, and what changed."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path

import msgspec

from chunkana_batch import SCHEMA_VERSION
from chunkana_cli.reading.batch import written_name
from chunkana_cli.reading.files import is_file
from chunkana_cli.reading.manifests import MANIFEST

_VERSION = 1


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document of a run.

    Attributes:
        file: its name.
        hash: SHA-256 of the file, in hex.
        chunks: how many rows it has.
        over_limit: how many of them are over the limit.
        digests: of the content of each chunk, joined; base64 in JSON.
    """

    file: str
    hash: str
    chunks: int
    over_limit: int
    digests: bytes


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run found changed since an earlier one, by the names of files.

    Attributes:
        added: files that the earlier run did not have.
        changed: files whose text is another.
        removed: files that are no longer there.
        renamed: of the removed and added, pairs of the old and the new name of one text.
        failed: files that could not be read or chunked, of which there are no rows.
        unchanged: how many files are as they were.
    """

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()
    renamed: Sequence[tuple[str, str]] = ()
    failed: Sequence[str] = ()
    unchanged: int = 0

    @classmethod
    def between(
        cls, before: Mapping[str, str], now: Mapping[str, str], failed: Sequence[str]
    ) -> Changes:
        """Compare the hashes of files, by name, before and now."""
        added = [name for name in now if name not in before]
        removed = [name for name in before if name not in now and name not in failed]
        old_names = {before[name]: name for name in reversed(removed)}
        pairs = [(old_names.pop(now[name], None), name) for name in added]
        renamed = [(old, name) for old, name in pairs if old is not None]
        changed = [name for name in now if name in before and before[name] != now[name]]
        unchanged = len(now) - len(added) - len(changed)
        return cls(added, changed, removed, renamed, failed, unchanged)

    def line(self) -> str:
        """Return the counts."""
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
    """What is known of the chunks in a folder.

    Attributes:
        chunks: the name of the file of chunks in the folder.
        digest: SHA-256 of that file, in hex.
        settings: all that decides what rows a document has.
        documents: those that have rows in it, in its order, and those without any.
        changes: since the run that this one started from.
    """

    chunks: str
    digest: str
    settings: Mapping[str, object]
    documents: Sequence[DocumentEntry]
    changes: Changes = field(default_factory=Changes)
    version: int = _VERSION

    def hashes(self) -> dict[str, str]:
        """Return the hash of each document by its name."""
        return {document.file: document.hash for document in self.documents}

    def to_json(self) -> bytes:
        """Return it as a text of JSON."""
        return json.dumps(asdict(self), indent=1, default=_to_base64).encode() + b"\n"


def _to_base64(data: bytes) -> str:
    """Return bytes as msgspec reads them from JSON."""
    return b64encode(data).decode()


class UnusableStateError(Exception):
    """A state from which no run can start; the message says why."""


def load_manifest(state: Path) -> Manifest:
    """Read the manifest of a folder, or of the path of one.

    Raises:
        UnusableStateError: if there is none, or it is not that of the chunks beside it, as after a
            run that was killed.
    """
    path = state / MANIFEST if state.is_dir() else state
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
        if manifest.version != _VERSION:
            raise UnusableStateError(f"{path}: is of another version")
        with (path.parent / manifest.chunks).open("rb") as chunks:
            if file_digest(chunks, "sha256").hexdigest() != manifest.digest:
                raise UnusableStateError(f"{path}: is not of the chunks beside it")
    except FileNotFoundError as error:
        raise UnusableStateError(f"{error.filename}: no such file") from None
    except OSError as error:
        raise UnusableStateError(f"{path}: {error.strerror or error}") from None
    except msgspec.MsgspecError:
        raise UnusableStateError(f"{path}: is no manifest") from None
    return manifest


def settings_of(config: Mapping[str, object], **others: object) -> dict[str, object]:
    """Return what decides about rows, as JSON reads it again."""
    settings = {
        "chunkana": version("chunkana-rag"),
        "schema_version": SCHEMA_VERSION,
        **config,
        **others,
    }
    decoded: dict[str, object] = json.loads(json.dumps(settings))
    return decoded


def hash_files(names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file that can be read, by its name as it is written."""
    hashes = {}
    for name in names:
        try:
            if is_file(name):  # no device, which may have no end
                with Path(name).open("rb") as file:
                    hashes[written_name(name)] = file_digest(file, "sha256").hexdigest()
        except OSError:
            continue  # it is said where the file is chunked
    return hashes
