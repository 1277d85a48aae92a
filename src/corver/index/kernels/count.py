"""Counting: how many positions of the anchor have every other clause of the query within the window.

In: resolved lists of one segment, queries as rows of list numbers. Out: one count a query. It knows no words and no
files. Documents are intersected first, chunk by chunk of the rarest list; positions are fetched only in documents that
hold all clauses and are longer than the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.access import keep_common, open_at, place_in
from corver.index.kernels.jit import Array, Int, inlined, jit, load64, trailing_zeros
from corver.index.kernels.postings import (
    chunk_width,
    decode_documents,
    decode_positions,
    decode_starts,
    occurrence_layout,
    occurrences_at,
    open_chunk,
    place_at,
    read_bits,
)
from corver.index.layout import BITMAP, CHUNKS, CORRUPT, DOCUMENTS, FLAGS, NO_POSITIONS, OCCURRENCES

__all__ = ["NEEDS_TEXT", "count_queries", "short_documents"]

_SOME = 32  # candidates that are looked at before more of them are gathered
NEEDS_TEXT = -1  # a long document holds a word whose positions the index does not keep


@jit
def short_documents(lengths: Array, window: Int) -> Any:
    """Number of documents of at most window + 1 words; they come first."""
    low, high = 0, lengths.size
    while low < high:
        middle = (low + high) >> 1
        if np.int64(lengths[middle]) <= window + 1:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _near(anchors: Array, n: Int, others: Array, m: Array, window: Int) -> Any:
    """Keep the anchors that have one of the others within the window, in place; their number."""
    kept = j = 0
    for i in range(n):
        position = np.int64(anchors[i])
        while j < m and np.int64(others[j]) < position - window:
            j += 1
        if j == m:
            break
        if np.int64(others[j]) <= position + window:
            anchors[kept] = anchors[i]
            kept += 1
    return kept


@inlined
def _within(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    document: Int,
    tables: Array,
    window: Int,
    place: Array,
    mine: Array,
    theirs: Array,
) -> Any:
    """How many of the anchor's positions in one document have every other list within the window, or CORRUPT.

    The first and the last position of a list mostly say enough: when they are at most 2 window + 1 apart, exactly the
    positions from `first - window` to `last + window` are near one of the list.
    """
    address, bit, number, width = place
    first, last = read_bits(address, bit, width), read_bits(address, bit + (number - 1) * width, width)
    low, high = first, last
    left = number
    decoded = False
    for k in range(n):
        if rows[k] == anchor:
            continue
        other, start, count, bits = place_in(lists, rows[k], document, tables)
        if start < 0:
            return np.int64(CORRUPT)
        begin, end = read_bits(other, start, bits), read_bits(other, start + (count - 1) * bits, bits)
        low, high = max(low, begin - window), min(high, end + window)
        if low > high:
            return np.int64(0)
        if end - begin > 2 * window + 1:
            if not decoded:
                decode_positions(address, bit, width, number, mine)
                decoded = True
            decode_positions(other, start, bits, count, theirs)
            left = _near(mine, left, theirs, count, window)
    if low <= first and last <= high:
        return np.int64(left)
    if not decoded:
        decode_positions(address, bit, width, number, mine)
    hits = np.int64(0)
    for i in range(left):
        hits += np.int64(low <= mine[i] <= high)
    return hits


@inlined
def _lacks_positions(lists: Array, rows: Array, n: Int) -> Any:
    flags = np.int64(0)
    for k in range(n):
        flags |= lists[rows[k], FLAGS]
    return flags & NO_POSITIONS != 0


@inlined
def _hits_in(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    document: Int,
    tables: Array,
    window: Int,
    short: Int,
    bare: Int,
    opened: Array,
    begin: Int,
    number: Int,
    mine: Array,
    theirs: Array,
) -> Any:
    """Hits in one document that holds every list; opened: (address, size, layout, width) of the anchor's chunk."""
    address, size, layout, width = opened
    if document < short or number < 0:
        return np.int64(number)
    if bare:
        return np.int64(NEEDS_TEXT)
    bit = place_at(size, width, layout, begin, number, np.int64(tables[2][document]))
    if bit < 0:
        return np.int64(CORRUPT)
    place = (address, bit, number, width)
    return _within(lists, rows, n, anchor, document, tables, window, place, mine, theirs)


@jit
def _count_candidates(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    tables: Array,
    window: Int,
    short: Int,
    cap: Int,
    found: Int,
    scratch: Array,
) -> Any:
    """Hits in the first `found` candidates, which hold every list; stops at cap.

    Looks the anchor up document by document: for when it is not the list that the candidates came from.
    """
    candidates, _, mine, theirs, _ = scratch
    bare = _lacks_positions(lists, rows, n)
    hits = np.int64(0)
    for i in range(found):
        document = np.int64(candidates[i])
        address, size, count, layout, width, rank = open_at(lists, anchor, document, tables)
        if rank < 0:
            return np.int64(CORRUPT)
        begin, number = occurrences_at(address, count, layout, rank)
        opened = (address, size, layout, width)
        more = _hits_in(
            lists, rows, n, anchor, document, tables, window, short, bare, opened, begin, number, mine, theirs
        )  # fmt: skip
        if more < 0:
            return more
        hits += more
        if hits >= cap:
            break
    return hits


@jit
def _count_in_chunk(
    lists: Array,
    rows: Array,
    n: Int,
    chunk: Int,
    opened: Array,
    tables: Array,
    window: Int,
    short: Int,
    cap: Int,
    found: Int,
    scratch: Array,
) -> Any:
    """The same for candidates that are documents of one chunk of the anchor, which is rows[0], with their ranks."""
    candidates, ranks, mine, theirs, starts = scratch
    address, size, count, _, span, total = opened
    layout = occurrence_layout(address, size, count, span, total)
    anchors = (address, size, layout, chunk_width(lists, rows[0], chunk, tables[1], tables[2]))
    bare = _lacks_positions(lists, rows, n)
    many = found * 4 > count
    if many and not decode_starts(address, count, layout, starts):
        return np.int64(CORRUPT)
    hits = np.int64(0)
    for i in range(found):
        document = np.int64(candidates[i])
        if many:
            begin = np.int64(starts[ranks[i]])
            number = np.int64(starts[ranks[i] + 1]) - begin
        else:
            begin, number = occurrences_at(address, count, layout, ranks[i])
        more = _hits_in(
            lists, rows, n, rows[0], document, tables, window, short, bare, anchors, begin, number, mine, theirs
        )  # fmt: skip
        if more < 0:
            return more
        hits += more
        if hits >= cap:
            break
    return hits


@jit
def _count_by_bitmaps(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    tables: Array,
    window: Int,
    short: Int,
    cap: Int,
    limits: Array,
    scratch: Array,
) -> Any:
    """All lists have bitmaps: AND their summaries, then the words that all of them have something in."""
    candidates = scratch[0]
    hits = np.int64(0)
    lines = (tables[2].size >> 9) + 1
    kept = 0
    for part in range((lines + 7) >> 3):
        common = load64(lists[rows[0], BITMAP] + 64 * lines + 8 * part)
        for k in range(1, n):
            common &= load64(lists[rows[k], BITMAP] + 64 * lines + 8 * part)
        while common != 0:
            word = part << 6 | trailing_zeros(common)
            common &= common - np.uint64(1)
            held = load64(lists[rows[0], BITMAP] + 8 * word)
            for k in range(1, n):
                held &= load64(lists[rows[k], BITMAP] + 8 * word)
            while held != 0:
                document = word << 6 | trailing_zeros(held)
                held &= held - np.uint64(1)
                if limits[0] <= document < limits[1]:
                    candidates[kept] = document
                    kept += 1
            if kept >= _SOME:
                found = _count_candidates(lists, rows, n, anchor, tables, window, short, cap - hits, kept, scratch)
                if found < 0:
                    return found
                hits += found
                if hits >= cap:
                    return hits
                kept = 0
    if kept > 0:
        found = _count_candidates(lists, rows, n, anchor, tables, window, short, cap - hits, kept, scratch)
        return found if found < 0 else hits + found
    return hits


@jit
def _count_query(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    tables: Array,
    window: Int,
    short: Int,
    cap: Int,
    limits: Array,
    scratch: Array,
) -> Any:
    """Hits of one query in the documents [limits[0], limits[1]): rows[:n] distinct, rarest in this segment first."""
    _, group_starts, lengths = tables
    candidates, ranks = scratch[0], scratch[1]
    driver = rows[0]
    whole = limits[0] == 0 and limits[1] == lengths.size
    # Bitmaps are faster where hardly any document survives; else the rank of every survivor is known here.
    survivors = np.float64(lists[driver, DOCUMENTS])
    for k in range(1, n):
        survivors *= lists[rows[k], DOCUMENTS] / lengths.size
    if n > 1 and lists[driver, BITMAP] != 0 and survivors * 16 < lists[driver, DOCUMENTS]:
        return _count_by_bitmaps(lists, rows, n, anchor, tables, window, short, cap, limits, scratch)
    hits = np.int64(0)
    for chunk in range(lists[driver, CHUNKS]):
        opened = open_chunk(lists, driver, chunk, group_starts)
        address, size, count, first, span, total = opened
        if count == 0 or first >= limits[1] or first + span <= limits[0]:
            continue
        if decode_documents(address, size, count, first, span, total, candidates) != count:
            return np.int64(CORRUPT)
        kept = np.int64(0)
        if whole:
            for i in range(count):
                ranks[i] = i
            kept = np.int64(count)
        else:
            for i in range(count):
                document = candidates[i]
                candidates[kept] = document
                ranks[kept] = i
                kept += np.int64(limits[0] <= document < limits[1])
        kept = keep_common(lists, rows, n, tables, candidates, ranks, kept, scratch[2])
        if kept < 0:
            return np.int64(CORRUPT)
        if kept > 0:
            if driver == anchor:
                found = _count_in_chunk(lists, rows, n, chunk, opened, tables, window, short, cap - hits, kept, scratch)
            else:
                found = _count_candidates(lists, rows, n, anchor, tables, window, short, cap - hits, kept, scratch)
            if found < 0:
                return found
            hits += found
            if hits >= cap:
                return hits
    return hits


@jit
def count_queries(
    lists: Array,
    rows: Array,
    starts: Array,
    anchors: Array,
    groups: Array,
    group_starts: Array,
    lengths: Array,
    window: Int,
    cap: Int,
    limits: Array,
    out: Array,
    scratch: Array,
) -> Any:
    """Counts of Q queries in one segment, added to `out`.

    lists: int64 (L, Field.COUNT); a row with 0 documents is a word that the segment lacks. rows: int64, the distinct
    lists of all queries end to end, in query q rows[starts[q]:starts[q + 1]]; sorted in place, rarest first. anchors:
    int64 (Q,). groups: uint16 or uint32 (D,), group_starts: int64 (G + 1,), lengths: uint32 (D,). cap: stop there.
    limits: only documents [limits[0], limits[1]). out: int64 (Q,), counts so far; a query that is already negative or
    has reached cap is left alone; NEEDS_TEXT or CORRUPT where counting was not possible. scratch: int64 (5, S).
    """
    tables = (groups, group_starts, lengths)
    buffers = (scratch[0], scratch[1], scratch[2], scratch[3], scratch[4])
    short = short_documents(lengths, window)
    whole = limits[0] == 0 and limits[1] == lengths.size
    for q in range(starts.size - 1):
        if out[q] < 0 or out[q] >= cap:
            continue
        begin, n = starts[q], starts[q + 1] - starts[q]
        mine = rows[begin : begin + n]
        missing = n == 0
        for i in range(n):
            row = mine[i]
            documents = lists[row, DOCUMENTS]
            missing = missing or documents == 0
            j = i
            while j > 0 and lists[mine[j - 1], DOCUMENTS] > documents:
                mine[j] = mine[j - 1]
                j -= 1
            mine[j] = row
        if missing:
            continue
        if n == 1 and whole:
            found = lists[mine[0], OCCURRENCES]
        else:
            near = short if n > 1 else lengths.size
            found = _count_query(lists, mine, n, anchors[q], tables, window, near, cap - out[q], limits, buffers)
        out[q] = found if found < 0 else out[q] + found
