"""The packed posting list: how one is read. `encode.py` writes what this module reads; docs/index.md draws it.

In: addresses of lists in mapped files or in memory, and the document tables of their segment. Out: documents, term
frequencies and positions. It knows no queries. Every length is checked against the list's own size before it is
followed; a list that contradicts itself reads as CORRUPT, whatever its bytes are.

A list of n documents is cut into chunks: one chunk for n <= SMALL, otherwise chunks of 2**shift consecutive document
groups, reached through a header of (uint32 byte offset, uint32 rank) a chunk. A chunk of m documents and t occurrences
holds, in bits: t - m in 16 (then in 32 more when it does not fit; not in one-chunk lists, where the vocabulary has it);
the document numbers, relative to the chunk's first document, in Elias-Fano form; the first occurrence of every
document less its rank, in Elias-Fano form (nothing when t = m); the positions inside the documents at a fixed width.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import (
    Array,
    Int,
    bit_length,
    inlined,
    jit,
    load32,
    load64,
    popcount,
    select64,
    trailing_zeros,
)
from corver.index.layout import (
    ADDRESS,
    BYTES,
    CHUNKS,
    CORRUPT,
    DOCUMENTS,
    LAST,
    MAX_CHUNK,
    OCCURRENCES,
    SHIFT,
)

_ONES = np.uint64(0)  # what the bits are XORed with to find ones, or zeros
_ZEROS = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def read_bits(address: Int, bit: Int, width: Int) -> Any:
    """`width` (at most 57) bits at bit offset `bit`; reads up to 7 bytes further."""
    word = load64(address + (bit >> 3)) >> np.uint64(bit & 7)
    return np.int64(word & ((np.uint64(1) << np.uint64(width)) - np.uint64(1)))


@inlined
def low_width(universe: Int, count: Int) -> Any:
    """Low bits of an Elias-Fano sequence of `count` (> 0) numbers below `universe` (> 0)."""
    return max(0, bit_length(universe) - bit_length(count))


@inlined
def upper_length(universe: Int, count: Int, low: Int) -> Any:
    """Bits of the upper part of that sequence."""
    return count + (universe >> low) + 1


@inlined
def _select(address: Int, k: Int, bits: Int, flipped: Int) -> Any:
    """Index of the k-th bit that is one after XOR with a word, from a byte address on; -1 when not among the first."""
    base = 0
    while base < bits:
        word = load64(address + (base >> 3)) ^ flipped
        ones = popcount(word)
        if k < ones:
            return base + select64(word, k)
        k -= ones
        base += 64
    return -1


@inlined
def open_chunk(lists: Array, row: Int, chunk: Int, group_starts: Array) -> Any:
    """(address, bytes, m, first document, range, t) of a chunk; m is CORRUPT when the header makes no sense.

    t is -1 where the chunk itself says it.
    """
    address = lists[row, ADDRESS]
    size = lists[row, BYTES]
    if lists[row, CHUNKS] == 1:
        last = group_starts[group_starts.size - 1]
        return address, size, lists[row, DOCUMENTS], np.int64(0), np.int64(last), lists[row, OCCURRENCES]
    entry = address + 8 * chunk
    start, rank = load32(entry), load32(entry + 4)
    stop, following = load32(entry + 8), load32(entry + 12)
    shift = lists[row, SHIFT]
    first = np.int64(group_starts[chunk << shift])
    end = np.int64(group_starts[min((chunk + 1) << shift, group_starts.size - 1)])
    count = following - rank
    if stop > size or start > stop or count < 0 or count > min(MAX_CHUNK, end - first):
        count = CORRUPT
    return address + start, stop - start, count, first, end - first, np.int64(-1)


@inlined
def _body(address: Int, size: Int, count: Int, total: Int) -> Any:
    """(bit where the documents start, t) of a chunk."""
    if total >= 0:
        return 0, total
    extra = load64(address) & np.uint64(0xFFFF)
    if extra == 0xFFFF:
        return 48, count + load32(address + 2)
    return 16, count + np.int64(extra)


@jit
def decode_documents(address: Int, size: Int, count: Int, first: Int, span: Int, total: Int, out: Array) -> Any:
    """The documents of a chunk into `out`; their number, or CORRUPT."""
    if count <= 0:
        return count
    start, _ = _body(address, size, count, total)
    low = low_width(span, count)
    upper = upper_length(span, count, low)
    lows = start + upper
    if lows + count * low > 8 * size:
        return CORRUPT
    address_upper = address + (start >> 3)
    i = 0
    base = 0
    limit = first + span
    while base < upper:
        word = load64(address_upper + (base >> 3))
        while word != 0:
            high = base + trailing_zeros(word) - i
            document = first + (high << low | read_bits(address, lows + i * low, low))
            if document >= limit or high < 0:
                return CORRUPT
            out[i] = document
            i += 1
            if i == count:
                return count
            word &= word - np.uint64(1)
        base += 64
    return CORRUPT


@inlined
def find_in_chunk(address: Int, size: Int, count: Int, first: Int, span: Int, total: Int, document: Int) -> Any:
    """Rank of a document inside a chunk, -1 when it is not there, or CORRUPT."""
    if count <= 0:
        return -1 if count == 0 else CORRUPT
    start, _ = _body(address, size, count, total)
    low = low_width(span, count)
    upper = upper_length(span, count, low)
    lows = start + upper
    if lows + count * low > 8 * size:
        return CORRUPT
    address_upper = address + (start >> 3)
    high = (document - first) >> low
    bit = 0
    if high > 0:
        bit = _select(address_upper, high - 1, upper, _ZEROS) + 1
    rank = bit - high
    if rank < 0:
        return CORRUPT
    wanted = (document - first) & ((1 << low) - 1)
    while rank < count and (load64(address_upper + (bit >> 3)) >> np.uint64(bit & 7)) & np.uint64(1):
        value = read_bits(address, lows + rank * low, low)
        if value >= wanted:
            return rank if value == wanted else -1
        rank += 1
        bit += 1
    return -1


@inlined
def occurrence_layout(address: Int, size: Int, count: Int, span: Int, total: Int) -> Any:
    """Where occurrences of a chunk stand: (extra, t, address of the upper bits, their number, low, lows, positions).

    extra is t - m, or CORRUPT; lows and positions are bit offsets from the chunk's address.
    """
    start, t = _body(address, size, count, total)
    low = low_width(span, count)
    bit = start + upper_length(span, count, low) + count * low
    extra = t - count
    if extra < 0 or bit > 8 * size:
        extra = CORRUPT
    if extra <= 0:
        return extra, t, address, 0, 0, bit, bit
    bit = (bit + 7) >> 3 << 3
    low = low_width(extra, count)
    upper = upper_length(extra, count, low)
    lows = bit + upper
    positions = lows + count * low
    if positions > 8 * size:
        extra = CORRUPT
    return extra, t, address + (bit >> 3), upper, low, lows, positions


@inlined
def occurrences_at(address: Int, count: Int, layout: Array, rank: Int) -> Any:
    """(first, number) of the occurrences of the rank-th document of a chunk; number is CORRUPT for nonsense."""
    extra, t, address_upper, upper, low, lows, _ = layout
    if extra == 0:
        return rank, 1
    if extra < 0:
        return 0, CORRUPT
    one = _select(address_upper, rank, upper, _ONES)
    begin = rank + ((one - rank) << low | read_bits(address, lows + rank * low, low))
    end = t
    if rank + 1 < count:
        one = _next_one(address_upper, one + 1, upper)
        end = rank + 1 + ((one - rank - 1) << low | read_bits(address, lows + (rank + 1) * low, low))
    if begin < 0 or end <= begin or end > t:
        return 0, CORRUPT
    return begin, end - begin


@jit
def decode_starts(address: Int, count: Int, layout: Array, out: Array) -> Any:
    """Where the occurrences of each document of a chunk start, and t, into out[: count + 1]; False for nonsense."""
    extra, t, address_upper, upper, low, lows, _ = layout
    out[count] = t
    if extra <= 0:
        for i in range(count):
            out[i] = i
        return extra == 0
    i = 0
    base = 0
    before = np.int64(-1)
    while base < upper:
        word = load64(address_upper + (base >> 3))
        while word != 0:
            high = base + trailing_zeros(word) - i
            start = i + (high << low | read_bits(address, lows + i * low, low))
            if start <= before or start >= t:
                return False
            out[i] = before = start
            i += 1
            if i == count:
                return True
            word &= word - np.uint64(1)
        base += 64
    return False


@inlined
def _next_one(address: Int, bit: Int, bits: Int) -> Any:
    """Index of the first one bit at or after `bit`, or -1."""
    while bit < bits:
        word = load64(address + (bit >> 3)) >> np.uint64(bit & 7)
        if word != 0:
            return bit + trailing_zeros(word)
        bit += 64 - (bit & 7)
    return -1


@inlined
def place_at(size: Int, width: Int, layout: Array, begin: Int, number: Int, length: Int) -> Any:
    """Bit where the positions of a document of `length` words start, or CORRUPT: its occurrences are known."""
    _, t, _, _, _, _, positions = layout
    if number < 1 or number > length or positions + t * width > 8 * size:
        return np.int64(CORRUPT)
    return np.int64(positions + begin * width)


@inlined
def decode_positions(address: Int, bit: Int, width: Int, number: Int, out: Array) -> Any:
    """`number` positions from a bit that `place_at` gave into `out`."""
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for i in range(number):
        out[i] = np.int64((load64(address + (bit >> 3)) >> np.uint64(bit & 7)) & mask)
        bit += width


@inlined
def chunk_of(lists: Array, row: Int, document: Int, groups: Array) -> Any:
    """Number of the chunk that would hold a document."""
    if lists[row, CHUNKS] == 1:
        return np.int64(0)
    return np.int64(groups[document]) >> lists[row, SHIFT]


@inlined
def chunk_width(lists: Array, row: Int, chunk: Int, group_starts: Array, lengths: Array) -> Any:
    """Bits of a position in a chunk: enough for the last document of its range, or of a one-chunk list."""
    last = lists[row, LAST]
    if lists[row, CHUNKS] > 1:
        last = np.int64(group_starts[min((chunk + 1) << lists[row, SHIFT], group_starts.size - 1)]) - 1
    return bit_length(max(np.int64(lengths[last]) - 1, 0))
