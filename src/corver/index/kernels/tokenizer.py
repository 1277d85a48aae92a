"""The compiled tokenizer: UTF-8 bytes of documents in, word numbers out.

In: a batch of documents as one byte buffer, the rule tables, a growing vocabulary. Out: the vocabulary's number of
every word, document by document, exactly the words of `corver.text.words.tokenize`. It knows no postings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit, load64, store8, store64, trailing_zeros
from corver.index.kernels.lookahead import (
    after_ignored,
    char_at,
    is_thousands,
    number_chain,
    possessive_end,
    spaced_initial,
    tight_initial,
)
from corver.index.kernels.tables import FLAG_ONE, KIND_MASK
from corver.index.kernels.vocabulary import emit_word, most_new_words

__all__ = ["tokenize_batch"]

# CharKind, as plain numbers that the compiler folds in.
SEPARATOR, LETTER, DIGIT, SOLO, EXTEND, IGNORE, APOSTROPHE, DOT, COMMA, SPACE, APART = range(11)


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
                    rule, entry, following = char_at(text, i, end, page, info)
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
                        rule, _, _ = after_ignored(text, following, end, page, info)
                        if rule & KIND_MASK == LETTER or rule & KIND_MASK == DIGIT:
                            digit_last = 48 <= pool[length - 1] <= 57
                            after = np.int64(-1)
                            if not digit_last:
                                after = possessive_end(text, following, end, page, info)
                            if after >= 0:
                                following = after
                            else:
                                ends = adds == 1 and first_one and not all_digits
                    elif kind == COMMA:
                        if all_digits and (grouped or adds <= 3) and is_thousands(text, following, end, page, info):
                            grouped, ends = True, False
                    elif kind == DOT and all_digits:
                        rule, _, _ = char_at(text, following, end, page, info)
                        if i >= chain_end and rule & KIND_MASK == DIGIT:
                            dots, chain = number_chain(text, i, end, page, info)
                            if dots > 1:
                                chain_end = chain
                            else:
                                pool[length] = 46
                                length += 1
                                adds += 1
                                all_digits, ends = False, False
                    elif kind == DOT and (initials != 0 or (adds == 1 and first_one and first_letter)):
                        rule, _, _ = char_at(text, following, end, page, info)
                        if initials != 0 and rule & KIND_MASK == APOSTROPHE:
                            ends = False
                        else:
                            letter, after = following, np.int64(-1)
                            if initials != SPACE:
                                after = tight_initial(text, letter, end, page, info)
                                joined = DOT
                            if after < 0 and initials != DOT:
                                letter, after = spaced_initial(text, following, end, page, info)
                                joined = SPACE
                            if after >= 0:
                                _, entry, stop = char_at(text, letter, end, page, info)
                                length = _append(text, letter, stop, entry, expansion, starts, forms, pool, length)
                                adds += 1
                                initials, following, ends = joined, after, False
            else:
                kind, entry = np.int64(SEPARATOR), np.int64(0)
                following = i
            if ends and adds > 0:
                number, count = emit_word(slots, words, word_starts, count, length)
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
                        number, count = emit_word(slots, words, word_starts, count, length)
                        ids[written] = number
                        written += 1
                        length = word_starts[count]
            if i >= end:
                break
            i = following
        lengths[document] = written - before
    return offsets.size - 1, written, count
