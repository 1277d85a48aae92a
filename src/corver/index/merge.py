"""Several segments into one: documents renumbered by length, lists merged word by word, texts copied.

In: opened segments. Out: the folder of a new segment and its `SegmentInfo`. Memory: the lists of the most frequent
word twice, the document tables, and buffers of a fixed size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corver.index.files import PADDING, HashingWriter
from corver.index.kernels.merge import DONE, FULL, REFILL, merge_words
from corver.index.kernels.terms import read_terms, write_terms
from corver.index.layout import (
    BLOCKS,
    GROUPS,
    LENGTHS,
    MAX_CHUNK,
    ORDER,
    POSTINGS,
    SMALL,
    TERMS,
    document_groups,
    group_boundaries,
    read_only,
)
from corver.index.layout import TERM_BLOCK as BLOCK
from corver.index.manifest import FileInfo, SegmentInfo
from corver.index.segment import Segment
from corver.index.texts import TEXT_BLOCKS, TEXTS, join_texts
from corver.index.writer import write_array

__all__ = ["merge_memory", "merge_segments_into"]

_BATCH_BLOCKS = 256  # vocabulary blocks that are decoded at once
_OUT_WORDS = 256 * BLOCK
_ROOM = 16 << 20


def _most(segments: Sequence[Segment]) -> tuple[int, int]:
    """Upper bounds over all words: documents, and occurrences of words with positions."""
    most = np.array([segment.most_frequent() for segment in segments])
    return int(most[:, 0].sum()), int(most[:, 1].sum())


def merge_memory(segments: Sequence[Segment]) -> int:
    """Bytes that merging these segments takes."""
    documents, positions = _most(segments)
    tables = 40 * sum(segment.documents for segment in segments)
    buffers = len(segments) * (_BATCH_BLOCKS * BLOCK * 56 + (4 << 20))
    return 25 * documents + 12 * positions + tables + buffers + (64 << 20)


class _Terms:
    """The vocabularies of K segments, a batch of each decoded at a time."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        count = len(segments)
        longest = max(self._largest_batch(segment) for segment in segments)
        self.pools = np.zeros((count, longest), dtype=np.uint8)
        self.starts = np.zeros((count, _BATCH_BLOCKS * BLOCK + 1), dtype=np.int64)
        self.entries = np.zeros((count, _BATCH_BLOCKS * BLOCK, 5), dtype=np.int64)
        self.counts, self.cursors = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.finished = np.zeros(count, dtype=np.bool_)
        self._blocks = [0] * count

    @staticmethod
    def _largest_batch(segment: Segment) -> int:
        """Bytes that the words of a batch may take: each is at most as long as its block."""
        starts = segment.block_starts
        ends = starts[np.minimum(np.arange(starts.size) + _BATCH_BLOCKS, starts.size - 1)]
        return int((ends - starts).max()) * BLOCK + 64

    def refill(self, k: int) -> None:
        segment = self.segments[k]
        first = self._blocks[k]
        last = min(first + _BATCH_BLOCKS, segment.block_starts.size - 1)
        count, _ = read_terms(
            segment.terms, segment.block_starts, segment.list_starts, first, last, self.pools[k], self.starts[k],
            self.entries[k],
        )  # fmt: skip
        if count < 0:
            raise segment.damaged(TERMS)
        self.counts[k], self.cursors[k] = count, 0
        self._blocks[k] = last
        self.finished[k] = last == segment.block_starts.size - 1


class _Output:
    """The vocabulary and the postings of the merged segment, written as they come.

    words, starts and the columns after them are the `out` of `merge_words`; `count` of them wait to be written, which
    happens in whole blocks.
    """

    def __init__(self, folder: Path, longest: int) -> None:
        self.folder = folder
        self.count = self.written = 0
        self.out: tuple[NDArray[Any], ...] = (
            np.zeros(longest + (1 << 18), dtype=np.uint8),
            np.zeros(_OUT_WORDS + 1, dtype=np.int64),
            *(np.zeros(_OUT_WORDS, dtype=np.int64) for _ in range(4)),
        )
        self._terms = HashingWriter(folder / TERMS)
        self._postings = HashingWriter(folder / POSTINGS)
        self._block_starts: list[NDArray[np.int64]] = []
        self._list_starts: list[NDArray[np.int64]] = []
        self._lists = 0  # bytes of the lists of all words whose vocabulary entry is written

    def flush(self, count: int, lists: NDArray[np.uint8], *, last: bool) -> int:
        """Write all lists and the words of whole blocks (of all, at the end); occurrences of the words written."""
        self._postings.write(lists)
        pool, starts, documents, occurrences, bare, sizes = self.out
        done = count if last else count // BLOCK * BLOCK
        blocks = -(-done // BLOCK)
        block_starts, list_starts = np.zeros(blocks + 1, dtype=np.int64), np.zeros(blocks + 1, dtype=np.int64)
        buffer = np.zeros(int(starts[done]) + 50 * done + 64, dtype=np.uint8)
        order = np.arange(done, dtype=np.int64)
        flags = bare.astype(np.bool_)
        used = write_terms(pool, starts, order, documents, occurrences, flags, sizes, buffer, block_starts, list_starts)
        self._block_starts.append(block_starts[:-1] + self._terms.bytes)
        self._list_starts.append(list_starts[:-1] + self._lists)
        self._terms.write(buffer[:used])
        self._lists += int(sizes[:done].sum())
        self.written += done
        total = int(occurrences[:done].sum())
        self._keep(done, count)
        return total

    def _keep(self, done: int, count: int) -> None:
        """Move the words that wait for their block to the front."""
        pool, starts, *columns = self.out
        first, end = int(starts[done]), int(starts[count])
        pool[: end - first] = pool[first:end].copy()
        starts[: count - done + 1] = starts[done : count + 1] - first
        for column in columns:
            column[: count - done] = column[done:count].copy()
        self.count = count - done

    def close(self) -> dict[str, FileInfo]:
        ends = [np.array([size], dtype=np.int64) for size in (self._terms.bytes, self._postings.bytes)]
        table = np.concatenate([*self._block_starts, ends[0], *self._list_starts, ends[1]])
        return {
            TERMS: FileInfo(*self._terms.close()),
            POSTINGS: FileInfo(*self._postings.close()),
            BLOCKS: write_array(self.folder / BLOCKS, table),
        }


def _document_tables(
    segments: Sequence[Segment],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]:
    """(lengths by new number, corpus number by new number, new number of every old one, bounds of the segments)."""
    lengths = np.concatenate([segment.lengths for segment in segments])
    bounds = np.zeros(len(segments) + 1, dtype=np.int64)
    np.cumsum([segment.documents for segment in segments], out=bounds[1:])
    by_length = np.argsort(lengths, kind="stable")
    corpus = np.concatenate([segment.numbers() + bounds[s] for s, segment in enumerate(segments)])
    numbers = np.empty(lengths.size, dtype=np.uint32)
    numbers[by_length] = np.arange(lengths.size, dtype=np.uint32)
    return lengths[by_length], corpus[by_length].astype(np.uint32), numbers, bounds


def merge_segments_into(
    segments: Sequence[Segment], folder: Path, name: str, *, progress: Callable[[int], None] | None = None
) -> SegmentInfo:
    """Write the merged segment into a new folder; documents keep the order of the corpus. progress: words so far."""
    folder.mkdir(parents=True)
    lengths, corpus, numbers, bounds = _document_tables(segments)
    group_starts = group_boundaries(lengths)
    files = {
        LENGTHS: write_array(folder / LENGTHS, lengths),
        ORDER: write_array(folder / ORDER, corpus),
        GROUPS: write_array(folder / GROUPS, group_starts),
    }
    terms = _Terms(segments)
    output = _Output(folder, terms.pools.shape[1])
    _merge_lists(
        terms,
        output,
        (read_only(document_groups(group_starts)), read_only(group_starts)),
        read_only(lengths),
        numbers,
        bounds,
        progress,
    )
    files |= output.close()
    files |= join_texts([(s.folder / TEXTS, s.folder / TEXT_BLOCKS, s.documents) for s in segments], folder)
    return SegmentInfo(
        name=name,
        documents=int(bounds[-1]),
        words=sum(segment.info.words for segment in segments),
        vocabulary=output.written,
        has_text=all(segment.info.has_text for segment in segments),
        files=files,
    )


def _merge_lists(
    terms: _Terms,
    output: _Output,
    tables: tuple[NDArray[np.uint16], NDArray[np.int64]],
    lengths: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    progress: Callable[[int], None] | None,
) -> None:
    segments = terms.segments
    documents, positions = _most(segments)
    group_bounds = np.zeros(len(segments) + 1, dtype=np.int64)
    np.cumsum([segment.group_starts.size for segment in segments], out=group_bounds[1:])
    group_starts = np.concatenate([segment.group_starts for segment in segments])
    old_lengths = np.concatenate([segment.lengths for segment in segments])
    bases = np.array([segment.postings.ctypes.data for segment in segments], dtype=np.int64)
    sizes = np.array([segment.postings.size - PADDING for segment in segments], dtype=np.int64)
    parts, merged = (
        tuple(np.empty(size, dtype=np.uint32) for size in (documents, documents, positions)) for _ in range(2)
    )
    room = np.zeros(_ROOM + 9 * documents + 4 * positions, dtype=np.uint8)
    scratch = np.zeros(MAX_CHUNK + SMALL, dtype=np.int64)
    done = used = 0
    while True:
        code, refill, count, used = merge_words(
            terms.pools, terms.starts, terms.entries, terms.counts, terms.cursors, terms.finished, bases, sizes,
            group_starts, group_bounds, old_lengths, numbers, bounds, parts, merged, tables, lengths, room, output.out,
            scratch, output.count, used,
        )  # fmt: skip
        if code == REFILL:
            output.count = count
            terms.refill(refill)
            continue
        if code not in (DONE, FULL):
            raise segments[refill].damaged(POSTINGS)
        done += output.flush(count, room[:used], last=code == DONE)
        room[: used + 128] = 0
        used = 0
        if progress is not None:
            progress(done)
        if code == DONE:
            return
