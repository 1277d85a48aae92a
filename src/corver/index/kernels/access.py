"""Looking documents up in resolved lists: header checks, ranked bitmaps, intersection, positions of one document.

In: rows of a list table. Out: documents that lists have in common, positions. A list whose header was checked by
`check_list` may be looked into without asking again; everything behind the header is checked here. It knows no queries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, inlined, jit, load32, load64, popcount
from corver.index.kernels.postings import (
    chunk_of,
    chunk_width,
    decode_documents,
    decode_positions,
    find_in_chunk,
    occurrence_layout,
    occurrences_at,
    open_chunk,
    place_at,
)
from corver.index.layout import (
    ADDRESS,
    BITMAP,
    BYTES,
    CHUNKS,
    CORRUPT,
    DOCUMENTS,
    LAST,
    OCCURRENCES,
    RANKS,
    SHIFT,
    SMALL,
)

__all__ = ["check_list", "check_one", "fill_bitmap", "keep_common", "open_at", "place_in", "positions_in"]


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
def fill_bitmap(lists: Array, row: Int, group_starts: Array, bitmap: Array, ranks: Array, scratch: Array) -> Any:
    """Set the bits of a list's documents; False when it is corrupt.

    bitmap: zeroed uint64, 8 words a line of 512 documents, then a summary with one bit a word of the first part. ranks:
    uint32 (lines,), how many documents came before each line.
    """
    for chunk in range(lists[row, CHUNKS]):
        address, size, count, first, span, total = open_chunk(lists, row, chunk, group_starts)
        if decode_documents(address, size, count, first, span, total, scratch) != count:
            return False
        for i in range(count):
            document = np.int64(scratch[i])
            bitmap[document >> 6] |= np.uint64(1) << np.uint64(document & 63)
    before = np.int64(0)
    summary = 8 * ranks.size
    for line in range(ranks.size):
        ranks[line] = before
        for word in range(8 * line, 8 * line + 8):
            before += popcount(bitmap[word])
            if bitmap[word] != 0:
                bitmap[summary + (word >> 6)] |= np.uint64(1) << np.uint64(word & 63)
    return before == lists[row, DOCUMENTS]


@inlined
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


@inlined
def _keep_in_bitmap(bitmap: Int, candidates: Array, ranks: Array, n: Int) -> Any:
    kept = np.int64(0)
    for i in range(n):
        document = np.int64(candidates[i])
        candidates[kept] = document
        ranks[kept] = ranks[i]
        kept += np.int64((load64(bitmap + (document >> 6 << 3)) >> np.uint64(document & 63)) & np.uint64(1))
    return kept


@inlined
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


@inlined
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


@inlined
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


@inlined
def open_at(lists: Array, row: Int, document: Int, tables: Array) -> Any:
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


@inlined
def place_in(lists: Array, row: Int, document: Int, tables: Array) -> Any:
    """(address, bit, number, width) of the positions of a list in a document that holds it; bit is CORRUPT if not."""
    address, size, count, layout, width, rank = open_at(lists, row, document, tables)
    bit, number = np.int64(CORRUPT), np.int64(0)
    if rank >= 0:
        begin, number = occurrences_at(address, count, layout, rank)
        bit = place_at(size, width, layout, begin, number, np.int64(tables[2][document]))
    return address, bit, number, width


@jit
def positions_in(lists: Array, row: Int, document: Int, tables: Array, out: Array) -> Any:
    """Positions of a list in a document that holds it: their number, or CORRUPT."""
    address, bit, number, width = place_in(lists, row, document, tables)
    if bit < 0:
        return np.int64(CORRUPT)
    decode_positions(address, bit, width, number, out)
    return np.int64(number)
