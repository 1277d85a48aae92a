"""Appeals: which verdicts a better judge looks at again, and what its answers say about the verifier's error rates.

In: the verdicts of a generation batch, then the better judge's answers on those that were appealed. Out: which to
appeal, with the probability that each was; running estimates of ρ1 (and of ρ0 if accepted completions are appealed
too) with intervals; verdicts after flips. Formulas: arXiv 2510.00915 gives the idea (re-check a share q of the
rejected, estimate ρ1 online); the Horvitz–Thompson form with a Beta prior and a moving average is a reconstruction, and
budget, failures, the better judge's own errors and the channel after flips are corver's own. This module knows no judge
and no trainer.

Everything random follows from (seed, batch number), so that processes which see the same verdicts draw the same appeals
and a resumed run draws what an unbroken one draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.credit.noise import NoiseRates

__all__ = ["AppealCase", "AppealDecision", "AppealDraw", "AppealJudge", "AppealPlan", "RateEstimate",
           "RateEstimator", "answered_share", "appealed_reward", "apply_flips", "draw_appeals", "inclusion_probability",
           "rates_after_flips"]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AppealCase:
    """One verdict to look at again: the question, the accepted answers, what the completion answered."""

    question: str
    answers: tuple[str, ...]
    prediction: str


@dataclass(frozen=True, slots=True)
class AppealDecision:
    """What the better judge says: right, wrong, or None with the reason why it said nothing."""

    correct: bool | None
    reason: str | None = None


class AppealJudge(Protocol):
    """A better, dearer verifier."""

    def decide(self, cases: Sequence[AppealCase]) -> list[AppealDecision]:
        """One decision a case, in order. A case that cannot be decided gets None; it never raises for one case."""
        ...


@dataclass(frozen=True, slots=True)
class AppealPlan:
    """q: probability of appealing a rejected completion. q_accepted: of an accepted one. budget: most calls a batch."""

    q: float = 0.1
    q_accepted: float = 0.0
    budget: int | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.q <= 1 and 0 <= self.q_accepted <= 1):
            raise ValueError("probabilities of appeal lie between 0 and 1")
        if self.budget is not None and self.budget < 0:
            raise ValueError("a budget of appeals is not negative")


@dataclass(frozen=True, slots=True)
class AppealDraw:
    """chosen_B: which completions are appealed. inclusion_B: the probability with which each was, 0 if it could not."""

    chosen_B: Bools
    inclusion_B: Floats


def draw_appeals(
    verdict_B: ArrayLike, plan: AppealPlan, *, seed: int, batch: int, appealable_B: ArrayLike | None = None
) -> AppealDraw:
    """Draw the appeals of one batch. appealable_B: false where there is nothing to judge, such as no answer at all.

    Each rejected completion is drawn with probability q, each accepted one with q_accepted. If more are drawn than the
    budget allows, a uniform subset of that size is kept; the inclusion probability accounts for it exactly.
    """
    verdict = np.asarray(verdict_B, dtype=np.float64)
    open_B = np.isfinite(verdict) if appealable_B is None else np.isfinite(verdict) & np.asarray(appealable_B, bool)
    rng = np.random.default_rng([seed, batch])
    coin, order = rng.random(verdict.size), rng.random(verdict.size)
    wanted = np.where(verdict == 1, plan.q_accepted, plan.q) * open_B
    chosen = coin < wanted
    if plan.budget is not None and chosen.sum() > plan.budget:
        kept = np.argsort(np.where(chosen, order, 2.0))[: plan.budget]
        chosen = np.zeros_like(chosen)
        chosen[kept] = True
    return AppealDraw(chosen, inclusion_probability(wanted, plan.budget))


def inclusion_probability(wanted_B: ArrayLike, budget: int | None) -> Floats:
    """The chance of each completion to be appealed, given the chances before the budget cuts; shape (B,).

    π_i = p_i·E[min(1, budget/(1 + K_i))], K_i how many of the others are drawn (Poisson binomial, by convolution).
    """
    wanted = np.asarray(wanted_B, dtype=np.float64)
    if budget is None:
        return wanted.copy()
    result = np.zeros_like(wanted)
    kinds = np.unique(wanted[wanted > 0])
    for kind in kinds:
        others = np.ones(1)
        for value in kinds:
            number = int((wanted == value).sum()) - int(value == kind)
            others = np.convolve(others, _binomial(number, float(value)))
        share = np.minimum(1.0, budget / (1.0 + np.arange(others.size)))
        result[wanted == kind] = kind * float((others * share).sum())
    return result


def apply_flips(verdict_B: ArrayLike, decision_B: ArrayLike) -> Floats:
    """The verdicts with those replaced that the better judge decided (1, 0; NaN where it was not asked or silent)."""
    verdict, decision = np.asarray(verdict_B, dtype=np.float64), np.asarray(decision_B, dtype=np.float64)
    return np.where(np.isfinite(decision) & np.isfinite(verdict), decision, verdict)


def appealed_reward(
    verdict_B: ArrayLike, decision_B: ArrayLike, inclusion_B: ArrayLike, expected_B: ArrayLike
) -> Floats:
    """m + (decision − m)/π where a decision came, else m: unbiased for the better judge's verdict whatever the noise.

    expected_B: m, a guess of P(right | verdict) made without the decisions; where π is 0 the guess is all there is.
    (Augmented inverse probability weighting: Robins, Rotnitzky and Zhao 1994.) Unlike a correction by rates it needs no
    constant rates, and pays with variance of order 1/π. decision_B is NaN where no appeal was drawn; failures have to
    be folded into π as a lower chance of an answer.
    """
    verdict = np.asarray(verdict_B, dtype=np.float64)
    decision, expected = np.asarray(decision_B, dtype=np.float64), np.asarray(expected_B, dtype=np.float64)
    inclusion = np.asarray(inclusion_B, dtype=np.float64)
    weight = np.divide(1.0, inclusion, out=np.zeros_like(inclusion), where=(inclusion > 0) & np.isfinite(decision))
    value = expected + weight * (np.nan_to_num(decision) - expected)
    return np.where(np.isfinite(verdict), value, np.nan)


_STATE = ("total", "variance", "ratio", "unit")
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """An error rate with its 95 % interval (NaN bounds: it was given, not estimated)."""

    value: float
    low: float = math.nan
    high: float = math.nan


class RateEstimator:
    """Running estimates of a verifier's error rates from appeals.

    A batch with `accepted` and `rejected` completions gives F^, the right ones among the rejected, and U^, the wrong
    ones among the accepted (Horvitz and Thompson 1952: Σ 1/π over the flips). If accepted ones are not appealed,
    U^ = ρ0/(1 − ρ0)·(rejected − F^) from the given ρ0. Then

        ρ1^ = (a + F^)/(a + b + F^ + accepted − U^)        ρ0^ = (a + U^)/(a + b + U^ + rejected − F^)

    average: `counts` divides decayed sums of the counts, `ratio` is the moving average of each batch's own ρ^ (the
    published form as far as it is known). decay: weight of the past. prior: a, b. judge: the better judge's own error
    rates, by which its flips are corrected (Rogan and Gladen 1978). initial: the rates until an appeal was answered.
    """

    def __init__(
        self,
        initial: NoiseRates,
        *,
        decay: float = 0.9,
        prior: tuple[float, float] = (1e-5, 1e-5),
        average: Literal["counts", "ratio"] = "counts",
        judge: NoiseRates | None = None,
        with_accepted: bool = False,
    ) -> None:
        self._given = (float(np.mean(initial.false_positive)), float(np.mean(initial.false_negative)))
        self._decay, self._prior, self._average = decay, prior, average
        self._judge = judge or NoiseRates(0.0, 0.0)
        self._with_accepted = with_accepted
        # [F^, accepted − U^, U^, rejected − F^] as decayed totals and their variances; the two ratios and their weight;
        # what one flip counts for on either side, in totals.
        self._total, self._variance, self._ratio, self._unit = np.zeros(4), np.zeros(4), np.zeros(3), np.zeros(2)

    def update(self, verdict_B: ArrayLike, decision_B: ArrayLike, draw: AppealDraw) -> None:
        """Take in one batch. decision_B: the better judge's answers, NaN where it was not asked or gave none.

        An appeal without an answer counts as not drawn: π shrinks by the share of answers. A batch in which no appeal
        of a rejected completion was answered, though some could have been, teaches nothing.
        """
        verdict, decision = np.asarray(verdict_B, dtype=np.float64), np.asarray(decision_B, dtype=np.float64)
        accepted, rejected = float((verdict == 1).sum()), float((verdict == 0).sum())
        flips = _flipped(verdict == 0, decision, draw, errors=self._judge, right=True)
        slips = _flipped(verdict == 1, decision, draw, errors=self._judge, right=False) if self._with_accepted else None
        if flips is None or (self._with_accepted and slips is None):
            return
        f_hat, u_hat = min(flips[0], rejected), 0.0
        if slips is not None:
            u_hat, u_var = min(slips[0], accepted), slips[1]
        else:
            u_hat, u_var = min(accepted, self._given[0] / (1 - self._given[0]) * (rejected - f_hat)), 0.0
        counts = np.array([f_hat, accepted - u_hat, u_hat, rejected - f_hat])
        self._total = self._decay * self._total + counts
        self._variance = self._decay**2 * self._variance + [flips[1], accepted + u_var, u_var, rejected + flips[1]]
        self._unit = np.maximum(self._decay * self._unit, [flips[2], slips[2] if slips else 0.0])
        if counts.sum():
            a, b = self._prior
            own = [(a + x) / (a + b + x + y) for x, y in ((counts[0], counts[1]), (counts[2], counts[3]))]
            self._ratio = self._decay * self._ratio + (1 - self._decay) * np.array([*own, 1.0])

    @property
    def false_negative(self) -> RateEstimate:
        """ρ1 with its interval."""
        return self._estimate(0, self._given[1])

    @property
    def false_positive(self) -> RateEstimate:
        """ρ0 with its interval; the given number unless accepted completions are appealed."""
        return self._estimate(2, self._given[0]) if self._with_accepted else RateEstimate(self._given[0])

    def rates(self, *, most: float = 0.95) -> NoiseRates:
        """The estimates as rates. Where they add up to more than `most`, both shrink to it: a bad moment of an estimate
        must not end a run. A given rate that alone is too much was refused before."""
        low, high = self.false_positive.value, self.false_negative.value
        shrink = min(1.0, most / max(low + high, 1e-12))
        return NoiseRates(low * shrink, high * shrink)

    def right_given(self) -> tuple[float, float]:
        """P(right | rejected), P(right | accepted): the guess that `appealed_reward` starts from; 0 and 1 at first."""
        missed, found, slipped, wrong = self._total
        rejected, accepted = missed + wrong, found + slipped
        return float(missed / rejected if rejected else 0.0), float(found / accepted if accepted else 1.0)

    def state(self) -> dict[str, list[float]]:
        """For a checkpoint."""
        return {name: getattr(self, f"_{name}").tolist() for name in _STATE}

    def restore(self, state: Mapping[str, Sequence[float]]) -> None:
        """From a checkpoint. ValueError when the state has another shape."""
        for name in _STATE:
            part = np.asarray(state[name], dtype=np.float64)
            if part.shape != getattr(self, f"_{name}").shape:
                raise ValueError("the state of the appeals has another shape")
            setattr(self, f"_{name}", part)

    def _estimate(self, first: int, given: float) -> RateEstimate:
        errors, rest = self._total[first : first + 2]
        if not errors + rest > 0:
            return RateEstimate(given)
        a, b = self._prior
        value = (a + errors) / (a + b + errors + rest)
        if self._average == "ratio":
            value = float(self._ratio[first // 2] / self._ratio[2])
        unit = self._unit[first // 2]
        low, high = _scaled_poisson(errors, self._variance[first], unit)
        rest_low, rest_high = _scaled_poisson(rest, self._variance[first + 1], 1.0)
        # Limits of a ratio from those of its parts, on the log scale (Zou and Donner 2008).
        bounds = _ratio_limits(errors, low, high, rest, rest_low, rest_high)
        return RateEstimate(float(value), min(bounds[0], float(value)), max(bounds[1], float(value)))


def rates_after_flips(
    rates: NoiseRates, *, rejected: float, accepted: float = 0.0, judge: NoiseRates | None = None
) -> NoiseRates:
    """Rates of the verdicts once decisions have replaced them: what a correction of flipped verdicts has to use.

    rejected, accepted: the probability with which a completion of that verdict gets a decision. With sensitivity s and
    specificity t of the better judge, ρ1' = ρ1·(1 − π_r·s) + (1 − ρ1)·π_a·(1 − s) and
    ρ0' = ρ0·(1 − π_a·t) + (1 − ρ0)·π_r·(1 − t). Using the first rates instead would correct twice.
    """
    errors = judge or NoiseRates(0.0, 0.0)
    wrongly, missing = np.asarray(errors.false_positive), np.asarray(errors.false_negative)
    rho0, rho1 = np.asarray(rates.false_positive), np.asarray(rates.false_negative)
    return NoiseRates(
        rho0 * (1 - accepted * (1 - wrongly)) + (1 - rho0) * rejected * wrongly,
        rho1 * (1 - rejected * (1 - missing)) + (1 - rho1) * accepted * missing,
    )


def answered_share(verdict_B: ArrayLike, decision_B: ArrayLike, draw: AppealDraw, *, of: Literal[0, 1]) -> float:
    """The share of drawn appeals against verdict `of` that got an answer; 1 when none was drawn."""
    drawn = draw.chosen_B & (np.asarray(verdict_B) == of)
    return float(np.isfinite(np.asarray(decision_B, dtype=np.float64)[drawn]).mean()) if drawn.any() else 1.0


def _flipped(
    side_B: Bools, decision_B: Floats, draw: AppealDraw, *, errors: NoiseRates, right: bool
) -> tuple[float, float, float] | None:
    """How many completions of one verdict are truly right (or wrong), its variance, and what one flip counts for.

    (0, 0, 0) when there is none of that verdict to appeal; None when there is, and no appeal was answered.
    """
    open_B = side_B & (draw.inclusion_B > 0)
    if not open_B.any():
        return 0.0, 0.0, 0.0
    answered = open_B & draw.chosen_B & np.isfinite(decision_B)
    if not answered.any():
        return None
    drawn = open_B & draw.chosen_B
    weight = 1.0 / (draw.inclusion_B[answered] * answered.sum() / drawn.sum())
    wrongly = float(np.mean(errors.false_positive if right else errors.false_negative))
    seen = decision_B[answered] if right else 1.0 - decision_B[answered]
    power = float(np.mean(errors.informedness))
    total = float((weight * (seen - wrongly)).sum()) / power
    return max(0.0, total), float((weight**2 * seen).sum()) / power**2, float(weight.mean()) / power


def _scaled_poisson(total: float, variance: float, unit: float) -> tuple[float, float]:
    """95 % limits of a total that is c times a Poisson count, c = variance/total, or `unit` when nothing was seen."""
    c = variance / total if total > 0 and variance > 0 else unit
    if not c > 0:
        return total, total
    count = total / c
    low = count * (1 - 1 / (9 * count) - _Z / (3 * math.sqrt(count))) ** 3 if count > 0.2 else 0.0
    high = (count + 1) * (1 - 1 / (9 * (count + 1)) + _Z / (3 * math.sqrt(count + 1))) ** 3
    return max(0.0, low) * c, high * c


def _ratio_limits(
    errors: float, low: float, high: float, rest: float, rest_low: float, rest_high: float
) -> tuple[float, float]:
    """Limits of errors/(errors + rest)."""
    if errors <= 0 or rest <= 0:
        most = high + max(rest_low, 0.0)
        return (low / (low + rest_high) if low > 0 else 0.0), (high / most if rest > 0 and most > 0 else 1.0)
    odds = math.log(errors / rest)
    down = math.hypot(math.log(errors / low) if low > 0 else math.inf, math.log(rest_high / rest))
    up = math.hypot(math.log(high / errors), math.log(rest / rest_low) if rest_low > 0 else math.inf)
    return _inverse_logit(odds - down), _inverse_logit(odds + up)


def _inverse_logit(odds: float) -> float:
    return 0.0 if odds == -math.inf else 1.0 if odds == math.inf else 1 / (1 + math.exp(-odds))


def _binomial(number: int, p: float) -> Floats:
    """P(K = k) for k = 0 … number."""
    if p >= 1:
        return np.eye(1, number + 1, number).ravel()
    k = np.arange(number + 1)
    logs = [math.lgamma(number + 1) - math.lgamma(i + 1) - math.lgamma(number - i + 1) for i in k]
    return np.asarray(np.exp(np.array(logs) + k * math.log(p) + (number - k) * math.log1p(-p)), dtype=np.float64)
