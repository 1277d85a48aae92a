"""Questions that give the answers to choose from: "did Athens or Sparta win", "who is taller, Ann Lee or Eve".

In: a question and answers. Out: whether two answers take the same side. The words around the last "or" are the sides;
where they end is not asked, only on which side of it a word stands. This module knows no dates and no numbers.
"""

from __future__ import annotations

from functools import lru_cache

from corver.text.answers.reading import Answer
from corver.text.answers.wordforms import any_like, related
from corver.text.words import words

__all__ = ["same_choice"]

_REACH = 4
"""Words on either side of "or" that may name what is to be chosen."""


def same_choice(said: Answer, gold: Answer, question: str | None) -> bool:
    """Whether an answer is a part of the accepted one that is enough to tell the sides of the question apart."""
    sides = _sides(question) if question is not None else None
    if sides is None or said.numbers or not all(any_like(related, word, gold.words) for word in said.words):
        return False
    for own, other in (sides, sides[::-1]):
        if not any(any_like(related, word, other) for word in gold.words):
            return any(any_like(related, word, own) for word in said.words)
    return False


@lru_cache(maxsize=1 << 14)
def _sides(question: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words before and behind the last "or", without those that stand on both sides."""
    asked = words(question)
    if "or" not in asked:
        return None
    at = len(asked) - 1 - asked[::-1].index("or")
    before, behind = asked[max(0, at - _REACH) : at], asked[at + 1 : at + 1 + _REACH]
    return tuple(word for word in before if word not in behind), tuple(word for word in behind if word not in before)
