"""Tokens of a sentence with their parts of speech, by form and closed lists.

In: one sentence. Out: a `Scan`: parallel lists of words, spans and one-letter tags (see `lexicon`), to which come
N name or capitalised word, D number, S possessive 's, and punctuation as itself: , : ( ) and ; for any other stop or
dash. Markdown marks and list markers are dropped; a quoted title is one name. This module knows no grammar beyond the
neighbouring word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corver.extract.lexicon import MONTHS, PARTICIPLES, PARTICLES, TAGS

__all__ = ["BEYOND", "Scan", "scan"]

# Tried from left to right: the plain words first, being the most.
# "the Microsoft-owned company": the name is a word of its own.
_COMPOUND = "(?:owned|based|born|made|language|speaking|led|built|designed|produced|written|directed)"
_TOKEN = re.compile(
    rf"""
      (?P<plain>[a-z]+(?=[ ,)]|\.?$))
    | ["“](?P<quoted>(?=[^\W_])[^"“”]{{1,80}}?)[,.]?["”]
    | (?P<number>[$€£]?\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|%)?(?:[-–/][^\W_]+)*)
    | (?P<initials>(?:[A-Z]\.)+(?:[A-Z](?![^\W_]))?)
    | (?P<title>(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Gen|Col|Lt|Capt|Sgt|Rev|Hon|Sen|Rep|Gov|Mt|Ft|No|Inc|Ltd|Co|Corp)\.)
    | (?P<possessive>['’]s(?![^\W_])|(?<=[sz])['’](?=\ [^\W\d_]))
    | (?P<clitic>['’](?:re|ve|ll|m|d)(?![^\W_]))
    | (?P<word>[^\W_](?:[^\W_]|[\u0300-\u036f]|['’](?!(?:s|re|ve|ll|m|d)(?![^\W_]))(?=[^\W_])
        |[-‐‑–&/](?!{_COMPOUND}\b)(?=[^\W_])|\.(?=[^\W_]))*)
    | (?P<ampersand>(?<=\ )&(?=\ ))
    | (?P<mark>[,:()])
    | (?P<stop>[;—–…\[\]"“”/|])
    """,
    re.VERBOSE,
)
_MARKER = re.compile(r"\s*(?:[-*+•#>]+\s+|[(\[]?(?:\d{1,2}[.)\]]|[a-zA-Z][)\]])\s+)*")
_SAME_PAST = frozenset(
    {"become", "overcome", "come", "run", "put", "set", "hit", "beat", "cost", "read", "quit", "spread"}
)
_ROLES = frozenset({"CEO", "CFO", "CTO", "COO", "MP", "PM", "VP"})


BEYOND = 8
"""So many tokens lie beyond the last word of a scan."""


@dataclass(slots=True)
class Scan:
    """A scanned sentence of W words; words[i] stands at text[starts[i]:ends[i]].

    tags: one letter a word. lowers: the words in lower case. Both go on beyond the last word, with "." and "", so that
    looking a few words ahead (and, by Python's negative indices, back) needs no check.
    """

    text: str
    words: list[str]
    lowers: list[str]
    starts: list[int]
    ends: list[int]
    tags: list[str]

    def __len__(self) -> int:
        return len(self.words)

    def lower(self, i: int) -> str:
        """The word in lower case, "" just beyond either end."""
        return self.lowers[i]

    def tag(self, i: int) -> str:
        """The tag, "." just beyond either end."""
        return self.tags[i]


def scan(text: str) -> Scan:
    """Read a sentence."""
    words: list[str] = []
    lowers: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    tags: list[str] = []
    marker = _MARKER.match(text)
    for match in _TOKEN.finditer(text, marker.end() if marker else 0):
        kind = match.lastgroup
        if kind is None:
            continue
        start, end = match.span(kind)
        word = text[start:end]
        lower = word.lower()
        if kind == "plain":
            tag = TAGS.get(word) or _tag_by_form(word)
        elif kind == "word":
            tag = _tag_word(word, lower, first=not words or tags[-1] in ":;(")
        elif kind == "number":
            tag = "D"
        elif kind == "mark":
            tag = word
        elif kind == "stop":
            tag = ";"
        else:
            tag = {"possessive": "S", "clitic": "B"}.get(kind, "N")
        words.append(word)
        lowers.append(lower)
        starts.append(start)
        ends.append(end)
        tags.append(tag)
    lowers.extend([""] * BEYOND)
    tags.extend(["."] * BEYOND)
    found = Scan(text, words, lowers, starts, ends, tags)
    _retag(found)
    return found


def _tag_word(word: str, lower: str, *, first: bool) -> str:
    """The tag of a word by itself. first: it begins a clause, where a capital means nothing."""
    if word == lower:
        return TAGS.get(lower) or _tag_by_form(lower)
    tag = TAGS.get(lower)
    if word in _ROLES:
        return "w"
    if tag is None or (len(word) > 1 and word.isupper()):
        return "N"
    if word[0].isupper() and first and tag in "PotTQORCAB" and lower not in ("will", "may"):
        return tag
    return "O" if word == "I" else "N"


def _tag_by_form(lower: str) -> str:
    """The tag of a lower-case word that no list knows."""
    if lower.endswith("ed") and len(lower) > 4:
        return "V"
    if lower.endswith("ing") and len(lower) > 5:
        return "G"
    if lower.endswith("ly") and len(lower) > 4:
        return "A"
    return "w"


def _retag(found: Scan) -> None:
    """Settle words whose tag depends on their neighbours, from left to right."""
    tags, words = found.tags, found.words
    for i in range(len(words)):
        tag, before, after = tags[i], tags[i - 1], tags[i + 1]
        if tag in "vV":
            tags[i] = _verb_or_noun(found, i, before, after)
        elif tag == "w":
            tags[i] = _common_or_name(found, i, before, after)
        elif tag == "G":
            if before in "TQoSP" and after in "wNo.,;":
                tags[i] = "w"
        elif tag == "S":
            if before == "O" or (before == "R" and i == 1):
                tags[i] = "B"
        elif tag == "t":
            tags[i] = _infinitive_or_preposition(found, i, after)
        elif tag == "A":
            if before in "TQS" and after in "wNVvGD":
                tags[i] = "w"
        elif tag == "O":
            tags[i] = _pronoun_or_other(found, i, before, after)
        elif tag == "R" and after == "o" and words[i] == "that":
            # "that of bishop": both words stand for a determiner.
            tags[i] = tags[i + 1] = "T"
        elif i == 0:
            tags[0] = _first_tag(found, tag, after)


def _infinitive_or_preposition(found: Scan, i: int, after: str) -> str:
    """ "to win" and "to ever win", but "to Paris" and "to united parts"."""
    at = i + 2 if after == "A" else i + 1
    verb = found.tag(at) in "vVB" and (found.tag(at) != "V" or found.lower(at) in _SAME_PAST)
    if verb and at == i + 2 and found.tags[at] == "v":
        found.tags[at] = "V"
    return "t" if verb else "P"


def _verb_or_noun(found: Scan, i: int, before: str, after: str) -> str:
    tag = found.tags[i]
    if tag == "V":
        compound = found.starts[i] > 0 and found.text[found.starts[i] - 1] in "-‐‑–"
        return "w" if (before in "TQS" and after in "wNGVv") or (compound and after in "wv") else "V"
    if before in "TQoSDvVG" or after == "S" or (before == "P" and found.lower(i - 1) not in ("after", "before")):
        return "w"
    return "V" if before in "Bt" else "v"


def _common_or_name(found: Scan, i: int, before: str, after: str) -> str:
    word = found.words[i]
    if word in MONTHS:
        return "N"
    if word in PARTICLES and before == "N" and (after == "N" or found.lower(i + 1) in PARTICLES):
        return "N"
    return "v" if before == "R" and word.endswith("s") and not word.endswith("ss") else "w"


def _pronoun_or_other(found: Scan, i: int, before: str, after: str) -> str:
    word = found.words[i]
    if word.lower() == "her":
        return "Q" if after in "wNvGA" and before in "BVvGP.,;CtR" else "O"
    if word == "I" and before == "N" and after not in "vVB":
        return "N"
    # "You Only Live Twice is …": a pronoun and a capital begin a title.
    return "N" if i == 0 and after == "N" else "O"


def _first_tag(found: Scan, tag: str, after: str) -> str:
    """A capital at the beginning: a participle ("Born in Warsaw, …"), an adverb ("Officially, …") or a title."""
    lower = found.lower(0)
    if tag == "N" and after == "P" and lower in PARTICIPLES:
        return "V"
    if tag == "N" and after in "PTQOwN" and TAGS.get(lower) == "G":
        return "G"
    if tag == "N" and after == "," and lower.endswith("ly"):
        return "A"
    return "N" if after == "N" and (tag == "Q" or lower == "first") else tag
