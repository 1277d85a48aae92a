"""The stored texts of a segment: titles, addresses and texts, zstd-compressed in blocks of a few documents.

In: document batches while building; a document number afterwards. Out: `Document`. It knows no words. A block holds
whole documents: their three lengths each as uint32, then title, address and text of each, in UTF-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from corver.corpus.document import Document, DocumentBatch
from corver.errors import IndexFormatError
from corver.index.files import PADDING, HashingWriter
from corver.index.manifest import FileInfo

__all__ = ["TEXTS", "TEXT_BLOCKS", "TextReader", "TextWriter", "join_texts"]

TEXTS = "texts.zst"
TEXT_BLOCKS = "texts.blocks"
_BLOCK_BYTES = 1 << 16
_LARGEST_BLOCK = 1 << 31
_COPY_BYTES = 4 << 20


class TextWriter:
    """Appends documents; blocks of about 64 KiB, or one document where it is longer."""

    def __init__(self, folder: Path, *, level: int, keep_text: bool) -> None:
        self._file = HashingWriter(folder / TEXTS)
        self._folder = folder
        self._keep_text = keep_text
        self._compressor = zstandard.ZstdCompressor(level=level, write_content_size=True)
        self._starts: list[tuple[int, int]] = []  # (byte offset, first document) of each block
        self._documents = 0
        self._lengths: list[int] = []
        self._pieces: list[bytes | memoryview] = []
        self._pending = 0

    def add(self, batch: DocumentBatch) -> None:
        """Append all documents of a batch."""
        view = memoryview(np.ascontiguousarray(batch.text))
        offsets = batch.offsets.tolist()
        for i, title in enumerate(batch.titles):
            text = view[offsets[i] : offsets[i + 1]] if self._keep_text else b""
            names = title.encode("utf-8", "replace"), batch.urls[i].encode("utf-8", "replace")
            self._lengths += (len(names[0]), len(names[1]), len(text))
            self._pieces += (*names, text)
            self._pending += len(names[0]) + len(names[1]) + len(text)
            if self._pending >= _BLOCK_BYTES:
                self._flush()
        self._flush()  # pieces point into the batch

    def _flush(self) -> None:
        if not self._lengths:
            return
        self._starts.append((self._file.bytes, self._documents))
        lengths = np.array(self._lengths, dtype="<u4")
        self._file.write(self._compressor.compress(b"".join([lengths.tobytes(), *self._pieces])))
        self._documents += lengths.size // 3
        self._lengths, self._pieces, self._pending = [], [], 0

    def close(self) -> dict[str, FileInfo]:
        """Finish both files."""
        self._flush()
        self._starts.append((self._file.bytes, self._documents))
        with self._file as texts, HashingWriter(self._folder / TEXT_BLOCKS) as blocks:
            blocks.write(np.array(self._starts, dtype="<i8"))
            return {TEXTS: FileInfo(*texts.close()), TEXT_BLOCKS: FileInfo(*blocks.close())}


class TextReader:
    """Reads documents by number; keeps the last block it unpacked. Not to be shared between threads."""

    def __init__(self, folder: Path, texts: NDArray[np.uint8], blocks: NDArray[np.uint8], documents: int) -> None:
        self._path = folder / TEXTS
        self._texts = texts
        table = np.frombuffer(memoryview(blocks)[:-PADDING], dtype="<i8").reshape(-1, 2)
        self._offsets = np.ascontiguousarray(table[:, 0])
        self._firsts = np.ascontiguousarray(table[:, 1])
        self._block = -1
        self._raw = b""
        sound = (
            self._firsts.size > 0
            and self._firsts[0] == 0
            and self._firsts[-1] == documents
            and self._offsets[0] == 0
            and self._offsets[-1] == texts.size - PADDING
            and bool(np.all(np.diff(self._firsts) > 0))
            and bool(np.all(np.diff(self._offsets) > 0))
        )
        if not sound:
            raise IndexFormatError(f"{folder / TEXT_BLOCKS} is damaged; rebuild the index")

    def _load(self, block: int) -> None:
        data = memoryview(self._texts)[self._offsets[block] : self._offsets[block + 1]]
        try:
            size = zstandard.frame_content_size(data)
            if not 0 <= size < _LARGEST_BLOCK:
                raise IndexFormatError(f"{self._path} is damaged (block {block}); rebuild the index")
            self._raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
        except zstandard.ZstdError as error:
            raise IndexFormatError(f"{self._path} is damaged (block {block}): rebuild the index") from error
        self._block = block

    def _pieces(self, number: int) -> tuple[bytes, bytes, bytes]:
        """Title, address and text of a document, as UTF-8."""
        block = int(np.searchsorted(self._firsts, number, side="right")) - 1
        if block != self._block:
            self._load(block)
        count = int(self._firsts[block + 1] - self._firsts[block])
        if 12 * count > len(self._raw):
            raise IndexFormatError(f"{self._path} is damaged (block {block}); rebuild the index")
        lengths = np.frombuffer(self._raw, dtype="<u4", count=3 * count).astype(np.int64)
        ends = 12 * count + np.cumsum(lengths)
        if ends[-1] != len(self._raw):
            raise IndexFormatError(f"{self._path} is damaged (block {block}); rebuild the index")
        place = 3 * (number - int(self._firsts[block]))
        bounds = [int(ends[place + i] - lengths[place + i]) for i in range(3)] + [int(ends[place + 2])]
        title, url, text = (self._raw[bounds[i] : bounds[i + 1]] for i in range(3))
        return title, url, text

    def text(self, number: int) -> bytes:
        """The text of a document in UTF-8."""
        return self._pieces(number)[2]

    def document(self, number: int) -> Document:
        """A document with its title, address and text ("" where the text is not stored)."""
        title, url, text = (piece.decode("utf-8", "replace") for piece in self._pieces(number))
        return Document(title, text, url)


def join_texts(parts: Sequence[tuple[Path, Path, int]], folder: Path) -> dict[str, FileInfo]:
    """Write the blocks of several segments one after the other. parts: (texts, table of blocks, documents) of each."""
    tables: list[NDArray[np.int64]] = []
    documents = 0
    with HashingWriter(folder / TEXTS) as out, HashingWriter(folder / TEXT_BLOCKS) as blocks:
        for texts, table, count in parts:
            rows = np.fromfile(table, dtype=np.uint8)[:-PADDING].view("<i8").reshape(-1, 2)
            tables.append(rows[:-1] + np.array([out.bytes, documents]))
            documents += count
            left = texts.stat().st_size - PADDING
            with open(texts, "rb") as file:
                while left > 0:
                    piece = file.read(min(left, _COPY_BYTES))
                    if not piece:
                        raise IndexFormatError(f"{texts} is truncated; rebuild the index")
                    out.write(piece)
                    left -= len(piece)
        blocks.write(np.concatenate([*tables, np.array([[out.bytes, documents]])]).astype("<i8"))
        return {TEXTS: FileInfo(*out.close()), TEXT_BLOCKS: FileInfo(*blocks.close())}
