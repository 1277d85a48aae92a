"""Merging segments: the lists of one word from several segments become one list, word after word in order.

In: decoded batches of the vocabularies of K segments, their postings, the new number of every document. Out: encoded
lists and the words they belong to. It knows no files; its caller refills batches and empties the output.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.access import check_one
from corver.index.kernels.encode import encode_list, list_bound
from corver.index.kernels.jit import Array, Int, allocating, bit_length, jit
from corver.index.kernels.postings import (
    chunk_width,
    decode_documents,
    decode_positions,
    occurrence_layout,
    occurrences_at,
    open_chunk,
)
from corver.index.layout import ADDRESS, BYTES, CHUNKS, CORRUPT, DOCUMENTS, FLAGS, NO_POSITIONS, OCCURRENCES

__all__ = ["DONE", "FULL", "REFILL", "merge_words", "read_list"]

DONE, REFILL, FULL = 0, 1, 2


@jit
def read_list(
    lists: Array,
    row: Int,
    group_starts: Array,
    lengths: Array,
    keep: Int,
    documents: Array,
    frequencies: Array,
    positions: Array,
    first: Int,
    first_position: Int,
    scratch: Array,
) -> Any:
    """Decode a whole list into documents[first:], frequencies[first:] and positions[first_position:].

    keep: whether the list has positions. Returns (documents, occurrences), (CORRUPT, 0) when it contradicts itself.
    """
    done = np.int64(0)
    occurrences = np.int64(0)
    wrong = np.int64(CORRUPT), np.int64(0)
    for chunk in range(lists[row, CHUNKS]):
        address, size, count, start, span, total = open_chunk(lists, row, chunk, group_starts)
        if count == 0:
            continue
        if decode_documents(address, size, count, start, span, total, scratch) != count:
            return wrong
        layout = occurrence_layout(address, size, count, span, total)
        t = layout[1]
        if occurrences + t > lists[row, OCCURRENCES] or done + count > lists[row, DOCUMENTS]:
            return wrong
        for i in range(count):
            _, number = occurrences_at(address, count, layout, i)
            if number < 0:
                return wrong
            documents[first + done + i] = scratch[i]
            frequencies[first + done + i] = number
        if keep:
            width = chunk_width(lists, row, chunk, group_starts, lengths)
            out = positions[first_position + occurrences : first_position + occurrences + t]
            if layout[6] + t * width > 8 * size:
                return wrong
            decode_positions(address, layout[6], width, t, out)
        done += count
        occurrences += t
    if done != lists[row, DOCUMENTS] or occurrences != lists[row, OCCURRENCES]:
        return wrong
    return done, occurrences


@jit
def _smallest(pools: Array, starts: Array, counts: Array, cursors: Array, finished: Array, same: Array) -> Any:
    """Mark in `same` the cursors that stand at the alphabetically first word; (its cursor or -1, cursor to refill)."""
    best = -1
    for k in range(cursors.size):
        same[k] = False
        if cursors[k] == counts[k]:
            if not finished[k]:
                return -1, k
            continue
        order = np.int64(-1)
        if best >= 0:
            a, a_end = starts[k, cursors[k]], starts[k, cursors[k] + 1]
            b, b_end = starts[best, cursors[best]], starts[best, cursors[best] + 1]
            order = np.int64(0)
            while order == 0 and a < a_end and b < b_end:
                order = np.int64(pools[k, a]) - np.int64(pools[best, b])
                a += 1
                b += 1
            if order == 0:
                order = (a_end - a) - (b_end - b)
        if order < 0:
            for other in range(k):
                same[other] = False
            best = k
        same[k] = order <= 0
    return best, -1


@jit
def _interleave(
    heads: Array,
    ends: Array,
    position_heads: Array,
    keep: Int,
    merged: Array,
    parts: Array,
    numbers: Array,
    offsets: Array,
    sources: Array,
) -> Any:
    """K-way merge of decoded lists by new document number; the documents written."""
    documents, frequencies, positions = merged
    part_documents, part_frequencies, part_positions = parts
    written = np.int64(0)
    position = np.int64(0)
    while True:
        best = -1
        lowest = np.int64(1) << 40
        for s in range(heads.size):
            if heads[s] < ends[s]:
                number = np.int64(numbers[offsets[sources[s]] + part_documents[heads[s]]])
                if number < lowest:
                    best, lowest = s, number
        if best < 0:
            return written
        frequency = part_frequencies[heads[best]]
        documents[written] = lowest
        frequencies[written] = frequency
        if keep:
            for i in range(frequency):
                positions[position + i] = part_positions[position_heads[best] + i]
            position_heads[best] += frequency
            position += frequency
        heads[best] += 1
        written += 1


@allocating
def merge_words(
    pools: Array,
    starts: Array,
    entries: Array,
    counts: Array,
    cursors: Array,
    finished: Array,
    bases: Array,
    sizes: Array,
    group_starts: Array,
    group_bounds: Array,
    lengths: Array,
    numbers: Array,
    offsets: Array,
    parts: Array,
    merged: Array,
    tables: Array,
    new_lengths: Array,
    room: Array,
    out: Array,
    scratch: Array,
    written: Int,
    used: Int,
) -> Any:
    """Merge words until a batch is used up or the output is full: (code, cursor to refill, words, bytes of lists).

    pools: uint8 (K, P), starts: int64 (K, N + 1), entries: int64 (K, N, 5), counts, cursors: int64 (K,), finished: bool
    (K,): the current batches of the vocabularies, as `read_terms` decodes them. bases, sizes: address and bytes of each
    segment's postings. group_starts, lengths, numbers (new number of each document): of all segments end to end, at
    group_bounds (K + 1,) and offsets (K + 1,). parts, merged: (documents, frequencies, positions) with room for the
    most frequent word. tables, new_lengths: of the merged segment. room: zeroed uint8. out: (words uint8, word_starts,
    documents, occurrences, bare, bytes), filled from `written` on; `room` from `used` on. The code
    is CORRUPT when a segment contradicts itself.
    """
    words, word_starts, out_documents, out_occurrences, out_bare, out_sizes = out
    count = cursors.size
    lists = np.zeros((count, 10), dtype=np.int64)
    same = np.zeros(count, dtype=np.bool_)
    heads, ends, position_heads, sources = (
        np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
    )  # fmt: skip
    width = bit_length(np.int64(new_lengths[new_lengths.size - 1]))
    while True:
        best, refill = _smallest(pools, starts, counts, cursors, finished, same)
        if best < 0:
            return (DONE if refill < 0 else REFILL), refill, written, used
        begin, end = starts[best, cursors[best]], starts[best, cursors[best] + 1]
        total_documents = total = np.int64(0)
        bare = entries[best, cursors[best], 4]
        for k in range(count):
            if same[k]:
                total_documents += entries[k, cursors[k], 2]
                total += entries[k, cursors[k], 3]
        bound = list_bound(total_documents, total, min(tables[1].size, total_documents), width)
        full = used + bound > room.size or word_starts[written] + end - begin > words.size
        if full or written == out_sizes.size:
            return FULL, -1, written, used
        if total_documents > parts[0].size or (bare == 0 and total > parts[2].size):
            return CORRUPT, best, written, used
        contributing = 0
        place = position_place = np.int64(0)
        for k in range(count):
            if not same[k]:
                continue
            entry = entries[k, cursors[k]]
            if entry[0] < 0 or entry[1] < 0 or entry[0] + entry[1] > sizes[k] or entry[4] != bare:
                return CORRUPT, k, written, used
            lists[k, ADDRESS], lists[k, BYTES] = bases[k] + entry[0], entry[1]
            lists[k, DOCUMENTS], lists[k, OCCURRENCES] = entry[2], entry[3]
            lists[k, FLAGS] = NO_POSITIONS * entry[4]
            groups = group_starts[group_bounds[k] : group_bounds[k + 1]]
            if not check_one(lists, k, groups, scratch):
                return CORRUPT, k, written, used
            found, occurrences = read_list(
                lists, k, groups, lengths[offsets[k] : offsets[k + 1]], bare == 0, parts[0], parts[1], parts[2],
                place, position_place, scratch,
            )  # fmt: skip
            if found < 0:
                return CORRUPT, k, written, used
            heads[contributing], ends[contributing] = place, place + found
            position_heads[contributing], sources[contributing] = position_place, k
            place += found
            position_place += occurrences
            contributing += 1
            cursors[k] += 1
        merged_documents = _interleave(
            heads[:contributing], ends[:contributing], position_heads, bare == 0, merged, parts, numbers, offsets,
            sources,
        )  # fmt: skip
        size = encode_list(
            room.ctypes.data + used, merged[0], merged[1], merged[2], 0, merged_documents, 0, bare == 0, tables,
            new_lengths,
        )  # fmt: skip
        for i in range(end - begin):
            words[word_starts[written] + i] = pools[best, begin + i]
        word_starts[written + 1] = word_starts[written] + end - begin
        out_documents[written], out_occurrences[written] = total_documents, total
        out_bare[written], out_sizes[written] = bare, size
        used += size
        written += 1
