"""What stands in front of a clause: adverbs, "I think that", places and dates.

In: a scan and the range of a clause. Out: where the clause itself begins, and the phrases in front that tell something
of it. This module makes no pairs.
"""

from __future__ import annotations

from typing import NamedTuple

from corver.extract.lexicon import MONTHS, REPORTING, TALKERS
from corver.extract.phrases import Range, noun_phrase, verb_group
from corver.extract.scan import Scan

__all__ = ["Lead", "skip_leads"]

_DISCOURSE = frozenset({"yes", "no", "sure", "okay", "ok", "alright", "hello", "so", "note", "nope"})


class Lead(NamedTuple):
    """A phrase in front ("In 1903", "Born in Warsaw"): its opening words and its noun phrase."""

    opening: Range
    phrase: Range


def skip_leads(found: Scan, start: int, end: int) -> tuple[int, list[Lead]]:
    """Where the clause in [start, end) really begins, and the phrases that were passed over."""
    at = start
    leads: list[Lead] = []
    while at < end:
        tag, lower = found.tags[at], found.lower(at)
        if tag in "AC,:" or (lower in _DISCOURSE and found.tag(at + 1) in ",;"):
            at += 1
        elif tag in "PRVG":
            beyond = _beyond_lead(found, at, end)
            if beyond is None:
                break
            if tag in "PV":
                opening = verb_group(found, at) if tag == "V" else Range(at, at + 1)
                phrase = noun_phrase(found, opening.end)
                leads.append(Lead(opening, Range(phrase.start, min(phrase.end, beyond))))
            at = beyond
        elif tag == "O" and (opened := _opened_clause(found, at, end)) is not None:
            at = opened
        else:
            break
    return at, leads


def _opened_clause(found: Scan, at: int, end: int) -> int | None:
    """Where the clause begins that "I think that" or "It is known that" opens."""
    that = next((i for i in range(at + 1, min(at + 6, end)) if found.lower(i) == "that"), None)
    verbs = range(at + 1, that if that is not None else min(at + 3, end))
    if any(found.tags[i] in "NDT" for i in verbs if that is not None):
        return None
    if found.lower(at) == "it" and that is not None and found.tag(at + 1) == "B":
        return that + 1
    reporting = next((i for i in verbs if found.lower(i) in REPORTING), None)
    if reporting is None or found.lower(at) not in TALKERS:
        return None
    return that + 1 if that is not None else reporting + 1


def _beyond_lead(found: Scan, at: int, end: int) -> int | None:
    """The index after a phrase in front of the clause, None when it is no such phrase."""
    commas = [i for i in range(at + 1, end) if found.tags[i] == "," and not _in_date(found, i)]
    if commas and any(tag in "BVv" for tag in found.tags[commas[0] + 1 : end]):
        # "Born in Rome, Italy, she was …": the clause begins behind the comma that a subject and its verb follow.
        for comma, stop in zip(commas, [*commas[1:], end], strict=True):
            if found.tags[comma + 1] in "NDOTQw" and any(tag in "BVv" for tag in found.tags[comma + 2 : stop]):
                return comma + 1
        return commas[0] + 1
    if found.tags[at] != "P":
        return None
    stop = at + 1
    while found.tag(stop) in "TQ":
        stop += 1
    if found.tag(stop) == "D" or found.lower(stop) in MONTHS:
        while (
            found.tag(stop) == "D" or found.lower(stop) in MONTHS or (found.tag(stop) == "," and _in_date(found, stop))
        ):
            stop += 1
    else:
        while found.tag(stop) in "Nwo":
            stop += 1
        if found.tag(stop) not in "TOQ":
            return None
    return stop if stop < end and found.tag(stop) in "NTOQw" else None


def _in_date(found: Scan, comma: int) -> bool:
    return found.tag(comma - 1) == "D" and found.lower(comma - 2) in MONTHS and found.tag(comma + 1) == "D"
