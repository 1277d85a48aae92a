"""Noun phrases and verb groups over a scanned sentence.

In: a `Scan` and a position. Out: ranges of tokens, half-open. This module knows no clauses and makes no pairs.
"""

from __future__ import annotations

from typing import NamedTuple

from corver.extract.lexicon import LIGHT_NOUNS, MONTHS, PARTICIPLES, PLURALS, TWO_PART_NAMES
from corver.extract.scan import Scan

__all__ = ["Range", "find_verb", "is_named", "narrow", "noun_phrase", "text_of", "verb_group"]

_AFTER_COMMA = frozenset({"jr.", "sr.", "inc.", "ltd.", "d.c.", "jr", "sr", "inc", "dc", "ltd", "llc"})
_MAX_YEAR_DIGITS = 4


class Range(NamedTuple):
    """Tokens start … end − 1."""

    start: int
    end: int


def text_of(found: Scan, span: Range) -> str:
    """The text between the first and the last token of a range."""
    return found.text[found.starts[span.start] : found.ends[span.end - 1]] if span.end > span.start else ""


def is_named(found: Scan, span: Range) -> bool:
    """Whether a range holds a name or a number."""
    part = found.tags[span.start : span.end]
    return "N" in part or "D" in part


def noun_phrase(found: Scan, at: int, *, title: bool = False) -> Range:
    """The noun phrase that begins at `at`, without its determiners; empty when none begins there.

    Names, numbers, nouns and adjectives, "of" and what follows it, possessives, dates with their comma. title: small
    words between capitals belong to it too, as in "The Horseman on the Roof"; right for subjects only.
    """
    start = at
    while found.tag(start) in "TQA" or (found.tag(start) == "o" and start > at and found.tags[start - 1] == "T"):
        start += 1
    end = start
    while (step := _step(found, start, end) or (_title_step(found, start, end) if title else 0)) > 0:
        end += step
    while end > start and found.tags[end - 1] in "oSTQ,C":
        end -= 1
    return Range(start, end)


def _step(found: Scan, start: int, at: int) -> int:
    """How many tokens from `at` on belong to the noun phrase begun at `start`; 0 when it ends here."""
    tag = found.tag(at)
    if tag in "NDw":
        return 0 if tag == "N" and at > start and _two_titles(found, at) else 1
    if at == start:
        return 1 if tag == "G" else 0
    following = found.tag(at + 1)
    if tag in "vG":
        return 1
    if tag == "S":
        return int(following in "NDwvGA")
    if tag == "o":
        skip = 1
        while found.tag(at + skip) in "TQ":
            skip += 1
        return skip if found.tag(at + skip) in "NDwGv" else 0
    if tag == ",":
        return _comma_step(found, at)
    if tag == "C" and found.lower(at) == "and":
        skip = 3 if following == "T" else 2
        if (found.lower(at - 1), found.lower(at + skip - 1)) in TWO_PART_NAMES:
            return skip
        return _adjective_step(found, start, at)
    return int(tag == "T" and found.lower(at) == "the" and found.tags[at - 1] == "N" and following == "N")


def _two_titles(found: Scan, at: int) -> bool:
    """Whether a closing and an opening quotation mark stand between two names ("Alien," "Heat")."""
    text, end, start = found.text, found.ends[at - 1], found.starts[at]
    return start - end > 1 and text[start - 1] in '"“' and text[end] in ',.;"”' and found.tags[at - 1] == "N"


def _title_step(found: Scan, start: int, at: int) -> int:
    """One or two small words between two capitalised ones."""
    if at == start or found.tags[at - 1] != "N":
        return 0
    skip = 0
    while skip < 2 and found.tag(at + skip) in "PTt":
        skip += 1
    return skip if skip and found.tag(at + skip) == "N" else 0


def _adjective_step(found: Scan, start: int, at: int) -> int:
    """A "Polish and French physicist" is one phrase: capitalised adjectives on both sides of the "and"."""
    end = at + 1
    while found.tag(end) == "N":
        end += 1
    adjectives = found.tag(start - 1) == "T" and at - start == 1 and found.tags[start] == "N" and end == at + 2
    return end - at if adjectives and found.tag(end) == "w" else 0


def _comma_step(found: Scan, at: int) -> int:
    """A comma inside a date (July 20, 1969) or before a suffix (Washington, D.C.) does not end the phrase."""
    if found.lower(at + 1) in _AFTER_COMMA:
        return 2
    day_or_month = found.tags[at - 1] == "D" or found.lower(at - 1) in MONTHS
    dated = day_or_month and (found.lower(at - 2) in MONTHS or found.lower(at - 1) in MONTHS)
    return 2 if dated and found.tag(at + 1) == "D" and len(found.words[at + 1]) == _MAX_YEAR_DIGITS else 0


def narrow(found: Scan, span: Range) -> tuple[str, Range]:
    """Reduce a phrase to the name that it is about: the words left over, and the range of the name.

    "the capital of France" is about France, "Marie Curie's husband" about Marie Curie, "the physicist Niels Bohr"
    about Niels Bohr, "the field of physics" about physics. A phrase without a name stays whole.
    """
    tags = found.tags
    for i in range(span.end - 2, span.start, -1):
        if tags[i] == "S":
            owner, owned = Range(span.start, i), Range(i + 1, span.end)
            if is_named(found, owner) and any(tags[k] != "N" for k in range(*owned)):
                left, inner = narrow(found, owner)
                return f"{left} {text_of(found, owned)}".strip(), inner
    for i in range(span.start + 1, span.end - 1):
        if tags[i] != "o":
            continue
        kind, rest = Range(span.start, i), Range(i + 1, span.end)
        while rest.start < rest.end - 1 and tags[rest.start] in "TQ":
            rest = Range(rest.start + 1, rest.end)
        light = found.lower(i - 1) in LIGHT_NOUNS
        if not is_named(found, kind) and (is_named(found, rest) or light):
            left, inner = narrow(found, rest)
            return f"{text_of(found, kind)} of {left}".strip(), inner
        return "", span
    return _trailing_name(found, span)


def _trailing_name(found: Scan, span: Range) -> tuple[str, Range]:
    """A name after common nouns: "American actor Brad Pitt", "the film Titanic"."""
    at = span.end
    while at > span.start and found.tags[at - 1] in "ND":
        at -= 1
    if span.start < at < span.end and found.tags[at - 1] == "w" and found.tags[at] == "N":
        return text_of(found, Range(span.start, at)), Range(at, span.end)
    return "", span


def find_verb(found: Scan, start: int, end: int) -> int | None:
    """Index of the main verb of the clause in [start, end), None when there is none.

    Relative clauses and reduced ones ("the language spoken in Brazil is …") are passed over when a verb follows them.
    """
    at = start
    while at < end:
        tag = found.tags[at]
        if tag == "(":
            at = _closing(found, at, end)
        elif tag == "R" and at > start:
            return _verb_beyond_relative(found, at, end)
        elif tag == "B" and at > start:
            return at
        elif tag == "V" and at > start:
            later = _later_auxiliary(found, at + 1, end) if _may_be_participle(found, at) else None
            return at if later is None else later
        elif tag == "v" and at > start and _is_finite(found, start, at):
            later = _later_auxiliary(found, at + 1, end) if found.tag(at + 1) in "BwPo" else None
            return at if later is None else later
        at += 1
    return _unlisted_verb(found, start, end)


def _is_finite(found: Scan, start: int, at: int) -> bool:
    """Whether a base or -s form is the clause's verb rather than a noun ("an oil field", "a Greek work")."""
    before, after = found.tags[at - 1], found.tag(at + 1)
    if before not in "NDwOA)S," or after in ",):vB":
        return False
    if not found.words[at].endswith("s") and before in "NDw":
        plural = found.words[at - 1].endswith("s") or found.lower(at - 1) in PLURALS
        if not plural and "C" not in found.tags[start:at]:
            return False
    i = at - 1
    while i > start and found.tags[i] in "NDwA":
        i -= 1
    return not (after == "." and found.lower(i) in ("a", "an"))


def _unlisted_verb(found: Scan, start: int, end: int) -> int | None:
    """A verb that no list knows, told by its -s between a subject and an object ("Water boils at …")."""
    for at in range(start + 1, end - 1):
        word = found.words[at]
        before, after = found.tags[at - 1], found.tags[at + 1]
        between = (before in "NDw" and after in "PTQD") or (before == "N" and after in "Nw")
        if (
            found.tags[at] == "w"
            and between
            and word.endswith("s")
            and not word.endswith(("ss", "us", "is", "ics", "ous"))
        ):
            return at
    return None


def _closing(found: Scan, at: int, end: int) -> int:
    """The index of the bracket that closes the one at `at`, or `at` when none does."""
    return next((i for i in range(at + 1, end) if found.tags[i] == ")"), at)


def _may_be_participle(found: Scan, at: int) -> bool:
    word = found.lower(at)
    return found.tag(at + 1) in "PoA" and (word in PARTICIPLES or word.endswith("ed"))


def _later_auxiliary(found: Scan, start: int, end: int) -> int | None:
    """A form of be or have further right, with nothing but noun phrases and prepositions in between."""
    for i in range(start, end):
        if found.tags[i] == "B":
            return i
        names = found.tags[i] == "C" and found.tags[i - 1] == found.tag(i + 1) == "N"
        if found.tags[i] in "R,C:VvO;" and not names:
            return None
    return None


def _verb_beyond_relative(found: Scan, at: int, end: int) -> int | None:
    """The main verb after the relative clause at `at`; the relative's own verb when there is none."""
    own = next((i for i in range(at + 1, end) if found.tags[i] in "BVv"), None)
    if own is None:
        return None
    group_end = verb_group(found, own).end
    if found.tags[at - 1] == ",":
        comma = next((i for i in range(group_end, end) if found.tags[i] == ","), None)
        if comma is not None and found.tag(comma + 1) in "BVvA":
            return next((i for i in range(comma + 1, end) if found.tags[i] in "BVv"), own)
        return own
    later = next((i for i in range(group_end, end) if found.tags[i] in "B,"), None)
    return own if later is None or found.tags[later] == "," else later


def verb_group(found: Scan, at: int) -> Range:
    """Auxiliaries, adverbs, the verb and its infinitive, then the prepositions that belong to it."""
    end = at + 1
    while end < len(found):
        tag, before = found.tags[end], found.tags[end - 1]
        grows = (
            tag in "BA"
            or (tag == "V" and before in "BAt")
            or (tag == "v" and before in "BAt")
            or (tag == "G" and (before in "BA" or found.tag(end + 1) in "TQPt"))
            or (tag == "t" and found.tag(end + 1) in "VvB")
        )
        if not grows:
            break
        end += 1
    if found.tags[end - 1] == "A" and found.tag(end) in "NDwTQ" and end - 1 > at:
        # "is also Paris" keeps its adverb; "was very popular" leaves it to the phrase, which drops it anyway.
        return Range(at, end)
    for _ in range(2):
        if found.tag(end) not in "Po":
            break
        end += 1
    if found.lower(end) in ("being", "having"):
        end += 1
    return Range(at, end)
