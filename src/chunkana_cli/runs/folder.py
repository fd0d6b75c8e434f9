"""A run of `split` into a folder, which skips what did not change since another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path

from chunkana_cli.errors import fail, report
from chunkana_cli.reading.batch import written_name
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
    """Write the chunks of all files, and a manifest of them, into a folder.

    The chunks are replaced before the manifest is, which tells by their hash whether it is theirs:
    after a run that was killed in between, the next one takes all files for new.

    Args:
        run: what to chunk and how to write it.
        folder: is made if there is none.
        state: a folder written before, or its manifest; None to chunk all.
    """
    chunks = folder / f"chunks{run.form.suffixes[0]}"
    own = identities_of(
        [str(chunks), str(folder / MANIFEST)]
    )  # which may be among the files by now
    run.batch.names = [name for name in run.batch.names if identity_of(name) not in own]
    merger = _Merger.of(run, _load_previous(run, state))
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
    """Remove the chunks that an earlier run wrote into a folder in another format.

    What its manifest does not tell to be as it was written is left alone.
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
class _Previous:
    """The chunks of an earlier run: its manifest and where they are."""

    manifest: Manifest
    chunks: Path


def _load_previous(run: Run, state: Path | None) -> _Previous | None:
    """Return the run to start from; None if there is none, or none to be used, which is said."""
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
    return _Previous(manifest, folder / manifest.chunks)


def _settings(run: Run) -> dict[str, object]:
    return settings_of(
        run.config.to_dict(),
        context=run.context is not None,
        fields=list(run.options.fields),
        format=run.form.name,
        front_matter_keys=list(run.options.front_matter_keys),
        encoding=run.batch.encoding,
        given=run.batch.given,
    )


@dataclass(slots=True)
class _Merger:
    """Puts the documents of an earlier run that did not change between those that are chunked.

    Attributes:
        run: chunks the others.
        previous: the earlier run.
        hashes: of all files that can be read, by name.
        reused: the documents whose rows are taken from the earlier run, by name.
        entries: of the documents that were yielded, in order.
    """

    run: Run
    previous: _Previous | None
    hashes: Mapping[str, str]
    reused: Mapping[str, DocumentEntry]
    entries: list[DocumentEntry] = field(default_factory=list)

    @classmethod
    def of(cls, run: Run, previous: _Previous | None) -> _Merger:
        """Find what can be reused: files of the same text, in the order of the earlier run."""
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
        """The files that are chunked."""
        return [name for name in self.run.batch.names if written_name(name) not in self.reused]

    def is_same(self, chunks: Path) -> bool:
        """Tell whether a file of chunks stays as it is; if so, its documents become the entries."""
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
            pass  # they are counted as they pass
        return True

    def documents(self, progress: Callable[[int], object]) -> Iterator[SplitDocument]:
        """Yield all documents in the order of the files."""
        chunked = self.run.chunk(self.names, progress)
        old_rows = self._read_reused()
        upcoming = next(chunked, None)
        for name in map(written_name, self.run.batch.names):
            if entry := self.reused.get(name):
                document = SplitDocument.of_entry(entry, next(old_rows))
            elif upcoming is not None and upcoming.file == name:
                document, upcoming = upcoming, next(chunked, None)
            else:  # it could not be read or chunked
                continue
            self.entries.append(document.to_entry(self.hashes.get(name, "")))
            yield document

    def _read_reused(self) -> Iterator[object]:
        """Yield the rows of each reused document."""
        if self.previous is None or self.run.form.rows is None:
            return iter(())
        documents = self.previous.manifest.documents
        counts = [(document.chunks, document.file in self.reused) for document in documents]
        return self.run.form.rows.read(self.previous.chunks, counts)

    def changes(self) -> Changes:
        """Compare the files with those of the earlier run."""
        before = {} if self.previous is None else self.previous.manifest.hashes()
        now = {entry.file: entry.hash for entry in self.entries}
        failed = [name for name in map(written_name, self.run.batch.names) if name not in now]
        return Changes.between(before, now, failed)
