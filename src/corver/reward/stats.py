"""What became of the sentences of many texts, as counts and shares.

In: verdicts, a text at a time. Out: the figures that a run logs and a table shows. A share over nothing is NaN, never
0. This module knows nothing of how a verdict came about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from corver.types import SentenceScore, Status

__all__ = ["ScoreStats"]


@dataclass(slots=True)
class ScoreStats:
    """Running figures.

    claims: sentences with a corpus verdict; counted: those with a count, which `profile` gives none; zero:
    those at count 0; repeated: sentences of nothing new, by the guard; repeated_details: details said before.
    """

    texts: int = 0
    sentences: int = 0
    claims: int = 0
    counted: int = 0
    zero: int = 0
    no_claim: int = 0
    no_evidence: int = 0
    failed: int = 0
    repeated: int = 0
    repeated_details: int = 0
    reward_sum: float = 0.0
    claim_reward_sum: float = 0.0

    def add(self, scores: Iterable[SentenceScore]) -> None:
        """Count the sentences of one text."""
        self.texts += 1
        for score in scores:
            self.sentences += 1
            self.no_claim += score.status is Status.NO_CLAIM
            self.no_evidence += score.status is Status.NO_EVIDENCE
            if score.status is Status.FAILED:
                self.failed += 1
                continue
            self.reward_sum += score.reward
            if score.has_claim:
                self.claims += 1
                self.counted += score.count is not None
                self.zero += score.count == 0
                self.repeated += score.repeated
                self.repeated_details += sum(unit.repeated for unit in score.units)
                self.claim_reward_sum += score.reward

    @property
    def mean_reward(self) -> float:
        """Mean over all sentences that have a reward."""
        return _ratio(self.reward_sum, self.sentences - self.failed)

    @property
    def mean_claim_reward(self) -> float:
        """Mean over the claims alone."""
        return _ratio(self.claim_reward_sum, self.claims)

    def to_json(self) -> dict[str, Any]:
        """Counts, shares and means; NaN becomes null."""
        row: dict[str, Any] = {
            "texts": self.texts,
            "sentences": self.sentences,
            "claims": self.claims,
            "claims_per_text": _ratio(self.claims, self.texts),
            "no_claim_share": _ratio(self.no_claim, self.sentences),
            "no_evidence_share": _ratio(self.no_evidence, self.sentences),
            "failed_share": _ratio(self.failed, self.sentences),
            "zero_share": _ratio(self.zero, self.counted),
            "repeated": self.repeated,
            "repeated_details": self.repeated_details,
            "mean_reward": self.mean_reward,
            "mean_claim_reward": self.mean_claim_reward,
        }
        return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}


def _ratio(part: float, whole: int) -> float:
    return part / whole if whole else math.nan
