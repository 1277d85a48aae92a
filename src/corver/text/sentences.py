"""Split a text into sentences with exact code-point offsets.

In: any string, lone surrogates and control characters included. Out: spans in order, without surrounding whitespace,
that hold every non-whitespace code point exactly once. This module knows nothing of tags, rollouts or tokens.

The splitting itself is sentencex's. It works on bytes and panics when it cuts inside a multi-byte character, so it
never sees one: it is given a shadow of the text, ASCII only and one character a code point. Around it stand the rules
that it lacks: stops of other scripts, line breaks and list items before it; abbreviations, list numbers and stray
closing marks after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

import sentencex

from corver.types import Span

__all__ = ["is_complete", "split_sentences"]

_FOREIGN_STOP = "\x01"
_ELLIPSIS = "\x02"
_AS_ASCII = str.maketrans({_FOREIGN_STOP: "!", _ELLIPSIS: "."})
_FOREIGN_STOPS = "。｡！？۔؟।॥։።፧᙮᠃᠉။៕"
_SINGLE = {
    **dict.fromkeys(_FOREIGN_STOPS, _FOREIGN_STOP),
    **dict.fromkeys("“”„‟«»＂", '"'),
    **dict.fromkeys("‘’‚‛‹›＇ʼ", "'"),
    **dict.fromkeys("–—―−‐‑‒－", "-"),
    **dict.fromkeys("（【〔［「『", "("),
    **dict.fromkeys("）】〕］」』", ")"),
    "…": _ELLIPSIS,
    "．": ".",
    **dict.fromkeys("\v\f\x85\u2028\u2029", "\n"),
    "，": ",",
    "：": ":",
    "；": ";",
    "\r": "\n",
}


def _ascii_image(char: str) -> str:
    """The ASCII character that stands for `char` in the shadow."""
    if char in _SINGLE:
        return _SINGLE[char]
    if char.isspace():
        return " "
    if char.isascii():
        return char if char.isprintable() else "#"
    category = unicodedata.category(char)
    if category in ("Lu", "Lt"):
        return "X"
    if category == "Nd":
        return "0"
    # Marks and joiners belong to the word they stand in; letters without case and symbols must not look like initials.
    return "x" if category in ("Ll", "Lm", "Mn", "Mc", "Cf") else "#"


class _Shadow(dict[int, str]):
    """A translation table that fills itself."""

    def __missing__(self, code: int) -> str:
        image = "\n" if code == 10 else _ascii_image(chr(code))
        self[code] = image
        return image


_SHADOW = _Shadow()
_ODD_ASCII = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Titles stand before a name; the others before a number, a name or an explanation.
_BEFORE_ANYTHING = _listed(
    "dr mr mrs ms prof st mt ft gen col lt capt cpt sgt maj cmdr adm rev hon sen rep gov pres msgr messrs mme mlle fr"
    " vs v viz e.g i.e cf al approx ca dept univ assn bros"
)
_BEFORE_NUMBER = _listed(
    "no nos nr p pp vol vols ch chap fig figs art sec sect ed est c b d r fl pt par para eq op bk cap tab est circa"
    " jan feb mar apr jun jul aug sep sept oct nov dec"
)
_BEFORE_LOWER = _listed(
    "mon tues thurs fri inc ltd co corp jr sr esq u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc a.m p.m a.d b.c bros"
    " etc ave blvd rd sq hwy mtn tel ext max min misc orig trans abbr lit no al et"
)
_STARTERS = _listed(
    "he she it they we i you his her its their our this that these those the a an there here in on at after before"
    " when while although however but and then later during since"
)
# Abbreviations that lead on to something, whatever it begins with.
_ALWAYS = _listed("vs v viz e.g i.e cf al approx ca")
_AFTER_HOUR = re.compile(
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|local|eastern|central"
    r"|pacific|mountain|[ecmp][sd]t\b|gmt|utc|cet|bst)",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\b(?i:size|vitamin|hepatitis|plan|grade|class|type|group|option|section|appendix|exhibit|platform|team|category"
    r"|letter|row|level|channel|side|part|zone|line|phase|stage|blood type|schedule|tier) [A-Z]\.(?=\s+[A-Z\"(])"
    r"|\b\d[\d.,]* [smghl]\.(?=\s+[A-Z\"(])"
)
_CLOSED_INSIDE = re.compile(r"(?<=[.!?])['\"]?[)\]}](?=\s+[\"'(\[]?[A-Z])")
_FOREIGN = re.compile(rf"[^{_FOREIGN_STOP}]*{_FOREIGN_STOP}[{_FOREIGN_STOP}.!?]*[\"')\]]*|[^{_FOREIGN_STOP}]+")
_MARKER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)\]]+$|[-*+#>.]+$|[-*+#>]+ *\d{1,3}[.)]$")
_LIST_LINE = re.compile(r"\s*(?:[-*+#>|]|[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)\]]\s|\d{1,3}:\s)")
_FIRST_WORD = re.compile(r"[A-Za-z]+(?= |$)")
_LAST_WORD = re.compile(r"[^\s(\[\"']+$")
_UNFINISHED = re.compile(
    r"(?:[,\-(]|\b(?:a|an|the|of|in|on|at|by|to|for|from|with|and|or|as|is|was|were|are|be|been|that|which|who|his|her"
    r"|its|their))$",
    re.IGNORECASE,
)
_STOP_AT_END = re.compile(rf"[.!?{_FOREIGN_STOP}{_ELLIPSIS}][\"')\]*_]*$")


# No rule looks further back than this, so that a long line costs linear time.
_LOOK_BACK = 64


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of `text`, in order.

    A line break ends a sentence unless the line is visibly unfinished or the next one goes on in lower case. Numbers
    and bullets of a list stay with their item. Lower-case text is split at its stops like any other.
    """
    # Whitespace at the end, of the text or of a line, must not matter ("1:" and "1: " are the same line of a list).
    shadow = _shadow(text).rstrip(" \n")
    spans: list[Span] = []
    for start, end in _blocks(shadow):
        # sentencex looks at whitespace around the text, which must not matter here.
        block = shadow[start:end].replace("\n", " ").rstrip(" ")
        for piece_start, piece_end in _split_block(block):
            piece = block[piece_start:piece_end]
            left = piece_start + len(piece) - len(piece.lstrip(" "))
            right = piece_start + len(piece.rstrip(" "))
            if left < right:
                spans.append(Span(start + left, start + right))
    return spans


def is_complete(sentence: str) -> bool:
    """True when the sentence ends in a stop (closing quotes and brackets may follow)."""
    return _STOP_AT_END.search(_shadow(sentence).rstrip()) is not None


def _shadow(text: str) -> str:
    """ASCII only, one character a code point; line breaks are newlines, other whitespace is a space.

    Stops of other scripts and the ellipsis stand in it as control characters, see `_AS_ASCII`.
    """
    if text.isascii() and not _ODD_ASCII.search(text):
        return text
    if "\r\n" in text:
        text = text.replace("\r\n", " \n")
    return text.translate(_SHADOW)


def _blocks(shadow: str) -> Iterator[tuple[int, int]]:
    """Ranges of lines that belong together: one line, or several when a sentence was wrapped softly."""
    if "\n" not in shadow:
        yield 0, len(shadow)
        return
    start = end = position = 0
    for line in shadow.split("\n"):
        stop = position + len(line)
        if end > start and _goes_on(shadow[max(start, end - _LOOK_BACK) : end], line.rstrip(" ")):
            end = stop
        else:
            if end > start:
                yield start, end
            start, end = position, stop
        position = stop + 1
    if end > start:
        yield start, end


def _goes_on(before: str, line: str) -> bool:
    """Whether `line` continues the sentence at the end of `before`."""
    head, tail = line.lstrip(), before.rstrip()
    if not head or not tail:
        return False
    if _MARKER.match(tail.rsplit("\n", 1)[-1].strip()):
        return True
    if _LIST_LINE.match(line) or _STOP_AT_END.search(tail) or tail.endswith((":", ";")):
        return False
    return head[0].islower() or _UNFINISHED.search(tail) is not None


def _split_block(block: str) -> list[tuple[int, int]]:
    """Ranges of the sentences of one block; they tile it."""
    pieces: list[tuple[int, int]] = []
    start = 0
    stretches = _FOREIGN.findall(block) if _FOREIGN_STOP in block else [block]
    for stretch in stretches:
        for piece in sentencex.segment("en", stretch.translate(_AS_ASCII)):
            pieces.append((start, start + len(piece)))
            start += len(piece)
    return _merge(block, _cut(block, pieces))


def _cut(block: str, pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Split after a bracketed sentence, and after a letter that only looks like an initial ("size S.", "9.6 s.")."""
    cut: list[tuple[int, int]] = []
    for start, end in pieces:
        found = [*_CLOSED_INSIDE.finditer(block, start, end), *_LABELLED.finditer(block, start, end)]
        for match in sorted(found, key=lambda one: one.start()):
            at = match.end()
            before = block[max(start, match.start() - _LOOK_BACK) : match.start()]
            if start < at < end and not _abbreviated(before):
                cut.append((start, at))
                start = at
        cut.append((start, end))
    return cut


def _abbreviated(before: str) -> bool:
    """Whether the text ends in an abbreviation's dot ("born in the U.S.")."""
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    bare = word.group().rstrip(".").lower()
    return bare in _BEFORE_ANYTHING or bare in _BEFORE_NUMBER or bare in _BEFORE_LOWER or "." in bare


def _merge(block: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join what is not a sentence of its own to its neighbour."""
    merged: list[tuple[int, int]] = []
    before = ""
    for start, end in pieces:
        after = block[start:end].strip()
        if merged and _belongs_together(before, after):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
        before = after
    return merged


def _belongs_together(before: str, after: str) -> bool:
    """Whether the boundary between two pieces is none."""
    if not before or not after or _MARKER.match(before):
        return True
    if not any(char.isalnum() or char == "#" for char in after):
        return True
    word_match = _LAST_WORD.search(before[-_LOOK_BACK:])
    if word_match is None:
        return False
    word, following = word_match.group(), after.lstrip("\"'([")[:12]
    if word[-1] in "!?":
        # "Jeopardy! host": the mark belongs to a name.
        return word[0].isupper() and following[:1].islower()
    if word.endswith(("..", _ELLIPSIS)):
        return following[:1].islower()
    if word[-1] != ".":
        return False
    return _abbreviation_goes_on(word[:-1].lower(), following)


def _abbreviation_goes_on(word: str, following: str) -> bool:
    """Whether an abbreviation (without its last dot) is followed by the rest of its sentence."""
    if not following:
        return False
    if word in _BEFORE_ANYTHING:
        first = _FIRST_WORD.match(following)
        return word in _ALWAYS or first is None or first.group().lower() not in _STARTERS
    if following[0].isdigit():
        return word in _BEFORE_NUMBER
    if following[0].islower():
        return word in _BEFORE_LOWER or word in _BEFORE_NUMBER - {"no", "art", "par", "tab", "cap", "est", "mar"}
    return word in ("a.m", "p.m") and _AFTER_HOUR.match(following) is not None
