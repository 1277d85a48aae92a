"""Training questions that an evaluation asks too: found, left out, reported.

In: training questions and held-out ones. Out: the training questions that may be used, and the pairs that were alike.
Two rules: the same words in the same order (case, punctuation and accents aside), and the same content words in any
order, two at least. Content words are all but the stop words of `corver.text.stopwords`, and what is asked for (who,
when, where, why, how). Of three or more, one may be spelt otherwise ("movie", "movies") unless it has a digit or is
what is asked for. A rule of words finds no paraphrase in other words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from corver.evaluate.questions import Question
from corver.text.stopwords import STOPWORDS
from corver.text.words import words
from corver.train.questions import gist

__all__ = ["Overlap", "without_overlap"]

_ALIKE = 80.0
"""Least similarity, of 100, of two spellings of a word (rapidfuzz's normalised indel similarity)."""
_LEAST_WORDS = 3
"""Of fewer content words than this, all must be the same."""
_ASKED = frozenset({"who", "when", "where", "why", "how"})

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What was left out: the number of questions that are the same, and (training, held-out) pairs that are alike."""

    same: int
    alike: tuple[tuple[str, str], ...]


def without_overlap(questions: Sequence[Question], held_out: Sequence[Question]) -> tuple[list[Question], Overlap]:
    """The questions that no held-out one is the same as or alike, in order."""
    gists = {gist(one.question) for one in held_out}
    known = _Held([one.question for one in held_out])
    kept: list[Question] = []
    same, alike = 0, []
    for one in questions:
        if gist(one.question) in gists:
            same += 1
        elif (match := known.alike(one.question)) is not None:
            alike.append((one.question, match))
        else:
            kept.append(one)
    return kept, Overlap(same, tuple(alike))


class _Held:
    """Held-out questions by their content words, and by all of these but one."""

    def __init__(self, questions: Sequence[str]) -> None:
        self._whole: dict[_Key, str] = {}
        self._but_one: dict[_Key, list[tuple[str, str]]] = {}
        for question in questions:
            content = _content(question)
            if len(content) > 1 and self._whole.setdefault(content, question) == question:
                for rest, word in _without_one(content):
                    self._but_one.setdefault(rest, []).append((word, question))

    def alike(self, question: str) -> str | None:
        content = _content(question)
        if content in self._whole:
            return self._whole[content]
        for rest, word in _without_one(content):
            for other, match in self._but_one.get(rest, ()):
                if fuzz.ratio(word, other) >= _ALIKE:
                    return match
        return None


def _content(question: str) -> _Key:
    return tuple(sorted({word for word in words(question) if word in _ASKED or word not in STOPWORDS}))


def _without_one(content: _Key) -> Iterator[tuple[_Key, str]]:
    if len(content) < _LEAST_WORDS:
        return
    for place, word in enumerate(content):
        if word not in _ASKED and not any(character.isdigit() for character in word):
            yield content[:place] + content[place + 1 :], word
