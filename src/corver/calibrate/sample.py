"""Drawing sentences to label: scored sentences in, a stratified sample out.

In: `ScoredSentence`s. Out: so many of each stratum, with the size of every stratum, so that what is measured on the
sample can be weighted back to all sentences. The draw is by hash: the sentences of a stratum with the smallest
SHA-256 of seed and id, so it depends neither on the order of the input nor on how it is cut into files, and drawing
more later keeps what was drawn before. Memory holds the sample and the ids of all sentences; by reward, where strata
are known only at the end, all sentences. This module writes no file.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
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
    pool = _Pool(by, states, most=per_stratum, seed=seed)
    for sentence in sentences:
        pool.add(sentence)
    strata = pool.strata()
    if not any(name.startswith(by) for name in strata):
        if pool.left_out.get(f"without {by}"):
            raise InputError(f"no scored sentence has a {by}{'' if by == 'reward' else '; draw --by reward'}")
        raise InputError("no scored sentence has a verdict: there is nothing to label")
    drawn = {name: strata[name].drawn() for name in sorted(strata, key=_order)}
    return Drawing(
        by=by,
        seed=seed,
        per_stratum=per_stratum,
        scorer=one_scorer(sorted(pool.scorers), where="the scored texts"),
        sentences=tuple(one for chosen in drawn.values() for one in chosen),
        strata={name: (strata[name].size, len(chosen)) for name, chosen in drawn.items()},
        stratum_of={one.id: name for name, chosen in drawn.items() for one in chosen},
        left_out=pool.left_out,
    )


def draw_key(seed: int, *words: str) -> bytes:
    """What sentences are ordered by: a hash, so that every subset is as likely as any other."""
    return hashlib.sha256("\x00".join((str(seed), *words)).encode()).digest()


def count_bin(count: int, edges: Sequence[int] = COUNT_EDGES) -> str:
    """The name of a count's bin: `0`, `1–4`, …, `20+`."""
    starts = (0, *edges)
    last = max((number for number, start in enumerate(starts) if count >= start), default=0)
    if last == len(starts) - 1:
        return f"{starts[last]}+"
    end = starts[last + 1] - 1
    return str(end) if end == starts[last] else f"{starts[last]}–{end}"


def _order(name: str) -> tuple[bool, list[int], str]:
    """Strata of verdicts in the order of their numbers, then states."""
    numbers = [int(digits) for digits in re.findall(r"\d+", name)]
    return not numbers, numbers, name


class _Stratum:
    """How many sentences there are, and those of them with the smallest hashes."""

    def __init__(self, *, most: int, seed: int) -> None:
        self.size = 0
        self._most, self._seed = most, seed
        self._kept: list[tuple[int, str, ScoredSentence]] = []

    def add(self, sentence: ScoredSentence) -> None:
        self.size += 1
        # The heap's first is to be the one that goes: the largest hash.
        entry = (-int.from_bytes(draw_key(self._seed, sentence.id)), sentence.id, sentence)
        if len(self._kept) < self._most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def drawn(self) -> list[ScoredSentence]:
        return [sentence for _, _, sentence in sorted(self._kept, reverse=True)]


class _Pool:
    """Distinct sentences by stratum."""

    def __init__(self, by: Stratification, states: Sequence[str], *, most: int, seed: int) -> None:
        self._by = by
        self._states = frozenset(states)
        self._limits = {"most": most, "seed": seed}
        self._strata: dict[str, _Stratum] = {}
        self._ranked: list[tuple[float, ScoredSentence]] = []
        self._seen: set[str] = set()
        self.scorers: set[str] = set()
        self.left_out: dict[str, int] = {}

    def add(self, sentence: ScoredSentence) -> None:
        if sentence.id in self._seen:
            return self._leave("repeated")
        if sentence.status in (Status.SUPPORTED, Status.UNSUPPORTED):
            value = as_number(sentence.fields.get(self._by))
            if value is None:
                return self._leave(f"without {self._by}")
            self._place(sentence, value)
        elif sentence.status in self._states:
            self._stratum(sentence.status).add(sentence)
        else:
            return self._leave(sentence.status)
        self._seen.add(sentence.id)
        if sentence.scorer:
            self.scorers.add(sentence.scorer)
        return None

    def strata(self) -> dict[str, _Stratum]:
        """By name. Those of rewards are known only when all sentences have been seen; equal rewards share one."""
        tally = Counter(value for value, _ in self._ranked)
        place: dict[float, int] = {}
        below = 0
        for value in sorted(tally):
            place[value] = int((below + tally[value] / 2) / len(self._ranked) * _REWARD_STRATA)
            below += tally[value]
        for value, sentence in self._ranked:
            self._stratum(f"reward {place[value] + 1} of {_REWARD_STRATA}").add(sentence)
        self._ranked = []
        return self._strata

    def _place(self, sentence: ScoredSentence, value: float) -> None:
        if self._by == "reward":
            self._ranked.append((value, sentence))
        elif self._by == "level":
            self._stratum(f"level {value:g}").add(sentence)
        else:
            self._stratum(f"count {count_bin(int(value))}").add(sentence)

    def _stratum(self, name: str) -> _Stratum:
        return self._strata.setdefault(name, _Stratum(**self._limits))

    def _leave(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1
