"""The subject of a clause.

In: a scan, where a clause begins and where its verb stands. Out: the tokens of its subject, narrowed to the name that
it is about. This module makes no pairs and resolves no pronouns.
"""

from __future__ import annotations

from typing import NamedTuple

from corver.extract.phrases import Range, is_named, narrow, noun_phrase, text_of
from corver.extract.scan import Scan

__all__ = ["Head", "find_head"]


class Head(NamedTuple):
    """A subject: its tokens, and the words that belong to the relation ("capital of" in "the capital of France")."""

    tokens: Range
    prefix: str = ""


def find_head(found: Scan, at: int, verb: int) -> Head | None:
    """The subject of the clause whose verb stands at `verb`."""
    if found.tags[at] == "O":
        return Head(Range(at, at + 1))
    # A preposition here opened no lead, so it begins a title: "Inside Llewyn Davis won …".
    opening = found.tags[at] == "P"
    phrase = noun_phrase(found, at + opening, title=True)
    phrase = Range(at if opening and phrase.end > phrase.start else phrase.start, min(phrase.end, verb))
    owner = next((i for i in range(at, phrase.start) if found.tags[i] == "Q"), None)
    if owner is not None:
        # "His wife", "some of his works"
        return Head(Range(owner, owner + 1), text_of(found, phrase)) if phrase.end > phrase.start else None
    if phrase.end <= phrase.start:
        return None
    while found.tag(phrase.end) == "C" and phrase.end + 1 < verb:
        second = noun_phrase(found, phrase.end + 1)
        if not phrase.end + 1 < second.end <= verb:
            break
        phrase = Range(phrase.start, second.end)
    if found.tag(phrase.end) == "," and found.tag(phrase.end + 1) in "ND":
        # "Palo Alto, California is …": without a second comma it is all one name.
        second = noun_phrase(found, phrase.end + 1)
        if second.end == verb and is_named(found, phrase):
            return Head(Range(phrase.start, verb))
    if not is_named(found, phrase):
        inner = _last_name(found, phrase.end, verb)
        if inner is None and found.lower(phrase.end) == "for":
            inner = noun_phrase(found, phrase.end + 1)
        if inner is not None and phrase.end < inner.end <= verb:
            return Head(inner, text_of(found, Range(phrase.start, inner.start)))
    prefix, core = narrow(found, phrase)
    return Head(core, prefix)


def _last_name(found: Scan, start: int, end: int) -> Range | None:
    """The last named phrase in [start, end), as in "the man who wrote Hamlet is …"."""
    best: Range | None = None
    at = start
    while at < end:
        if found.tags[at] in "PoVvRGB":
            phrase = noun_phrase(found, at + 1)
            phrase = Range(phrase.start, min(phrase.end, end))
            if phrase.end > phrase.start and is_named(found, phrase):
                best = narrow(found, phrase)[1]
                at = phrase.end
                continue
        at += 1
    return best
