"""Reading UTF-8 code point by code point, and the look-aheads that the word rules need.

In: bytes of a document, the rule tables. Out: rules of characters, and where a possessive, a number or an initial ends.
It mirrors the methods of `corver.text.words`; it holds no state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corver.index.kernels.jit import Array, Int, jit
from corver.index.kernels.tables import FLAG_ONE, FLAG_S, KIND_MASK

__all__ = [
    "after_ignored",
    "char_at",
    "in_word",
    "is_thousands",
    "number_chain",
    "possessive_end",
    "spaced_initial",
    "tight_initial",
]

# CharKind, as plain numbers that the compiler folds in.
SEPARATOR, LETTER, DIGIT, SOLO, EXTEND, IGNORE, APOSTROPHE, DOT, COMMA, SPACE, APART = range(11)


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
def char_at(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """(rule, table index, index after) of the code point at byte i; a separator at the end of the document."""
    if i >= end:
        return 0, np.int64(0), i + 1
    code, following = _decode(text, i, end)
    entry = np.int64(page[code >> 8]) << 8 | (code & 0xFF)
    return np.int64(info[entry]), entry, following


@jit
def after_ignored(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Like `char_at`, but for the first code point from i on that is not dropped; also where that one starts."""
    rule, _, following = char_at(text, i, end, page, info)
    while rule & KIND_MASK == IGNORE:
        i = following
        rule, _, following = char_at(text, i, end, page, info)
    return rule, i, following


@jit
def in_word(rule: Int) -> Any:
    kind = rule & KIND_MASK
    return LETTER <= kind <= EXTEND


@jit
def possessive_end(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Byte index after the s of a possessive whose s is looked for at i, or -1."""
    rule, _, following = after_ignored(text, i, end, page, info)
    if rule & FLAG_S and rule & KIND_MASK == LETTER:
        rule, after, _ = after_ignored(text, following, end, page, info)
        if not in_word(rule):
            return after
    return -1


@jit
def is_thousands(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """True when exactly three digits stand at i."""
    for _ in range(3):
        rule, _, i = char_at(text, i, end, page, info)
        if rule & KIND_MASK != DIGIT:
            return False
    rule, _, _ = char_at(text, i, end, page, info)
    return rule & KIND_MASK != DIGIT


@jit
def number_chain(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """From the first dot on at i: (dots, end) of the run of digits and of dots before digits."""
    dots = 0
    while True:
        rule, _, following = char_at(text, i, end, page, info)
        kind = rule & KIND_MASK
        if kind == DOT:
            rule, _, _ = char_at(text, following, end, page, info)
            if rule & KIND_MASK != DIGIT:
                return dots, i
            dots += 1
        elif kind != DIGIT:
            return dots, i
        i = following


@jit
def tight_initial(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """Start of what follows a lone letter at i, or -1."""
    rule, _, following = char_at(text, i, end, page, info)
    if rule & KIND_MASK == LETTER and rule & FLAG_ONE:
        rule, after, _ = after_ignored(text, following, end, page, info)
        if not in_word(rule):
            return after
    return -1


@jit
def spaced_initial(text: Array, i: Int, end: Int, page: Array, info: Array) -> Any:
    """(start of the letter, start of its dot) when a space, a letter and a dot stand at i, else (-1, -1)."""
    rule, _, letter = char_at(text, i, end, page, info)
    if rule & KIND_MASK == SPACE:
        rule, _, following = char_at(text, letter, end, page, info)
        if rule & KIND_MASK == LETTER and rule & FLAG_ONE:
            rule, dot, following = after_ignored(text, following, end, page, info)
            if rule & KIND_MASK == DOT:
                rule, _, _ = char_at(text, following, end, page, info)
                if not in_word(rule):
                    return letter, dot
    return -1, -1
