"""The packed posting list: how one is written. The layout is described, and read, in `postings.py`.

In: documents, term frequencies and positions of one word, in order. Out: the bytes of its list. It knows no words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, bit_length, jit, load64, store64
from corver.index.kernels.postings import low_width, upper_length
from corver.index.layout import MAX_CHUNK, SMALL

__all__ = ["choose_shift", "encode_list", "list_bound"]


@jit
def _put(address: Int, bit: Int, width: Int, value: Int) -> Any:
    """OR a number into zeroed memory at a bit offset; writes up to 8 bytes further."""
    if width > 0:
        place = address + (bit >> 3)
        store64(place, load64(place) | np.uint64(value) << np.uint64(bit & 7))


@jit
def _encode_documents(address: Int, bit: Int, documents: Array, begin: Int, end: Int, first: Int, span: Int) -> Any:
    """Elias-Fano of documents[begin:end] relative to `first`; the bit after it."""
    count = end - begin
    low = low_width(span, count)
    upper = upper_length(span, count, low)
    lows = bit + upper
    mask = (1 << low) - 1
    for i in range(count):
        value = np.int64(documents[begin + i]) - first
        _put(address, bit + (value >> low) + i, 1, 1)
        _put(address, lows + i * low, low, value & mask)
    return lows + count * low


@jit
def _encode_frequencies(address: Int, bit: Int, frequencies: Array, begin: Int, end: Int, total: Int) -> Any:
    """Elias-Fano of where each document's occurrences start, less its rank; the bit after it."""
    count = end - begin
    extra = total - count
    if extra == 0:
        return bit
    bit = (bit + 7) >> 3 << 3
    low = low_width(extra, count)
    lows = bit + upper_length(extra, count, low)
    mask = (1 << low) - 1
    value = np.int64(0)
    for i in range(count):
        _put(address, bit + (value >> low) + i, 1, 1)
        _put(address, lows + i * low, low, value & mask)
        value += np.int64(frequencies[begin + i]) - 1
    return lows + count * low


@jit
def _encode_positions(address: Int, bit: Int, positions: Array, begin: Int, end: Int, width: Int) -> Any:
    """Positions at a fixed width, through an accumulator; the bit after them."""
    if width == 0 or begin == end:
        return bit
    place = address + (bit >> 3)
    filled = bit & 7
    gathered = load64(place) & ((np.uint64(1) << np.uint64(filled)) - np.uint64(1))
    for i in range(begin, end):
        value = np.uint64(positions[i])
        gathered |= value << np.uint64(filled)
        filled += width
        if filled >= 64:
            store64(place, gathered)
            place += 8
            filled -= 64
            gathered = value >> np.uint64(width - filled) if filled > 0 else np.uint64(0)
    store64(place, gathered)
    return bit + (end - begin) * width


@jit
def choose_shift(documents: Array, begin: Int, end: Int, groups: Array, group_count: Int) -> Any:
    """log2 of the groups a chunk: about SMALL documents a chunk, never more than MAX_CHUNK."""
    count = end - begin
    shift = max(0, bit_length(group_count * SMALL // count) - 1)
    while shift > 0:
        largest = run = 0
        current = np.int64(-1)
        for i in range(begin, end):
            chunk = np.int64(groups[documents[i]]) >> shift
            if chunk != current:
                current, run = chunk, 0
            run += 1
            largest = max(largest, run)
        if largest <= MAX_CHUNK:
            break
        shift -= 1
    return shift


@jit
def list_bound(count: Int, total: Int, chunks: Int, width: Int) -> Any:
    """An upper bound of the bytes of a list, with room for the writes that reach further.

    An Elias-Fano sequence of n numbers below 2**32 takes at most 35 bits a number; each list has two.
    """
    return 128 + 24 * (chunks + 1) + count * 9 + (total * width + 7) // 8


@jit
def encode_list(
    address: Int,
    documents: Array,
    frequencies: Array,
    positions: Array,
    begin: Int,
    end: Int,
    first_position: Int,
    keep: Int,
    tables: Array,
    lengths: Array,
) -> Any:
    """Write one list to zeroed memory at `address`; its bytes.

    documents[begin:end] ascending and their frequencies; their positions start at positions[first_position].
    keep: whether positions are written. tables: (groups, group_starts).
    """
    groups, group_starts = tables
    count = end - begin
    group_count = group_starts.size - 1
    if count <= SMALL:
        total = np.int64(0)
        for i in range(begin, end):
            total += np.int64(frequencies[i])
        width = bit_length(max(np.int64(lengths[documents[end - 1]]) - 1, 0))
        bit = _encode_documents(address, 0, documents, begin, end, 0, np.int64(group_starts[group_count]))
        bit = _encode_frequencies(address, bit, frequencies, begin, end, total)
        if keep:
            bit = _encode_positions(address, bit, positions, first_position, first_position + total, width)
        return (bit + 7) >> 3
    shift = choose_shift(documents, begin, end, groups, group_count)
    chunks = ((group_count - 1) >> shift) + 1
    offset = 8 * (chunks + 1)
    i = begin
    for chunk in range(chunks):
        _put(address + 8 * chunk, 0, 64, np.uint64(offset) | np.uint64(i - begin) << np.uint64(32))
        first = np.int64(group_starts[chunk << shift])
        limit = np.int64(group_starts[min((chunk + 1) << shift, group_count)])
        start = i
        total = np.int64(0)
        while i < end and documents[i] < limit:
            total += np.int64(frequencies[i])
            i += 1
        if i == start:
            continue
        place = address + offset
        extra = total - (i - start)
        bit = 16
        if extra < 0xFFFF:
            _put(place, 0, 16, extra)
        else:
            _put(place, 0, 16, 0xFFFF)
            _put(place, 16, 32, extra)
            bit = 48
        bit = _encode_documents(place, bit, documents, start, i, first, limit - first)
        bit = _encode_frequencies(place, bit, frequencies, start, i, total)
        if keep:
            width = bit_length(max(np.int64(lengths[limit - 1]) - 1, 0))
            bit = _encode_positions(place, bit, positions, first_position, first_position + total, width)
        first_position += total
        offset += (bit + 7) >> 3
    _put(address + 8 * chunks, 0, 64, np.uint64(offset) | np.uint64(count) << np.uint64(32))
    return np.int64(offset)
