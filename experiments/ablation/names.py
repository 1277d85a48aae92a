"""Invented names: people, towns, academies, books. None of them is an English word.

In: a random generator. Out: distinct capitalised words. This module knows no fact.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["Pools", "draw_pools"]

from dataclasses import dataclass

_ONSETS = ("b", "br", "c", "d", "dr", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "t", "tr", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("l", "n", "r", "m", "k", "v", "th", "x")
PROFESSIONS = (
    "painter", "printer", "weaver", "sailor", "botanist", "surgeon", "lawyer", "sculptor", "chemist", "tailor",
    "composer", "engraver", "banker", "geologist", "baker", "brewer",
)  # fmt: skip
YEARS = tuple(str(year) for year in range(1801, 1881))


@dataclass(frozen=True, slots=True)
class Pools:
    """The values that facts can take, and the names of people."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    towns: tuple[str, ...]
    academies: tuple[str, ...]
    books: tuple[str, ...]


def draw_pools(rng: random.Random, *, people: int) -> Pools:
    """Names that are all different: one surname a person, and pools of towns, academies and books."""
    taken: set[str] = set()

    def draw(number: int, endings: Sequence[str]) -> tuple[str, ...]:
        found: list[str] = []
        while len(found) < number:
            stem = rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_ONSETS) + rng.choice(_VOWELS)
            word = (stem + rng.choice(endings)).capitalize()
            if word not in taken:
                taken.add(word)
                found.append(word)
        return tuple(found)

    return Pools(
        first=draw(24, ("n", "l")),
        last=draw(people, _CODAS),
        towns=draw(32, ("mere", "wick", "holm")),
        academies=draw(16, ("dor", "gard")),
        books=draw(48, ("riad", "lume")),
    )
