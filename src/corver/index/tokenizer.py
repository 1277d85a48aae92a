"""A growing vocabulary and the compiled tokenizer that fills it.

In: document batches. Out: word numbers. The numbers are in order of first appearance; `sorted_words` gives the
alphabetical order. It knows no postings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import Document, DocumentBatch
from corver.index.kernels.tables import rule_tables
from corver.index.kernels.tokenizer import tokenize_batch
from corver.index.kernels.vocabulary import find_word, most_new_words, rehash
from corver.index.layout import read_only

__all__ = ["Vocabulary"]


_GROWTH = 12  # the longest folded form has 12 bytes for each byte that was read


class Vocabulary:
    """Words by number: `pool` holds their UTF-8 end to end, word w at pool[starts[w]:starts[w + 1]]."""

    def __init__(self) -> None:
        self.count = 0
        self.pool: NDArray[np.uint8] = np.empty(1 << 16, dtype=np.uint8)
        self.starts: NDArray[np.int64] = np.zeros(1 << 12, dtype=np.int64)
        self._slots: NDArray[np.uint64] = np.zeros(1 << 16, dtype=np.uint64)
        self._ids: NDArray[np.uint32] = np.empty(1 << 16, dtype=np.uint32)

    @property
    def bytes(self) -> int:
        """Memory in use, without room to grow."""
        return int(self.starts[self.count]) + 8 * self.count + self._slots.nbytes

    def _reserve(self, size: int) -> None:
        """Room for everything that `size` bytes of text can add; pages that are never touched cost nothing."""
        length = int(self.starts[self.count])
        if self.pool.size < length + _GROWTH * size + 64:
            pool = np.empty(2 * length + _GROWTH * size + 64, dtype=np.uint8)
            pool[:length] = self.pool[:length]
            self.pool = pool
        if self.starts.size < self.count + 2 * size + 2:
            starts = np.empty(2 * self.count + 2 * size + 2, dtype=np.int64)
            starts[: self.count + 1] = self.starts[: self.count + 1]
            self.starts = starts
        if self._ids.size < 2 * size + 16:
            self._ids = np.empty(2 * size + 16, dtype=np.uint32)

    def tokenize(self, batch: DocumentBatch) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """(numbers of all words end to end, words of each document); the first is only valid until the next call."""
        tables = rule_tables()
        text, offsets = read_only(batch.text), read_only(batch.offsets)
        self._reserve(text.size)
        lengths = np.zeros(len(batch), dtype=np.int64)
        document = written = 0
        while True:
            document, written, self.count = tokenize_batch(
                text, offsets, tables.plain, tables.page, tables.info, tables.expansion, tables.starts, tables.pool,
                self._slots, self.pool, self.starts, self.count, self._ids, lengths, document, written,
            )  # fmt: skip
            if document == len(batch):
                break
            self._enlarge(int(offsets[document + 1] - offsets[document]))
        return self._ids[:written], lengths

    def _enlarge(self, size: int) -> None:
        """Room in the hash table for a document of `size` bytes."""
        slots = self._slots.size
        while slots < 2 * (self.count + most_new_words(size)):
            slots *= 2
        self._slots = np.zeros(slots * 2, dtype=np.uint64)
        rehash(self._slots, self.pool, self.starts, self.count)

    def add(self, word: str) -> int:
        """The number of a folded word, which becomes part of the vocabulary."""
        self.tokenize(DocumentBatch.of([Document("", word)]))
        return self.find(word)

    def find(self, word: str) -> int:
        """The number of a folded word, -1 when no document has it."""
        data = np.frombuffer(word.encode("utf-8"), dtype=np.uint8)
        end = int(self.starts[self.count])
        self._reserve(data.size)
        self.pool[end : end + data.size] = data
        number, _, _ = find_word(self._slots, self.pool.ctypes.data, self.starts, end, data.size)
        return int(number)

    def word(self, number: int) -> str:
        """The word of a number."""
        return self.pool[self.starts[number] : self.starts[number + 1]].tobytes().decode("utf-8")

    def sorted_words(self) -> NDArray[np.int64]:
        """Word numbers in alphabetical order, which is the order of their bytes."""
        order = np.arange(self.count, dtype=np.int64)
        starts, ends = self.starts[: self.count], self.starts[1 : self.count + 1]
        groups = np.zeros(self.count, dtype=np.int64)  # words of one group share all bytes before `depth`
        tied = order
        place = order.copy()
        depth = 0
        while tied.size:
            keys = self._eight_bytes(starts[tied] + depth, ends[tied])
            by = np.lexsort((keys, groups[tied]))
            tied, keys = tied[by], keys[by]
            place = np.sort(place)
            order[place] = tied
            group = groups[tied]
            same = (group[1:] == group[:-1]) & (keys[1:] == keys[:-1])
            boundary = np.concatenate(([True], ~same))
            groups[tied] = np.cumsum(boundary)
            alone = boundary & np.concatenate((boundary[1:], [True]))
            tied, place = tied[~alone], place[~alone]
            depth += 8
        return order

    def _eight_bytes(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Eight bytes from each start on as one big-endian number, zeros past the end; words hold no zero byte."""
        keys = np.zeros(starts.size, dtype=np.uint64)
        for i in range(8):
            at = starts + i
            inside = at < ends
            byte = np.where(inside, self.pool[np.where(inside, at, 0)], 0).astype(np.uint64)
            keys = keys << np.uint64(8) | byte
        return keys
