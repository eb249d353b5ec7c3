"""The one way in which the program writes files: a new file beside the target, flushed to disk and renamed; the old one stands until then.

What is no plain file (a pipe, a device) or is open already (``/dev/stdout``, ``/dev/fd/3``) is written through. A link stays, and its
target is written. Nothing is left beside the target whatever happens, but by ``kill -9`` a file ``.puzzlesat-….part``. An OSError names
the file that was asked for, not the one that is written in its stead.

Three files are no new files: the scratch file, which has no name and ends with the program, a file of lines that grows
(``open_to_append``), and the file by which a process says that it is at work somewhere (``locked``).
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import shutil
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile, gettempdir
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, BinaryIO, TextIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from puzzlesat.base.errors import NoRoomError, PuzzleError
from puzzlesat.base.interrupts import INTERRUPTS, interrupt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


AT_ONCE = 1 << 18
"""Bytes that wait to be written together."""
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says where there is no more room."""
MOST_LINKS = 40
LOCKED_BYTE = 1 << 30
"""What is locked of a file on Windows, where nobody else can read that: not its beginning, which says who has locked it."""

_unfinished: set[Path] = set()
"""New files that have not taken their names yet."""
_held: set[int] = set()
"""The open files that this process has locked."""


def new_file(path: Path) -> AbstractContextManager[BinaryIO]:
    """Open a file for writing that takes the place of ``path`` at the end of the block; where an exception ends the block it is removed.

    It has the mode and, where that is allowed, the owner of the file that it replaces. Raises OSError, with ``path`` as its file name, for
    what cannot be written: also for a file that may not be changed, or lies in a folder in which there can be no new ones.
    """
    return _beside(path) if is_plain(path) else _through(path)


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, text in UTF-8; see ``new_file``."""
    with new_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_text(path: Path) -> Iterator[TextIO]:
    """Open a new file for text in UTF-8; see ``new_file``."""
    with new_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        yield text
        text.detach()


def is_plain(path: Path) -> bool:
    """Tell whether a file can be replaced by a new one: it is a plain one, or none yet; no pipe, no device, none that is open already."""
    with _about(path):
        found = _status(path)
    return found is None or (stat.S_ISREG(found.st_mode) and _descriptor(path) is None)


def check_writable(path: Path) -> None:
    """Raise OSError where a file cannot be written, as far as that can be known before there is anything to write."""
    if is_plain(path):
        with suppress(_Enough), _beside(path):
            raise _Enough


def check_output(file: Path | None, *suffixes: str) -> None:
    """Raise PuzzleError for a folder, for a file in a folder that is not there, and for a name that says another format than ``suffixes``.

    A name without a suffix says nothing, and may be anything, such as ``/dev/stdout``. OSError for what else cannot be written.
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
    """Raise PuzzleError where a command would write over the file that it reads, or over another one that it writes.

    ``source`` is a file, or the name of an instance. Devices and pipes may be named twice.
    """
    written = [file for file in files if file is not None and is_plain(file)]
    read = [Path(source)] if os.path.isfile(source) else []  # noqa: PTH113 - a name may be none that a file can have
    for number, file in enumerate(written):
        if any(_is_same(file, other) for other in read):
            raise PuzzleError(f"{file}: this is the input file, and it would be replaced; choose another name")
        if any(_is_same(file, other) for other in written[:number]):
            raise PuzzleError(f"{file}: two files cannot have the same name; choose another name for one of them")


def size_of(path: Path) -> int | None:
    """Return the bytes of a file that was written; None where it went through a pipe or into a device."""
    return path.stat().st_size if is_plain(path) else None


@contextmanager
def scratch() -> Iterator[BinaryIO]:
    """Open a file to be written and read, without a name and gone at the end. An OSError names the folder in which it lies."""
    with TemporaryFile(buffering=0) as hidden:
        file = io.BufferedRandom(Named(os.dup(hidden.fileno()), "r+b", Path(gettempdir())))
        try:
            yield file
        finally:
            _close(file)


def open_to_append(path: Path) -> Named:
    """Open a file to which lines are appended; what it holds stays."""
    if is_plain(path):
        with _about(path):
            return Named(path, "ab", path)
    return _open_through(path)


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Keep other processes, and other threads, from the same block until it ends: they are refused, not kept waiting.

    The file and its folder are made for that; the file says the number of the process and its machine, and is removed at the end. However
    the process ends, the lock ends with it: what ``kill -9`` leaves of the file does no harm. Children do not inherit it.

    Raises PuzzleError where somebody else is in the block, or the file cannot be made; its sentence begins with ``what``, which says what
    is locked, such as ``--disk FOLDER``. All that keeps to the lock must share a file system that knows of locks.
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
    """Remove new files that have not taken their names: for a process that ends in the middle of its work."""
    for part in list(_unfinished):
        with suppress(OSError):
            part.unlink(missing_ok=True)


atexit.register(remove_unfinished)  # a signal may fall between the making of a file and the block that removes it


# new files -------------------------------------------------------------------------------------------------------------------


class _Enough(Exception):
    """Nothing is to be written after all."""


class Named(io.FileIO):
    """A file whose errors name another: what the user asked for."""

    def __init__(self, file: Path | int, mode: str, said: Path) -> None:
        super().__init__(file, mode)
        self.said = said

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some bytes; return how many."""
        with _about(self.said):
            return super().write(data)

    def append(self, line: bytes) -> None:
        """Append a line, and let it reach the disk; if it cannot be written whole, the file ends where it ended before.

        Only a ``kill -9`` between two writes leaves a part of a line: readers must ignore a last line without its end.
        """
        end = self.seek(0, os.SEEK_END) if self.seekable() else None
        left = memoryview(line)
        try:
            while left:
                left = left[self.write(left) :]
            if end is not None:
                with _about(self.said):
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
            os.close(os.open(target, os.O_WRONLY))  # whoever may not change a file may not replace it
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
    """Give a new file the owner and the mode of the one that it replaces."""
    if old is None:
        return
    if hasattr(os, "chown"):
        with suppress(OSError):  # only root may give a file away
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))


def _close(file: io.BufferedIOBase | BinaryIO) -> None:
    """Close a file; what could not be written was said before, or does not matter any more."""
    with suppress(OSError):
        file.close()


@contextmanager
def _about(path: Path, why: str | None = None) -> Iterator[None]:
    """Let an OSError name ``path``, whatever file it was."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise OSError(error.errno, said if why is None else f"{said}: {why}", str(path)) from None


# pipes, devices, open files --------------------------------------------------------------------------------------------------


class _Forward(Named):
    """A file that is written from where it stands, and never goes back: a pipe, a device, or an end to which others write too."""

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
        sys.stdout.flush()  # what was printed comes first
        return _Forward(os.dup(number), "wb", path)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let the first Ctrl-C end the block: a pipe that nobody reads is waited for, for ever."""
    if current_thread() is not main_thread():
        yield
        return
    before = {number: handler for number in INTERRUPTS if callable(handler := signal.getsignal(number))}
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
    """Return the number of the open file for which a name such as ``/dev/stdout`` or ``/dev/fd/3`` stands; None for any other name."""
    for _ in range(MOST_LINKS):
        if os.path.realpath(path.parent) in ("/dev/fd", f"/proc/{os.getpid()}/fd") and path.name.isdigit():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


# locks -----------------------------------------------------------------------------------------------------------------------


def _lock(path: Path) -> int | None:
    """Open a file and lock it; return its number, or None where it is locked already."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        _held.add(number)
        try:
            free = _is_free(number)
        except BaseException:
            _let_go(number)
            raise
        if free and _is_at(path, number):
            return number
        _let_go(number)  # and once more where it was removed, by whoever had locked it, after it was opened here
        if not free:
            return None


def _is_free(number: int) -> bool:
    """Lock an open file if nobody has; tell whether that is so."""
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
    found = _status(path)
    return found is not None and os.path.samestat(found, os.fstat(number))


def _unlock(path: Path, number: int) -> None:
    """Remove a file that is locked, and with it the lock; in a process that was forked from the one that locked it, do nothing."""
    if number not in _held:
        return
    with suppress(OSError):  # Windows removes no file that is open
        if _is_at(path, number):
            path.unlink()
    _let_go(number)
    if sys.platform == "win32":
        with suppress(OSError):  # somebody else has locked it by now, so it is theirs
            path.unlink()


def _let_go(number: int) -> None:
    _held.discard(number)
    os.close(number)


def _let_all_go() -> None:
    """In a forked process: leave the locks to the one that has them, or they would outlive it."""
    while _held:
        _let_go(next(iter(_held)))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_all_go)


def _holder(path: Path) -> str:
    """Say who has locked a file."""
    try:
        process, host = path.read_text(encoding="utf-8").split(maxsplit=1)
        return f"process {int(process)}{'' if host.strip() == socket.gethostname() else f' of {host.strip()}'}"
    except (OSError, ValueError):  # it has only just locked it, or removes it just now
        return "another process"


@contextmanager
def new_archive(path: Path, packed: Callable[[ZipInfo], bool] = lambda member: True) -> Iterator[ZipFile]:
    """Open a new zip file; see ``new_file``. Members of which ``packed`` says no, once they are written, are stored as they are."""
    with scratch() as draft:
        with ZipFile(draft, "w", ZIP_DEFLATED) as archive:
            yield archive
        with ZipFile(draft) as source, new_file(path) as file:
            if all(map(packed, source.infolist())):
                draft.seek(0)
                shutil.copyfileobj(draft, file)
                return
            with ZipFile(file, "w") as target:
                for member in source.infolist():
                    again = ZipInfo(member.filename, member.date_time)
                    again.compress_type = ZIP_DEFLATED if packed(member) else ZIP_STORED
                    with source.open(member) as old, target.open(again, "w", force_zip64=True) as new:
                        shutil.copyfileobj(old, new)


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names are of one file, that is there or that will be."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)
