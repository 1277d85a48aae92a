"""The neighbourhood of a subject: how near the units of a sentence stand to its mentions.

In: mentions of a subject in one segment, resolved lists of units. Out: kernel sums and distance histograms. Each
document of the mentions is looked up once a unit; nothing else of the lists is read. It knows no scores.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corver.index.kernels.access import positions_in
from corver.index.kernels.jit import Array, Int, jit, load64
from corver.index.kernels.postings import chunk_of, find_in_chunk, open_chunk
from corver.index.layout import BITMAP, CORRUPT, DOCUMENTS

__all__ = ["near_in_documents", "profile_units"]


@jit
def _holds(lists: Array, row: Int, document: Int, tables: Array) -> Any:
    """1 when a list has a document, 0 when not, or CORRUPT."""
    bitmap = lists[row, BITMAP]
    if bitmap != 0:
        return np.int64((load64(bitmap + (document >> 6 << 3)) >> np.uint64(document & 63)) & np.uint64(1))
    chunk = chunk_of(lists, row, document, tables[0])
    address, size, count, first, span, total = open_chunk(lists, row, chunk, tables[1])
    rank = find_in_chunk(address, size, count, first, span, total, document)
    return np.int64(CORRUPT) if rank == CORRUPT else np.int64(rank >= 0)


@jit
def profile_units(
    lists: Array,
    rows: Array,
    mentions: Array,
    tables: Array,
    scale: Int,
    cut: Int,
    edges: Array,
    sums: Array,
    histogram: Array,
    scratch: Array,
) -> Any:
    """Add one segment's share to sums (U,) and histogram (U, E): False when a list is corrupt.

    mentions: uint64, document << 32 | position, ascending. For each mention and unit u, d is the distance in words to
    the nearest u in the same document; sums[u] gains exp(-d / scale) when d <= cut, and histogram[u, e] one for the
    first edge with d <= edges[e]. scratch: int64 with room for the positions of one document.
    """
    for u in range(rows.size):
        row = rows[u]
        if lists[row, DOCUMENTS] == 0:
            continue
        i = 0
        while i < mentions.size:
            document = np.int64(mentions[i] >> np.uint64(32))
            end = i + 1
            while end < mentions.size and np.int64(mentions[end] >> np.uint64(32)) == document:
                end += 1
            held = _holds(lists, row, document, tables)
            number = np.int64(0)
            if held > 0:
                number = positions_in(lists, row, document, tables, scratch)
            if held < 0 or number < 0:
                return False
            j = 0
            while i < end:
                if number == 0:
                    i = end
                    break
                position = np.int64(mentions[i] & np.uint64(0xFFFFFFFF))
                while j + 1 < number and scratch[j + 1] <= position:
                    j += 1
                distance = abs(scratch[j] - position)
                if j + 1 < number:
                    distance = min(distance, abs(scratch[j + 1] - position))
                if distance <= cut:
                    sums[u] += math.exp(-distance / scale)
                    e = 0
                    while e < edges.size and distance > edges[e]:
                        e += 1
                    if e < edges.size:
                        histogram[u, e] += 1
                i += 1
    return True


@jit
def near_in_documents(
    lists: Array, rows: Array, documents: Array, tables: Array, window: Int, out: Array, mine: Array, theirs: Array
) -> Any:
    """Positions of rows[0] that have all other lists within the window, and how far the farthest of them is.

    documents: int64, each holds all lists. out: int64 (n, 3), (document, position, distance), with room for all
    occurrences of rows[0] there; their number, or CORRUPT.
    """
    found = np.int64(0)
    for d in range(documents.size):
        document = documents[d]
        first = found
        number = positions_in(lists, rows[0], document, tables, mine)
        if number < 0:
            return np.int64(CORRUPT)
        for i in range(number):
            out[found, 0], out[found, 1], out[found, 2] = document, mine[i], 0
            found += 1
        for k in range(1, rows.size):
            number = positions_in(lists, rows[k], document, tables, theirs)
            if number < 0:
                return np.int64(CORRUPT)
            kept = first
            j = 0
            for i in range(first, found):
                position = out[i, 1]
                while j + 1 < number and theirs[j + 1] <= position:
                    j += 1
                distance = abs(theirs[j] - position)
                if j + 1 < number:
                    distance = min(distance, abs(theirs[j + 1] - position))
                if distance <= window:
                    out[kept, 0], out[kept, 1], out[kept, 2] = document, position, max(out[i, 2], distance)
                    kept += 1
            found = kept
    return found
