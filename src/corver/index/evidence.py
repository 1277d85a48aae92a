"""Passages where the clauses of a query stand together: the evidence behind a count.

In: a term table and a query. Out: passages, the tightest first. It needs the stored texts; it scores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corver.index.mentions import near_places
from corver.index.terms import TermKey, TermTable
from corver.text.words import Token, tokenize
from corver.types import Query, Span

__all__ = ["Passage", "find_passages"]

_MARGIN = 25  # words before the first and after the last clause of a passage


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document. start, end: its code-point offsets in the document's text. spans: of the query's words,
    offsets into `text`. distance: in words, from the anchor to the farthest other clause."""

    document: int
    title: str
    url: str
    text: str
    start: int
    end: int
    spans: tuple[Span, ...]
    distance: int


def find_passages(table: TermTable, query: Query, *, n: int, window: int) -> list[Passage]:
    """At most n passages, one a document, those with the smallest distance first."""
    numbers = list(dict.fromkeys(table.numbers(query)))
    anchor = min(range(len(numbers)), key=lambda k: (int(table.occurrences[numbers[k]]), table.texts[numbers[k]]))
    numbers.insert(0, numbers.pop(anchor))
    best: list[tuple[int, int, int, int]] = []  # (distance, segment, document, position)
    for s in range(len(table.lists)):
        places = near_places(table, s, numbers, window)
        by_document = places[np.lexsort((places[:, 1], places[:, 2], places[:, 0]))]
        first = np.unique(by_document[:, 0], return_index=True)[1]
        rows = by_document[first]
        rows = rows[np.lexsort((rows[:, 0], rows[:, 2]))][:n]
        best += [(int(distance), s, int(document), int(position)) for document, position, distance in rows]
    keys = [table.keys[number] for number in numbers]
    return [_passage(table, keys, place) for place in sorted(best)[:n]]


def _passage(table: TermTable, keys: Sequence[TermKey], place: tuple[int, int, int, int]) -> Passage:
    distance, s, rank, position = place
    segment = table.lists[s].segment
    document = segment.document(rank)
    number = sum(lists.segment.documents for lists in table.lists[:s]) + segment.number(rank)
    tokens = tokenize(document.text)
    low, high = max(0, position - distance - _MARGIN), min(len(tokens), position + distance + _MARGIN + 1)
    chosen = tokens[low:high]
    if not chosen:
        return Passage(number, document.title, document.url, "", 0, 0, (), distance)
    start, end = chosen[0].start, chosen[-1].end
    spans = sorted({span.shift(-start) for key in keys for span in _spans(chosen, key)})
    return Passage(number, document.title, document.url, document.text[start:end], start, end, tuple(spans), distance)


def _spans(tokens: Sequence[Token], key: TermKey) -> list[Span]:
    """Where a clause stands among some tokens."""
    if isinstance(key, frozenset):
        return [span for alternative in key for span in _spans(tokens, alternative)]
    wanted = [key] if isinstance(key, str) else list(key)
    size = len(wanted)
    return [
        Span(tokens[i].start, tokens[i + size - 1].end)
        for i in range(len(tokens) - size + 1)
        if [token.text for token in tokens[i : i + size]] == wanted
    ]
