"""What the first policy's claims were like: what silence is measured by, and how many claims are to be kept.

In: the claim totals of all processes, batch after batch. Out: the first policy's mean claim reward, frozen after some
batches, and the bonus on claims; their state for a checkpoint. This module knows no trainer.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

from corver.config import CreditConfig
from corver.credit.returns import ClaimTotals, claim_bonus

__all__ = ["Reference"]

DECAY = 0.8
"""How much of the running number of claims a completion stays from one batch to the next."""


@dataclass(slots=True)
class _State:
    """Sums over the first batches, and over all of them where the name says so; `claims` is a running mean."""

    seen: int = 0
    reward: float = 0.0
    share: float = 0.0
    count: float = 0.0
    completions: int = 0
    all_reward: float = 0.0
    all_square: float = 0.0
    all_share: float = 0.0
    claims: float | None = None


class Reference:
    """The first policy's claims, measured on the first batches and then frozen, and what later ones lack of them."""

    def __init__(self, credit: CreditConfig) -> None:
        self._given = credit.reference
        self._batches = credit.reference_batches
        self._floor = None if credit.silence == "paper" else credit.claim_floor
        self._state = _State()

    def learn(self, totals: ClaimTotals) -> None:
        """Take in a batch of training: the completions of all processes."""
        state = self._state
        completions = totals.count_B.size
        if not completions:
            return
        if state.seen < self._batches:
            state.seen += 1
            state.reward += float(totals.reward_B.sum())
            state.share += float(totals.share_B.sum())
            state.count += float(totals.count_B.sum())
            state.completions += completions
        state.all_reward += float(totals.reward_B.sum())
        state.all_square += float(totals.square_B.sum())
        state.all_share += float(totals.share_B.sum())
        claims = float(totals.count_B.sum()) / completions
        state.claims = claims if state.claims is None else DECAY * state.claims + (1 - DECAY) * claims

    @property
    def reward(self) -> float | None:
        """The first policy's mean claim reward, as given or as far as it is known; None before any claim."""
        if self._given is not None:
            return self._given
        return self._state.reward / self._state.share if self._state.share else None

    @property
    def claims(self) -> float | None:
        """Claims a completion of the first policy; None before any completion."""
        return self._state.count / self._state.completions if self._state.completions else None

    @property
    def bonus(self) -> float:
        """b of `claim_bonus` after the batches taken in so far, in reward units; 0 without a floor."""
        state = self._state
        if self._floor is None or state.claims is None or self.claims is None or not state.all_share:
            return 0.0
        mean = state.all_reward / state.all_share
        spread = math.sqrt(max(0.0, state.all_square / state.all_share - mean**2))
        return claim_bonus(state.claims, self.claims, spread, floor=self._floor)

    def state(self) -> dict[str, float | None]:
        """What a checkpoint needs."""
        return asdict(self._state)

    def restore(self, state: dict[str, float | None]) -> None:
        """Go on from `state`. Raises KeyError, TypeError or ValueError for what is none."""
        for field in fields(_State):
            value = state[field.name]
            if not (isinstance(value, int | float) or (value is None and field.name == "claims")):
                raise TypeError(f"{field.name} is {value!r}")
        self._state = _State(**{field.name: state[field.name] for field in fields(_State)})  # type: ignore[arg-type]
