"""The manifest of a run: the documents, the hash of the chunks, and the changes."""

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
from chunkana_cli.reading.batch import escape_name
from chunkana_cli.reading.files import is_file


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """The manifest entry of a document.

    Attributes:
        file: the name of the file.
        hash: SHA-256 of the file, in hex.
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
        before: Mapping[str, str],
        now: Mapping[str, str],
        failed: Sequence[str],
        *,
        has_same_settings: bool,
    ) -> Changes:
        """Compare the hashes of files before and now, by name.

        Args:
            before: the hashes of the earlier run.
            now: the hashes of this run.
            failed: files that could not be read or chunked.
            has_same_settings: whether both runs make the same rows of the same text.
        """
        added = [name for name in now if name not in before]
        removed = [name for name in before if name not in now and name not in failed]
        old_names = {before[name]: name for name in reversed(removed)}
        pairs = [(old_names.pop(now[name], None), name) for name in added]
        renamed = [(old, name) for old, name in pairs if old is not None]
        kept = [name for name in now if name in before]
        changed = [name for name in kept if not has_same_settings or before[name] != now[name]]
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

    def hashes(self) -> dict[str, str]:
        """Return the hash of each document by its name."""
        return {document.file: document.hash for document in self.documents}

    def to_json(self) -> bytes:
        """Return the manifest as JSON."""
        return json.dumps(asdict(self), indent=1, default=_to_base64).encode() + b"\n"


def _to_base64(data: bytes) -> str:
    """Encode bytes for JSON as msgspec decodes them."""
    return b64encode(data).decode()


class UnusableStateError(Exception):
    """The manifest or the chunks of an earlier run cannot be used; the message gives the reason."""


def load_manifest(path: Path) -> Manifest | None:
    """Read a manifest; return None if there is none.

    Raises:
        UnusableStateError: if the file cannot be read, or is no manifest.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnusableStateError(f"{path}: {error.strerror or error}") from None
    except msgspec.MsgspecError:
        raise UnusableStateError(f"{path}: is no manifest") from None


def require_chunks(path: Path, manifest: Manifest) -> None:
    """Check that the chunks beside a manifest are those of its run.

    Raises:
        UnusableStateError: if they are not, for example after a killed run, or cannot be read.
    """
    chunks = path.parent / manifest.chunks
    try:
        with chunks.open("rb") as file:
            if file_digest(file, "sha256").hexdigest() != manifest.digest:
                raise UnusableStateError(f"{path}: is not of the chunks beside it")
    except OSError as error:
        raise UnusableStateError(f"{chunks}: {error.strerror or error}") from None


def settings_of(config: Mapping[str, object], **others: object) -> dict[str, object]:
    """Return all settings that affect rows, as values decoded from JSON."""
    settings = {
        "chunkana": version("chunkana-rag"),
        "schema_version": SCHEMA_VERSION,
        **config,
        **others,
    }
    decoded: dict[str, object] = json.loads(json.dumps(settings))
    return decoded


def hash_files(names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each readable file, by its escaped name."""
    hashes = {}
    for name in names:
        try:
            if is_file(name):  # a device may have no end
                with Path(name).open("rb") as file:
                    hashes[escape_name(name)] = file_digest(file, "sha256").hexdigest()
        except OSError:
            continue  # reported when the file is chunked
    return hashes
