"""From the words of documents to packed lists, in memory: counting sort by word, then one list after the other.

In: the word numbers of documents in the order of their reading. Out: the postings of a segment, words in alphabetical
order, documents in the order of their length. It knows no files and no vocabulary.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.encode import encode_list, list_bound
from corver.index.kernels.jit import Array, Int, bit_length, jit

__all__ = ["count_words", "encode_lists", "scatter"]


@jit
def count_words(ids: Array, counts: Array) -> Any:
    """Add the occurrences of every word of `ids` to `counts`."""
    for i in range(ids.size):
        counts[ids[i]] += 1


@jit
def scatter(ids: Array, starts: Array, order: Array, places: Array, occurrences: Array) -> Any:
    """Write document << 32 | position of every occurrence to its word's range of `occurrences`.

    ids: uint32, words of all documents end to end. starts: int64 (D + 1,), where each document begins in ids. order:
    int64 (D,), documents by rank. places: int64 (V,), next free place of each word; moved on.
    """
    for rank in range(order.size):
        begin = starts[order[rank]]
        key = np.uint64(rank) << np.uint64(32)
        for i in range(begin, starts[order[rank] + 1]):
            word = ids[i]
            occurrences[places[word]] = key | np.uint64(i - begin)
            places[word] += 1


@jit
def encode_lists(
    words: Array,
    first: Int,
    bounds: Array,
    occurrences: Array,
    keep: Int,
    tables: Array,
    lengths: Array,
    room: Array,
    sizes: Array,
    documents_of: Array,
    scratch: Array,
) -> Any:
    """Encode the lists of words[first:] until `room` is full: (next word, bytes written).

    words: int64 (V,), word numbers in alphabetical order. bounds: int64 (V + 1,), range of each word in
    `occurrences`. keep: bool (V,), whether positions are kept. room: zeroed uint8. sizes, documents_of: int64 (V,), by
    place in `words`, filled here. scratch: (documents, frequencies, positions), each uint32 with room for the most
    frequent word. The first list must fit into `room` with `list_bound`.
    """
    documents, frequencies, positions = scratch
    address = room.ctypes.data
    longest_width = bit_length(np.int64(lengths[lengths.size - 1]))
    chunks = tables[1].size
    offset = np.int64(0)
    for place in range(first, words.size):
        word = words[place]
        begin, end = bounds[word], bounds[word + 1]
        count = 0
        last = np.int64(-1)
        for i in range(begin, end):
            document = np.int64(occurrences[i] >> np.uint64(32))
            positions[i - begin] = occurrences[i] & np.uint64(0xFFFFFFFF)
            if document != last:
                documents[count] = document
                frequencies[count] = 0
                last = document
                count += 1
            frequencies[count - 1] += 1
        bound = list_bound(count, end - begin, min(chunks, count), longest_width)
        if offset + bound > room.size:
            return place, offset
        size = encode_list(
            address + offset, documents, frequencies, positions, 0, count, 0, keep[word], tables, lengths
        )
        sizes[place] = size
        documents_of[place] = count
        offset += size
    return words.size, offset
