"""One process at a time writes into a folder: a lock that the system gives back when its holder is no more."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tetiwd.errors import RunFolderError
from tetiwd.writing import open_no_link

NAME = "writing.pid"  # holds the number of the process, for people
PATIENCE = 0.2  # seconds; somebody may just be looking
NOT_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # file systems without locks


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, or say who does."""
    file, path = _locked(folder), folder / NAME
    try:
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # before the lock is given back, so that nobody locks a file that is gone
        file.close()


def check_nobody_writes(folder: Path) -> None:
    """Raise an error if a process holds the lock."""
    with (
        suppress(FileNotFoundError, PermissionError, NotADirectoryError),
        open(folder / NAME, "rb", buffering=0) as file,
    ):
        if not _lock(file, shared=True):
            raise _taken(folder, file)


def _locked(folder: Path) -> Any:
    """The file of the lock, locked and in its place."""
    while True:
        file = open_no_link(folder / NAME, "a+b", buffering=0)  # open as long as the lock is held
        try:
            if not _lock(file, shared=False):
                raise _taken(folder, file)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(folder / NAME)):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()  # whoever held it has removed it meanwhile


def _lock(file: Any, *, shared: bool) -> bool:
    """True if nobody else has the lock; asks a few times."""
    try:
        import fcntl
    except ImportError:  # not known on this system
        return True
    how, end = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB, time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(file, how)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        except OSError as error:
            if error.errno in NOT_HERE:
                return True
            raise


def _taken(folder: Path, file: Any) -> RunFolderError:
    file.seek(0)
    number = file.read(20).decode("ascii", "replace")
    who = f"process {number}" if number.isdigit() else "another process"
    return RunFolderError(f"{who} is writing into {folder}; wait for it, or choose another folder")
