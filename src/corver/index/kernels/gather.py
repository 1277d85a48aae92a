"""Occurrences out of lists: those of a word, of a phrase, and of words in texts that were tokenized again.

In: resolved lists of one segment. Out: occurrences as document << 32 | position, ascending. It knows no encoding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.access import keep_common, positions_in
from corver.index.kernels.jit import Array, jit
from corver.index.kernels.postings import decode_documents, open_chunk
from corver.index.layout import CHUNKS, CORRUPT, DOCUMENTS, FLAGS, NO_POSITIONS

__all__ = ["common_documents", "gather_phrase", "scan_words"]


@jit
def common_documents(lists: Array, rows: Array, tables: Array, out: Array, scratch: Array) -> Any:
    """Documents that hold all lists of `rows`, rarest first, into `out`; their number or CORRUPT."""
    group_starts = tables[1]
    candidates, ranks, spare = scratch
    driver = rows[0]
    found = np.int64(0)
    for chunk in range(lists[driver, CHUNKS]):
        address, size, count, first, span, total = open_chunk(lists, driver, chunk, group_starts)
        if decode_documents(address, size, count, first, span, total, candidates) != count:
            return np.int64(CORRUPT)
        kept = keep_common(lists, rows, rows.size, tables, candidates, ranks, count, spare)
        if kept < 0:
            return np.int64(CORRUPT)
        for i in range(kept):
            out[found] = candidates[i]
            found += 1
    return found


@jit
def gather_phrase(
    lists: Array, rows: Array, documents: Array, tables: Array, out: Array, mine: Array, theirs: Array
) -> Any:
    """Occurrences of consecutive words in documents that hold them all; their number or CORRUPT.

    rows: the list of each word in turn; words without positions match anything here. At least one has positions.
    documents: int64, ascending. out: uint64 with room for the occurrences of the rarest word with positions.
    """
    found = np.int64(0)
    first = -1
    for k in range(rows.size):
        if not lists[rows[k], FLAGS] & NO_POSITIONS and (
            first < 0 or lists[rows[k], DOCUMENTS] < lists[rows[first], DOCUMENTS]
        ):
            first = k
    for d in range(documents.size):
        document = documents[d]
        kept = positions_in(lists, rows[first], document, tables, mine)
        for k in range(rows.size):
            if k == first or lists[rows[k], FLAGS] & NO_POSITIONS or kept <= 0:
                continue
            number = positions_in(lists, rows[k], document, tables, theirs)
            if number < 0:
                return np.int64(CORRUPT)
            n = kept
            kept = j = 0
            for i in range(n):
                wanted = mine[i] + (k - first)
                while j < number and theirs[j] < wanted:
                    j += 1
                if j < number and theirs[j] == wanted:
                    mine[kept] = mine[i]
                    kept += 1
        if kept < 0:
            return np.int64(CORRUPT)
        for i in range(kept):
            if mine[i] >= first and found < out.size:
                out[found] = np.uint64(document) << np.uint64(32) | np.uint64(mine[i] - first)
                found += 1
    return found


@jit
def scan_words(ids: Array, lengths: Array, documents: Array, wanted: Array, out: Array) -> Any:
    """Occurrences of the words `wanted`, consecutive, in texts that were tokenized to `ids`; their number.

    lengths: int64, words of each text. documents: int64, the number of each. out: uint64 with room for ids.size.
    """
    found = np.int64(0)
    start = np.int64(0)
    for d in range(documents.size):
        key = np.uint64(documents[d]) << np.uint64(32)
        for i in range(lengths[d] - wanted.size + 1):
            same = True
            for k in range(wanted.size):
                if np.int64(ids[start + i + k]) != wanted[k]:
                    same = False
                    break
            if same:
                out[found] = key | np.uint64(i)
                found += 1
        start += lengths[d]
    return found
