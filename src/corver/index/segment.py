"""One opened segment: its files mapped, its document tables checked, its words looked up.

In: the folder of a segment and what the manifest says of it. Out: the entries of words in its vocabulary, the tables
that kernels work on, documents, texts. It knows no queries. Nothing is read at opening but the small tables.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import Document
from corver.errors import IndexFormatError
from corver.index.files import PADDING, map_file
from corver.index.layout import (
    ABSENT,
    ADDRESS,
    BLOCKS,
    BYTES,
    COLUMNS,
    CORRUPT,
    DOCUMENTS,
    FLAGS,
    GROUPS,
    LENGTHS,
    NO_POSITIONS,
    OCCURRENCES,
    ORDER,
    POSTINGS,
    TERMS,
    document_groups,
    read_only,
)
from corver.index.layout import TERM_BLOCK as BLOCK
from corver.index.manifest import SegmentInfo
from corver.index.texts import TEXT_BLOCKS, TEXTS, TextReader

__all__ = ["Segment"]

_SCAN = 256  # vocabulary blocks that are decoded at once


class Segment:
    """Read access to one segment.

    groups: uint16 (D,), group_starts: int64 (G + 1,), lengths: uint32 (D,), as the kernels take them; documents are in
    the order of their length.
    """

    def __init__(self, folder: Path, info: SegmentInfo) -> None:
        self.folder = folder
        self.info = info
        self._maps: dict[str, NDArray[np.uint8]] = {}
        self.lengths = read_only(self._array(LENGTHS, "<u4"))
        self._order = self._array(ORDER, "<u4")
        self.group_starts = read_only(self._array(GROUPS, "<i8"))
        self._check_documents()
        self.groups = read_only(document_groups(self.group_starts))
        self.postings = self._map(POSTINGS)
        self.terms = read_only(self._map(TERMS)[:-PADDING])
        table = self._array(BLOCKS, "<i8")
        half = table.size // 2
        self.block_starts, self.list_starts = read_only(table[:half]), read_only(table[half:])
        self._check_blocks()
        self._lock = threading.Lock()
        self._texts: TextReader | None = None

    def _map(self, name: str) -> NDArray[np.uint8]:
        if name not in self._maps:
            if name not in self.info.files:
                raise IndexFormatError(f"{self.folder} lacks {name}; rebuild the index")
            size = self.info.files[name].bytes
            if size < PADDING:
                raise self.damaged(name)
            self._maps[name] = map_file(self.folder / name, size)
        return self._maps[name]

    def _array(self, name: str, kind: str) -> NDArray[Any]:
        data = self._map(name)[:-PADDING]
        if data.size % np.dtype(kind).itemsize:
            raise self.damaged(name)
        return data.view(kind)

    def damaged(self, name: str) -> IndexFormatError:
        return IndexFormatError(f"{self.folder / name} is damaged; run corver index verify, then rebuild the index")

    def _check_documents(self) -> None:
        """The tables that kernels index without asking: sizes agree, groups rise from 0 to D."""
        documents = self.info.documents
        starts = self.group_starts
        if self.lengths.size != documents or self._order.size != documents:
            raise self.damaged(LENGTHS)
        if not 2 <= starts.size <= (1 << 16) + 1 or starts[0] != 0 or starts[-1] != documents:
            raise self.damaged(GROUPS)
        if documents and (np.diff(starts).min() < 0 or np.any(self.lengths[1:] < self.lengths[:-1])):
            raise self.damaged(GROUPS)

    def _check_blocks(self) -> None:
        blocks, lists = self.block_starts, self.list_starts
        sound = (
            blocks.size == lists.size >= 1
            and blocks[0] == 0
            and blocks[-1] == self.terms.size
            and lists[0] == 0
            and lists[-1] == self.postings.size - PADDING
            and bool(np.all(np.diff(blocks) >= 0))
            and bool(np.all(np.diff(lists) >= 0))
        )
        if not sound:
            raise self.damaged(BLOCKS)

    @property
    def documents(self) -> int:
        return self.info.documents

    def find(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(which of the folded words the segment has, their rows as kernels take them, not yet checked)."""
        from corver.index.kernels.terms import find_terms

        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        starts = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum([len(word) for word in encoded], out=starts[1:])
        data = np.frombuffer(b"".join(encoded) + bytes(8), dtype=np.uint8)
        entries = np.zeros((len(words), 5), dtype=np.int64)
        states = np.zeros(len(words), dtype=np.int64)
        find_terms(self.terms, self.block_starts, self.list_starts, data, starts, entries, states)
        if np.any(states == CORRUPT):
            raise self.damaged(TERMS)
        found = np.flatnonzero(states != ABSENT)
        table = np.zeros((found.size, COLUMNS), dtype=np.int64)
        table[:, ADDRESS] = self.postings.ctypes.data + entries[found, 0]
        table[:, BYTES] = entries[found, 1]
        table[:, DOCUMENTS] = entries[found, 2]
        table[:, OCCURRENCES] = entries[found, 3]
        table[:, FLAGS] = np.where(entries[found, 4] != 0, NO_POSITIONS, 0)
        inside = (entries[found, 0] + entries[found, 1] <= self.postings.size - PADDING) & (entries[found, 0] >= 0)
        if not np.all(inside):
            raise self.damaged(TERMS)
        return found, table

    def most_frequent(self) -> tuple[int, int]:
        """The most documents of any word, and the most occurrences of any word with positions."""
        from corver.index.kernels.terms import read_terms

        most = [0, 0]
        blocks = self.block_starts.size - 1
        for first in range(0, blocks, _SCAN):
            last = min(first + _SCAN, blocks)
            size = int(self.block_starts[last] - self.block_starts[first]) * BLOCK + 64
            entries = np.zeros((_SCAN * BLOCK, 5), dtype=np.int64)
            pool, starts = np.empty(size, dtype=np.uint8), np.zeros(_SCAN * BLOCK + 1, dtype=np.int64)
            count, _ = read_terms(self.terms, self.block_starts, self.list_starts, first, last, pool, starts, entries)
            found = entries[: max(0, count)]
            if count < 0 or np.any(found[:, 2] > self.documents) or np.any(found[:, 3] > self.info.words):
                raise self.damaged(TERMS)
            most[0] = max(most[0], int(found[:, 2].max(initial=0)))
            most[1] = max(most[1], int(np.where(found[:, 4] == 0, found[:, 3], 0).max(initial=0)))
        return most[0], most[1]

    def numbers(self) -> NDArray[np.int64]:
        """Number in the order of the corpus of every document in the order of length."""
        return self._order.astype(np.int64)

    def _reader(self) -> TextReader:
        if self._texts is None:
            self._texts = TextReader(self.folder, self._map(TEXTS), self._map(TEXT_BLOCKS), self.documents)
        return self._texts

    def number(self, rank: int) -> int:
        """Number of a document in the order of the corpus, from its place in the order of length."""
        number = int(self._order[rank])
        if number >= self.documents:
            raise self.damaged(ORDER)
        return number

    def text(self, rank: int) -> bytes:
        """The stored text of a document, in UTF-8."""
        with self._lock:
            return self._reader().text(self.number(rank))

    def document(self, rank: int) -> Document:
        """Title, address and text of a document."""
        return self.numbered_document(self.number(rank))

    def numbered_document(self, number: int) -> Document:
        """The same by its number in the order of the corpus."""
        with self._lock:
            return self._reader().document(number)
