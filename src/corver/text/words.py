"""What a word is: the reference tokenizer, in plain Python, one code point at a time.

In: any text. Out: folded words with the spans they were read from. An index, its queries and the scorer all take
their words from these rules; `docs/words.md` states them with a golden table. This module knows no index; the compiled
tokenizer of the index builder must return exactly what this one does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

__all__ = ["UNICODE_VERSION", "WORD_RULES_VERSION", "CharKind", "Token", "char_rule", "fold", "tokenize", "words"]

WORD_RULES_VERSION = 1
"""Rises with every change that makes some text yield other words; an index of other rules is refused."""

UNICODE_VERSION = unicodedata.unidata_version
"""Version of the character data; it matters only for characters that younger Unicode versions add."""


class CharKind(IntEnum):
    """The part a code point plays in a word. The numbers are those of the compiled tokenizer's tables."""

    SEPARATOR = 0  # ends a word
    LETTER = 1  # one or more folded letters that belong to the word
    DIGIT = 2  # one of 0-9, whatever script it was written in
    SOLO = 3  # a character of a script without spaces: a word by itself
    EXTEND = 4  # a mark that stays with what stands before it (vowel signs, viramas, kana voicing)
    IGNORE = 5  # dropped, and nothing ends: accents, soft hyphens, joiners
    APOSTROPHE = 6
    DOT = 7
    COMMA = 8
    SPACE = 9  # a plain or fixed-width space: a separator that may stand inside initials
    APART = 10  # a symbol that spells words of its own (½, ㎏, ㍿), apart from its neighbours


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its folded text and the half-open code-point span it was read from."""

    text: str
    start: int
    end: int


_APOSTROPHES = frozenset("'’‘‛ʼ`´")
_IGNORED_LETTERS = frozenset("ʹʺʻʽʾʿˀˁˆˇˈˉˊˋˌˍˎˏːˑˬˮـ")
_VARIATION = frozenset([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x034F, 0x180B, 0x180C, 0x180D, 0x180F])
_NO_WORDS = frozenset("™℠℻")
_UNDECOMPOSED = frozenset("\u0e33\u0eb3")
_LETTERS = str.maketrans(
    {
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "þ": "th", "ı": "i",
        "ĸ": "k", "ŋ": "ng", "ƀ": "b", "ɓ": "b", "ƃ": "b", "ƈ": "c", "ȼ": "c", "ɖ": "d", "ɗ": "d", "ƌ": "d",
        "ɇ": "e", "ǥ": "g", "ɠ": "g", "ɨ": "i", "ɉ": "j", "ƙ": "k", "ƚ": "l", "ɫ": "l", "ɲ": "n", "ƞ": "n",
        "ɵ": "o", "ƥ": "p", "ɍ": "r", "ʂ": "s", "ȿ": "s", "ƭ": "t", "ʈ": "t", "ⱦ": "t", "ʉ": "u", "ʋ": "v",
        "ƴ": "y", "ɏ": "y", "ƶ": "z", "ȥ": "z", "ɀ": "z", "ⱥ": "a", "ɑ": "a", "ɡ": "g", "ȷ": "j",
    }
)  # fmt: skip
_SOLO_RANGES = (
    (0x0E00, 0x0E7F),  # Thai
    (0x0E80, 0x0EFF),  # Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x303C),
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x3105, 0x312F),  # Bopomofo
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAADF),  # Myanmar extended, Tai Viet
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),  # Kana extended
    (0x20000, 0x323AF),  # Han
)


def _is_dropped_mark(char: str) -> bool:
    """Accents, points and harakat go; marks that carry vowels or distinguish consonants stay."""
    category = unicodedata.category(char)
    if category == "Me" or ord(char) in _VARIATION:
        return True
    combining = unicodedata.combining(char)
    return category == "Mn" and (combining == 1 or 10 <= combining <= 36 or combining >= 200)


def _is_solo(char: str) -> bool:
    code = ord(char)
    return any(low <= code <= high for low, high in _SOLO_RANGES)


def _expand(char: str) -> str:
    """Compatibility decomposition and case folding until nothing changes, then without accents, then the table."""
    if char in _UNDECOMPOSED:
        return char
    before, after = "", char
    while before != after:
        before, after = after, unicodedata.normalize("NFKD", after).casefold()
    kept = (c for c in after if not (_is_dropped_mark(c) or c in _IGNORED_LETTERS or c in _APOSTROPHES))
    return "".join(kept).translate(_LETTERS)


def _letter_rule(char: str) -> tuple[CharKind, str]:
    """Rule of a letter, a number or a kept mark."""
    expansion = _expand(char)
    if not expansion:
        return CharKind.IGNORE, ""
    categories = [unicodedata.category(c)[0] for c in expansion]
    if all(c == "M" for c in categories):
        return CharKind.EXTEND, expansion
    if _is_solo(expansion[0]) and categories[0] in "LN" and all(c == "M" for c in categories[1:]):
        return CharKind.SOLO, expansion
    if any(c not in "LNM" for c in categories) or any(_is_solo(c) for c in expansion):
        return CharKind.APART, expansion
    if len(expansion) == 1 and "0" <= expansion <= "9":
        return CharKind.DIGIT, expansion
    digit = unicodedata.decimal(char, None)
    return (CharKind.LETTER, expansion) if digit is None else (CharKind.DIGIT, str(digit))


def _symbol_rule(char: str, category: str) -> tuple[CharKind, str]:
    """Rule of punctuation, space, control character or symbol."""
    if category == "Cf":
        return (CharKind.SEPARATOR, "") if char == "\u200b" else (CharKind.IGNORE, "")
    base = unicodedata.normalize("NFKD", char)
    if base in _APOSTROPHES:
        return CharKind.APOSTROPHE, "'"
    single = {".": CharKind.DOT, ",": CharKind.COMMA, " ": CharKind.SPACE}.get(base)
    if single is not None:
        return single, base
    if category == "So" and base != char and char not in _NO_WORDS:
        expansion = _expand(char)
        if any(unicodedata.category(c)[0] in "LN" for c in expansion):
            return CharKind.APART, expansion
    return CharKind.SEPARATOR, ""


@lru_cache(maxsize=16384)
def char_rule(char: str) -> tuple[CharKind, str]:
    """The kind of one code point and what it becomes in a word ("" for separators and dropped characters)."""
    if char in _APOSTROPHES:
        return CharKind.APOSTROPHE, "'"
    if char in _IGNORED_LETTERS:
        return CharKind.IGNORE, ""
    category = unicodedata.category(char)
    if category[0] == "M":
        return (CharKind.IGNORE, "") if _is_dropped_mark(char) else _letter_rule(char)
    if category[0] in "LN":
        return _letter_rule(char)
    return _symbol_rule(char, category)


def fold(text: str) -> str:
    """The text with case, accents and compatibility forms folded; what is no part of a word stays as it is.

    fold(fold(x)) == fold(x), and tokens of a text are made of its folded characters.
    """
    pieces = []
    for char in text:
        kind, expansion = char_rule(char)
        pieces.append(char if kind is CharKind.SEPARATOR else expansion)
    return "".join(pieces)


_IN_WORD = frozenset({CharKind.LETTER, CharKind.DIGIT, CharKind.SOLO, CharKind.EXTEND})


class _Scanner:
    """One pass over a text: the word under construction and the look-aheads that the rules need.

    Each rule for a mark inside a word answers with the index to go on at and whether the word ends before the mark.
    """

    def __init__(self, text: str) -> None:
        rules = [char_rule(char) for char in text]
        self.kinds = [kind for kind, _ in rules]
        self.expansions = [expansion for _, expansion in rules]
        self.word: list[str] = []  # one entry a code point that was read
        self.start = self.end = 0
        self.all_digits = self.solo = self.grouped = False
        self.initials: CharKind | None = None  # what parts the initials of the word so far: DOT or SPACE
        self.chain_end = 0  # dots before this index part the numbers of a chain such as 12.05.1990

    def kind(self, i: int) -> CharKind:
        return self.kinds[i] if i < len(self.kinds) else CharKind.SEPARATOR

    def after_ignored(self, i: int) -> int:
        while self.kind(i) is CharKind.IGNORE:
            i += 1
        return i

    def is_one_letter(self, i: int) -> bool:
        return self.kind(i) is CharKind.LETTER and len(self.expansions[i]) == 1

    def add(self, i: int) -> None:
        if not self.word:
            self.start, self.all_digits, self.solo, self.grouped = i, True, False, False
        self.word.append(self.expansions[i])
        self.all_digits = self.all_digits and self.kinds[i] is CharKind.DIGIT
        self.initials = None
        self.end = i + 1

    def flush(self) -> Iterator[Token]:
        if self.word:
            yield Token("".join(self.word), self.start, self.end)
            self.word = []

    def tokens(self) -> Iterator[Token]:
        i = 0
        while i < len(self.kinds):
            kind = self.kinds[i]
            if kind in _IN_WORD:
                if kind is CharKind.SOLO or (self.solo and kind is not CharKind.EXTEND):
                    yield from self.flush()
                self.add(i)
                self.solo = self.solo or kind is CharKind.SOLO
                i += 1
            elif kind is CharKind.IGNORE:
                self.end = i + 1
                i += 1
            else:
                following, ends = self.mark(i)
                if ends:
                    yield from self.flush()
                if kind is CharKind.APART:
                    yield from (Token(word, i, i + 1) for word in words(self.expansions[i]))
                i = following
        yield from self.flush()

    def mark(self, i: int) -> tuple[int, bool]:
        """What a code point that is no part of a word does to the word before it."""
        kind = self.kinds[i]
        if self.word and not self.solo:
            if kind is CharKind.APOSTROPHE:
                return self.apostrophe(i)
            if kind is CharKind.COMMA:
                return self.comma(i)
            if kind is CharKind.DOT:
                return self.decimal(i) if self.all_digits else self.initial(i)
        return i + 1, True

    def apostrophe(self, i: int) -> tuple[int, bool]:
        """Possessives lose their s, single letters (l', O', d') part, everything else joins."""
        j = self.after_ignored(i + 1)
        if self.kind(j) not in (CharKind.LETTER, CharKind.DIGIT):
            return i + 1, True
        if self.expansions[j] == "s" and not "0" <= self.word[-1][-1] <= "9":
            after = self.after_ignored(j + 1)
            if self.kind(after) not in _IN_WORD:
                return after, True
        one_letter = len(self.word) == 1 and len(self.word[0]) == 1 and not self.all_digits
        return i + 1, one_letter

    def comma(self, i: int) -> tuple[int, bool]:
        """Thousands: one to three digits, then groups of exactly three."""
        if self.all_digits and (self.grouped or len(self.word) <= 3):
            three = all(self.kind(j) is CharKind.DIGIT for j in range(i + 1, i + 4))
            if three and self.kind(i + 4) is not CharKind.DIGIT:
                self.grouped = True
                return i + 1, False
        return i + 1, True

    def decimal(self, i: int) -> tuple[int, bool]:
        """One dot between digits makes a decimal; several make a chain of separate numbers."""
        if i < self.chain_end or self.kind(i + 1) is not CharKind.DIGIT:
            return i + 1, True
        end, dots = i, 0
        while self.kind(end) is CharKind.DIGIT or (
            self.kind(end) is CharKind.DOT and self.kind(end + 1) is CharKind.DIGIT
        ):
            dots += self.kind(end) is CharKind.DOT
            end += 1
        if dots > 1:
            self.chain_end = end
            return i + 1, True
        self.word.append(".")
        self.all_digits = False
        return i + 1, False

    def initial(self, i: int) -> tuple[int, bool]:
        """J.R.R. and J. R. R. are one word: single letters, each with its dot, all tight or all spaced."""
        single = len(self.word) == 1 and len(self.word[0]) == 1 and self.kinds[self.start] is CharKind.LETTER
        if not single and self.initials is None:
            return i + 1, True
        if self.initials is not None and self.kind(i + 1) is CharKind.APOSTROPHE:
            return i + 1, False
        if self.initials is not CharKind.SPACE and self.is_one_letter(i + 1):
            after = self.after_ignored(i + 2)
            if self.kind(after) not in _IN_WORD:
                self.add(i + 1)
                self.initials = CharKind.DOT
                return after, False
        if self.initials is not CharKind.DOT and self.kind(i + 1) is CharKind.SPACE and self.is_one_letter(i + 2):
            dot = self.after_ignored(i + 3)
            if self.kind(dot) is CharKind.DOT and self.kind(dot + 1) not in _IN_WORD:
                self.add(i + 2)
                self.initials = CharKind.SPACE
                return dot, False
        return i + 1, True


def tokenize(text: str) -> list[Token]:
    """The words of a text in order, with code-point spans into the text as it was given."""
    return list(_Scanner(text).tokens())


def words(text: str) -> list[str]:
    """The folded words of a text in order."""
    return [token.text for token in _Scanner(text).tokens()]
