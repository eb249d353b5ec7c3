"""Write files safely: a new file is written beside the target, flushed to disk and renamed, so the old one is intact until then.

Pipes and devices, and files that are already open (``/dev/stdout``, ``/dev/fd/3``), are written directly. A symbolic link is kept and its
target is replaced. Only ``kill -9`` leaves a temporary file, ``.puzzlesat-….part``. An OSError names the requested file, not the
temporary one.

Three kinds of files are not replaced: a scratch file, which has no name and vanishes with the program; a file of lines that grows
(``open_to_append``); and a lock file (``locked``).
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import signal
import socket
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile, gettempdir
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, BinaryIO

from puzzlesat.base.errors import NoRoomError, PuzzleError
from puzzlesat.base.interrupts import Interrupted, interrupt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


AT_ONCE = 1 << 18
"""Size of the write buffer in bytes."""
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Error numbers of a full disk."""
MAX_LINKS = 40
LOCKED_BYTE = 1 << 30
"""Offset of the byte that is locked on Windows. Other processes cannot read it, but they can read the holder at the file's beginning."""

_unfinished: set[Path] = set()
"""New files that are not yet renamed to their targets."""
_locked: set[int] = set()
"""Descriptors of the files that this process has locked."""


def new_file(path: Path) -> AbstractContextManager[BinaryIO]:
    """Open a file for writing that replaces ``path`` at the end of the block; if an exception ends the block, the file is removed.

    It has the mode and, if permitted, the owner of the file that it replaces. Raises OSError, with ``path`` as its file name, if ``path``
    cannot be written, may not be changed, or is in a folder where no new file can be created.
    """
    return _beside(path) if is_plain(path) else _through(path)


def write_file(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a file, text in UTF-8, as a whole or piece by piece; see ``new_file``."""
    with new_file(path) as file:
        for part in (content,) if isinstance(content, bytes | str) else content:
            file.write(part.encode() if isinstance(part, str) else part)


def is_plain(path: Path) -> bool:
    """Return whether a new file can replace a path: there is no file yet, or a regular file, but no pipe, device or open descriptor."""
    with _about(path):
        status = _status(path)
    return status is None or (stat.S_ISREG(status.st_mode) and _descriptor(path) is None)


def check_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written, as far as this can be known before the first write."""
    if is_plain(path):
        with suppress(_Enough), _beside(path):
            raise _Enough


def check_output(file: Path | None, *suffixes: str) -> None:
    """Raise PuzzleError for a folder, a file in a folder that does not exist, and a file name with a suffix that is not in ``suffixes``.

    A name without a suffix, such as ``/dev/stdout``, is accepted. Raises OSError if the file cannot be written for another reason.
    """
    if file is None:
        return
    if suffixes and file.suffix.lower() not in ("", *suffixes):
        raise PuzzleError(f"{file}: expected a name that ends in {' or '.join(suffixes)}")
    if file.is_dir():
        such_as = f", such as {file / 'puzzle'}{suffixes[0]}" if suffixes else ""
        raise PuzzleError(f"{file}: this is a folder; give the name of a file{such_as}")
    if not file.parent.is_dir():
        raise PuzzleError(f"{file}: there is no folder {file.parent}; create it first")
    check_writable(file)


def check_apart(source: str | Path, *files: Path | None) -> None:
    """Raise PuzzleError if a command would overwrite its input file, or write two outputs to the same file.

    ``source`` is a file or the name of an instance. Devices and pipes may be named twice.
    """
    written = [file for file in files if file is not None and is_plain(file)]
    read = [Path(source)] if os.path.isfile(source) else []  # noqa: PTH113 - Path.is_file raises for some names
    for number, file in enumerate(written):
        if any(_is_same(file, other) for other in read):
            raise PuzzleError(f"{file}: this is the input file, and it would be replaced; choose another name")
        if any(_is_same(file, other) for other in written[:number]):
            raise PuzzleError(f"{file}: two files cannot have the same name; choose another name for one of them")


@contextmanager
def scratch() -> Iterator[BinaryIO]:
    """Open a temporary file without a name for writing and reading. An OSError names its folder."""
    with TemporaryFile(buffering=0) as hidden:
        file = io.BufferedRandom(Named(os.dup(hidden.fileno()), "r+b", Path(gettempdir())))
        try:
            yield file
        finally:
            _close(file)


def open_to_append(path: Path) -> Named:
    """Open a file for appending lines."""
    if is_plain(path):
        with _about(path):
            return Named(path, "ab", path)
    return _open_through(path)


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Run the block with an exclusive lock on a file: other processes and threads do not wait for the lock, they get an error.

    The file and its folder are created. The file has the process number and the host, and is removed at the end of the block. The system
    releases the lock when the process ends, so a file left by ``kill -9`` does no harm. Children do not inherit the lock.

    Raises PuzzleError if the lock is taken or the file cannot be made; its sentence begins with ``what``, the name of the locked thing,
    such as ``--disk FOLDER``. The lock works only on a file system that supports locks.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = _lock(path)
    except OSError as error:
        if error.errno in FULL:
            raise NoRoomError(f"{what}: {error.strerror}; free some space and start again; nothing was changed") from error
        raise PuzzleError(f"{what}: {error.strerror}; choose a folder in which you may write") from error
    if number is None:
        raise PuzzleError(f"{what}: {_holder(path)} is using it; wait until it is done, or choose another; nothing was changed")
    try:
        try:
            os.ftruncate(number, 0)
            os.write(number, f"{os.getpid()} {socket.gethostname()}\n".encode())
        except OSError as error:
            kind = NoRoomError if error.errno in FULL else PuzzleError
            raise kind(f"{what}: {error.strerror} for {path}; free some space and start again; nothing was changed") from error
        yield
    finally:
        _unlock(path, number)


def remove_unfinished() -> None:
    """Remove unfinished new files, before a process ends in the middle of its work."""
    for part in list(_unfinished):
        with suppress(OSError):
            part.unlink(missing_ok=True)


atexit.register(remove_unfinished)  # a signal may come between the creation of a file and the block that removes it


# new files -------------------------------------------------------------------------------------------------------------------


class _Enough(Exception):
    """Ends the block of a new file without writing it."""


class Named(io.FileIO):
    """A file whose errors name ``requested``, the path that the user asked for."""

    def __init__(self, file: Path | int, mode: str, requested: Path) -> None:
        super().__init__(file, mode)
        self.requested = requested

    def write(self, data: ReadableBuffer, /) -> int:
        """Write bytes and return their number."""
        with _about(self.requested):
            return super().write(data)

    def append(self, line: bytes) -> None:
        """Append a line and flush it to disk; if this fails, truncate the file to its previous length.

        A ``kill -9`` between two writes can leave an incomplete line, so readers must ignore a last line without a line end.
        """
        end = self.seek(0, os.SEEK_END) if self.seekable() else None
        left = memoryview(line)
        try:
            while left:
                left = left[self.write(left) :]
            if end is not None:
                with _about(self.requested):
                    os.fsync(self.fileno())
        except BaseException:
            if end is not None:
                with suppress(OSError):
                    self.truncate(end)
            raise


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    with _about(path):
        target = Path(os.path.realpath(path))
        old = _status(target)
        if old is not None:
            os.close(os.open(target, os.O_WRONLY))  # a file without write permission must not be replaced either
    part = target.with_name(f".puzzlesat-{token_hex(8)}.part")
    _unfinished.add(part)
    try:
        with _about(path, f"in the folder {target.parent} no new file can be created"):
            file = io.BufferedWriter(Named(part, "xb", path), AT_ONCE)
        try:
            with _about(path):
                _become_like(part, old)
            yield file
            with _about(path):
                file.flush()
                os.fsync(file.fileno())
        finally:
            _close(file)
        with _about(path):
            part.replace(target)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        _unfinished.discard(part)


def _become_like(part: Path, old: os.stat_result | None) -> None:
    """Give a new file the owner and the mode of the file that it replaces."""
    if old is None:
        return
    if hasattr(os, "chown"):
        with suppress(OSError):  # only root may change the owner
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))


def _close(file: io.BufferedIOBase | BinaryIO) -> None:
    """Close a file, ignoring errors: a failed write was reported before, or the file is discarded."""
    with suppress(OSError):
        file.close()


@contextmanager
def _about(path: Path, why: str | None = None) -> Iterator[None]:
    """Replace the file name of an OSError by ``path``, and add ``why`` to its message."""
    try:
        yield
    except OSError as error:
        message = error.strerror or str(error)
        raise OSError(error.errno, message if why is None else f"{message}: {why}", str(path)) from None


# pipes, devices, open files --------------------------------------------------------------------------------------------------


class _Forward(Named):
    """A file without a position: a pipe, a device, or an open file to which other processes write too."""

    def seekable(self) -> bool:
        """Return False."""
        return False

    def tell(self) -> int:
        """Refuse."""
        raise io.UnsupportedOperation("tell")

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Refuse."""
        raise io.UnsupportedOperation("seek")


@contextmanager
def _through(path: Path) -> Iterator[BinaryIO]:
    file = io.BufferedWriter(_open_through(path), AT_ONCE)
    try:
        yield file
        file.flush()
    finally:
        _close(file)


def _open_through(path: Path) -> Named:
    number = _descriptor(path)
    with _about(path), _interruptible():
        if number is None:
            return _Forward(path, "wb", path)
        sys.stdout.flush()  # earlier output comes first
        return _Forward(os.dup(number), "wb", path)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let the first Ctrl-C end the block: opening a pipe without a reader blocks forever."""
    if current_thread() is not main_thread():
        yield
        return
    before = {number: handler for number in Interrupted.signals if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, interrupt)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _descriptor(path: Path) -> int | None:
    """Return the descriptor that a name such as ``/dev/stdout`` or ``/dev/fd/3`` refers to, or None for any other name."""
    for _ in range(MAX_LINKS):
        if os.path.realpath(path.parent) in ("/dev/fd", f"/proc/{os.getpid()}/fd") and path.name.isdigit():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


# locks -----------------------------------------------------------------------------------------------------------------------


def _lock(path: Path) -> int | None:
    """Open a file and lock it; return its descriptor, or None if it is locked already."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        _locked.add(number)
        try:
            free = _is_free(number)
        except BaseException:
            _let_go(number)
            raise
        if free and _is_at(path, number):
            return number
        _let_go(number)  # try again if the previous holder removed the file after it was opened here
        if not free:
            return None


def _is_free(number: int) -> bool:
    """Try to lock an open file; return whether it worked."""
    try:
        if sys.platform == "win32":
            os.lseek(number, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
            os.lseek(number, 0, os.SEEK_SET)
        else:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(path: Path, number: int) -> bool:
    status = _status(path)
    return status is not None and os.path.samestat(status, os.fstat(number))


def _unlock(path: Path, number: int) -> None:
    """Remove a locked file and release the lock; do nothing in a process forked from the one that holds the lock."""
    if number not in _locked:
        return
    with suppress(OSError):  # Windows cannot remove an open file
        if _is_at(path, number):
            path.unlink()
    _let_go(number)
    if sys.platform == "win32":
        with suppress(OSError):  # another process may have locked it meanwhile
            path.unlink()


def _let_go(number: int) -> None:
    _locked.discard(number)
    os.close(number)


def _let_all_go() -> None:
    """Close the inherited lock files in a forked process: a lock held by both would outlive the parent."""
    while _locked:
        _let_go(next(iter(_locked)))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_all_go)


def _holder(path: Path) -> str:
    """Return the process that holds a lock, in words."""
    try:
        process, host = path.read_text(encoding="utf-8").split(maxsplit=1)
        return f"process {int(process)}{'' if host.strip() == socket.gethostname() else f' of {host.strip()}'}"
    except (OSError, ValueError):  # the holder is just creating or removing the file
        return "another process"


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two names mean the same file, whether it exists or not."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)
