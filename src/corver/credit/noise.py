"""Noisy verifiers: the judge's share of the advantage when its verdicts are wrong at known rates.

In: verdicts of a binary verifier (1 accepted, 0 rejected, NaN none), the group of each completion, and the rates
ρ0 = P(accepted | wrong), ρ1 = P(rejected | right). Out: one advantage a completion, shape (B,). Formulas: arXiv
2510.00915 (backward and forward correction). This module does not know what the verifier verifies, nor where the rates
come from; `corver.credit.appeals` estimates them, `corver.credit.levels` treats verdicts of more than two values.

A completion without a verdict takes no part in a baseline and gets advantage 0. Rates may be one number for all
completions or an array of shape (B,): a verifier that errs more on one format than on another has rates a format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.errors import CorrectionUndoneError, NoiseRatesError

__all__ = ["Correction", "CorrectionEffect", "NoiseRates", "RunningScale", "backward_reward", "correction_effect",
           "forward_weight", "judge_advantage", "leave_one_out", "refuse_undone", "value_advantage",
           "within_group_std"]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
Correction = Literal["none", "backward", "forward"]


@dataclass(frozen=True, slots=True)
class NoiseRates:
    """ρ0 and ρ1 of a verifier: numbers, or arrays of shape (B,) with the rates of each completion.

    Raises NoiseRatesError for a rate outside [0, 1], and where ρ0 + ρ1 >= 1: such a verdict says nothing, or the
    opposite of what it says.
    """

    false_positive: float | Floats
    false_negative: float | Floats

    def __post_init__(self) -> None:
        for name, value in (("ρ0", self.false_positive), ("ρ1", self.false_negative)):
            if not np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1)):
                raise NoiseRatesError(f"{name} = {_shown(value)} is not a rate between 0 and 1")
        if np.any(np.asarray(self.informedness) <= 0):
            raise NoiseRatesError(
                f"ρ0 + ρ1 = {_shown(1 - np.asarray(self.informedness))} >= 1: such a verifier says nothing about "
                "what is right, and no correction can help; measure the rates again or take another verifier"
            )

    @property
    def informedness(self) -> float | Floats:
        """1 − ρ0 − ρ1, by which noise shrinks what a verdict tells (Youden's J)."""
        return 1.0 - self.false_positive - self.false_negative


def backward_reward(verdict_B: ArrayLike, rates: NoiseRates) -> Floats:
    """R^ = (R~ − ρ0) / (1 − ρ0 − ρ1), whose mean given the truth is the truth; shape (B,), NaN stays NaN."""
    verdict = _verdicts(verdict_B)
    return np.asarray((verdict - rates.false_positive) / rates.informedness, dtype=np.float64)


def forward_weight(verdict_B: ArrayLike, false_negative: float | ArrayLike) -> Floats:
    """w(0) = ρ1 − 1, w(1) = ρ1; shape (B,), NaN stays NaN. It replaces the advantage and is not to be centred.

    E[w | right] = 0 and E[w | wrong] = −(1 − ρ0 − ρ1), so that E[w·∇log π] is (1 − ρ0 − ρ1) times the clean gradient,
    whatever ρ0 is.
    """
    verdict = _verdicts(verdict_B)
    miss = np.asarray(false_negative, dtype=np.float64)
    if np.any((miss < 0) | (miss >= 1)):
        raise NoiseRatesError(f"ρ1 = {_shown(miss)} is not a rate in [0, 1)")
    return np.asarray(verdict - (1.0 - miss), dtype=np.float64)


def leave_one_out(value_B: ArrayLike, group_B: ArrayLike) -> Floats:
    """The mean of the others in the group, shape (B,); NaN values take no part. Alone in its group: NaN."""
    value = np.asarray(value_B, dtype=np.float64)
    _, group = np.unique(np.asarray(group_B), return_inverse=True)
    if group.shape != value.shape:
        raise ValueError(f"group_B has shape {group.shape}, value_B {value.shape}")
    known = np.isfinite(value)
    filled = np.where(known, value, 0.0)
    total = np.bincount(group, weights=filled)[group] - filled
    others = np.bincount(group, weights=known.astype(np.float64))[group] - known
    return np.asarray(np.divide(total, others, out=np.full(value.shape, np.nan), where=others > 0))


def judge_advantage(
    verdict_B: ArrayLike,
    group_B: ArrayLike,
    *,
    correction: Correction,
    rates: NoiseRates,
    scale: float = 1.0,
    spread: float = 1.0,
) -> Floats:
    """The verifier's share of the advantage, shape (B,); 0 without a verdict or, unless `forward`, without others.

    `backward`: (R^_i − mean over j ≠ i of R^_j)·spread/scale. `forward`: w(R~_i)·spread/scale. `none`: the matched
    control, R~ with the baseline and scale of `backward`. spread: what a right answer is worth more than a wrong one
    (λ_j times their difference). scale: in the same units, fixed or slowly moving, never the group's own std.

    With one pair of rates for all completions `backward` is `none` divided by 1 − ρ0 − ρ1: a larger step in the same
    direction. It turns the gradient only where rates differ between completions.
    """
    if correction != "forward":
        value = backward_reward(verdict_B, rates) if correction == "backward" else _verdicts(verdict_B)
        return value_advantage(value, group_B, scale=scale, spread=spread)
    weight = forward_weight(verdict_B, rates.false_negative)
    return np.nan_to_num(weight * (spread / _positive(scale)), nan=0.0)


def value_advantage(value_B: ArrayLike, group_B: ArrayLike, *, scale: float = 1.0, spread: float = 1.0) -> Floats:
    """(value − mean of the others in the group)·spread/scale, shape (B,); 0 where either is unknown."""
    value = np.asarray(value_B, dtype=np.float64)
    return np.nan_to_num((value - leave_one_out(value, group_B)) * (spread / _positive(scale)), nan=0.0)


def within_group_std(value_B: ArrayLike, group_B: ArrayLike) -> float:
    """Root of the mean over groups of the sample variance of their known values; NaN without a group of two."""
    value = np.asarray(value_B, dtype=np.float64)
    _, group = np.unique(np.asarray(group_B), return_inverse=True)
    members = [value[(group == number) & np.isfinite(value)] for number in range(int(group.max(initial=-1)) + 1)]
    variances = [group_values.var(ddof=1) for group_values in members if group_values.size > 1]
    return float(np.sqrt(np.mean(variances))) if variances else float("nan")


class RunningScale:
    """A slowly moving scale: exponential mean of the mean within-group variance of whole batches, then its root.

    It follows the run, not the group, so that every group of a step is divided by the same number. floor: least scale.
    """

    def __init__(self, *, decay: float = 0.99, floor: float = 0.1) -> None:
        self._decay = decay
        self._floor = floor
        self._variance = 0.0
        self._weight = 0.0

    def update(self, std: float) -> float:
        """Take in the `within_group_std` of a batch (NaN: nothing to learn from); the scale to use for that batch."""
        if np.isfinite(std):
            self._variance = self._decay * self._variance + (1 - self._decay) * std**2
            self._weight = self._decay * self._weight + (1 - self._decay)
        return self.value

    @property
    def value(self) -> float:
        """The scale now; the floor before any batch."""
        return max(self._floor, (self._variance / self._weight) ** 0.5 if self._weight else 0.0)

    def state(self) -> dict[str, float]:
        """For a checkpoint."""
        return {"variance": self._variance, "weight": self._weight}

    def restore(self, state: dict[str, float]) -> None:
        """From a checkpoint."""
        self._variance, self._weight = float(state["variance"]), float(state["weight"])


@dataclass(frozen=True, slots=True)
class CorrectionEffect:
    """What a correction still does to the final advantages.

    undone: they are those of the uncorrected run. rescaled: they are those times one number over the whole batch
    (a larger step, which an optimizer like Adam takes back), and by how much. affine: within every group they are an
    affine map of those, so that a later z-score a group would undo the correction. change: RMS of the difference over
    RMS of the uncorrected ones.
    """

    undone: bool
    rescaled: float | None
    affine: bool
    change: float


def correction_effect(
    corrected_BT: ArrayLike, plain_BT: ArrayLike, group_B: ArrayLike, *, tolerance: float = 1e-6
) -> CorrectionEffect:
    """Compare the final advantages, (B,) or (B, T), of a corrected pipeline with those of the same one uncorrected."""
    corrected, plain = np.asarray(corrected_BT, dtype=np.float64), np.asarray(plain_BT, dtype=np.float64)
    if corrected.shape != plain.shape:
        raise ValueError(f"corrected_BT has shape {corrected.shape}, plain_BT {plain.shape}")
    size = float(np.sqrt(np.mean(plain**2))) if plain.size else 0.0
    difference = float(np.sqrt(np.mean((corrected - plain) ** 2))) if plain.size else 0.0
    slack = tolerance * max(size, 1e-12)
    square = float((plain**2).sum())
    factor = float((corrected * plain).sum()) / square if square else 1.0
    rescaled = factor if size and np.abs(corrected - factor * plain).max() <= slack else None
    _, group = np.unique(np.asarray(group_B), return_inverse=True)
    affine = all(
        _affine(corrected[group == number].ravel(), plain[group == number].ravel(), slack)
        for number in range(int(group.max(initial=-1)) + 1)
    )
    change = difference / size if size else (0.0 if difference == 0 else float("inf"))
    return CorrectionEffect(undone=difference <= slack, rescaled=rescaled, affine=affine, change=change)


def refuse_undone(
    finish: Callable[[Floats, NDArray[np.intp]], Floats], *, correction: Correction, rates: NoiseRates, where: str
) -> None:
    """Send probe verdicts through the last stage of an advantage and refuse one that takes the correction back.

    finish: (advantage_B, group_B) to the advantages that the loss will see. where: what to name in the error. Raises
    CorrectionUndoneError. Groups with different shares of accepted completions are probed, so that a batch-wide
    z-score is found too.
    """
    if correction == "none":
        return
    verdict = np.array([1.0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0])
    group = np.repeat(np.arange(3), 4)
    corrected = judge_advantage(verdict, group, correction=correction, rates=rates)
    plain = judge_advantage(verdict, group, correction="none", rates=rates)
    before = correction_effect(corrected, plain, group)
    after = correction_effect(finish(corrected, group), finish(plain, group), group, tolerance=1e-3)
    # Centring turns w into R~ − mean: the control but for the factor that leaving one out brings.
    if (after.undone and not before.undone) or (after.rescaled is not None and before.rescaled is None):
        raise CorrectionUndoneError(
            f"{where} centres or scales the advantages after the {correction} correction and turns them back into the "
            "uncorrected ones; take that stage out, or set the correction to none"
        )


def _affine(target: Floats, source: Floats, slack: float) -> bool:
    """Whether target = a + b·source with b > 0, or both constant."""
    centred, goal = source - source.mean(), target - target.mean()
    square = float((centred**2).sum())
    if square <= slack**2:
        return bool(np.abs(goal).max(initial=0.0) <= slack)
    slope = float((centred * goal).sum()) / square
    return slope > 0 and bool(np.abs(goal - slope * centred).max() <= slack)


def _positive(scale: float) -> float:
    if not scale > 0:
        raise ValueError(f"scale = {scale} is not positive")
    return scale


def _verdicts(verdict_B: ArrayLike) -> Floats:
    verdict = np.asarray(verdict_B, dtype=np.float64)
    if verdict.ndim != 1 or not np.all(np.isnan(verdict) | (verdict == 0) | (verdict == 1)):
        raise ValueError("verdicts are 0, 1 or NaN, one a completion")
    return verdict


def _shown(value: float | ArrayLike) -> str:
    numbers = np.unique(np.asarray(value, dtype=np.float64))
    return f"{numbers[-1]:.4g}" if numbers.size == 1 else f"{numbers[0]:.4g} … {numbers[-1]:.4g}"
