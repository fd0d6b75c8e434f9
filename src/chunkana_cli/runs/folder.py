"""A run of `split` into a folder, which reuses the chunks of unchanged files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path

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
    settings_of,
)
from chunkana_cli.runs.run import Run
from chunkana_cli.screen.progress import progress_bar
from chunkana_cli.writing.output import open_output


def write_folder(run: Run, folder: Path, state: Path | None) -> None:
    """Write the chunks of all files, and a manifest, into a folder.

    The chunks are replaced first, and the manifest contains their hash. If a run is killed between
    the two, the hash does not match, and the next run chunks all files again.

    Args:
        run: the files, the chunking options and the output format.
        folder: the output folder; created if it does not exist.
        state: the folder or manifest of an earlier run; None to chunk all files.
    """
    chunks = folder / f"chunks{run.form.suffixes[0]}"
    # The arguments may include the folder itself.
    own = identities_of([str(chunks), str(folder / MANIFEST)])
    run.batch.names = [name for name in run.batch.names if identity_of(name) not in own]
    merger = _DocumentMerger.of(run, _load_previous(run, state))
    _make_folder(folder)
    if not merger.is_same(chunks):
        with open_output(str(chunks)) as out, progress_bar(len(merger.names)) as progress:
            run.write_documents(merger.documents(progress), out)
            if not merger.entries:
                run.batch.require_any()
    _remove_replaced(folder, chunks)
    changes = merger.changes()
    manifest = Manifest(chunks.name, _hash(chunks), _settings(run), merger.entries, changes)
    with open_output(str(folder / MANIFEST)) as out:
        out.write(manifest.to_json())
    if state is not None:
        report(f"since {state}: {changes.line()}")


def _remove_replaced(folder: Path, chunks: Path) -> None:
    """Remove the chunks that an earlier run wrote into the folder in another format.

    A file that does not match the hash in its manifest is not removed.
    """
    others = [path for path in folder.glob(f"{chunks.stem}.*") if path.name != chunks.name]
    if not others:
        return
    try:
        replaced = folder / load_manifest(folder).chunks
    except UnusableStateError:
        return
    if replaced in others:
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


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _PreviousRun:
    """An earlier run: its manifest and the path of its chunks."""

    manifest: Manifest
    chunks: Path


def _load_previous(run: Run, state: Path | None) -> _PreviousRun | None:
    """Return the earlier run; None if there is none, or it cannot be used, which is reported."""
    if state is None:
        return None
    try:
        manifest = load_manifest(state)
    except UnusableStateError as error:
        report(f"--since: {error}; all files are chunked")
        return None
    if manifest.settings != _settings(run):
        report(f"--since: {state} was written with other options; all files are chunked")
        return None
    folder = state if state.is_dir() else state.parent
    return _PreviousRun(manifest, folder / manifest.chunks)


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
        if previous is not None:
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

    def is_same(self, chunks: Path) -> bool:
        """Return whether the chunks need no rewriting; if so, set `entries` and the summary."""
        if (
            self.previous is None
            or self.names
            or self.previous.chunks.resolve() != chunks.resolve()
        ):
            return False
        if len(self.reused) < len(self.previous.manifest.documents):
            return False
        self.entries = [*self.reused.values()]
        for _ in self.run.summary.count(map(SplitDocument.of_entry, self.entries)):
            pass  # iterating counts them
        return True

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
        if self.previous is None or self.run.form.rows is None:
            return iter(())
        documents = self.previous.manifest.documents
        counts = [(document.chunks, document.file in self.reused) for document in documents]
        return self.run.form.rows.read(self.previous.chunks, counts)

    def changes(self) -> Changes:
        """Compare the files with those of the earlier run."""
        before = {} if self.previous is None else self.previous.manifest.hashes()
        now = {entry.file: entry.hash for entry in self.entries}
        failed = [name for name in map(escape_name, self.run.batch.names) if name not in now]
        return Changes.between(before, now, failed)
