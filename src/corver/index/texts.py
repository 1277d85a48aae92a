"""The stored texts of a segment: titles, addresses and texts, zstd-compressed in blocks of a few documents.

In: document batches while building; a document number afterwards. Out: `Document`. It knows no words. A block holds
whole documents: three lengths of each as uint32 (title, address, text), then title and address of each, then all texts,
in UTF-8.
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

    def add(self, batch: DocumentBatch) -> None:
        """Append all documents of a batch; a block never spans two batches."""
        text = np.ascontiguousarray(batch.text)
        offsets = np.asarray(batch.offsets)
        if not self._keep_text:
            offsets = np.zeros(offsets.size, dtype=np.int64)
        names = [
            name.encode("utf-8", "replace") for pair in zip(batch.titles, batch.urls, strict=True) for name in pair
        ]
        lengths = np.empty((len(batch), 3), dtype="<u4")
        lengths[:, :2] = np.fromiter(map(len, names), dtype=np.int64, count=len(names)).reshape(-1, 2)
        lengths[:, 2] = np.diff(offsets)
        ends = np.cumsum(lengths.sum(axis=1, dtype=np.int64))
        first = 0
        while first < len(batch):
            before = int(ends[first - 1]) if first else 0
            last = min(int(np.searchsorted(ends, before + _BLOCK_BYTES)) + 1, len(batch))
            self._starts.append((self._file.bytes, self._documents))
            pieces: tuple[bytes | memoryview, ...] = (
                lengths[first:last].tobytes(),
                *names[2 * first : 2 * last],
                text[offsets[first] : offsets[last]].data,
            )
            self._file.write(self._compressor.compress(b"".join(pieces)))
            self._documents += last - first
            first = last

    def close(self) -> dict[str, FileInfo]:
        """Finish both files."""
        self._starts.append((self._file.bytes, self._documents))
        with self._file as texts, HashingWriter(self._folder / TEXT_BLOCKS) as blocks:
            blocks.write(np.array(self._starts, dtype="<i8"))
            return {TEXTS: FileInfo(*texts.close()), TEXT_BLOCKS: FileInfo(*blocks.close())}


class TextReader:
    """Reads documents by number; keeps the last block it unpacked. Not to be shared between threads."""

    def __init__(self, folder: Path, texts: NDArray[np.uint8], blocks: NDArray[np.uint8], documents: int) -> None:
        self._path = folder / TEXTS
        self._texts = texts
        table = blocks[:-PADDING].view("<i8").reshape(-1, 2)
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
        data = self._texts.data[self._offsets[block] : self._offsets[block + 1]]
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
        lengths = np.frombuffer(self._raw, dtype="<u4", count=3 * count).astype(np.int64).reshape(-1, 3)
        names = 12 * count + int(lengths[:, :2].sum())
        if names + int(lengths[:, 2].sum()) != len(self._raw):
            raise IndexFormatError(f"{self._path} is damaged (block {block}); rebuild the index")
        place = number - int(self._firsts[block])
        title = 12 * count + int(lengths[:place, :2].sum())
        url = title + int(lengths[place, 0])
        text = names + int(lengths[:place, 2].sum())
        raw = self._raw
        return (
            raw[title:url],
            raw[url : url + int(lengths[place, 1])],
            raw[text : text + int(lengths[place, 2])],
        )

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
