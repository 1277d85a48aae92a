"""Does an answer decline to answer?

In: an answer. Out: yes or no. "I don't know" in its many wordings is a refusal; followed by a guess ("… but maybe
Paris") it is an attempt. This module knows no accepted answer.
"""

from __future__ import annotations

import re

from corver.text.answers.forms import folded

__all__ = ["guess_of", "is_doubt", "is_refusal"]

# Patterns over folded words as `words` gives them: "don't" is "dont", "I'm" is "i m", "N/A" is "n a".
_SORRY = (
    r"(?:(?:(?:i am|i m|we are)? ?(?:very |so )?sorry|unfortunately|well|hmm|um|oh|but|apologies|i apologi[sz]e) )*"
)
_ADVERB = r"(?:(?:really|honestly|simply|just|actually|currently|truly|still|even|quite|entirely|100) )*"
_WHO = rf"(?:(?:i|we) (?:am |are |m |re )?)?{_ADVERB}"
_CANNOT = r"(?:do not|dont|did not|didnt|cannot|can not|cant|could not|couldnt)"
_KNOW = r"(?:know|recall|remember|answer|provide|determine|find|tell|say|have|be (?:sure|certain))"
_UNSURE = (
    rf"(?:not {_ADVERB}(?:sure|certain|aware|able|familiar)|unsure|uncertain|unaware|unable"
    r"|(?:have )?no (?:idea|clue)|dunno|idk)"
)
_TOPIC = r"(?:(?:the|this|that|it|there|exact|correct|answer|information|question|is|are|was|remains|an?) )*"
_UNKNOWN = (
    r"(?:unknown|unclear|undetermined|unavailable|not (?:known|available|specified|provided|given|clear)"
    r"|no (?:answer|information|data)|insufficient (?:information|data)|cannot be (?:answered|determined|known))"
)
_TAIL = r"(?: (?:to me|answer|information|available|given|provided|here|yet|sorry|at this time))*"
_REFUSAL = re.compile(
    rf"{_SORRY}(?:{_WHO}{_CANNOT} {_ADVERB}{_KNOW}\b|{_WHO}{_UNSURE}\b|{_TOPIC}{_UNKNOWN}{_TAIL}$"
    r"|(?:na|n a|no answer|not applicable|none of the above|no comment)$)"
)
_HEDGE = re.compile(
    r"\b(?:but|maybe|perhaps|possibly|probably|guess|might be|could be|may be|i think|i believe|i would say)\b"
)


def is_refusal(prediction: str) -> bool:
    """Whether the answer declines to answer. A refusal followed by a guess ("… but maybe Paris") is an attempt."""
    spoken = " ".join(folded(prediction))
    found = _REFUSAL.match(spoken)
    return found is not None and _HEDGE.search(spoken, found.end()) is None


_DOUBT = re.compile(rf"{_SORRY}{_WHO}(?:{_CANNOT} {_ADVERB}{_KNOW}|{_UNSURE}) (?:if|whether)\b")


def is_doubt(prediction: str) -> bool:
    """Whether the answer says of what it names that it does not know: "I don't know if it is Paris"."""
    if " if " not in prediction and " whether " not in prediction:
        return False
    spoken = " ".join(folded(prediction))
    found = _DOUBT.match(spoken)
    return found is not None and _HEDGE.search(spoken, found.end()) is None


_GUESS = re.compile(
    r"^.{0,40}?\b(?:do(?:n['’]?t| not) (?:really )?(?:know|recall|remember)|not (?:\w+ )?(?:sure|certain)"
    r"|no (?:idea|clue)|unsure|uncertain|can(?:not|['’]?t| not) (?:be sure|say|tell))\b[^,.;:\n]{0,60}[,.;:\n]\s*"
    r"(?:(?:but|though|however)\W+)?"
    r"(?:(?:maybe|perhaps|possibly|probably|(?:my|the) (?:best )?guess (?:is|would be)"
    r"|(?:if i had to guess|i(?:['’]d| would)? (?:guess|think|believe|say))(?: that)?"
    r"|it (?:might|could|may) (?:have been|be))[:,]?\s+)+",
    re.IGNORECASE,
)


def guess_of(prediction: str) -> str:
    """What an answer guesses at after owning up ("I'm not sure, but maybe Paris": "Paris"); else the answer itself."""
    found = _GUESS.match(prediction)
    return prediction[found.end() :] if found else prediction
