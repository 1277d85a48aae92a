"""The mentions of a subject and the profile of a sentence around them.

In: a term table, a subject, units. Out: `Mentions` and `Profile`. The score that is made of them belongs to the reward.
Where the subject is mentioned is found once; a profile then looks only at the documents of the mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corver.errors import LookupFailedError, UsageError
from corver.index.gather import documents_with, occurrences_of, scan_texts, scratch_size, segment_tables
from corver.index.kernels.profile import near_in_documents, profile_units
from corver.index.layout import FLAGS, NO_POSITIONS, OCCURRENCES
from corver.index.lists import ListTable
from corver.index.terms import TermTable
from corver.text.stopwords import FUNCTION_WORDS, STOPWORDS
from corver.text.words import words
from corver.types import Clause, Phrase

__all__ = ["DEFAULT_EDGES", "Mentions", "Profile", "find_mentions", "profile_of"]

DEFAULT_EDGES = (0, 1, 2, 5, 10, 20, 50, 100, 200, 300, 600)
LOOSE_WINDOW = 10  # words that the content words of a subject may stand apart where its exact form never occurs
_OPENING = 3  # an article names its subject as one of its first words
_FULLER = 5  # words that the first and the last part of a name may stand apart there
_MOST_ARTICLES = 20  # a name that opens more documents than that is no article's subject
_READ_ARTICLES = 8  # the longest of them are looked at
_STEP, _STEPS = 10, 120  # positions of an article: one in ten words, about 120 at most


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where a subject is mentioned.

    total: all mentions in the corpus. places: a sample of at most `cap` of them, one uint64 array a segment
    (document << 32 | position of its first word), ascending. exact: found as a phrase, not as words near each other.
    articles: positions evenly over the documents that open with the subject, in the same form: what stands anywhere in
    such a document is said of the subject, by pronouns if not by name.
    """

    subject: str
    total: int
    places: tuple[NDArray[np.uint64], ...]
    exact: bool
    table: TermTable
    articles: tuple[NDArray[np.uint64], ...] = ()

    def __len__(self) -> int:
        """Number of sampled mentions, the n of a profile."""
        return sum(place.size for place in self.places)

    @property
    def of_articles(self) -> Mentions:
        """The positions of the articles as mentions of their own."""
        return replace(self, total=sum(place.size for place in self.articles), places=self.articles, articles=())

    def within(self, other: Mentions) -> Mentions:
        """Those in documents that hold a mention of the other one."""
        places, articles = (
            tuple(
                mine[np.isin(mine >> np.uint64(32), theirs >> np.uint64(32))]
                for mine, theirs in zip(kind, other.places, strict=True)
            )
            for kind in (self.places, self.articles)
        )
        return replace(self, total=sum(place.size for place in places), places=places, articles=articles)

    def sampled(self, cap: int) -> Mentions:
        """At most `cap` of them, evenly drawn."""
        return replace(self, places=tuple(_sampled(self.places, cap)))


@dataclass(frozen=True, slots=True)
class Profile:
    """How near U units stand to n mentions of a subject.

    frequencies: int64 (U,), occurrences of each unit in the corpus. sums: float64 (U,), sum over mentions of
    exp(-d / scale), d the distance in words to the nearest such unit in the document, d <= cut. histogram: int64
    (U, E), mentions by the first edge that d does not pass; its running sum over edges counts every window.
    """

    mentions: int
    frequencies: NDArray[np.int64]
    sums: NDArray[np.float64]
    histogram: NDArray[np.int64]
    edges: tuple[int, ...]


def find_mentions(
    table: TermTable,
    subject: str,
    *,
    cap: int,
    surname: bool,
    loose: int = LOOSE_WINDOW,
    any_small_words: bool = False,
    fuller: bool = False,
) -> Mentions:
    """Mentions of a subject: its exact phrase, else its content words within `loose` words of each other.

    surname: in documents with a mention, the last word of the subject standing alone is a mention too. loose: 0 for the
    exact phrase alone. any_small_words: the function words of a name, whose positions an index may lack, may be any
    words; much faster. fuller: a document that opens with a fuller form of the name mentions it there.
    """
    if cap < 1:
        raise UsageError(f"a cap of {cap} mentions makes no sense; it must be 1 or more")
    found = words(subject)
    if not found:
        raise UsageError(f"the subject {subject!r} holds no word")
    whole, exact = _whole(table, found, loose, any_small_words)
    if fuller:
        opening = [_fuller_places(table, s, found) for s in range(len(whole))]
        if exact or any(place.size for place in opening):
            whole = [np.union1d(place, more) if exact else more for place, more in zip(whole, opening, strict=True)]
            exact = True
    articles = tuple(_article_places(table, s, places) for s, places in enumerate(_openings(whole, exact)))
    if surname and len(found) > 1 and found[-1] not in STOPWORDS:
        whole = [_with_surname(table, s, place, found, exact) for s, place in enumerate(whole)]
    total = sum(place.size for place in whole)
    return Mentions(subject, total, tuple(_sampled(whole, cap)), exact, table, articles)


def _whole(
    table: TermTable, found: Sequence[str], loose: int, any_small_words: bool
) -> tuple[list[NDArray[np.uint64]], bool]:
    """All mentions, one array a segment, and whether they are exact."""
    segments = range(len(table.lists))
    content = [word for word in dict.fromkeys(found) if word not in FUNCTION_WORDS]
    if any_small_words and 1 < len(content) < len(found):
        whole = [_spaced_places(table, s, found, content) for s in segments]
        if any(place.size for place in whole):
            return whole, True
        found = content
    (number,) = table.numbers([Phrase(tuple(found))])
    if table.occurrences[number] > 0:
        rows = [int(column[number]) for column in table.rows]
        return [_exact_places(table.lists[s], rows[s], found) for s in segments], True
    if len(found) == 1 or loose == 0:
        return [np.zeros(0, dtype=np.uint64) for _ in segments], False
    return [_loose_places(table, s, found, loose) for s in segments], False


def _fuller_places(table: TermTable, s: int, found: Sequence[str]) -> NDArray[np.uint64]:
    """Where a document opens with a fuller form of the name: "Chadwick Aaron Boseman" for Chadwick Boseman."""
    content = [word for word in dict.fromkeys(found) if word not in FUNCTION_WORDS]
    if len(content) < 2:
        return np.zeros(0, dtype=np.uint64)
    places = _near_words(table, s, content, _FULLER)
    return places[(places & np.uint64(0xFFFFFFFF)) <= _OPENING + _FULLER]


def _openings(whole: Sequence[NDArray[np.uint64]], exact: bool) -> list[NDArray[np.int64]]:
    """The documents that open with an exact mention, one array a segment; none when there are too many of them."""
    opening = [
        np.unique(place[(place & np.uint64(0xFFFFFFFF)) <= _OPENING] >> np.uint64(32)).astype(np.int64)
        for place in whole
    ]
    few = exact and sum(documents.size for documents in opening) <= _MOST_ARTICLES
    # Documents are numbered by length: the last ones are the longest.
    return [documents[-_READ_ARTICLES:] if few else documents[:0] for documents in opening]


def _article_places(table: TermTable, s: int, documents: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Positions evenly over some documents."""
    lengths = table.lists[s].segment.lengths
    pieces = [
        np.uint64(document) << np.uint64(32)
        | np.arange(_STEP // 2, max(length, _STEP), max(_STEP, length // _STEPS), dtype=np.uint64)
        for document, length in ((int(document), int(lengths[document])) for document in documents)
    ]
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint64)


def _sampled(places: Sequence[NDArray[np.uint64]], cap: int) -> list[NDArray[np.uint64]]:
    """Every n-th mention, so that at most cap are left."""
    total = sum(place.size for place in places)
    if total <= cap:
        return list(places)
    chosen = ((np.arange(cap) + 0.5) * total / cap).astype(np.int64)
    bounds = np.cumsum([0] + [place.size for place in places])
    return [
        place[chosen[(chosen >= a) & (chosen < b)] - a] for place, a, b in zip(places, bounds, bounds[1:], strict=False)
    ]


def _exact_places(lists: ListTable, row: int, found: Sequence[str]) -> NDArray[np.uint64]:
    return occurrences_of(lists, [row], found) if row else np.zeros(0, dtype=np.uint64)


def _loose_places(table: TermTable, s: int, found: Sequence[str], window: int) -> NDArray[np.uint64]:
    """Positions of the rarest content word that has all others within the window."""
    content = list(dict.fromkeys(word for word in found if word not in STOPWORDS)) or list(found)
    return _near_words(table, s, content, window)


def _spaced_places(table: TermTable, s: int, found: Sequence[str], content: Sequence[str]) -> NDArray[np.uint64]:
    """Positions of a name's first word, told by its content words within the length of the name."""
    places = near_places(table, s, table.numbers(content), len(found) - 1)
    positions = np.maximum(places[:, 1] - found.index(content[0]), 0)
    return np.unique(places[:, 0].astype(np.uint64) << np.uint64(32) | positions.astype(np.uint64))


def _near_words(table: TermTable, s: int, content: Sequence[str], window: int) -> NDArray[np.uint64]:
    """Positions of the rarest of some words that has all others within `window` words."""
    numbers = table.numbers(content)
    anchor = min(range(len(numbers)), key=lambda k: (int(table.occurrences[numbers[k]]), content[k]))
    numbers.insert(0, numbers.pop(anchor))
    places = near_places(table, s, numbers, window)
    return places[:, 0].astype(np.uint64) << np.uint64(32) | places[:, 1].astype(np.uint64)


def near_places(table: TermTable, s: int, numbers: Sequence[int], window: int) -> NDArray[np.int64]:
    """int64 (n, 3): (document, position, distance) of the first term where all others stand within the window."""
    lists = table.lists[s]
    rows = [int(table.rows[s][number]) for number in numbers]
    if not all(rows):
        return np.zeros((0, 3), dtype=np.int64)
    documents = documents_with(lists, rows)
    part, rows = with_positions(lists, rows, [table.keys[number] for number in numbers], documents)
    if not all(rows):
        return np.zeros((0, 3), dtype=np.int64)
    segment = lists.segment
    out = np.empty((int(part.table[rows[0], OCCURRENCES]), 3), dtype=np.int64)
    mine, theirs = (np.empty(scratch_size(segment), dtype=np.int64) for _ in range(2))
    count = near_in_documents(
        part.table, np.array(rows, dtype=np.int64), documents, segment_tables(segment), window, out, mine, theirs
    )
    if count < 0:
        raise LookupFailedError(f"{segment.folder} is damaged; run corver index verify, then rebuild the index")
    return out[:count]


def with_positions(
    lists: ListTable, rows: list[int], keys: Sequence[object], documents: NDArray[np.int64]
) -> tuple[ListTable, list[int]]:
    """The same rows with positions for those that lack them, looked up in the texts of some documents."""
    bare = [row and bool(lists.table[row, FLAGS] & NO_POSITIONS) for row in rows]
    if not any(bare):
        return lists, rows
    part = lists.part(rows)
    own = [i + 1 if row else 0 for i, row in enumerate(rows)]
    for i, key in enumerate(keys):
        if bare[i]:
            own[i] = part.make(scan_texts(lists.segment, documents, [str(key)]))
    return part, own


def _with_surname(
    table: TermTable, s: int, places: NDArray[np.uint64], found: Sequence[str], exact: bool
) -> NDArray[np.uint64]:
    """Add the last word where it stands alone in documents that hold a mention."""
    (number,) = table.numbers([found[-1]])
    lists, row = table.lists[s], int(table.rows[s][number])
    if places.size == 0 or row == 0:
        return places
    documents = np.unique(places >> np.uint64(32)).astype(np.int64)
    alone = occurrences_of(lists, [row], [found[-1]], within=documents)
    if exact:
        inside = np.concatenate([places + np.uint64(i) for i, word in enumerate(found) if word == found[-1]])
        alone = np.setdiff1d(alone, inside, assume_unique=False)
    return np.union1d(places, alone)


def profile_of(mentions: Mentions, units: Sequence[Clause], *, scale: float, cut: int, edges: Sequence[int]) -> Profile:
    """Frequencies, kernel sums and distance histograms of units around mentions, in one walk over their documents."""
    if scale <= 0 or cut < 0:
        raise UsageError("scale must be above 0 and cut 0 or more")
    table = mentions.table
    numbers = np.array(table.numbers(units), dtype=np.int64)
    sums = np.zeros(numbers.size, dtype=np.float64)
    histogram = np.zeros((numbers.size, len(edges)), dtype=np.int64)
    limits = np.array(edges, dtype=np.int64)
    for s, places in enumerate(mentions.places):
        if places.size == 0 or numbers.size == 0:
            continue
        lists, rows = table.lists[s], table.rows[s][numbers]
        if np.any(lists.table[rows, FLAGS] & NO_POSITIONS):
            documents = np.unique(places >> np.uint64(32)).astype(np.int64)
            lists, own = with_positions(lists, rows.tolist(), [table.keys[n] for n in numbers.tolist()], documents)
            rows = np.array(own, dtype=np.int64)
        segment = lists.segment
        sound = profile_units(
            lists.table, rows, places, segment_tables(segment), float(scale), cut, limits, sums, histogram,
            np.empty(scratch_size(segment), dtype=np.int64),
        )  # fmt: skip
        if not sound:
            raise LookupFailedError(f"{segment.folder} is damaged; run corver index verify, then rebuild the index")
    return Profile(len(mentions), table.occurrences[numbers], sums, histogram, tuple(edges))
