"""One segment in the making: words are gathered in memory, then inverted and written.

In: document batches. Out: a folder with the files of a segment and its `SegmentInfo`. It does not decide how much
memory is enough: `bytes` says what a segment would take now, and its caller ends it in time.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import DocumentBatch
from corver.index.files import HashingWriter
from corver.index.kernels.invert import count_words, encode_lists, scatter
from corver.index.kernels.terms import write_terms
from corver.index.layout import (
    BLOCKS,
    GROUPS,
    LENGTHS,
    ORDER,
    POSTINGS,
    TERMS,
    document_groups,
    group_boundaries,
    read_only,
)
from corver.index.layout import TERM_BLOCK as BLOCK
from corver.index.manifest import FileInfo, SegmentInfo
from corver.index.texts import TextWriter
from corver.index.tokenizer import Vocabulary

__all__ = ["BYTES_A_WORD", "SegmentWriter", "write_array"]

BYTES_A_WORD = 15
"""Memory for each word of a segment at the widest point: its number, its place, and the lists on their way out."""

_ROOM = 16 << 20


def write_array(path: Path, array: NDArray[np.generic]) -> FileInfo:
    """Write one array as a file of its own."""
    with HashingWriter(path) as file:
        file.write(array)
        return FileInfo(*file.close())


class SegmentWriter:
    """Gathers documents, then `finish` writes the segment into `folder`, which must exist and be empty.

    function_words: words whose positions are not kept. keep_text: whether texts are stored (titles always are).
    """

    def __init__(self, folder: Path, *, function_words: Set[str], keep_text: bool, level: int) -> None:
        self._folder = folder
        self._function_words = function_words
        self._keep_text = keep_text
        self._vocabulary = Vocabulary()
        self._texts = TextWriter(folder, level=level, keep_text=keep_text)
        self._ids: NDArray[np.uint32] = np.empty(1 << 20, dtype=np.uint32)
        self._lengths: list[NDArray[np.int64]] = []
        self.words = 0
        self.documents = 0

    @property
    def bytes(self) -> int:
        """Memory that finishing this segment now would take."""
        return self.words * BYTES_A_WORD + 3 * self._vocabulary.bytes + 40 * self.documents

    def add(self, batch: DocumentBatch) -> None:
        """Append the documents of a batch."""
        ids, lengths = self._vocabulary.tokenize(batch)
        if self._ids.size < self.words + ids.size:
            # In place: the kernel moves pages, so that both copies never exist at once.
            self._ids.resize(max(self.words + ids.size, self._ids.size * 5 // 4), refcheck=False)
        self._ids[self.words : self.words + ids.size] = ids
        self.words += ids.size
        self.documents += len(batch)
        self._lengths.append(lengths)
        self._texts.add(batch)

    def finish(self, name: str) -> SegmentInfo:
        """Invert and write; the writer is of no use afterwards."""
        files = self._texts.close()
        read_lengths = np.concatenate(self._lengths) if self._lengths else np.zeros(0, dtype=np.int64)
        order = np.argsort(read_lengths, kind="stable")
        lengths = read_lengths[order].astype(np.uint32)
        group_starts = group_boundaries(lengths)
        occurrences, bounds = self._scattered(read_lengths, order)
        words = self._vocabulary.sorted_words()
        bare = np.array([self._vocabulary.find(word) for word in self._function_words], dtype=np.int64)
        keep = np.ones(self._vocabulary.count, dtype=np.bool_)
        keep[bare[bare >= 0]] = False
        documents, sizes, files[POSTINGS] = self._postings(words, bounds, occurrences, keep, group_starts, lengths)
        totals = np.diff(bounds)[words]
        files[TERMS], files[BLOCKS] = self._terms(words, documents, totals, ~keep[words], sizes)
        files[LENGTHS] = write_array(self._folder / LENGTHS, lengths)
        files[ORDER] = write_array(self._folder / ORDER, order.astype(np.uint32))
        files[GROUPS] = write_array(self._folder / GROUPS, group_starts)
        return SegmentInfo(name, self.documents, self.words, int(words.size), self._keep_text, files)

    def _scattered(
        self, lengths: NDArray[np.int64], order: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Occurrences sorted by word, and the range of each word in them."""
        ids = self._ids[: self.words]
        starts = np.zeros(lengths.size + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        counts = np.zeros(self._vocabulary.count, dtype=np.int64)
        count_words(ids, counts)
        bounds = np.zeros(counts.size + 1, dtype=np.int64)
        np.cumsum(counts, out=bounds[1:])
        occurrences = np.empty(self.words, dtype=np.uint64)
        scatter(ids, starts, order, bounds[:-1].copy(), occurrences)
        del ids
        self._ids = np.empty(0, dtype=np.uint32)
        return occurrences, bounds

    def _postings(
        self,
        words: NDArray[np.int64],
        bounds: NDArray[np.int64],
        occurrences: NDArray[np.uint64],
        keep: NDArray[np.bool_],
        group_starts: NDArray[np.int64],
        lengths: NDArray[np.uint32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], FileInfo]:
        """Write all lists: documents and bytes of each, in the order of `words`, and the file."""
        most = int(np.diff(bounds).max(initial=1))
        scratch = tuple(np.empty(most, dtype=np.uint32) for _ in range(3))
        room = np.zeros(_ROOM + 24 * most, dtype=np.uint8)
        documents = np.zeros(words.size, dtype=np.int64)
        sizes = np.zeros(words.size, dtype=np.int64)
        tables = (read_only(document_groups(group_starts)), read_only(group_starts))
        lengths = read_only(lengths)
        with HashingWriter(self._folder / POSTINGS) as file:
            done = 0
            while done < words.size:
                done, used = encode_lists(
                    words, done, bounds, occurrences, keep, tables, lengths, room, sizes, documents, scratch
                )
                file.write(room[:used])
                room[: used + 64] = 0
            return documents, sizes, FileInfo(*file.close())

    def _terms(
        self,
        words: NDArray[np.int64],
        documents: NDArray[np.int64],
        totals: NDArray[np.int64],
        bare: NDArray[np.bool_],
        sizes: NDArray[np.int64],
    ) -> tuple[FileInfo, FileInfo]:
        """Write the vocabulary and the table of its blocks."""
        vocabulary = self._vocabulary
        blocks = -(-words.size // BLOCK)
        block_starts, list_starts = np.zeros(blocks + 1, dtype=np.int64), np.zeros(blocks + 1, dtype=np.int64)
        out = np.empty(int(vocabulary.starts[vocabulary.count]) + 50 * words.size + 64, dtype=np.uint8)
        used = write_terms(
            vocabulary.pool, vocabulary.starts, words, documents, totals, bare, sizes, out, block_starts, list_starts
        )
        terms = write_array(self._folder / TERMS, out[:used])
        return terms, write_array(self._folder / BLOCKS, np.concatenate((block_starts, list_starts)))
