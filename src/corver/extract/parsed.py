"""A sentence scanned by rule and parsed by spaCy, with the tokens of the two brought together.

In: one sentence and spaCy's Doc of it. Out: a `Parsed`: the `Scan` of the sentence, in which spaCy's tagger has the
last word on lower-case words, and for each token of the Doc its place in the scan. This module loads no pipeline and
makes no pairs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corver.extract.lexicon import TAGS
from corver.extract.scan import Scan, scan

__all__ = ["Parsed", "children", "parsed"]

_TAGS = {
    "NN": "w", "NNS": "w", "JJ": "w", "JJR": "w", "JJS": "w", "VB": "v", "VBP": "v", "VBZ": "v", "VBD": "V",
    "VBN": "V", "VBG": "G", "RB": "A", "RBR": "A",
}  # fmt: skip
_OPEN = frozenset("vVGwA")
"""Tags of the open classes, about which word lists know least."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """doc: spaCy's. place[i]: the index in `found` of the Doc's token i, −1 for what the scan leaves out."""

    found: Scan
    doc: Any
    place: list[int]

    def at(self, token: Any) -> int:
        """Where a token of the Doc stands in the scan, −1 for nowhere."""
        return self.place[int(token.i)]

    def left_edge(self, token: Any) -> int:
        """Where the subtree of a token begins in the scan."""
        places = (self.place[i] for i in range(token.left_edge.i, token.i + 1))
        return next((place for place in places if place >= 0), -1)


def parsed(doc: Any, text: str) -> Parsed:
    """Bring scan and parse of a text together. The Doc may hold other characters than `text`, but as many."""
    found = scan(text)
    place = [_place(found, token.idx) for token in doc]
    for token, at in zip(doc, place, strict=True):
        if at >= 0 and _may_retag(found, at, token):
            found.tags[at] = _TAGS.get(token.tag_, found.tags[at])
    return Parsed(found, doc, place)


def _may_retag(found: Scan, at: int, token: Any) -> bool:
    """Whether a token is a whole lower-case word of an open class, no listed adverb, and no part of "Tehran-born"."""
    start, lower = found.starts[at], found.lowers[at]
    whole = start == token.idx and found.ends[at] == start + len(token.text)
    joined = start > 0 and found.text[start - 1] in "-‐‑–"
    return whole and not joined and found.words[at] == lower and found.tags[at] in _OPEN and TAGS.get(lower) != "A"


def _place(found: Scan, start: int) -> int:
    at = bisect_right(found.starts, start) - 1
    return at if at >= 0 and start < found.ends[at] else -1


def children(token: Any, *deps: str) -> Iterator[Any]:
    """The children of a token with one of these relations, in order of the sentence."""
    return (child for child in token.children if child.dep_ in deps)
