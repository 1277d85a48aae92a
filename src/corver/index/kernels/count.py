"""Counting: how many positions of the anchor have every other clause of the query within the window.

In: resolved lists of one segment, queries as rows of list numbers. Out: one count a query. It knows no words and no
files. Documents are intersected first, chunk by chunk of the rarest list; positions are fetched only in documents that
hold all clauses and are longer than the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit, load32, load64, popcount, trailing_zeros
from corver.index.kernels.postings import (
    chunk_of,
    chunk_width,
    decode_documents,
    decode_positions,
    decode_starts,
    find_in_chunk,
    occurrence_layout,
    occurrences_at,
    open_chunk,
)
from corver.index.layout import (
    ADDRESS,
    BITMAP,
    BYTES,
    CHUNKS,
    CORRUPT,
    DOCUMENTS,
    FLAGS,
    LAST,
    MAX_CHUNK,
    NO_POSITIONS,
    OCCURRENCES,
    RANKS,
    SHIFT,
    SMALL,
)

__all__ = [
    "NEEDS_TEXT",
    "check_list",
    "check_one",
    "count_queries",
    "fill_bitmap",
    "keep_common",
    "positions_in",
    "short_documents",
]

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


@jit
def check_one(lists: Array, row: Int, group_starts: Array, scratch: Array) -> Any:
    count, size = lists[row, DOCUMENTS], lists[row, BYTES]
    documents, groups = group_starts[group_starts.size - 1], group_starts.size - 1
    if count < 1 or count > documents or lists[row, OCCURRENCES] < count or size < 0:
        return False
    lists[row, CHUNKS] = 1
    if count <= SMALL:
        address, size, count, first, span, total = open_chunk(lists, row, 0, group_starts)
        if decode_documents(address, size, count, first, span, total, scratch) != count:
            return False
        lists[row, LAST] = scratch[count - 1]
        return True
    if size < 16:
        return False
    # The first chunk starts where the header ends: that gives the number of chunks, and so the shift.
    chunks = (load32(lists[row, ADDRESS]) >> 3) - 1
    shift = 0
    while shift < 17 and ((groups - 1) >> shift) + 1 != chunks:
        shift += 1
    if shift == 17 or 8 * (chunks + 1) > size:
        return False
    lists[row, CHUNKS], lists[row, SHIFT] = chunks, shift
    ranks = np.int64(0)
    for chunk in range(chunks):
        if load32(lists[row, ADDRESS] + 8 * chunk + 4) != ranks:
            return False
        # With one chunk, open_chunk would take the list for a short one.
        _, _, inside, _, _, _ = open_chunk(lists, row, chunk, group_starts)
        if inside < 0:
            return False
        ranks += inside
    return ranks == count


@jit
def check_list(lists: Array, group_starts: Array, scratch: Array) -> Any:
    """Complete rows of lists (CHUNKS, SHIFT, LAST) and check their headers; False when one makes no sense.

    ADDRESS and BYTES must lie inside mapped memory. scratch: int64 with room for MAX_CHUNK documents.
    """
    sound = True
    for row in range(lists.shape[0]):
        sound = sound and check_one(lists, row, group_starts, scratch)
    return sound


@jit
def fill_bitmap(lists: Array, row: Int, group_starts: Array, bitmap: Int, ranks: Array, scratch: Array) -> Any:
    """Set the bits of a list's documents, and for every 512 of them how many came before; False when it is corrupt."""
    for chunk in range(lists[row, CHUNKS]):
        address, size, count, first, span, total = open_chunk(lists, row, chunk, group_starts)
        if decode_documents(address, size, count, first, span, total, scratch) != count:
            return False
        for i in range(count):
            document = np.int64(scratch[i])
            bitmap[document >> 6] |= np.uint64(1) << np.uint64(document & 63)
    before = np.int64(0)
    for line in range(ranks.size):
        ranks[line] = before
        for word in range(8 * line, 8 * line + 8):
            before += popcount(bitmap[word])
    return before == lists[row, DOCUMENTS]


@jit
def _rank_by_bitmap(lists: Array, row: Int, document: Int) -> Any:
    """How many documents of a list come before one that it holds; -1 when it does not."""
    bitmap = lists[row, BITMAP] + (document >> 9 << 6)
    rank = load32(lists[row, RANKS] + (document >> 9 << 2))
    word = (document >> 6) & 7
    for i in range(word):
        rank += popcount(load64(bitmap + 8 * i))
    bits = load64(bitmap + 8 * word)
    bit = np.uint64(document & 63)
    if not (bits >> bit) & np.uint64(1):
        return np.int64(-1)
    return rank + popcount(bits & ((np.uint64(1) << bit) - np.uint64(1)))


@jit
def _keep_in_bitmap(bitmap: Int, candidates: Array, ranks: Array, n: Int) -> Any:
    kept = np.int64(0)
    for i in range(n):
        document = np.int64(candidates[i])
        candidates[kept] = document
        ranks[kept] = ranks[i]
        kept += np.int64((load64(bitmap + (document >> 6 << 3)) >> np.uint64(document & 63)) & np.uint64(1))
    return kept


@jit
def _keep_in_small(
    lists: Array, row: Int, tables: Array, candidates: Array, ranks: Array, n: Int, scratch: Array
) -> Any:
    """Two pointers: the candidates against the documents of a one-chunk list."""
    address, size, count, first, span, total = open_chunk(lists, row, 0, tables[1])
    if decode_documents(address, size, count, first, span, total, scratch) != count:
        return CORRUPT
    kept = j = 0
    for i in range(n):
        document = candidates[i]
        while j < count and scratch[j] < document:
            j += 1
        if j == count:
            break
        if scratch[j] == document:
            candidates[kept] = document
            ranks[kept] = ranks[i]
            kept += 1
    return kept


@jit
def _keep_in_chunks(lists: Array, row: Int, tables: Array, candidates: Array, ranks: Array, n: Int) -> Any:
    """Look every candidate up in its chunk of a long list."""
    groups, group_starts, _ = tables
    kept = 0
    current = np.int64(-1)
    address = size = count = first = span = total = np.int64(0)
    for i in range(n):
        document = np.int64(candidates[i])
        chunk = chunk_of(lists, row, document, groups)
        if chunk != current:
            address, size, count, first, span, total = open_chunk(lists, row, chunk, group_starts)
            current = chunk
        rank = find_in_chunk(address, size, count, first, span, total, document)
        if rank >= 0:
            candidates[kept] = document
            ranks[kept] = ranks[i]
            kept += 1
        elif rank == CORRUPT:
            return CORRUPT
    return kept


@jit
def keep_common(
    lists: Array, rows: Array, n: Int, tables: Array, candidates: Array, ranks: Array, kept: Int, spare: Array
) -> Any:
    """Keep the candidates that rows[1:n] hold too, in place; their number or CORRUPT."""
    for k in range(1, n):
        if kept <= 0:
            break
        row = rows[k]
        if lists[row, BITMAP] != 0:
            kept = _keep_in_bitmap(lists[row, BITMAP], candidates, ranks, kept)
        elif lists[row, CHUNKS] == 1:
            kept = _keep_in_small(lists, row, tables, candidates, ranks, kept, spare)
        else:
            kept = _keep_in_chunks(lists, row, tables, candidates, ranks, kept)
    return kept


@jit
def _open_at(lists: Array, row: Int, document: Int, tables: Array) -> Any:
    """(address, m, layout, width, size, rank) for a document that a list holds; rank < 0 where it does not."""
    groups, group_starts, lengths = tables
    chunk = chunk_of(lists, row, document, groups)
    address, size, count, first, span, total = open_chunk(lists, row, chunk, group_starts)
    if lists[row, BITMAP] != 0:
        rank = _rank_by_bitmap(lists, row, document) - load32(lists[row, ADDRESS] + 8 * chunk + 4)
        if rank >= count:
            rank = np.int64(CORRUPT)
    else:
        rank = find_in_chunk(address, size, count, first, span, total, document)
    if rank < 0:
        count = 1
    layout = occurrence_layout(address, size, count, span, total)
    return address, size, count, layout, chunk_width(lists, row, chunk, group_starts, lengths), rank


@jit
def _positions_at(
    address: Int, size: Int, count: Int, layout: Array, width: Int, rank: Int, length: Int, out: Array
) -> Any:
    """Positions of the rank-th document of a chunk, `length` words long: their number, or CORRUPT."""
    begin, number = occurrences_at(address, count, layout, rank)
    if number < 0 or number > length:
        return CORRUPT
    if not decode_positions(address, size, width, begin, number, layout[6], layout[1], out):
        return CORRUPT
    return number


@jit
def positions_in(lists: Array, row: Int, document: Int, tables: Array, out: Array) -> Any:
    """Positions of a list in a document that holds it: their number, or CORRUPT."""
    address, size, count, layout, width, rank = _open_at(lists, row, document, tables)
    if rank < 0:
        return CORRUPT
    return _positions_at(address, size, count, layout, width, rank, np.int64(tables[2][document]), out)


@jit
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


@jit
def _narrow(
    lists: Array,
    rows: Array,
    n: Int,
    anchor: Int,
    document: Int,
    tables: Array,
    window: Int,
    hits: Int,
    mine: Array,
    theirs: Array,
) -> Any:
    """Of the anchor's positions mine[:hits] in one document, those with every other list within the window."""
    for k in range(n):
        if hits <= 0:
            break
        if rows[k] != anchor:
            number = positions_in(lists, rows[k], document, tables, theirs)
            if number < 0:
                return CORRUPT
            hits = _near(mine, hits, theirs, number, window)
    return hits


@jit
def _lacks_positions(lists: Array, rows: Array, n: Int) -> Any:
    flags = np.int64(0)
    for k in range(n):
        flags |= lists[rows[k], FLAGS]
    return flags & NO_POSITIONS != 0


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
        address, size, count, layout, width, rank = _open_at(lists, anchor, document, tables)
        if rank < 0:
            return np.int64(CORRUPT)
        if document < short:
            _, number = occurrences_at(address, count, layout, rank)
        elif bare:
            return np.int64(NEEDS_TEXT)
        else:
            length = np.int64(tables[2][document])
            number = _positions_at(address, size, count, layout, width, rank, length, mine)
            number = _narrow(lists, rows, n, anchor, document, tables, window, number, mine, theirs)
        if number < 0:
            return np.int64(CORRUPT)
        hits += number
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
    width = chunk_width(lists, rows[0], chunk, tables[1], tables[2])
    bare = _lacks_positions(lists, rows, n)
    many = found * 4 > count
    if many and not decode_starts(address, count, layout, starts):
        return np.int64(CORRUPT)
    hits = np.int64(0)
    for i in range(found):
        document = np.int64(candidates[i])
        if document < short:
            if many:
                number = starts[ranks[i] + 1] - starts[ranks[i]]
            else:
                _, number = occurrences_at(address, count, layout, ranks[i])
        elif bare:
            return np.int64(NEEDS_TEXT)
        else:
            length = np.int64(tables[2][document])
            number = _positions_at(address, size, count, layout, width, ranks[i], length, mine)
            number = _narrow(lists, rows, n, rows[0], document, tables, window, number, mine, theirs)
        if number < 0:
            return np.int64(CORRUPT)
        hits += number
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
    """All lists have bitmaps: AND them word by word."""
    candidates = scratch[0]
    hits = np.int64(0)
    first_word, last_word = limits[0] >> 6, (limits[1] + 63) >> 6
    kept = 0
    for word in range(first_word, last_word):
        common = load64(lists[rows[0], BITMAP] + 8 * word)
        for k in range(1, n):
            common &= load64(lists[rows[k], BITMAP] + 8 * word)
        while common != 0:
            document = word << 6 | trailing_zeros(common)
            if limits[0] <= document < limits[1]:
                candidates[kept] = document
                kept += 1
            common &= common - np.uint64(1)
        if kept > MAX_CHUNK - 64 or (word + 1 == last_word and kept > 0):
            found = _count_candidates(lists, rows, n, anchor, tables, window, short, cap - hits, kept, scratch)
            if found < 0:
                return found
            hits += found
            if hits >= cap:
                return hits
            kept = 0
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
    # Bitmaps are faster where hardly any document of frequent words survives; else every survivor's rank is known here.
    survivors = np.float64(lists[driver, DOCUMENTS])
    for k in range(1, n):
        survivors *= lists[rows[k], DOCUMENTS] / lengths.size
    frequent = lists[driver, BITMAP] != 0 and lists[driver, DOCUMENTS] * 16 > lengths.size
    if n > 1 and frequent and survivors * 16 < lists[driver, DOCUMENTS]:
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
