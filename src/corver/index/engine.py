"""Counting many queries: from clauses to arrays, over all segments, on all cores.

In: queries as clauses. Out: counts. It knows the kernels and the tables, not how an index lies on disk.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from corver.errors import LookupFailedError, UsageError
from corver.index.gather import documents_with, scan_texts, scratch_size
from corver.index.kernels.count import count_queries, short_documents
from corver.index.kernels.plan import plan_queries
from corver.index.layout import FLAGS, NO_POSITIONS
from corver.index.lists import ListTable
from corver.index.terms import TermTable
from corver.types import Query

__all__ = ["NO_CAP", "Engine", "Prepared"]

NO_CAP = 1 << 62
_BLOCK = 512  # queries that a thread takes at once


@dataclass(frozen=True, slots=True)
class Prepared:
    """Q queries, resolved: may be counted again and again, with any window and cap, without touching Python objects.

    terms: int64, the distinct clauses of all queries end to end, those of query q at starts[q]:starts[q + 1].
    anchors: int64 (Q,), the clause with the fewest occurrences. table: what the numbers mean.
    """

    table: TermTable
    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    anchors: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.anchors.size)


class Engine:
    """Counts over the segments of a term table. Safe to use from many threads."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._spare: list[NDArray[np.int64]] = []

    def close(self) -> None:
        """Stop the threads."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True)
                self._pool = None

    def prepare(self, table: TermTable, queries: Sequence[Query]) -> Prepared:
        """Resolve queries given as clauses."""
        starts = np.zeros(len(queries) + 1, dtype=np.int64)
        np.cumsum(np.array(list(map(len, queries)), dtype=np.int64), out=starts[1:])
        if len(queries) and int(np.diff(starts).min()) == 0:
            raise UsageError("a query needs at least one clause")
        terms = np.array(table.numbers(list(chain.from_iterable(queries))), dtype=np.int64)
        return self.prepare_numbers(table, terms, starts)

    def prepare_numbers(self, table: TermTable, terms: NDArray[np.int64], starts: NDArray[np.int64]) -> Prepared:
        """Resolve queries given as numbers of the table's terms: drops repeated clauses, finds the anchors."""
        distinct, bounds = np.empty_like(terms), np.zeros_like(starts)
        anchors = np.zeros(starts.size - 1, dtype=np.int64)
        tied = np.zeros(starts.size - 1, dtype=np.bool_)
        plan_queries(terms, starts, table.occurrences, distinct, bounds, anchors, tied)
        for q in np.flatnonzero(tied).tolist():
            fewest = table.occurrences[anchors[q]]
            mine = distinct[bounds[q] : bounds[q + 1]].tolist()
            anchors[q] = min(
                (term for term in mine if table.occurrences[term] == fewest), key=lambda term: table.texts[term]
            )
        return Prepared(table, distinct[: bounds[-1]].copy(), bounds, anchors)

    def count(
        self, prepared: Prepared, *, window: int, cap: int | None = None, threads: int | None = None
    ) -> NDArray[np.int64]:
        """Counts of all queries, int64 (Q,); at most `cap`. threads: None for one a core."""
        if window < 0:
            raise UsageError(f"a window of {window} words makes no sense; it must be 0 or more")
        if cap is not None and cap < 1:
            raise UsageError(f"a cap of {cap} makes no sense; it must be 1 or more")
        if threads is not None and threads < 1:
            raise UsageError(f"{threads} threads make no sense; it must be 1 or more")
        limit = NO_CAP if cap is None else cap
        out = np.zeros(len(prepared), dtype=np.int64)
        blocks = [(first, min(first + _BLOCK, len(prepared))) for first in range(0, len(prepared), _BLOCK)]
        workers = min(len(blocks), threads or len(os.sched_getaffinity(0)))

        def work(block: tuple[int, int]) -> None:
            self._count_block(prepared, block, min(window, 1 << 40), limit, out[block[0] : block[1]])

        if workers <= 1:
            for block in blocks:
                work(block)
        else:
            self._run(work, blocks, workers)
        for q in np.flatnonzero(out < 0).tolist():
            out[q] = self._count_with_texts(prepared, q, min(window, 1 << 40), limit)
        return np.minimum(out, limit)

    def _run(self, work: Callable[[tuple[int, int]], None], blocks: list[tuple[int, int]], workers: int) -> None:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="corver-count")
            pool = self._pool
        waiting = iter(blocks)
        turn = threading.Lock()

        def run() -> None:
            while True:
                with turn:
                    block = next(waiting, None)
                if block is None:
                    return
                work(block)

        for future in [pool.submit(run) for _ in range(workers)]:
            future.result()

    def _scratch(self, size: int) -> NDArray[np.int64]:
        with self._lock:
            spare = self._spare.pop() if self._spare else None
        return spare if spare is not None and spare.shape[1] >= size else np.empty((5, size), dtype=np.int64)

    def _count_block(
        self, prepared: Prepared, block: tuple[int, int], window: int, cap: int, out: NDArray[np.int64]
    ) -> None:
        """Count the queries [first, last) over all segments."""
        first, last = block
        begin, end = prepared.starts[first], prepared.starts[last]
        starts = prepared.starts[first : last + 1] - begin
        table = prepared.table
        for column, lists in zip(table.rows, table.lists, strict=True):
            segment = lists.segment
            scratch = self._scratch(scratch_size(segment))
            limits = np.array([0, segment.documents], dtype=np.int64)
            count_queries(
                lists.table, column[prepared.terms[begin:end]], starts, column[prepared.anchors[first:last]],
                segment.groups, segment.group_starts, segment.lengths, window, cap, limits, out, scratch,
            )  # fmt: skip
            with self._lock:
                self._spare.append(scratch)

    def _count_with_texts(self, prepared: Prepared, q: int, window: int, cap: int) -> int:
        """Count one query whose words the index keeps without positions, with the help of the stored texts."""
        terms = prepared.terms[prepared.starts[q] : prepared.starts[q + 1]]
        total = 0
        table = prepared.table
        for column, lists in zip(table.rows, table.lists, strict=True):
            rows = column[terms].tolist()
            if not all(rows):
                continue
            segment = lists.segment
            short = int(short_documents(segment.lengths, window))
            documents = documents_with(lists, rows)
            documents = documents[documents >= short]
            anchor = rows.index(int(column[prepared.anchors[q]])) + 1
            part = lists.part(rows)
            own = np.arange(1, len(rows) + 1)
            total += self._count_rows(part, own, anchor, (0, short), window, cap)
            if documents.size:
                for i, term in enumerate(terms.tolist()):
                    if part.table[own[i], FLAGS] & NO_POSITIONS:
                        made = part.make(scan_texts(segment, documents, [str(table.keys[term])]))
                        anchor = made if anchor == own[i] else anchor
                        own[i] = made
                total += self._count_rows(part, own, anchor, (short, segment.documents), window, cap)
            if total >= cap:
                break
        return total

    def _count_rows(
        self, lists: ListTable, rows: NDArray[np.int64], anchor: int, limits: tuple[int, int], window: int, cap: int
    ) -> int:
        """Count one query, given as rows of one segment, in a range of documents."""
        segment = lists.segment
        out = np.zeros(1, dtype=np.int64)
        count_queries(
            lists.table, rows.astype(np.int64), np.array([0, rows.size], dtype=np.int64),
            np.array([anchor], dtype=np.int64), segment.groups, segment.group_starts, segment.lengths, window, cap,
            np.array(limits, dtype=np.int64), out, self._scratch(scratch_size(segment)),
        )  # fmt: skip
        if out[0] < 0:
            raise LookupFailedError(f"{segment.folder} is damaged; run corver index verify, then rebuild the index")
        return int(out[0])
