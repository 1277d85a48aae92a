"""Grade a short answer against the accepted ones: correct, wrong or not attempted.

In: a prediction, the gold answers with their aliases, and perhaps the question. Out: an `AnswerLabel`. Three rules:
`lenient` compares what the answers mean (see `corver.text.answers.lenient`); `words` finds a gold answer as whole words
in a row; `paper` is the published substring match, either way round. This module knows nothing of completions, tags or
rewards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from corver.text.answers.forms import answer_words, paper_form
from corver.text.answers.lenient import lenient_match
from corver.text.answers.refusals import is_refusal
from corver.text.stopwords import STOPWORDS
from corver.types import AnswerLabel

__all__ = ["EXTRA_WORDS", "MatchRule", "grade", "matches"]

MatchRule: TypeAlias = Literal["words", "lenient", "paper"]

EXTRA_WORDS = 12
"""How many words a prediction may hold beyond the gold answer before naming it no longer counts.

A short sentence around the answer is fine; a list of guesses is not.
"""


def matches(
    prediction: str,
    golds: Sequence[str],
    *,
    rule: MatchRule = "words",
    extra_words: int = EXTRA_WORDS,
    question: str | None = None,
) -> bool:
    """Whether the prediction names one of the accepted answers.

    words: some gold answer stands in the prediction as consecutive whole words (a middle name may come between), and
    the prediction is at most `extra_words` longer than it. paper: of the two lower-cased strings one contains the other
    (arXiv 2605.29648's release; it takes "1" for "1912"). lenient: the prediction means the same; question, if it is
    known, says how precise that must be. Nothing matches an empty prediction or an empty gold.
    """
    if rule == "paper":
        spoken = paper_form(prediction)
        return bool(spoken) and any(
            gold in spoken or spoken in gold for gold in (paper_form(gold) for gold in golds) if gold
        )
    if rule == "lenient":
        return lenient_match(prediction, golds, question=question, extra_words=extra_words)
    spoken_words = answer_words(prediction)
    return any(
        len(spoken_words) <= len(gold) + extra_words and _contains(spoken_words, gold)
        for gold in (answer_words(gold) for gold in golds)
        if gold
    )


def grade(
    prediction: str,
    golds: Sequence[str],
    *,
    rule: MatchRule = "words",
    extra_words: int = EXTRA_WORDS,
    question: str | None = None,
) -> AnswerLabel:
    """Label a prediction. A match comes first, so that a gold answer that sounds like a refusal is still right."""
    if rule != "paper" and _literal(prediction) in {_literal(gold) for gold in golds} - {""}:
        return "correct"  # even where there is no word in it, as in an emoji
    if matches(prediction, golds, rule=rule, extra_words=extra_words, question=question):
        return "correct"
    if not answer_words(prediction):
        return "not_attempted"
    return "not_attempted" if is_refusal(prediction) else "wrong"


def _literal(text: str) -> str:
    return " ".join(text.casefold().split())


def _contains(longer: tuple[str, ...], gold: tuple[str, ...]) -> bool:
    """Whether the words of `gold` stand in a row; inside a name, one further name may stand between two of them."""
    name = 2 <= len(gold) <= 3 and all(word.isalpha() for word in gold)
    return any(
        word == gold[0] and _stands_at(longer, at, gold, slack=1 if name else 0) for at, word in enumerate(longer)
    )


def _stands_at(longer: tuple[str, ...], at: int, gold: tuple[str, ...], *, slack: int) -> bool:
    for wanted in gold[1:]:
        at += 1
        if slack and longer[at + 1 : at + 2] == (wanted,) and longer[at] != wanted and longer[at] not in STOPWORDS:
            at += 1
        if longer[at : at + 1] != (wanted,):
            return False
    return True
