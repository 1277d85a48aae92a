"""Which pairs of a sentence are looked up, and what their counts say together.

In: the pairs of a sentence; later the counts of their words. Out: claims to count; later one verdict. The three rules
are those of CorVer (arXiv 2605.29648): FIRST takes the first valid pair, MIN counts every pair and keeps the lowest
count, RELCHECK counts FIRST's pair again with the words of its relation and demotes it by one level when that finds
nothing (by how much is a proposal; the paper only says that it demotes). This module knows no index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corver.reward.aliases import Aliases
from corver.reward.content import content_words, query_words
from corver.text.stopwords import STOPWORDS
from corver.types import Clause, Count, Pair

__all__ = ["RULES", "Claim", "PairRule", "Verdict", "claims_of", "decide"]

PairRule: TypeAlias = Literal["first", "min", "relcheck"]
RULES: tuple[PairRule, ...] = ("first", "min", "relcheck")


@dataclass(frozen=True, slots=True)
class Claim:
    """A pair worth counting.

    words: its content words, sorted. query: what is counted, the words or, with aliases, clauses in their place. check:
    the query with the relation's words, () when unused.
    """

    pair: Pair
    words: tuple[str, ...]
    query: tuple[Clause, ...]
    check: tuple[Clause, ...] = ()

    @property
    def queries(self) -> tuple[tuple[Clause, ...], ...]:
        """The queries whose counts `decide` needs."""
        return (self.query, self.check) if self.check else (self.query,)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The claim that speaks for the sentence, its count, and by how many levels it is demoted."""

    claim: Claim
    count: Count
    demoted: int = 0


def claims_of(pairs: Iterable[Pair], rule: PairRule, aliases: Aliases | None = None) -> list[Claim]:
    """The claims of a sentence under a rule; none when no pair is valid."""
    claims: list[Claim] = []
    for pair in pairs:
        words = query_words(pair)
        if not words:
            continue
        query: tuple[Clause, ...] = words if aliases is None else _with_aliases(pair, aliases)
        claims.append(Claim(pair, words, query, _with_relation(pair, words, query) if rule == "relcheck" else ()))
        if rule != "min":
            break
    return claims


def decide(claims: Sequence[Claim], counts: Sequence[Sequence[Count]]) -> Verdict:
    """One verdict from the counts of all claims, in the order of `Claim.queries`; the lowest count wins."""
    lowest = min(range(len(claims)), key=lambda number: (counts[number][0].value, counts[number][0].approx))
    claim, (count, *checks) = claims[lowest], counts[lowest]
    # An estimate of 0 is no proof of absence, so it demotes nothing.
    demoted = any(check.value == 0 and not check.approx for check in checks)
    return Verdict(claim, count, demoted=int(demoted))


def _with_aliases(pair: Pair, aliases: Aliases) -> tuple[Clause, ...]:
    sides = [aliases.clauses(side, content_words(side)) for side in (pair.head, pair.tail)]
    return tuple(sorted({*sides[0], *sides[1]}, key=str))


def _with_relation(pair: Pair, words: tuple[str, ...], query: tuple[Clause, ...]) -> tuple[Clause, ...]:
    further = frozenset(content_words(pair.relation)) - STOPWORDS - frozenset(words)
    return tuple(sorted((*query, *further), key=str)) if further else ()
