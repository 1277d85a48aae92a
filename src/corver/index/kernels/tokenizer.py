"""The compiled tokenizer: UTF-8 bytes of documents in, word numbers out.

In: a batch of documents as one byte buffer, the rule tables, a growing vocabulary. Out: the vocabulary's number of
every word, document by document, exactly the words of `corver.text.words.tokenize`. It knows no postings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit, load64, store8, store64, trailing_zeros
from corver.index.kernels.tables import FLAG_ONE, FLAG_S, KIND_MASK

__all__ = ["find_word", "most_new_words", "rehash", "tokenize_batch"]

# CharKind, as plain numbers that the compiler folds in.
SEPARATOR, LETTER, DIGIT, SOLO, EXTEND, IGNORE, APOSTROPHE, DOT, COMMA, SPACE, APART = range(11)

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SEED = np.uint64(0x51ED270B9D8F1A37)


@jit
def _decode(text: Array, i: Int, end: Int) -> Any:
    """Code point at byte i and the index after it; broken UTF-8 reads as U+FFFD, one byte at a time."""
    first = np.int64(text[i])
    if first < 0x80:
        return first, i + 1
    if first >= 0xC2:
        if first < 0xE0 and i + 1 < end:
            return (first & 0x1F) << 6 | (text[i + 1] & 0x3F), i + 2
        if 0xE0 <= first < 0xF0 and i + 2 < end:
            return (first & 0x0F) << 12 | (np.int64(text[i + 1]) & 0x3F) << 6 | (text[i + 2] & 0x3F), i + 3
        if 0xF0 <= first < 0xF5 and i + 3 < end:
            high = (first & 0x07) << 18 | (np.int64(text[i + 1]) & 0x3F) << 12
            code = high | (np.int64(text[i + 2]) & 0x3F) << 6 | (text[i + 3] & 0x3F)
            if code < 0x110000:
                return code, i + 4
    return np.int64(0xFFFD), i + 1


@jit
def _char(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """(rule, table index, index after) of the code point at byte i; a separator at the end of the document."""
    if i >= end:
        return 0, np.int64(0), i + 1
    code, following = _decode(text, i, end)
    entry = np.int64(page[code >> 8]) << 8 | (code & 0xFF)
    return np.int64(info[entry]), entry, following


@jit
def _after_ignored(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Like `_char`, but for the first code point from i on that is not dropped; also where that one starts."""
    rule, _, following = _char(text, i, end, page, info)
    while rule & KIND_MASK == IGNORE:
        i = following
        rule, _, following = _char(text, i, end, page, info)
    return rule, i, following


@jit
def _in_word(rule: Int) -> Any:
    kind = rule & KIND_MASK
    return LETTER <= kind <= EXTEND


@jit
def _possessive(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Byte index after the s of a possessive whose s is looked for at i, or -1."""
    rule, _, following = _after_ignored(text, i, end, page, info)
    if rule & FLAG_S and rule & KIND_MASK == LETTER:
        rule, after, _ = _after_ignored(text, following, end, page, info)
        if not _in_word(rule):
            return after
    return -1


@jit
def _thousands(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """True when exactly three digits stand at i."""
    for _ in range(3):
        rule, _, i = _char(text, i, end, page, info)
        if rule & KIND_MASK != DIGIT:
            return False
    rule, _, _ = _char(text, i, end, page, info)
    return rule & KIND_MASK != DIGIT


@jit
def _chain(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """From the first dot on at i: (dots, end) of the run of digits and of dots before digits."""
    dots = 0
    while True:
        rule, _, following = _char(text, i, end, page, info)
        kind = rule & KIND_MASK
        if kind == DOT:
            rule, _, _ = _char(text, following, end, page, info)
            if rule & KIND_MASK != DIGIT:
                return dots, i
            dots += 1
        elif kind != DIGIT:
            return dots, i
        i = following


@jit
def _tight_initial(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Start of what follows a lone letter at i, or -1."""
    rule, _, following = _char(text, i, end, page, info)
    if rule & KIND_MASK == LETTER and rule & FLAG_ONE:
        rule, after, _ = _after_ignored(text, following, end, page, info)
        if not _in_word(rule):
            return after
    return -1


@jit
def _spaced_initial(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """(start of the letter, start of its dot) when a space, a letter and a dot stand at i, else (-1, -1)."""
    rule, _, letter = _char(text, i, end, page, info)
    if rule & KIND_MASK == SPACE:
        rule, _, following = _char(text, letter, end, page, info)
        if rule & KIND_MASK == LETTER and rule & FLAG_ONE:
            rule, dot, following = _after_ignored(text, following, end, page, info)
            if rule & KIND_MASK == DOT:
                rule, _, _ = _char(text, following, end, page, info)
                if not _in_word(rule):
                    return letter, dot
    return -1, -1


@jit
def _append(
    text: Array,
    i: Int,
    following: Int,
    entry: Int,
    expansion: Array,
    starts: Array,
    forms: Array,
    pool: Array,
    length: Int,
) -> Any:
    """Write the folded form of the code point at [i, following) to the pool; the new length."""
    number = expansion[entry]
    if number < 0:
        for j in range(i, following):
            pool[length] = text[j]
            length += 1
        return length
    for j in range(starts[number], starts[number + 1]):
        pool[length] = forms[j]
        length += 1
    return length


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
def _emit(slots: Array, words: Array, word_starts: Array, count: Int, end: Int) -> Any:
    """(number, count) for the word that ends the pool; a new word stays there, a known one is taken off."""
    number, slot, value = find_word(slots, words, word_starts, word_starts[count], end - word_starts[count])
    if number < 0:
        number = np.int64(count)
        slots[slot] = (value >> np.uint64(32)) << np.uint64(32) | np.uint64(number + 1)
        count += 1
        word_starts[count] = end
    return number, count


@jit
def _ascii_run(text: Array, source: Int, i: Int, end: Int, plain: Array, target: Int) -> Any:
    """Fold up to 8 ASCII letters and digits at byte i to the address `target`: (any letters, how many).

    Works on eight bytes at once: a byte is a letter when its lower-case form is between a and z, and so on; the sums
    leave their answer in the top bit of each byte. A byte above 127 ends the run, so that its carry harms nobody.
    """
    if i + 8 > text.size:
        run = 0
        letters = False
        while i + run < end and run < 8 and plain[text[i + run]] != 0:
            byte = plain[text[i + run]]
            letters = letters or byte > 57
            store8(target + run, byte)
            run += 1
        return letters, run
    tops = np.uint64(0x8080808080808080)
    word = load64(source + i)
    lower = word | np.uint64(0x2020202020202020)
    letters = (lower + np.uint64(0x1F1F1F1F1F1F1F1F)) & ~(lower + np.uint64(0x0505050505050505)) & ~word & tops
    digits = (word + np.uint64(0x5050505050505050)) & ~(word + np.uint64(0x4646464646464646)) & ~word & tops
    others = ~(letters | digits) & tops
    run = min(trailing_zeros(others) >> 3, end - i)
    inside = ~np.uint64(0) if run == 8 else (np.uint64(1) << np.uint64(8 * run)) - np.uint64(1)
    store64(target, (word | letters >> np.uint64(2)) & inside)
    return (letters & inside) != 0, run


@jit
def most_new_words(size: Int) -> Any:
    """How many new words a text of so many bytes can bring: one in two bytes, and those that symbols spell."""
    return (size >> 1) + 16384


@jit
def tokenize_batch(
    text: Array,
    offsets: Array,
    plain: Array,
    page: Array,
    info: Array,
    expansion: Array,
    starts: Array,
    forms: Array,
    slots: Array,
    pool: Array,
    word_starts: Array,
    count: Int,
    ids: Array,
    lengths: Array,
    first_document: Int,
    written: Int,
) -> Any:
    """Tokenize D documents into `ids`, the numbers of their words end to end.

    text, offsets: as in DocumentBatch. plain … forms: RuleTables. slots: uint64 hash table, a power of two. pool,
    word_starts: the words so far end to end, with room for 12 bytes and one word for each byte of text and more. ids:
    uint32 with room for two numbers a byte; `written` are there. lengths: int64 (D,), words of each document. Begins
    with first_document. -> (next document, words written, count): stops early when the hash table may become more
    than half full, for the caller to enlarge it.
    """
    words, source = pool.ctypes.data, text.ctypes.data
    ascii_base = np.int64(page[0]) << 8
    for document in range(first_document, offsets.size - 1):
        before = written
        i = offsets[document]
        end = offsets[document + 1]
        if 2 * (count + most_new_words(end - i)) > slots.size:
            return document, written, count
        length = word_starts[count]
        adds = 0  # code points and dots that made the word so far
        all_digits = solo = grouped = first_one = first_letter = False
        initials = 0
        chain_end = np.int64(0)
        while True:
            ends = True
            if i < end:
                if text[i] < 0x80:
                    byte = plain[text[i]]
                    if byte != 0 and not solo:  # the common case: on to the end of a run of ASCII letters
                        if adds == 0:
                            all_digits, grouped, first_one, first_letter = True, False, True, byte > 57
                        first = i
                        while True:
                            letters, run = _ascii_run(text, source, i, end, plain, words + length)
                            length += run
                            i += run
                            all_digits = all_digits and not letters
                            if run < 8:
                                break
                        adds += i - first
                        initials = 0
                        continue
                    entry, following = ascii_base | text[i], i + 1
                    rule = np.int64(info[entry])
                else:
                    rule, entry, following = _char(text, i, end, page, info)
                kind = rule & KIND_MASK
                if LETTER <= kind <= EXTEND:
                    if not (adds > 0 and (kind == SOLO or (solo and kind != EXTEND))):
                        if adds == 0:
                            all_digits, solo, grouped = True, False, False
                            first_one, first_letter = rule & FLAG_ONE != 0, kind == LETTER
                        length = _append(text, i, following, entry, expansion, starts, forms, pool, length)
                        adds += 1
                        all_digits = all_digits and kind == DIGIT
                        solo = solo or kind == SOLO
                        initials = 0
                        i = following
                        continue
                    following = i  # the word before ends; this character starts the next one
                elif kind == IGNORE:
                    i = following
                    continue
                elif adds > 0 and not solo:
                    if kind == APOSTROPHE:
                        rule, _, _ = _after_ignored(text, following, end, page, info)
                        if rule & KIND_MASK == LETTER or rule & KIND_MASK == DIGIT:
                            digit_last = 48 <= pool[length - 1] <= 57
                            after = np.int64(-1)
                            if not digit_last:
                                after = _possessive(text, following, end, page, info)
                            if after >= 0:
                                following = after
                            else:
                                ends = adds == 1 and first_one and not all_digits
                    elif kind == COMMA:
                        if all_digits and (grouped or adds <= 3) and _thousands(text, following, end, page, info):
                            grouped, ends = True, False
                    elif kind == DOT and all_digits:
                        rule, _, _ = _char(text, following, end, page, info)
                        if i >= chain_end and rule & KIND_MASK == DIGIT:
                            dots, chain = _chain(text, i, end, page, info)
                            if dots > 1:
                                chain_end = chain
                            else:
                                pool[length] = 46
                                length += 1
                                adds += 1
                                all_digits, ends = False, False
                    elif kind == DOT and (initials != 0 or (adds == 1 and first_one and first_letter)):
                        rule, _, _ = _char(text, following, end, page, info)
                        if initials != 0 and rule & KIND_MASK == APOSTROPHE:
                            ends = False
                        else:
                            letter, after = following, np.int64(-1)
                            if initials != SPACE:
                                after = _tight_initial(text, letter, end, page, info)
                                joined = DOT
                            if after < 0 and initials != DOT:
                                letter, after = _spaced_initial(text, following, end, page, info)
                                joined = SPACE
                            if after >= 0:
                                _, entry, stop = _char(text, letter, end, page, info)
                                length = _append(text, letter, stop, entry, expansion, starts, forms, pool, length)
                                adds += 1
                                initials, following, ends = joined, after, False
            else:
                kind, entry = np.int64(SEPARATOR), np.int64(0)
                following = i
            if ends and adds > 0:
                number, count = _emit(slots, words, word_starts, count, length)
                ids[written] = number
                written += 1
                length = word_starts[count]
                adds = 0
                solo = False
            if kind == APART:
                form = expansion[entry]
                last = starts[form + 1]
                for j in range(starts[form], last + 1):
                    if j < last and forms[j] != 32:
                        pool[length] = forms[j]
                        length += 1
                    else:
                        number, count = _emit(slots, words, word_starts, count, length)
                        ids[written] = number
                        written += 1
                        length = word_starts[count]
            if i >= end:
                break
            i = following
        lengths[document] = written - before
    return offsets.size - 1, written, count
