"""What the first policy's claims were worth on average: the value that silence is measured by.

In: the claim totals of all processes, batch after batch. Out: their mean, frozen after some batches; its state for a
checkpoint. This module knows no trainer.
"""

from __future__ import annotations

from corver.config import CreditConfig
from corver.credit.returns import ClaimTotals

__all__ = ["Reference"]


class Reference:
    """The first policy's mean claim reward: given, or measured on the first batches and then frozen."""

    def __init__(self, credit: CreditConfig) -> None:
        self._given = credit.reference
        self._batches = credit.reference_batches
        self._sum = 0.0
        self._count = 0.0
        self._seen = 0

    def value(self, totals: ClaimTotals, *, learn: bool) -> float | None:
        """The reference as far as it is known, None before any claim. learn: these totals are of training."""
        if self._given is not None:
            return self._given
        if learn and self._seen < self._batches:
            self._sum += float(totals.sum_B.sum())
            self._count += float(totals.count_B.sum())
            self._seen += 1
        return self._sum / self._count if self._count else None

    def state(self) -> dict[str, float]:
        """What a checkpoint needs."""
        return {"sum": self._sum, "count": self._count, "seen": self._seen}

    def restore(self, state: dict[str, float]) -> None:
        """Go on from `state`. Raises KeyError, TypeError or ValueError for what is none."""
        self._sum, self._count, self._seen = state["sum"], state["count"], int(state["seen"])
