"""Files as streams of plain bytes, whatever they are packed with.

In: the path of a file, plain or packed with gzip, zstandard, bzip2 or xz (told by its first bytes, not by its name).
Out: a buffered binary stream. Damage and truncation become `CorpusError`. This module knows nothing of records.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, cast

from corver.errors import CorpusError, DependencyError

__all__ = ["Packing", "open_plain", "packing_of", "peek", "reading"]

Packing: TypeAlias = Literal["plain", "gzip", "zstd", "bzip2", "xz"]

_BUFFER = 1 << 20
_ZSTD_CHUNK = 16 << 10
"""Packed bytes handed to zstandard at a time: it unpacks a chunk in one go, so this bounds the memory."""

_MAGIC: tuple[tuple[re.Pattern[bytes], Packing], ...] = (
    (re.compile(rb"\x1f\x8b\x08"), "gzip"),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), "zstd"),  # a frame, or one to be skipped
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), "bzip2"),
    (re.compile(rb"\xfd7zXZ\x00"), "xz"),
)


def packing_of(path: Path) -> Packing:
    """What a file is packed with, by its first bytes."""
    with reading(path), path.open("rb") as file:
        head = file.read(10)
    return next((packing for magic, packing in _MAGIC if magic.match(head)), "plain")


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what can go wrong while reading `path` into a `CorpusError` that names it."""
    try:
        yield
    except EOFError as error:
        raise CorpusError(f"{path}: the file ends early (a broken download?); fetch it again") from error
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise CorpusError(f"{path}: the packed data is damaged ({error}); fetch it again") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror or error})") from error


def open_plain(path: Path, packing: Packing) -> BinaryIO:
    """Open a file for reading its plain bytes. Use inside `reading(path)`, which gives errors their names."""
    if packing == "gzip":
        return io.BufferedReader(cast(Any, gzip.open(path, "rb")), _BUFFER)
    if packing == "bzip2":
        return io.BufferedReader(cast(Any, bz2.open(path, "rb")), _BUFFER)
    if packing == "xz":
        return io.BufferedReader(cast(Any, lzma.open(path, "rb")), _BUFFER)
    if packing == "zstd":
        return io.BufferedReader(_ZstdStream(path), _BUFFER)
    return path.open("rb", buffering=_BUFFER)


def peek(path: Path, packing: Packing, size: int) -> bytes:
    """The first plain bytes of a file, at most `size`."""
    with reading(path), open_plain(path, packing) as stream:
        return stream.read(size)


class _ZstdStream(io.RawIOBase):
    """A zstandard file of any number of frames. Unlike the library's own reader it notices a cut-off last frame."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        try:
            import zstandard
        except ImportError as error:
            raise DependencyError(f"{path}: reading .zst needs the package zstandard") from error
        self._path = path
        self._fault: type[Exception] = zstandard.ZstdError
        # Long-distance mode (--long=31) needs a window of 2 GiB; the library's own limit is 128 MiB.
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        self._frame: Any = None
        self._packed = b""
        self._plain = memoryview(b"")
        self._file = path.open("rb")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            if not self._packed:
                self._packed = self._file.read(_ZSTD_CHUNK)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError
                return 0
            self._unpack()
        size = min(len(buffer), len(self._plain))
        buffer[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _unpack(self) -> None:
        if self._frame is None:
            self._frame = self._decompressor.decompressobj()
        try:
            plain = self._frame.decompress(self._packed)
        except self._fault as error:
            raise CorpusError(f"{self._path}: the packed data is damaged ({error}); fetch it again") from error
        self._plain = memoryview(plain)
        self._packed = b""
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = None
