"""The vocabulary of a segment: sorted words, front-coded in blocks of 16, with what is needed to reach their lists.

In: sorted words with the numbers of their lists, or the bytes of a vocabulary. Out: those bytes, or one word's entry.
Reading checks every length against the end of the bytes; nonsense reads as CORRUPT. A block starts with a whole word.
An entry is: common prefix length, length of the rest, the rest, documents, (occurrences - documents) * 2 + 1 if the
list has no positions, bytes of the list; all numbers as varints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit
from corver.index.layout import ABSENT, CORRUPT
from corver.index.layout import TERM_BLOCK as BLOCK

__all__ = ["find_terms", "read_terms", "write_terms"]


@jit
def _put_varint(out: Array, place: Int, value: Int) -> Any:
    while value >= 0x80:
        out[place] = value & 0x7F | 0x80
        value >>= 7
        place += 1
    out[place] = value
    return place + 1


@jit
def _get_varint(data: Array, place: Int, end: Int) -> Any:
    """(value, next place); the place is past `end` when the number does not stop before it."""
    value = np.int64(0)
    shift = 0
    while place < end and shift < 63:
        byte = np.int64(data[place])
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value, place
        shift += 7
    return np.int64(0), end + 1


@jit
def write_terms(
    pool: Array,
    word_starts: Array,
    order: Array,
    documents: Array,
    occurrences: Array,
    bare: Array,
    sizes: Array,
    out: Array,
    block_starts: Array,
    list_starts: Array,
) -> Any:
    """Front-code words `order` of the pool into `out`; the bytes written.

    documents, occurrences, bare (no positions), sizes: by place in `order`. block_starts, list_starts: int64, one a
    block and one more: byte offsets of blocks in `out`, and of their first lists.
    """
    place = list_start = np.int64(0)
    before = before_end = np.int64(0)
    for i in range(order.size):
        start, end = word_starts[order[i]], word_starts[order[i] + 1]
        common = np.int64(0)
        if i % BLOCK == 0:
            block_starts[i // BLOCK] = place
            list_starts[i // BLOCK] = list_start
        else:
            limit = min(before_end - before, end - start)
            while common < limit and pool[before + common] == pool[start + common]:
                common += 1
        place = _put_varint(out, place, common)
        place = _put_varint(out, place, end - start - common)
        for j in range(start + common, end):
            out[place] = pool[j]
            place += 1
        place = _put_varint(out, place, documents[i])
        place = _put_varint(out, place, (occurrences[i] - documents[i]) * 2 + np.int64(bare[i]))
        place = _put_varint(out, place, sizes[i])
        list_start += sizes[i]
        before, before_end = start, end
    blocks = (order.size + BLOCK - 1) // BLOCK
    block_starts[blocks] = place
    list_starts[blocks] = list_start
    return place


@jit
def _compare_first(data: Array, place: Int, end: Int, words: Array, start: Int, stop: Int) -> Any:
    """Order of a block's first word against words[start:stop]: < 0, 0, > 0; CORRUPT is far from all of them."""
    _, place = _get_varint(data, place, end)
    length, place = _get_varint(data, place, end)
    if length > end - place:
        return -(1 << 40)
    for i in range(min(length, stop - start)):
        difference = np.int64(data[place + i]) - np.int64(words[start + i])
        if difference != 0:
            return difference
    return length - (stop - start)


@jit
def _scan_block(
    data: Array, place: Int, end: Int, list_start: Int, words: Array, start: Int, stop: Int, entry: Int
) -> Any:
    """Look for words[start:stop] in one block; fills entry = (list start, bytes, documents, occurrences, bare)."""
    matched = np.int64(0)  # bytes of the wanted word that the word before shares with it
    for _ in range(BLOCK):
        if place >= end:
            return ABSENT
        common, place = _get_varint(data, place, end)
        length, place = _get_varint(data, place, end)
        if length > end - place:
            return CORRUPT
        equal = False
        if common <= matched:
            matched = common
            i = 0
            while i < length and start + matched < stop and data[place + i] == words[start + matched]:
                matched += 1
                i += 1
            equal = i == length and start + matched == stop
        place += length
        documents, place = _get_varint(data, place, end)
        rest, place = _get_varint(data, place, end)
        size, place = _get_varint(data, place, end)
        if place > end:
            return CORRUPT
        if equal:
            entry[0], entry[1], entry[2] = list_start, size, documents
            entry[3], entry[4] = documents + (rest >> 1), rest & 1
            return 0
        list_start += size
    return ABSENT


@jit
def find_terms(
    data: Array, block_starts: Array, list_starts: Array, words: Array, starts: Array, entries: Array, states: Array
) -> Any:
    """Find W words, words[starts[w]:starts[w + 1]] in UTF-8, in a vocabulary.

    entries: int64 (W, 5), (list start, bytes, documents, occurrences, 1 if without positions). states: int64 (W,),
    0 found, ABSENT or CORRUPT.
    """
    blocks = block_starts.size - 1
    for w in range(starts.size - 1):
        low, high = 0, blocks
        while low < high:
            middle = (low + high) >> 1
            order = _compare_first(
                data, block_starts[middle], block_starts[middle + 1], words, starts[w], starts[w + 1]
            )
            if order <= 0:
                low = middle + 1
            else:
                high = middle
        if low == 0:
            states[w] = ABSENT
        else:
            states[w] = _scan_block(
                data, block_starts[low - 1], block_starts[low], list_starts[low - 1],
                words, starts[w], starts[w + 1], entries[w],
            )  # fmt: skip


@jit
def read_terms(
    data: Array,
    block_starts: Array,
    list_starts: Array,
    first: Int,
    last: Int,
    pool: Array,
    word_starts: Array,
    entries: Array,
) -> Any:
    """Decode the words of blocks [first, last) into pool, word_starts and entries; (words, bytes), or CORRUPT.

    pool: uint8, word_starts: int64, entries: int64 (n, 5) as in `find_terms`; stops with CORRUPT where they are full.
    """
    count = np.int64(0)
    length = np.int64(0)
    for block in range(first, last):
        place, end, list_start = block_starts[block], block_starts[block + 1], list_starts[block]
        before = length
        while place < end:
            common, place = _get_varint(data, place, end)
            rest, place = _get_varint(data, place, end)
            if rest > end - place or common > length - before or count >= entries.shape[0]:
                return np.int64(CORRUPT), length
            if length + common + rest > pool.size:
                return np.int64(CORRUPT), length
            word_starts[count] = length
            for i in range(common):
                pool[length + i] = pool[before + i]
            for i in range(rest):
                pool[length + common + i] = data[place + i]
            before = length
            length += common + rest
            place += rest
            documents, place = _get_varint(data, place, end)
            extra, place = _get_varint(data, place, end)
            size, place = _get_varint(data, place, end)
            if place > end:
                return np.int64(CORRUPT), length
            entries[count, 0], entries[count, 1], entries[count, 2] = list_start, size, documents
            entries[count, 3], entries[count, 4] = documents + (extra >> 1), extra & 1
            list_start += size
            count += 1
    word_starts[count] = length
    return count, length
