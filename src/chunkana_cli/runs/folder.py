"""A run of `split` into a folder, which reuses the chunks of unchanged files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from chunkana_cli.errors import fail, report
from chunkana_cli.reading.batch import escape_name
from chunkana_cli.reading.files import identities_of, identity_of
from chunkana_cli.reading.manifests import MANIFEST
from chunkana_cli.runs.documents import SplitDocument
from chunkana_cli.runs.manifest import (
    Changes,
    DocumentEntry,
    Manifest,
    UnusableStateError,
    hash_files,
    load_manifest,
    require_chunks,
    settings_of,
)
from chunkana_cli.runs.run import Run
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.locking import lock_folder
from chunkana_cli.writing.output import HashingOutput, open_output


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
    _make_folder(folder)
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
    manifest = Manifest(chunks.name, digest, _settings(run), merger.entries, changes)
    with open_output(str(folder / MANIFEST)) as out:
        out.write(manifest.to_json())
    return changes


def _write_chunks(run: Run, chunks: Path, merger: _DocumentMerger) -> str:
    """Write the chunks; return the SHA-256 of what was written."""
    with open_output(str(chunks)) as out, progress_bar(len(merger.names)) as progress:
        hashing = HashingOutput(out)
        run.write_documents(merger.documents(progress), cast("BinaryIO", hashing))
        if not merger.entries:
            run.batch.require_any()
    return hashing.hash.hexdigest()


def _remove_replaced(folder: Path, chunks: Path) -> None:
    """Remove the chunks that an earlier run wrote into the folder in another format.

    A file that does not match the hash in its manifest is not removed.
    """
    path = folder / MANIFEST
    try:
        manifest = load_manifest(path)
        if manifest is None or manifest.chunks == chunks.name:
            return
        require_chunks(path, manifest)
    except UnusableStateError:
        return
    replaced = folder / manifest.chunks
    try:
        replaced.unlink()
    except OSError as error:
        fail(f"{replaced}: cannot be removed: {error.strerror or error}")
    report(f"{replaced}: removed; the chunks are in {chunks.name} now")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{folder}: cannot be made: {error.strerror or error}")


@dataclass(frozen=True, slots=True)
class _PreviousRun:
    """An earlier run.

    Attributes:
        manifest: its manifest.
        has_same_settings: whether it makes the same rows of the same text.
        chunks: the path of its chunks, None if they cannot be reused.
    """

    manifest: Manifest
    has_same_settings: bool
    chunks: Path | None


def _load_previous(run: Run, path: Path | None) -> _PreviousRun | None:
    """Return the earlier run of a manifest, None if there is none; report what cannot be reused.

    Without its manifest, the documents that it had are unknown; an unreadable one ends the command.
    """
    if path is None:
        return None
    try:
        manifest = load_manifest(path)
    except UnusableStateError as error:
        fail(f"--since: {error}; without --since, all files are new")
    if manifest is None:
        report(f"--since: {path}: no such file; all files are new")
        return None
    if manifest.settings != _settings(run):
        report(f"--since: {path} was written with other options; all files are chunked")
        return _PreviousRun(manifest, has_same_settings=False, chunks=None)
    try:
        require_chunks(path, manifest)
    except UnusableStateError as error:
        report(f"--since: {error}; all files are chunked")
        return _PreviousRun(manifest, has_same_settings=True, chunks=None)
    return _PreviousRun(manifest, has_same_settings=True, chunks=path.parent / manifest.chunks)


def _settings(run: Run) -> dict[str, object]:
    return settings_of(
        run.config.to_dict(),
        context=run.context is not None,
        fields=list(run.options.fields),
        format=run.form.name,
        front_matter_keys=list(run.options.front_matter_keys),
        encoding=run.batch.encoding,
        input_format=run.batch.input_format,
    )


@dataclass(slots=True)
class _DocumentMerger:
    """Merges the unchanged documents of an earlier run with newly chunked ones, in file order.

    Attributes:
        run: the current run.
        previous: the earlier run, None to chunk all files.
        hashes: the hash of each readable file, by name.
        reused: the documents whose rows come from the earlier run, by name.
        entries: the manifest entries of the documents yielded so far.
    """

    run: Run
    previous: _PreviousRun | None
    hashes: Mapping[str, str]
    reused: Mapping[str, DocumentEntry]
    entries: list[DocumentEntry] = field(default_factory=list)

    @classmethod
    def of(cls, run: Run, previous: _PreviousRun | None) -> _DocumentMerger:
        """Find the reusable documents: unchanged files in the same order as in the earlier run."""
        hashes = hash_files(run.batch.names)
        reused: dict[str, DocumentEntry] = {}
        if previous is not None and previous.chunks is not None:
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

        If they need none, set `entries` and the summary.
        """
        if self.previous is None or self.previous.chunks is None or self.names:
            return ""
        is_elsewhere = self.previous.chunks.resolve() != chunks.resolve()
        if is_elsewhere or len(self.reused) < len(self.previous.manifest.documents):
            return ""
        self.entries = [*self.reused.values()]
        for _ in self.run.summary.count(map(SplitDocument.of_entry, self.entries)):
            pass  # iterating counts them
        return self.previous.manifest.digest

    def documents(self, progress: Callable[[int], object]) -> Iterator[SplitDocument]:
        """Yield reused and newly chunked documents, in the order of the files."""
        chunked = self.run.chunk(self.names, progress)
        old_rows = self._read_reused()
        upcoming = next(chunked, None)
        for name in map(escape_name, self.run.batch.names):
            if entry := self.reused.get(name):
                document = SplitDocument.of_entry(entry, next(old_rows))
            elif upcoming is not None and upcoming.file == name:
                document, upcoming = upcoming, next(chunked, None)
            else:  # the file could not be read or chunked
                continue
            self.entries.append(document.to_entry(self.hashes.get(name, "")))
            yield document

    def _read_reused(self) -> Iterator[object]:
        """Yield the rows of each reused document from the chunks of the earlier run."""
        if self.previous is None or self.previous.chunks is None or self.run.form.rows is None:
            return iter(())
        documents = self.previous.manifest.documents
        counts = [(document.chunks, document.file in self.reused) for document in documents]
        return self.run.form.rows.read(self.previous.chunks, counts)

    def changes(self) -> Changes:
        """Compare the files with those of the earlier run."""
        previous = self.previous
        before = {} if previous is None else previous.manifest.hashes()
        now = {entry.file: entry.hash for entry in self.entries}
        failed = [name for name in map(escape_name, self.run.batch.names) if name not in now]
        is_same = previous is None or previous.has_same_settings
        return Changes.between(before, now, failed, has_same_settings=is_same)
