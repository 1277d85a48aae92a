"""The lists of one segment that queries have asked for, as one table for the kernels.

In: words, or occurrences that were gathered at query time (phrases, alternatives). Out: rows of the table. A list is
checked when its row is made, so that kernels may follow its header without asking. It knows no queries.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corver.index.kernels.access import check_list, fill_bitmap
from corver.index.kernels.encode import list_bound
from corver.index.kernels.invert import encode_lists
from corver.index.layout import (
    ADDRESS,
    BITMAP,
    BYTES,
    CHUNKS,
    COLUMNS,
    DOCUMENTS,
    MAX_CHUNK,
    OCCURRENCES,
    POSTINGS,
    RANKS,
    SMALL,
)
from corver.index.segment import Segment

__all__ = ["ListTable"]

_BITMAP_DENSITY = 512  # a list gets a bitmap when at least one document in 512 holds the word


class ListTable:
    """Rows of `table`, int64 (rows, COLUMNS); row 0 is what the segment lacks. The table only ever grows.

    bitmap_bytes: memory that the bitmaps of frequent words may take in all. made_bytes: memory of lists made here.
    """

    def __init__(self, segment: Segment, *, bitmap_bytes: int) -> None:
        self.segment = segment
        self.table: NDArray[np.int64] = np.zeros((64, COLUMNS), dtype=np.int64)
        self.made_bytes = 0
        self._rows = 1
        self._bitmaps: list[NDArray[np.uint64] | NDArray[np.uint32]] = []
        self._bitmap_room = bitmap_bytes
        self._made: list[NDArray[np.uint8]] = []
        self._scratch = np.zeros(MAX_CHUNK + SMALL, dtype=np.int64)
        self._lock = threading.Lock()

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Rows of folded words, 0 for those that the segment lacks."""
        found, entries = self.segment.find(words)
        rows = np.zeros(len(words), dtype=np.int64)
        rows[found] = self._append(entries)
        return rows

    def part(self, rows: Sequence[int]) -> ListTable:
        """A table of its own with these rows as 1, 2, …: for lists that one query makes and then forgets."""
        part = ListTable(self.segment, bitmap_bytes=0)
        part.table = np.zeros((max(64, 2 * len(rows) + 1), COLUMNS), dtype=np.int64)
        part.table[1 : len(rows) + 1] = self.table[list(rows)]
        part._rows = len(rows) + 1
        return part

    def make(self, occurrences: NDArray[np.uint64]) -> int:
        """Row of a list of occurrences (document << 32 | position), ascending; 0 when there is none."""
        if occurrences.size == 0:
            return 0
        segment = self.segment
        count = occurrences.size
        width = int(segment.lengths[-1]).bit_length()
        room = np.zeros(list_bound(count, count, min(count, segment.group_starts.size), width), dtype=np.uint8)
        scratch = tuple(np.empty(count, dtype=np.uint32) for _ in range(3))
        sizes, documents = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        bounds = np.array([0, count], dtype=np.int64)
        encode_lists(
            np.zeros(1, dtype=np.int64), 0, bounds, occurrences, np.ones(1, dtype=np.bool_),
            (segment.groups, segment.group_starts), segment.lengths, room, sizes, documents, scratch,
        )  # fmt: skip
        data = np.concatenate((room[: sizes[0]], np.zeros(64, dtype=np.uint8)))
        row = np.zeros((1, COLUMNS), dtype=np.int64)
        row[0, ADDRESS], row[0, BYTES] = data.ctypes.data, sizes[0]
        row[0, DOCUMENTS], row[0, OCCURRENCES] = documents[0], count
        self._made.append(data)
        self.made_bytes += data.nbytes
        return int(self._append(row)[0])

    def _append(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Complete, check and append rows; readers keep whatever table they hold."""
        with self._lock:
            if not check_list(rows, self.segment.group_starts, self._scratch):
                raise self.segment.damaged(POSTINGS)
            self._add_bitmaps(rows)
            first, last = self._rows, self._rows + rows.shape[0]
            if last > self.table.shape[0]:
                larger = np.zeros((2 * last, COLUMNS), dtype=np.int64)
                larger[:first] = self.table[:first]
                self.table = larger
            self.table[first:last] = rows
            self._rows = last
            return np.arange(first, last, dtype=np.int64)

    def _add_bitmaps(self, rows: NDArray[np.int64]) -> None:
        """Bitmaps of the documents of frequent words, as long as there is room for them."""
        lines = (self.segment.documents >> 9) + 1
        words = 8 * lines + (lines + 7) // 8
        size = 8 * words + 4 * lines
        frequent = (rows[:, DOCUMENTS] * _BITMAP_DENSITY > self.segment.documents) & (rows[:, CHUNKS] > 1)
        for row in np.flatnonzero(frequent):
            if self._bitmap_room < size:
                return
            bitmap, ranks = np.zeros(words, dtype=np.uint64), np.zeros(lines, dtype=np.uint32)
            if not fill_bitmap(rows, row, self.segment.group_starts, bitmap, ranks, self._scratch):
                raise self.segment.damaged(POSTINGS)
            self._bitmap_room -= size
            self._bitmaps += (bitmap, ranks)
            rows[row, BITMAP], rows[row, RANKS] = bitmap.ctypes.data, ranks.ctypes.data
