"""Reading the triplets in a language model's answer.

In: the text of an answer that should be a JSON list of [head, relation, tail], and whether it was cut off. Out: the
triplets, or ExtractionError in one line. JSON is tried first; then lists whose strings are quoted as Python does it, or
hold quotation marks of their own. Prose around the list is passed over. Nothing is evaluated. This module knows neither
sentences nor models.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from corver.errors import ExtractionError

__all__ = ["Triplet", "Triplets", "read_triplets"]

_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[\s\S])")
_MAX_DEPTH = 3
_KEYS = ("head", "relation", "tail")
_Node: TypeAlias = Any
"""A string, or a list of nodes."""


class Triplet(NamedTuple):
    """One claim in the model's own words; any part may be empty."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True)
class Triplets:
    """cut: the answer broke off, and these are the triplets that were whole by then."""

    found: tuple[Triplet, ...]
    cut: bool = False


def read_triplets(answer: str, *, cut: bool = False) -> Triplets:
    """The triplets of an answer; none for an empty list. cut: the model was stopped at its limit of tokens.

    Raises ExtractionError when there is no list, when a triplet has more or fewer than three parts, and when the answer
    breaks off before one triplet is whole.
    """
    text = answer.partition("</think>")[2] if answer.lstrip().startswith("<think>") else answer
    at, fault = text.find("["), "holds no list"
    while at >= 0:
        node, end, whole = _read_list(text, at)
        try:
            found = _triplets(node)
            if whole and found and isinstance(node[0], str):
                found += _further(text, end)
        except ExtractionError as error:
            fault = str(error) if fault == "holds no list" else fault
        else:
            if found or whole:
                return Triplets(found, cut=not whole and _lost_something(node, text, cut=cut))
            fault = "breaks off before one triplet is whole"
        at = text.find("[", end)
    raise ExtractionError(f"the model's answer {fault}: {_shown(answer)}")


def _further(text: str, at: int) -> tuple[Triplet, ...]:
    """Triplets that stand beside the first one instead of in a list with it."""
    found: tuple[Triplet, ...] = ()
    while at < len(text) and text[at] in ", \n\t\r":
        at += 1
    while at < len(text) and text[at] == "[":
        node, end, whole = _read_list(text, at)
        if not whole:
            break
        found += _triplets(node)
        at = end
        while at < len(text) and text[at] in ", \n\t\r":
            at += 1
    return found


def _lost_something(node: _Node, text: str, *, cut: bool) -> bool:
    """Whether a list without its end lacks more than a bracket."""
    return cut or not text.rstrip().endswith("]") or bool(node and isinstance(node[-1], _Broken))


class _Broken(list[Any]):
    """A list that ends where the text ends."""


def _read_list(text: str, at: int) -> tuple[_Node, int, bool]:
    """The list that begins at `at`, where it ends, and whether its closing bracket was there."""
    try:
        node, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        reader = _Reader(text, at)
        node = reader.read_list(0)
        return node, max(reader.at, at + 1), not isinstance(node, _Broken)
    return node, end, True


def _triplets(node: _Node) -> tuple[Triplet, ...]:
    """The triplets of a parsed list; what is broken at its end is left out."""
    if not isinstance(node, list):
        raise ExtractionError("is no list of triplets")
    if node and not isinstance(node, _Broken) and all(isinstance(part, str) for part in node):
        return _expanded(node)
    found: tuple[Triplet, ...] = ()
    for part in node:
        if isinstance(part, dict):
            part = [part[key] for key in _KEYS if key in part]
        if isinstance(part, _Broken):
            break
        if not isinstance(part, list):
            if isinstance(node, _Broken):
                break
            raise ExtractionError("holds something that is no triplet")
        found += _expanded(part)
    return found


def _expanded(parts: list[Any]) -> tuple[Triplet, ...]:
    """[head, relation, tail] as one triplet; a list in the place of a part gives one each."""
    if len(parts) != len(_KEYS):
        raise ExtractionError(f"holds a triplet of {len(parts)} parts")
    heads, relations, tails = ([_word(part) for part in _listed(parts[i])] for i in range(3))
    return tuple(Triplet(head, relation, tail) for head in heads for relation in relations for tail in tails)


def _listed(part: Any) -> list[Any]:
    return part if isinstance(part, list) and not isinstance(part, _Broken) else [part]


def _word(part: Any) -> str:
    if isinstance(part, str):
        bare = part.strip()
        return bare[1:-1].strip() if len(bare) > 1 and _CLOSING.get(bare[0]) == bare[-1] else bare
    if isinstance(part, bool) or not isinstance(part, int | float):
        raise ExtractionError("holds a part that is no text")
    return json.dumps(part)


def _unescaped(escape: str) -> str:
    """The character that stands behind a backslash."""
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _ESCAPES.get(escape, escape)


def _paired(text: str) -> str:
    """Two halves of a surrogate pair, escaped one by one, are one character; half a pair is U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _shown(answer: str) -> str:
    line = " ".join(answer.split())
    return repr(line if len(line) <= 80 else line[:79] + "…")


class _Reader:
    """Reads lists of strings that JSON refuses, from left to right, in time linear in their length."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def read_list(self, depth: int) -> list[Any]:
        """The list whose opening bracket stands here."""
        items: list[Any] = []
        self.at += 1
        while True:
            self._skip(" \t\r\n,")
            if self.at >= len(self.text):
                return _Broken(items)
            char = self.text[self.at]
            if char in "])":
                self.at += 1
                return items
            if char in "[(" and depth < _MAX_DEPTH:
                items.append(self.read_list(depth + 1))
                if isinstance(items[-1], _Broken):
                    return _Broken(items)
                continue
            item = self._quoted(_CLOSING[char]) if char in _CLOSING else self._bare()
            if item is None:
                return _Broken(items)
            items.append(item)

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _quoted(self, closing: str) -> str | None:
        """A string; its closing mark is one that a comma, a bracket or the end follows. None when it has none."""
        text, at = self.text, self.at + 1
        parts: list[str] = []
        while at < len(text):
            char = text[at]
            if char == "\\" and (escape := _ESCAPE.match(text, at)) is not None:
                parts.append(_unescaped(escape[1]))
                at = escape.end()
                continue
            if char in (closing, self.text[self.at]) and self._ends(at + 1):
                self.at = at + 1
                return _paired("".join(parts))
            parts.append(char)
            at += 1
        self.at = at
        return None

    def _ends(self, at: int) -> bool:
        text = self.text
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        return at >= len(text) or text[at] in ",])"

    def _bare(self) -> str | None:
        """A string without marks, up to a comma or bracket."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",[]":
            self.at += 1
        if self.at >= len(self.text):
            return None
        if self.at == start:
            self.at += 1  # An opening bracket deeper than anything that makes sense.
        return self.text[start : self.at].strip()
