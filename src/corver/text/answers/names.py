"""Are two names of people the same name?

In: the words of two names. Out: yes or no. Titles count for nothing, middle names may be missing, given names may be
initials or short forms, and the order may be turned. This module knows no text and no question.
"""

from __future__ import annotations

from collections.abc import Sequence

from corver.text.answers.given import COMMON_SURNAMES
from corver.text.answers.lexicon import OCCUPATIONS, PARTICLES, SUFFIX_TITLES, TITLES
from corver.text.answers.numbers import Term
from corver.text.answers.places import DEMONYMS
from corver.text.answers.wordforms import is_slip, same_name

__all__ = ["bare_name", "is_surname_of", "same_person"]

_LEAST_SURNAME = 4


def bare_name(terms: Sequence[Term]) -> tuple[str, ...]:
    """The words of a name without titles, occupations and suffixes before and behind it; never nothing."""
    kept = [term.word for term in terms]
    while len(kept) > 1 and kept[-1] in SUFFIX_TITLES:
        kept.pop()
    while len(kept) > 1 and _describes(kept):
        kept.pop(0)
    return tuple(kept)


def _describes(words: Sequence[str]) -> bool:
    """Whether the first word only says what the person is: "Sir", "actor", "Portuguese explorer"."""
    if words[0] in TITLES or words[0] in OCCUPATIONS:
        return True
    return len(words) > 2 and words[0] in DEMONYMS and (words[1] in OCCUPATIONS or words[1] in TITLES)


def same_person(said: Sequence[str], meant: Sequence[str]) -> bool:
    """Whether two bare names of at least two words are one person's.

    The surnames agree, and of the given names those that both have agree in order. "Mary Wollstonecraft" is not "Mary
    Wollstonecraft Shelley".
    """
    if len(said) < 2 or len(meant) < 2:
        return False
    short, long = (said, meant) if len(said) <= len(meant) else (meant, said)
    if len(short) == len(long) == 2 and same_name(short[0], long[1]) and same_name(short[1], long[0]):
        return True
    if len(long) <= 3 and "".join(short) in {"".join((*long[at:], *long[:at])) for at in range(len(long))}:
        return True  # "Xiu Li Dai", "Dai Xiuli"
    if _second_surname(short, long):
        return True
    if _is_misspelt(short, long):
        return True
    return same_name(short[-1], long[-1]) and _given_fit(short[:-1], long[:-1])


def _is_misspelt(short: Sequence[str], long: Sequence[str]) -> bool:
    """ "Nick Sager", "Nick Sagar": a slip in one name of five letters or more where the others agree to the letter."""
    unlike = [(one, other) for one, other in zip(short, long, strict=False) if one != other]
    return len(short) == len(long) and len(unlike) == 1 and is_slip(*unlike[0])


def _given_fit(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether all given names of the shorter name stand in the longer one, in order; initials stand for names."""
    short = [word for word in short if word not in PARTICLES] or list(short)
    long = [word for word in long if word not in PARTICLES] or list(long)
    if len(short) == 1 and _initials_fit(short[0], long):
        return True
    if len(long) == 1 and _initials_fit(long[0], short):
        return True
    at = 0
    for word in short:
        while at < len(long) and not _given_same(word, long[at]):
            at += 1
        if at == len(long):
            return False
        at += 1
    return True


def _given_same(one: str, other: str) -> bool:
    if same_name(one, other):
        return True
    return min(len(one), len(other)) == 1 and one[0] == other[0]


def _initials_fit(letters: str, names: Sequence[str]) -> bool:
    """ "jrr" for John Ronald Reuel, "jk" for Joanne: as many as are written must fit, one at the least."""
    if not 1 <= len(letters) <= 3 or not letters.isalpha() or not names:
        return False
    initials = "".join(name[0] for name in names)
    if any(len(name) < 2 for name in names):
        return letters == "".join(names) or letters == initials
    return initials.startswith(letters) or (len(letters) == 2 and letters.startswith(initials))


def _second_surname(short: Sequence[str], long: Sequence[str]) -> bool:
    """ "Óscar Romero" is "Óscar Arnulfo Romero y Galdámez": the surname before "y" is the one in use."""
    if "y" not in long[1:-1]:
        return False
    cut = long.index("y")
    return same_name(short[-1], long[cut - 1]) and _given_fit(short[:-1], long[: cut - 1])


def is_surname_of(word: str, name: Sequence[str]) -> bool:
    """Whether one word is the surname of a name of two or three words, and rare enough to say who is meant."""
    return (
        2 <= len(name) <= 3
        and same_name(word, name[-1])
        and len(word) >= _LEAST_SURNAME
        and word.isalpha()
        and word not in COMMON_SURNAMES
    )
