"""The word rules of `corver.text.words` as arrays, for the compiled tokenizer.

In: the reference rules, code point by code point. Out: `RuleTables`, built once a process. It knows nothing of words:
how code points make words is the tokenizer's part.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from corver.text.words import CharKind, char_rule, words

__all__ = ["FLAG_ONE", "FLAG_S", "KIND_MASK", "RuleTables", "rule_tables"]

KIND_MASK = 0x0F
FLAG_S = 0x10  # becomes exactly "s"
FLAG_ONE = 0x20  # becomes exactly one code point
_PAGE = 256
_PLANES = ((0x0, 0x34000), (0xE0000, 0xE1000))  # all other code points are unassigned or private: separators


@dataclass(frozen=True, slots=True)
class RuleTables:
    """The rules as numpy arrays.

    plain: uint8 (256,), the folded ASCII letter or digit, 0 for every other byte. page: uint16 (4352,), code point >> 8
    to page. info: uint8 (pages * 256,), kind and flags. expansion: int32 (pages * 256,), number of the folded form, or
    -1 where a code point is its own form. starts: int64, pool: uint8, the folded forms in UTF-8; the words of an APART
    symbol are parted by a space.
    """

    plain: NDArray[np.uint8]
    page: NDArray[np.uint16]
    info: NDArray[np.uint8]
    expansion: NDArray[np.int32]
    starts: NDArray[np.int64]
    pool: NDArray[np.uint8]


def _is_han(code: int) -> bool:
    """The great blocks of characters that are words by themselves and fold to nothing else."""
    return 0x3400 <= code < 0x4DC0 or 0x4E00 <= code < 0xA000 or 0x20000 <= code < 0x2F800


def _entry(char: str) -> tuple[int, str]:
    if unicodedata.category(char) in ("Cn", "Co", "Cs"):
        return int(CharKind.SEPARATOR), ""
    if _is_han(ord(char)):
        return int(CharKind.SOLO) | FLAG_ONE, ""
    kind, expansion = char_rule.__wrapped__(char)
    info = int(kind) | (FLAG_S if expansion == "s" else 0) | (FLAG_ONE if len(expansion) == 1 else 0)
    return info, " ".join(words(expansion)) if kind is CharKind.APART else expansion


@lru_cache(maxsize=1)
def rule_tables() -> RuleTables:
    """The tables of this process; a few tenths of a second to make."""
    page = np.zeros(0x110000 // _PAGE, dtype=np.uint16)
    infos: list[bytes] = [bytes(_PAGE)]  # page 0 of the pool: nothing but separators
    numbers: list[NDArray[np.int32]] = [np.full(_PAGE, -1, dtype=np.int32)]
    known: dict[str, int] = {}
    forms: list[bytes] = []
    for start in (code for low, high in _PLANES for code in range(low, high, _PAGE)):
        info = bytearray(_PAGE)
        number = np.full(_PAGE, -1, dtype=np.int32)
        for low in range(_PAGE):
            char = chr(start + low)
            info[low], form = _entry(char)
            if form and form != char:
                if form not in known:
                    known[form] = len(forms)
                    forms.append(form.encode("utf-8"))
                number[low] = known[form]
        if any(info) or start == 0:
            page[start // _PAGE] = len(infos)
            infos.append(bytes(info))
            numbers.append(number)
    starts = np.zeros(len(forms) + 1, dtype=np.int64)
    np.cumsum([len(form) for form in forms], out=starts[1:])
    pool = np.frombuffer(b"".join(forms), dtype=np.uint8).copy()
    info_array = np.frombuffer(b"".join(infos), dtype=np.uint8).copy()
    plain = np.zeros(256, dtype=np.uint8)
    for code in range(128):
        if chr(code).isalnum():
            plain[code] = ord(chr(code).lower())
    return RuleTables(plain, page, info_array, np.concatenate(numbers), starts, pool)
