"""Drawing sentences to label: scored sentences in, a stratified sample out.

In: `ScoredSentence`s. Out: so many of each stratum, with the size of every stratum, so that what is measured on the
sample can be weighted back to all sentences. The draw is by hash: the sentences of a stratum with the smallest
SHA-256 of seed and id, so it depends neither on the order of the input nor on how it is cut into files, and drawing
more later keeps what was drawn before. Memory holds the sample and one id a sentence. This module writes no file.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from corver.calibrate.scored import ScoredSentence, as_number, one_scorer
from corver.errors import InputError
from corver.types import Status

__all__ = ["COUNT_EDGES", "Drawing", "Stratification", "count_bin", "draw", "draw_key"]

Stratification: TypeAlias = Literal["level", "count", "reward"]

COUNT_EDGES = (1, 5, 10, 20)
"""Lower ends of the bins above 0 in the published calibration (arXiv 2605.29648): 0, 1–4, 5–9, 10–19, 20 and more."""

_REWARD_STRATA = 5


@dataclass(frozen=True, slots=True)
class Drawing:
    """A sample. strata: name to (sentences there are, sentences drawn). stratum_of: id to name."""

    by: Stratification
    seed: int
    per_stratum: int
    scorer: str | None
    sentences: tuple[ScoredSentence, ...]
    strata: Mapping[str, tuple[int, int]]
    stratum_of: Mapping[str, str]
    left_out: Mapping[str, int] = field(default_factory=dict)


def draw(
    sentences: Iterable[ScoredSentence],
    *,
    per_stratum: int,
    by: Stratification = "level",
    states: Sequence[str] = (),
    seed: int = 0,
) -> Drawing:
    """Up to `per_stratum` sentences of every stratum.

    by: `level`, `count` (the published bins) or `reward` (five strata of equal size, for rewards without levels).
    states: statuses without a verdict to draw from as well, each a stratum of its own (`no_claim`, `no_evidence`).
    A sentence that occurs twice, in the same text and question, counts once. Raises InputError when no sentence has a
    verdict, or none has a level where `by` asks for one.
    """
    pool = _Pool(by, states)
    for sentence in sentences:
        pool.add(sentence)
    if not any(name.startswith(by) for name in pool.strata()):
        if pool.left_out.get(f"without {by}"):
            raise InputError(f"no scored sentence has a {by}; draw --by reward")
        raise InputError("no scored sentence has a verdict: there is nothing to label")
    names, chosen = pool.strata(), []
    drawn: dict[str, str] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for name in sorted(names, key=_order):
        picked = heapq.nsmallest(per_stratum, names[name], key=lambda identity: draw_key(seed, identity))
        sizes[name] = (len(names[name]), len(picked))
        drawn |= dict.fromkeys(picked, name)
        chosen += [pool.found[identity] for identity in picked]
    scorer = one_scorer(sorted(pool.scorers), where="the scored texts")
    return Drawing(by, seed, per_stratum, scorer, tuple(chosen), sizes, drawn, pool.left_out)


def draw_key(seed: int, *words: str) -> bytes:
    """What sentences are ordered by: a hash, so that every subset is as likely as any other."""
    return hashlib.sha256("\x00".join((str(seed), *words)).encode()).digest()


def count_bin(count: int, edges: Sequence[int] = COUNT_EDGES) -> str:
    """The name of a count's bin: `0`, `1–4`, …, `20+`."""
    starts = (0, *edges)
    last = max(number for number, start in enumerate(starts) if count >= start)
    if last == len(starts) - 1:
        return f"{starts[last]}+"
    end = starts[last + 1] - 1
    return str(end) if end == starts[last] else f"{starts[last]}–{end}"


def _order(name: str) -> tuple[bool, list[int], str]:
    """Strata of verdicts in the order of their numbers, then states."""
    numbers = [int(digits) for digits in re.findall(r"\d+", name)]
    return not numbers, numbers, name


class _Pool:
    """Distinct sentences and their strata."""

    def __init__(self, by: Stratification, states: Sequence[str]) -> None:
        self._by = by
        self._states = frozenset(states)
        self._rewards: dict[str, float] = {}
        self._names: dict[str, list[str]] = {}
        self.found: dict[str, ScoredSentence] = {}
        self.scorers: set[str] = set()
        self.left_out: dict[str, int] = {}

    def add(self, sentence: ScoredSentence) -> None:
        if sentence.id in self.found:
            return self._leave("repeated")
        if sentence.status not in (Status.SUPPORTED, Status.UNSUPPORTED):
            if sentence.status not in self._states:
                return self._leave(sentence.status)
            name: str | None = sentence.status
        else:
            name = self._stratum(sentence)
        if name is None:
            return self._leave(f"without {self._by}")
        if sentence.scorer:
            self.scorers.add(sentence.scorer)
        self.found[sentence.id] = sentence
        return self._names.setdefault(name, []).append(sentence.id)

    def strata(self) -> dict[str, list[str]]:
        """Name to ids; the strata of rewards are known only when all have been seen."""
        if not self._rewards:
            return self._names
        ranked = sorted(set(self._rewards.values()))
        total, below = len(self._rewards), 0
        tally: dict[float, int] = {}
        for value in self._rewards.values():
            tally[value] = tally.get(value, 0) + 1
        place: dict[float, int] = {}
        for value in ranked:  # equal rewards stay together
            place[value] = min(_REWARD_STRATA - 1, int((below + tally[value] / 2) / total * _REWARD_STRATA))
            below += tally[value]
        names = {name: list(ids) for name, ids in self._names.items() if name != "reward"}
        for identity, value in self._rewards.items():
            names.setdefault(f"reward {place[value] + 1} of {_REWARD_STRATA}", []).append(identity)
        return names

    def _stratum(self, sentence: ScoredSentence) -> str | None:
        value = as_number(sentence.fields.get(self._by))
        if value is None:
            return None
        if self._by == "reward":
            self._rewards[sentence.id] = value
            return "reward"
        return f"level {value:g}" if self._by == "level" else f"count {count_bin(int(value))}"

    def _leave(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1
