"""Is one answer short for another: initials, and the short forms in common use?

In: two answers. Out: yes or no. "KKK" is Ku Klux Klan, "NYC" New York City, "the US Navy" the United States Navy,
"C. capillata" Cyanea capillata. This module knows no question.
"""

from __future__ import annotations

from collections.abc import Sequence

from corver.text.answers.lexicon import ABBREVIATIONS, KINDS
from corver.text.answers.reading import Answer

__all__ = ["is_short_for"]

_LONGEST = 7
"""Letters of a word that may be initials."""


def is_short_for(one: Answer, other: Answer) -> bool:
    """Whether either is short for the other."""
    if _stands_for(one, other) or _stands_for(other, one) or _has_initial(one.words, other.words):
        return True
    several = len(one.words) > 1 and len(other.words) > 1
    return several and sorted(_written_out(one.words)) == sorted(_written_out(other.words))


def _stands_for(short: Answer, long: Answer) -> bool:
    words = [word for word in short.words if word not in KINDS] or list(short.words)
    if len(words) != 1:
        return False
    letters, content = words[0], long.words
    known = ABBREVIATIONS.get(letters)
    if known is not None and (content == known or (len(known) > 1 and content[: len(known)] == known)):
        return True
    if not letters.isalpha() or len(content) < 2:
        return False
    if not 2 <= len(letters) <= _LONGEST or (len(letters) < 3 and not short.terms[0].capital):
        return False
    initials = "".join(word[0] for word in content)
    every = "".join(term.word[0] for term in long.terms)
    # Two letters are initials only in capitals: "IB", not "Ib".
    least = 2 if len(letters) == 2 and short.text.strip(" .").isupper() else 3
    return len(content) >= least and letters in (initials, every)


def _has_initial(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """ "C. capillata" for "Cyanea capillata"."""
    return (
        len(ours) == len(theirs) == 2
        and ours[1] == theirs[1]
        and 1 in (len(ours[0]), len(theirs[0]))
        and ours[0][0] == theirs[0][0]
    )


def _written_out(words: Sequence[str]) -> list[str]:
    """The words with every short form in full."""
    return [full for word in words for full in ABBREVIATIONS.get(word, (word,))]
