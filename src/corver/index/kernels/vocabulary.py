"""A hash table of words that are compared whole, never by their hash alone.

In: the UTF-8 of words end to end in a pool. Out: their numbers. It knows no rules of words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit, load64

__all__ = ["emit_word", "find_word", "most_new_words", "rehash"]

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SEED = np.uint64(0x51ED270B9D8F1A37)


@jit
def _hash(address: Int, length: Int) -> Any:
    """64-bit hash of `length` bytes; reads up to 7 bytes further."""
    value = _SEED ^ np.uint64(length)
    while length >= 8:
        value = (value ^ load64(address)) * _PRIME
        value ^= value >> np.uint64(32)
        address += 8
        length -= 8
    if length > 0:
        value ^= load64(address) & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))
        value *= _PRIME
    value ^= value >> np.uint64(29)
    value *= _PRIME
    return value ^ (value >> np.uint64(32))


@jit
def _same(first: Int, second: Int, length: Int) -> Any:
    """True when two runs of bytes are equal; reads up to 7 bytes further."""
    while length >= 8:
        if load64(first) != load64(second):
            return False
        first += 8
        second += 8
        length -= 8
    return length == 0 or (load64(first) ^ load64(second)) << np.uint64(64 - 8 * length) == 0


@jit
def find_word(slots: Array, words: Array, word_starts: Array, start: Int, length: Int) -> Any:
    """(number or -1, slot, hash) of the word at words + start; `words` is the address of the pool."""
    mask = np.uint64(slots.size - 1)
    value = _hash(words + start, length)
    tag = value >> np.uint64(32)
    slot = value & mask
    while slots[slot] != 0:
        if slots[slot] >> np.uint64(32) == tag:
            number = np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) - 1
            first = word_starts[number]
            if word_starts[number + 1] - first == length and _same(words + first, words + start, length):
                return number, slot, value
        slot = (slot + np.uint64(1)) & mask
    return np.int64(-1), slot, value


@jit
def rehash(larger: Array, pool: Array, word_starts: Array, count: Int) -> Any:
    """Enter the words so far into an empty, larger hash table."""
    words = pool.ctypes.data
    mask = np.uint64(larger.size - 1)
    for number in range(count):
        value = _hash(words + word_starts[number], word_starts[number + 1] - word_starts[number])
        slot = value & mask
        while larger[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        larger[slot] = (value >> np.uint64(32)) << np.uint64(32) | np.uint64(number + 1)


@jit
def emit_word(slots: Array, words: Array, word_starts: Array, count: Int, end: Int) -> Any:
    """(number, count) for the word that ends the pool; a new word stays there, a known one is taken off."""
    number, slot, value = find_word(slots, words, word_starts, word_starts[count], end - word_starts[count])
    if number < 0:
        number = np.int64(count)
        slots[slot] = (value >> np.uint64(32)) << np.uint64(32) | np.uint64(number + 1)
        count += 1
        word_starts[count] = end
    return number, count


@jit
def most_new_words(size: Int) -> Any:
    """How many new words a text of so many bytes can bring: one in two bytes, and those that symbols spell."""
    return (size >> 1) + 16384
