"""Tokens of a sentence with their parts of speech, by form and closed lists.

In: one sentence. Out: a `Scan`: parallel lists of words, spans and one-letter tags (see `lexicon`), to which come
N name or capitalised word, D number, S possessive 's, and punctuation as itself: , : ( ) and ; for any other stop or
dash. Markdown marks and list markers are dropped; a quoted title is one name. This module knows no grammar beyond the
neighbouring word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corver.extract.lexicon import MONTHS, PARTICIPLES, TAGS

__all__ = ["Scan", "scan"]

_TOKEN = re.compile(
    r"""
      ["“](?P<quoted>(?=[^\W_])[^"“”]{1,80}?)[,.]?["”]
    | (?P<number>[$€£]?\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|%)?(?:[-–][^\W_]+)*)
    | (?P<initials>(?:[A-Z]\.)+(?:[A-Z](?![^\W_]))?)
    | (?P<title>(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Gen|Col|Lt|Capt|Sgt|Rev|Hon|Sen|Rep|Gov|Mt|Ft|No|Inc|Ltd|Co|Corp)\.)
    | (?P<possessive>['’]s(?![^\W_])|(?<=[sz])['’](?=\ [^\W\d_]))
    | (?P<word>[^\W_](?:[^\W_]|[\u0300-\u036f]|['’](?!s(?![^\W_]))(?=[^\W_])|[-‐‑–&.](?=[^\W_]))*)
    | (?P<ampersand>(?<=\ )&(?=\ ))
    | (?P<mark>[,:()])
    | (?P<stop>[.;!?—–…\[\]"“”/|])
    """,
    re.VERBOSE,
)
_MARKER = re.compile(r"\s*(?:[-*+•#>]+\s+|[(\[]?(?:\d{1,2}|[a-zA-Z])[.)\]]\s+)*")
_ROLES = frozenset({"CEO", "CFO", "CTO", "COO", "MP", "PM", "VP"})


@dataclass(slots=True)
class Scan:
    """A scanned sentence. words[i] stands at text[starts[i]:ends[i]]; tags is one letter a word, for regexes."""

    text: str
    words: list[str]
    starts: list[int]
    ends: list[int]
    tags: list[str]

    def __len__(self) -> int:
        return len(self.words)

    def lower(self, i: int) -> str:
        """The word in lower case, "" beyond either end."""
        return self.words[i].lower() if 0 <= i < len(self.words) else ""

    def tag(self, i: int) -> str:
        """The tag, "." beyond either end."""
        return self.tags[i] if 0 <= i < len(self.tags) else "."


def scan(text: str) -> Scan:
    """Read a sentence."""
    words: list[str] = []
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
        if kind == "word":
            tag = _tag_word(word, first=not words or tags[-1] in ":;(")
        elif kind == "number":
            tag = "D"
        elif kind == "mark":
            tag = word
        elif kind == "stop":
            tag = ";"
        else:
            tag = "S" if kind == "possessive" else "N"
        words.append(word)
        starts.append(start)
        ends.append(end)
        tags.append(tag)
    found = Scan(text, words, starts, ends, tags)
    _retag(found)
    return found


def _tag_word(word: str, *, first: bool) -> str:
    """The tag of a word by itself. first: it begins a clause, where a capital means nothing."""
    lower = word.lower()
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
    for i, tag in enumerate(tags):
        before = tags[i - 1] if i else "."
        after = tags[i + 1] if i + 1 < len(tags) else "."
        if tag == "v":
            if before in "TQoSD" or (before == "P" and words[i - 1].lower() not in ("after", "before")):
                tags[i] = "w"
            elif before == "B" or before == "t":
                tags[i] = "V"
        elif tag == "V":
            if before in "TQS" and after in "wNGV":
                tags[i] = "w"
        elif tag == "G":
            if before in "TQoSP" and after in "wNo.,;":
                tags[i] = "w"
        elif tag == "S":
            if before == "O" or (before == "R" and i == 1):
                tags[i] = "B"
        elif tag == "t":
            if after not in "vVB" or TAGS.get(words[i + 1].lower()) == "V":
                tags[i] = "P"
        elif tag == "A":
            if before in "TQ" and after in "wNV":
                tags[i] = "w"
        elif tag == "O":
            if words[i].lower() == "her" and after in "wNv" and before in "BVvGP.,;CtR":
                tags[i] = "Q"
        elif tag == "N" and i == 0:
            _retag_first(found, after)
        elif tag == "w" and words[i] in MONTHS:
            tags[i] = "N"


def _retag_first(found: Scan, after: str) -> None:
    """A participle that begins the sentence ("Born in Warsaw, …") is no name."""
    lower = found.words[0].lower()
    if after == "P" and lower in PARTICIPLES:
        found.tags[0] = "V"
