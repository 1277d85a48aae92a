"""What a set of completions is worth against the world's truth: exact, never by a corpus count.

In: completions and the questions they answer. Out: `Tally`s that add up, and rates made of them. A sentence of the
think block is true when all it claims is true. This module knows no model, no reward and no index.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

from wording import Claim, read_sentence

from corver.reward.judge import judge
from corver.text.rollout import parse_rollout, rollout_sentences

__all__ = ["RATES", "Tally", "rate", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over completions. sentences: those outside the answer block.

    claiming: sentences that claim something, each once a completion, of which `true` wholly. facts, facts_true: single
    claims in them. distinct_true: different true facts, summed over completions. repeated: sentences said before in
    the same completion. unread: sentences that are no sentence of the world.
    """

    completions: int = 0
    correct: int = 0
    refused: int = 0
    formed: int = 0
    tokens: int = 0
    cut_off: int = 0
    sentences: int = 0
    claiming: int = 0
    true: int = 0
    facts: int = 0
    facts_true: int = 0
    distinct_true: int = 0
    repeated: int = 0
    unread: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def to_json(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


RATES: Mapping[str, tuple[str, str]] = {
    "precision": ("true", "claiming"),
    "fact_precision": ("facts_true", "facts"),
    "accuracy": ("correct", "completions"),
    "refusals": ("refused", "completions"),
    "well_formed": ("formed", "completions"),
    "length": ("tokens", "completions"),
    "claims": ("claiming", "completions"),
    "facts_said": ("facts", "completions"),
    "facts_a_claim": ("facts", "claiming"),
    "true_facts": ("distinct_true", "completions"),
    "repeated": ("repeated", "sentences"),
    "unread": ("unread", "sentences"),
    "cut_off": ("cut_off", "completions"),
}
"""Name to (numerator, denominator) of a tally. claims, facts_said, true_facts and length are a completion."""


def rate(values: Mapping[str, float], name: str) -> float:
    """A rate of a tally's JSON; NaN over nothing."""
    above, below = RATES[name]
    return values[above] / values[below] if values[below] else float("nan")


def tally(
    texts: Sequence[str], golds: Sequence[Sequence[str]], tokens: Sequence[int], truths: Collection[Claim], *,
    cut_off: Sequence[bool] | None = None,
) -> Tally:  # fmt: skip
    """Count over completions. golds: accepted answers of each. tokens: their lengths."""
    cuts = cut_off or [False] * len(texts)
    rows = zip(texts, golds, tokens, cuts, strict=True)
    return sum((_one(*row, truths) for row in rows), Tally())


def _one(text: str, golds: Sequence[str], tokens: int, cut_off: bool, truths: Collection[Claim]) -> Tally:
    parsed = parse_rollout(text)
    answer = parsed.answer
    spans = rollout_sentences(text, drop_cut_off=cut_off)
    said = [span.of(text) for span in spans if answer is None or not answer.start <= span.start < answer.end]
    read = {sentence: read_sentence(sentence) for sentence in said}
    claiming = [claims for claims in read.values() if claims]
    facts = [claim for claims in claiming for claim in claims]
    judgement = judge(text, golds, rule="words")
    label = "wrong" if judgement is None else judgement.label
    return Tally(
        completions=1,
        correct=int(label == "correct"),
        refused=int(label == "not_attempted"),
        formed=int(parsed.well_formed),
        tokens=tokens,
        cut_off=int(cut_off),
        sentences=len(said),
        claiming=len(claiming),
        true=sum(all(claim in truths for claim in claims) for claims in claiming),
        facts=len(facts),
        facts_true=sum(claim in truths for claim in facts),
        distinct_true=len({claim for claim in facts if claim in truths}),
        repeated=len(said) - len(read),
        unread=sum(read[sentence] is None for sentence in said),
    )
