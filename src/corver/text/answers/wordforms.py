"""When are two words the same word? Spelling variants, transliterations, inflections, slips of the keyboard.

In: two folded words. Out: yes or no. This module knows words one at a time, no names of people but how names are
shortened, and nothing of numbers: a word with a digit equals itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from corver.text.answers.given import NICKNAMES
from corver.text.answers.lexicon import ABBREVIATIONS, YES_NO
from corver.text.answers.places import DEMONYMS, STATE_CODES

__all__ = [
    "MIXED_INITIALS",
    "any_like",
    "is_slip",
    "one_country",
    "related",
    "same_name",
    "same_word",
    "skeleton",
    "stands_for",
]

MIXED_INITIALS = frozenset("kqgcjyd")
"""First letters between which transliterations choose."""

_LEAST_TYPO = 6
_LONG_TYPO = 11
_LEAST_SKELETON = 5
_LEAST_STEM = 4

# British and American, and letters that transliterations choose between. Applied in this order.
_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=[a-z]{2})our(?=$|s$|e|i|a|l)", "or"),
        (r"(?<=[a-z]{3})is(?=e$|ed$|es$|ing$|ation)", "iz"),
        (r"(?<=[bt])re$", "er"),
        (r"(?<=[bt])res$", "ers"),
        (r"ogue(?=s?$)", "og"),
        (r"(?<=[a-z]{2})yse(?=[drs]?$)", "yze"),
        (r"grey", "gray"),
        (r"mould", "mold"),
        (r"plough", "plow"),
        (r"alumini", "alumin"),
        (r"jewellery", "jewelry"),
        (r"programme", "program"),
        (r"cheque", "check"),
        (r"tyre", "tire"),
    )
)
_SOUNDS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"tsch|tch|tsh|dzh", "ch"),
        (r"sch", "sh"),
        (r"(?<=[a-z])dj", "j"),
        (r"^dj", "j"),
        (r"kh|gh|qh|ck|q", "k"),
        (r"^g(?=ad)", "k"),
        (r"ph", "f"),
        (r"w", "v"),
        (r"ae|oe", "e"),
        (r"ue|ou|oo", "u"),
        (r"ee|ie|y|j(?=[aeou])", "i"),
        (r"r+h", "r"),
        (r"(?<=[aeiou])h(?![aeiou])", ""),
        (r"dh|th", "t"),
        (r"(.)\1", r"\1"),
        (r"ii", "i"),
    )
)

# What may follow one stem in words of one meaning, longest first.
_SUFFIXES = frozenset(
    """
    s es ies ied y e ed d ing ings er ers or ors ion ions ation ations al ial ical ally ic ics ive ative ature ure ity
    ty cy acy ate ated ates ating ism ist ists an ian ians n ese ish ment ments ly ness able ible en ous eous ry ery
    te ting ted t age
    """.split()  # noqa: SIM905 - a list of words reads as one
) | {""}
_IRREGULAR = {
    "children": "child", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth", "mice": "mouse",
    "geese": "goose", "people": "person", "wolves": "wolf", "lives": "life", "leaves": "leaf", "knives": "knife",
    "wives": "wife", "died": "die", "dying": "die", "death": "die", "deaths": "die", "dead": "die", "won": "win",
    "lost": "lose", "loss": "lose", "birth": "bear", "born": "bear", "sang": "sing", "sung": "sing", "song": "sing",
    "songs": "sing", "wrote": "write", "written": "write", "flew": "fly", "flight": "fly", "thieves": "thief",
    "criteria": "criterion", "phenomena": "phenomenon", "bacteria": "bacterium", "fungi": "fungus", "cacti": "cactus",
    "nuclei": "nucleus", "vertebrae": "vertebra", "larvae": "larva", "oxen": "ox", "halves": "half",
}  # fmt: skip


def same_word(one: str, other: str) -> bool:
    """The same word but for spelling, transliteration, plural or a slip: "colours", "color"; "Gaddafi", "Qaddafi".

    A country, its people and its language count as one word.
    """
    return (
        one == other
        or _same(one, other)
        or _plural(one, other)
        or one_country(one, other)
        or ABBREVIATIONS.get(one) == (other,)
        or ABBREVIATIONS.get(other) == (one,)
    )


def same_name(one: str, other: str) -> bool:
    """The same part of a name: no plurals ("Robert" is not "Roberts"), but short forms ("Tom", "Thomas")."""
    if (
        one == other
        or (one in NICKNAMES and other in NICKNAMES[one])
        or (other in NICKNAMES and one in NICKNAMES[other])
    ):
        return True
    return _same(one, other)


@lru_cache(maxsize=1 << 16)
def related(one: str, other: str) -> bool:
    """Words of one stem: "executes", "executed"; "accuracy", "accurate"; a country and its people or language."""
    if same_word(one, other):
        return True
    if _has_digit(one) or _has_digit(other):
        return False
    if _IRREGULAR.get(one, one) == _IRREGULAR.get(other, other):
        return True
    return _one_stem(one, other)


@lru_cache(maxsize=1 << 16)
def _same(one: str, other: str) -> bool:
    if _has_digit(one) or _has_digit(other) or not one or not other:
        return False
    if _american(one) == _american(other):
        return True
    short, long = sorted((len(one), len(other)))
    if short >= _LEAST_SKELETON and one[0] == other[0] and skeleton(one) == skeleton(other):
        return True
    if short >= _LEAST_SKELETON and long - short <= 2 and {one[0], other[0]} <= MIXED_INITIALS \
            and skeleton(one) == skeleton(other):  # fmt: skip
        return True
    return _slip(one, other, short)


def _slip(one: str, other: str, short: int) -> bool:
    """A letter too many, too few, wrong or swapped; two in long words. The first letter must hold."""
    if short < _LEAST_TYPO - 1 or one[0] != other[0]:
        return False
    allowed = 2 if short >= _LONG_TYPO else 1
    distance = OSA.distance(one, other, score_cutoff=allowed)
    if distance > allowed:
        return False
    # Of five letters only a swap or a doubled letter is surely a slip: "Texas" and "Taxas", but not "Maria", "Marie".
    if short < _LEAST_TYPO:
        return sorted(one) == sorted(other)
    # A changed ending is another word or another name more often than a slip.
    return one[-1] == other[-1] or sorted(one) == sorted(other)


def is_slip(one: str, other: str) -> bool:
    """One letter of five or more is wrong, missing, too much or swapped: enough where all else of a name agrees."""
    return (
        min(len(one), len(other)) >= _LEAST_TYPO - 1
        and one[0] == other[0]
        and one.isalpha()
        and other.isalpha()
        and OSA.distance(one, other, score_cutoff=1) <= 1
    )


def _plural(one: str, other: str) -> bool:
    long, short = (one, other) if len(one) > len(other) else (other, one)
    if len(short) < 3 or _has_digit(long):
        return _IRREGULAR.get(long) == short
    return (
        long in (short + "s", short + "es")
        or (short.endswith("y") and long == short[:-1] + "ies")
        or _IRREGULAR.get(long, long) == _IRREGULAR.get(short, short)
    )


def _one_stem(one: str, other: str) -> bool:
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    least = max(_LEAST_STEM, (max(len(one), len(other)) + 1) // 2)
    return any(_endings(one[cut:], other[cut:], cut) for cut in range(least, shared + 1))


def _endings(one: str, other: str, stem: int) -> bool:
    """Whether two endings make words of one meaning from a stem of so many letters."""
    if one not in _SUFFIXES or other not in _SUFFIXES:
        return False
    if "n" in (one, other):
        return "" in (one, other)  # "Sparta", "Spartan"; but not "Martin", "Martian"
    return stem >= 5 or not (one and other)


def stands_for(word: str) -> tuple[str, ...]:
    """Other words that this one may stand for: a country for its people, a long name for a short one."""
    found = [*NICKNAMES.get(word, ()), *ABBREVIATIONS.get(word, ())[:1]]
    for table in (DEMONYMS, _IRREGULAR, STATE_CODES, YES_NO):
        if word in table:
            found.append(table[word])
    return tuple(found)


def one_country(one: str, other: str) -> bool:
    """ "Portugal", "Portuguese"."""
    return one in DEMONYMS and DEMONYMS[one] == DEMONYMS.get(other)


@lru_cache(maxsize=1 << 16)
def _american(word: str) -> str:
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word.replace("ll", "l")


@lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """The word as one of its transliterations: "Tchaikovsky" and "Chaikovskii", "Muhammad" and "Mohammed" stay apart
    only by vowels."""
    for pattern, replacement in _SOUNDS:
        word = pattern.sub(replacement, word)
    return word


def _has_digit(word: str) -> bool:
    return any("0" <= char <= "9" for char in word)


def any_like(alike: Callable[[str, str], bool], word: str, others: Sequence[str] | frozenset[str]) -> bool:
    """Whether a word is one of some others, or like one of them."""
    return word in others or any(alike(word, other) for other in others)
