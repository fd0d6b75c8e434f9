"""A run of `split` into a folder, which reuses the chunks of unchanged files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from importlib.metadata import version
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from chunkana_batch import SCHEMA_VERSION
from chunkana_cli.inputs.files import InputError, escape_name, identities_of, identity_of
from chunkana_cli.inputs.manifest import (
    MANIFEST,
    Changes,
    DocumentEntry,
    Manifest,
    load_manifest,
)
from chunkana_cli.output.output import make_folder, open_output, progress_bar
from chunkana_cli.output.replacing import lock_folder
from chunkana_cli.runs.run import Rendered, Run
from chunkana_cli.streams import fail, report

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on


def write_folder(run: Run, folder: Path, state: Path | None) -> None:
    """Write the chunks of all files, and a manifest, into a folder.

    The chunks are replaced first, then the manifest, which contains their hash. Until then, the
    manifest is that of the last run that ended, also if this one is killed. Both folders are locked
    meanwhile.

    Args:
        run: the files, the chunking options and the output format.
        folder: the output folder; created if it does not exist.
        state: the folder or manifest of an earlier run; None to chunk all files.
    """
    make_folder(folder)
    before = None if state is None else state / MANIFEST if state.is_dir() else state
    folders = {folder, before.parent} if before is not None and before.is_file() else {folder}
    with ExitStack() as locks:
        for each in {place.resolve() for place in folders}:
            locks.enter_context(lock_folder(each))
        changes = _write(run, folder, before)
    if state is not None:
        report(f"since {state}: {changes.line()}")


def _write(run: Run, folder: Path, before: Path | None) -> Changes:
    """Write the chunks and the manifest; return the changes since the manifest `before`."""
    chunks = folder / f"chunks{run.form.suffixes[0]}"
    # The arguments may include the folder itself.
    own = identities_of([str(chunks), str(folder / MANIFEST)])
    run.batch.names = [name for name in run.batch.names if identity_of(name) not in own]
    merger = _DocumentMerger.of(run, _load_previous(run, before))
    digest = merger.reuse(chunks) or _write_chunks(run, chunks, merger)
    _remove_replaced(folder, chunks)
    changes = merger.changes()
    manifest = Manifest(chunks.name, digest, _settings(run), run.entries, changes)
    with open_output(str(folder / MANIFEST)) as out:
        out.write(manifest.to_json())
    return changes


def _write_chunks(run: Run, chunks: Path, merger: _DocumentMerger) -> str:
    """Write the chunks; return the SHA-256 of what was written."""
    with open_output(str(chunks)) as out, progress_bar(len(merger.names)) as progress:
        hashing = _HashingOutput(out)
        run.write_documents(merger.documents(progress), cast("BinaryIO", hashing))
        if not run.entries:
            run.batch.require_any()
    return hashing.hash.hexdigest()


class _HashingOutput(io.BufferedIOBase):
    """A binary stream that computes the SHA-256 of what is written to another one.

    Attributes:
        hash: the hash of all data written so far.
    """

    def __init__(self, out: BinaryIO) -> None:
        """Wrap a stream, which stays open."""
        self._out = out
        self.hash = sha256()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Write and hash all bytes; return their number."""
        self.hash.update(data)
        return self._out.write(data)


def _remove_replaced(folder: Path, chunks: Path) -> None:
    """Remove the chunks that an earlier run wrote into the folder in another format.

    A file that does not match the hash in its manifest is not removed.
    """
    path = folder / MANIFEST
    try:
        manifest = load_manifest(path)
        if manifest is None or manifest.chunks == chunks.name:
            return
        _require_chunks(path, manifest)
    except InputError:
        return
    replaced = folder / manifest.chunks
    try:
        replaced.unlink()
    except OSError as error:
        fail(f"{replaced}: cannot be removed: {error.strerror or error}")
    report(f"{replaced}: removed; the chunks are in {chunks.name} now")


_NO_MANIFEST = Manifest("", "", {}, ())


@dataclass(frozen=True, slots=True)
class _PreviousRun:
    """An earlier run, with an empty manifest if there is none.

    Attributes:
        manifest: its manifest.
        has_same_settings: whether it makes the same rows of the same text.
        chunks: the path of its chunks, None if they cannot be reused.
    """

    manifest: Manifest = _NO_MANIFEST
    has_same_settings: bool = True
    chunks: Path | None = None


def _load_previous(run: Run, path: Path | None) -> _PreviousRun:
    """Return the earlier run of a manifest; report what cannot be reused.

    Without its manifest, the documents that it had are unknown; an unreadable one ends the command.
    """
    if path is None:
        return _PreviousRun()
    try:
        manifest = load_manifest(path)
    except InputError as error:
        fail(f"--since: {error}; without --since, all files are new")
    if manifest is None:
        report(f"--since: {path}: no such file; all files are new")
        return _PreviousRun()
    if manifest.settings != _settings(run):
        report(f"--since: {path} was written with other options; all files are chunked")
        return _PreviousRun(manifest, has_same_settings=False)
    try:
        _require_chunks(path, manifest)
    except InputError as error:
        report(f"--since: {error}; all files are chunked")
        return _PreviousRun(manifest)
    return _PreviousRun(manifest, chunks=path.parent / manifest.chunks)


def _settings(run: Run) -> dict[str, object]:
    """Return all settings that affect the rows of a document, as values decoded from JSON."""
    settings = {
        "chunkana": version("chunkana-rag"),
        "schema_version": SCHEMA_VERSION,
        **run.config.to_dict(),
        "context": run.context is not None,
        "fields": run.options.fields,
        "format": run.form.name,
        "front_matter_keys": run.options.front_matter_keys,
        "encoding": run.batch.encoding,
        "input_format": run.batch.input_format,
    }
    decoded: dict[str, object] = json.loads(json.dumps(settings))
    return decoded


@dataclass(frozen=True, slots=True)
class _DocumentMerger:
    """Merges the unchanged documents of an earlier run with newly chunked ones, in file order.

    Attributes:
        run: the current run.
        previous: the earlier run.
        hashes: the hash of each readable file, by name.
        reused: the documents whose rows come from the earlier run, by name.
    """

    run: Run
    previous: _PreviousRun
    hashes: Mapping[str, str]
    reused: Mapping[str, DocumentEntry]

    @classmethod
    def of(cls, run: Run, previous: _PreviousRun) -> _DocumentMerger:
        """Find the reusable documents: unchanged files in the same order as in the earlier run."""
        hashes = _hash_files(run.batch.names)
        reused: dict[str, DocumentEntry] = {}
        if previous.chunks is not None:
            documents = previous.manifest.documents
            numbers = {document.file: number for number, document in enumerate(documents)}
            last = -1
            for name, digest in hashes.items():
                number = numbers.get(name, -1)
                if number > last and documents[number].hash == digest:
                    last, reused[name] = number, documents[number]
        return cls(run, previous, hashes, reused)

    @property
    def names(self) -> list[str]:
        """The files to chunk."""
        return [name for name in self.run.batch.names if escape_name(name) not in self.reused]

    def reuse(self, chunks: Path) -> str:
        """Return the hash of the chunks if they need no rewriting, otherwise "".

        If they need none, the run has the documents of the earlier one.
        """
        manifest, previous_chunks = self.previous.manifest, self.previous.chunks
        if previous_chunks is None or self.names or len(self.reused) < len(manifest.documents):
            return ""
        if previous_chunks.resolve() != chunks.resolve():
            return ""
        self.run.entries.extend(self.reused.values())
        return manifest.digest

    def documents(self, progress: Callable[[int], object]) -> Iterator[Rendered]:
        """Yield reused and newly chunked documents, in the order of the files."""
        chunked = self.run.chunk(self.names, progress)
        old_rows = self._read_reused()
        upcoming = next(chunked, None)
        for name in map(escape_name, self.run.batch.names):
            if entry := self.reused.get(name):
                yield entry, next(old_rows)
            elif upcoming is not None and upcoming[0].file == name:
                entry, rendered = upcoming
                upcoming = next(chunked, None)
                yield replace(entry, hash=self.hashes.get(name, "")), rendered

    def _read_reused(self) -> Iterator[Any]:
        """Yield the rows of each reused document from the chunks of the earlier run."""
        if self.previous.chunks is None or self.run.form.read is None:
            return iter(())
        documents = self.previous.manifest.documents
        counts = [(document.chunks, document.file in self.reused) for document in documents]
        return self.run.form.read(self.previous.chunks, counts)

    def changes(self) -> Changes:
        """Compare the files with those of the earlier run."""
        before, after = self.previous.manifest.documents, self.run.entries
        written = {entry.file for entry in after}
        names = map(escape_name, self.run.batch.names)
        failed = [name for name in names if name not in written]
        is_same = self.previous.has_same_settings
        return Changes.between(before, after, failed, has_same_settings=is_same)


def _require_chunks(path: Path, manifest: Manifest) -> None:
    """Check that the chunks beside a manifest are those of its run.

    Raises:
        InputError: if they are not, for example after a killed run, or cannot be read.
    """
    chunks = path.parent / manifest.chunks
    try:
        if _hash(chunks) != manifest.digest:
            raise InputError(f"{path}: is not of the chunks beside it")
    except OSError as error:
        raise InputError(f"{chunks}: {error.strerror or error}") from None


def _hash_files(names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each readable file, by its escaped name."""
    hashes = {}
    for name in names:
        try:
            if isfile(name):  # a device may have no end
                hashes[escape_name(name)] = _hash(Path(name))
        except OSError:
            continue  # reported when the file is chunked
    return hashes


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
