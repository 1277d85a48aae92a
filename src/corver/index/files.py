"""Files of an index: written whole or not at all, hashed while they are written, locked while an index is built.

In: bytes and paths. Out: finished files with their sizes and hashes. This module knows no format.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from corver.errors import CorverError, IndexFormatError, IndexLockedError

__all__ = ["PADDING", "HashingWriter", "disk_errors", "folder_lock", "map_file", "sync_folder", "write_atomically"]

PADDING = 64
"""Zero bytes at the end of every binary file: kernels read whole words and may look a few bytes past a value."""


class HashingWriter:
    """A new file that is hashed while it is written; `close` pads, flushes to disk and gives (bytes, sha256)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self._hash = hashlib.sha256()
        self._file: IO[bytes] = open(path, "wb", buffering=0)  # noqa: SIM115 - closed by close or __exit__

    def write(self, data: bytes | memoryview | NDArray[Any]) -> None:
        """Append bytes, or the little-endian bytes of an array."""
        view = _view(data)
        if len(view) == 0:
            return
        self._hash.update(view)
        self.bytes += len(view)
        done = 0
        while done < len(view):
            done += self._file.write(view[done:])

    def close(self) -> tuple[int, str]:
        """Pad and finish the file: its size in bytes and its SHA-256."""
        self.write(bytes(PADDING))
        os.fsync(self._file.fileno())
        self._file.close()
        return self.bytes, self._hash.hexdigest()

    def __enter__(self) -> HashingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _view(data: bytes | memoryview | NDArray[Any]) -> memoryview:
    if isinstance(data, np.ndarray):
        return memoryview(np.ascontiguousarray(data).data).cast("B")
    return memoryview(data)


def write_atomically(path: Path, data: bytes) -> None:
    """Write beside the target, flush, then rename over it."""
    beside = path.with_name(path.name + ".new")
    with open(beside, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def map_file(path: Path, expected: int) -> NDArray[np.uint8]:
    """A file as a read-only uint8 array that shares its pages.

    Raises IndexFormatError when its size is not `expected`.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != expected:
                raise IndexFormatError(
                    f"{path} has {size} bytes where the manifest says {expected}: truncated or half-copied; "
                    "copy it again or rebuild the index"
                )
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    except (FileNotFoundError, IsADirectoryError) as error:
        raise IndexFormatError(f"{path} is missing; copy it again or rebuild the index") from error
    return np.frombuffer(mapped, dtype=np.uint8)


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the one right to write into an index folder; IndexLockedError when another process has it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ".lock"
    with open(path, "a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            raise IndexLockedError(f"another process is writing to {folder}; wait for it to finish") from error
        yield


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn a full disk or a folder that cannot be written into one line."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise CorverError(
                f"no space left while writing to {folder}: free some and run the same command again"
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise CorverError(f"{folder} cannot be written: {error.strerror}") from error
        raise
