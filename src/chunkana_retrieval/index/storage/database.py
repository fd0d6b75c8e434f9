"""The SQLite database of an index: its connections, transactions and locks."""

from __future__ import annotations

import errno
import os
import sqlite3
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import Lock

from chunkana_retrieval.errors import IndexFileError
from chunkana_retrieval.index.storage.columns import DamagedError
from chunkana_retrieval.index.storage.tables import SCHEMA

_FILE, _LOCK_FILE = "index.db", "index.lock"
_APPLICATION_ID, _FORMAT = 0x43686B61, 1
_APPLICATION_AT, _HEADER_SIZE = 68, 100  # bytes of the file, see https://sqlite.org/fileformat.html
_PAGE_SIZE = 8192  # a vector of 384 floats takes 1.09 times its size, and 1.36 with 4096
_SETTINGS = (
    "cell_size_check = ON",
    "synchronous = NORMAL",
    "journal_size_limit = 16777216",  # bytes to which the log of changes is cut after an update
)
_OLDEST = (3, 35, 0)  # the first SQLite with all that is used here
_DAMAGED = "is damaged"
_NEW = "make a new index in another folder"
_REPAIR = f"call `repair`, and give `update` the documents that it returns; if it fails, {_NEW}"
_NO_INDEX = "is not an index of Chunkana"


class Database:
    """The database in a folder, or in memory.

    One connection reads and another one writes, so that searches go on during an update; in memory
    both are the same. A process that was forked uses its own connections.
    """

    def __init__(self, folder: Path | None, timeout: float) -> None:
        """Open a database, or create it.

        Args:
            folder: the folder of the database, None for one in memory.
            timeout: the seconds to wait for another writer.
        """
        if sqlite3.sqlite_version_info < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise ImportError(f"an index needs SQLite {oldest}; this is {sqlite3.sqlite_version}")
        self.folder, self._timeout = folder, timeout
        self._by_process = {os.getpid(): self._connect()}
        self._opened = self._identity()
        self._close = weakref.finalize(self, _Connections.close_all, self._by_process)

    @property
    def path(self) -> str:
        """The path of the database file."""
        return "the index in memory" if self.folder is None else str(self.folder / _FILE)

    @property
    def is_replaced(self) -> bool:
        """Whether the path of the database no longer has the file that was opened."""
        return self._identity() != self._opened

    def _identity(self) -> tuple[int, int] | None:
        """Return the device and inode of the file, None for memory and for no file."""
        try:
            found = None if self.folder is None else (self.folder / _FILE).stat()
        except OSError:
            return None
        return found and (found.st_dev, found.st_ino)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the database; updates that end meanwhile are not seen."""
        current = self._current()
        with current.reader_lock, self._transaction(current.reader, "BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self, *, is_durable: bool = False) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, which an error undoes.

        Args:
            is_durable: whether the change has to be on the disk before this ends.
        """
        current = self._current()
        with current.writer_lock:
            if is_durable:
                current.writer.execute("PRAGMA synchronous = FULL")
            with self._transaction(current.writer, "BEGIN IMMEDIATE") as connection:
                yield connection
            if is_durable:
                current.writer.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def updating(self) -> Iterator[None]:
        """Hold the lock of updates, which one process and thread has at a time.

        Raises:
            TimeoutError: if another one has it for longer than the timeout.
            OSError: if the database cannot be written.
        """
        current = self._current()
        if self.folder is not None and current.reader is current.writer:
            raise OSError(errno.EROFS, "the folder of this index cannot be written", self.path)
        lock = current.update_lock
        if not lock.acquire(timeout=self._timeout):
            raise TimeoutError(errno.ETIMEDOUT, "another update is still running", self.path)
        try:
            with nullcontext() if self.folder is None else self._file_lock(self.folder):
                yield
        finally:
            lock.release()

    def copy(self, target: Database) -> None:
        """Replace the content of another database by a copy of one state of this one."""
        current, theirs = self._current(), target._current()
        with current.reader_lock, theirs.writer_lock, self._errors():
            current.reader.backup(theirs.writer)

    def to_bytes(self) -> bytes:
        """Return the content of a database in memory."""
        current = self._current()
        with current.reader_lock:
            return current.reader.serialize()

    def from_bytes(self, content: bytes) -> None:
        """Replace the content of a database in memory."""
        self._current().reader.deserialize(content)

    def close(self) -> None:
        """Close the connections; everything after this is an error."""
        self._close()

    def _current(self) -> _Connections:
        """Return the connections of this process; those of its parent process stay open."""
        if not self._close.alive:
            raise ValueError("this index is closed")
        if os.getpid() not in self._by_process:
            (*_, inherited) = self._by_process.values()
            self._by_process[os.getpid()] = (
                self._connect()
                if self.folder
                else _Connections(inherited.reader, inherited.writer, inherited.opened)
            )
        return self._by_process[os.getpid()]

    def _connect(self) -> _Connections:
        """Return new connections; if one of them cannot be opened, none is left open."""
        with ExitStack() as opened, self._errors():
            open_ = partial(_open, opened, timeout=self._timeout)
            if self.folder is None:
                reader = writer = open_(":memory:")
                _create(writer)
                return _Connections(reader, writer, opened.pop_all())
            self.folder.mkdir(parents=True, exist_ok=True)
            if os.access(self.folder, os.W_OK):
                writer = open_(_uri(self.folder / _FILE, "mode=rwc"))
                if not self._require_format(writer):
                    _create(writer)
                writer.execute("PRAGMA journal_mode = WAL")
                reader = open_(_uri(self.folder / _FILE, "mode=rw"))
            else:  # it was closed by its last writer if there is no log of changes
                has_log = (self.folder / f"{_FILE}-wal").is_file()
                mode = "mode=ro" if has_log else "immutable=1"
                reader = writer = open_(_uri(self.folder / _FILE, mode))
                self._require_format(reader)
            return _Connections(reader, writer, opened.pop_all())

    def _require_format(self, connection: sqlite3.Connection) -> bool:
        """Return whether a database has the tables of an index; raise an error for other tables."""
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
        if application != _APPLICATION_ID and (application or tables or version):
            raise IndexFileError(self.path, _NO_INDEX)
        if tables and version != _FORMAT:
            reason = f"is of format {version}, not {_FORMAT}; {_NEW}"
            raise IndexFileError(self.path, reason)
        return bool(tables)

    @contextmanager
    def _transaction(
        self, connection: sqlite3.Connection, begin: str
    ) -> Iterator[sqlite3.Connection]:
        with self._errors():
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _file_lock(self, folder: Path) -> Iterator[None]:
        """Hold the lock of a file, which the system frees when the process ends."""
        with ExitStack() as opened:
            with self._errors():
                lock = _open(opened, _uri(folder / _LOCK_FILE, "mode=rwc"), timeout=self._timeout)
                lock.execute("BEGIN EXCLUSIVE")
            yield

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise the errors of SQLite as those that Python has for files, or as IndexFileErrors.

        A UnicodeDecodeError is of the damaged name of a table.
        """
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _SYSTEM_ERRORS:
                raise OSError(_SYSTEM_ERRORS[code], str(error), self.path) from error
            is_foreign = code == sqlite3.SQLITE_NOTADB
            reason = _NO_INDEX if is_foreign else f"{_DAMAGED} ({error}); {_NEW}"
            raise IndexFileError(self.path, reason) from error
        except DamagedError as error:
            reason = f"{_DAMAGED} where it has {error.args[0]!r}; {_REPAIR}"
            raise IndexFileError(self.path, reason) from error


_SYSTEM_ERRORS = {
    sqlite3.SQLITE_BUSY: errno.ETIMEDOUT,
    sqlite3.SQLITE_LOCKED: errno.ETIMEDOUT,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR: errno.EIO,
}


def has_database(folder: Path) -> bool:
    """Return whether the database of an index, of any version, is in a folder."""
    try:
        with (folder / _FILE).open("rb") as file:
            return file.read(_HEADER_SIZE)[_APPLICATION_AT:][:4] == _APPLICATION_ID.to_bytes(4)
    except OSError:
        return False


def require_database(folder: Path) -> None:
    """Raise a FileNotFoundError if there is no index in a folder."""
    if not (folder / _FILE).is_file():
        raise FileNotFoundError(errno.ENOENT, "no index is in this folder", str(folder))


class _Connections:
    """The connections of one process, each with the lock under which one thread uses it."""

    def __init__(
        self, reader: sqlite3.Connection, writer: sqlite3.Connection, opened: ExitStack
    ) -> None:
        self.reader, self.writer, self.opened = reader, writer, opened
        self.reader_lock, self.update_lock = Lock(), Lock()
        self.writer_lock = self.reader_lock if reader is writer else Lock()

    @staticmethod
    def close_all(by_process: Mapping[int, _Connections]) -> None:
        """Close the connections of this process."""
        if os.getpid() in by_process:
            by_process[os.getpid()].opened.close()


def _uri(path: Path, parameters: str) -> str:
    return f"{path.absolute().as_uri()}?{parameters}"


def _open(opened: ExitStack, path: str, timeout: float) -> sqlite3.Connection:
    """Open a connection that is closed with others."""
    connection = sqlite3.connect(
        path,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
        uri=path.startswith("file:"),
    )
    opened.callback(connection.close)
    # Text that was changed is noticed by its checksum.
    connection.text_factory = lambda stored: stored.decode("utf-8", "replace")
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection


def _create(connection: sqlite3.Connection) -> None:
    """Create the tables of a new database, unless another process has created them meanwhile."""
    connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
    connection.executescript(
        f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {_APPLICATION_ID};"
        f"PRAGMA user_version = {_FORMAT}; COMMIT"
    )
