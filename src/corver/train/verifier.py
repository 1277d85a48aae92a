"""The verifier of a run that errs: its verdicts, their appeals, and the judge's share of the advantage.

In: the rewards of a generation batch as TRL gathers them from all processes, and the local completions. Out: rewards
after flips, the judge's share of the advantage, metrics, and a state for checkpoints. Every process sees all verdicts
and draws the same appeals; each asks the better judge about its own completions, and the answers are gathered. This
module knows no sentence and no token; the formulas stand in `corver.credit.noise` and `corver.credit.appeals`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corver.config import AppealsConfig, CreditConfig, NoiseConfig
from corver.credit.advantage import AdvantageRule, Baseline
from corver.credit.appeals import (
    AppealCase,
    AppealDraw,
    AppealJudge,
    AppealPlan,
    RateEstimate,
    RateEstimator,
    answered_share,
    appealed_reward,
    apply_flips,
    draw_appeals,
    rates_after_flips,
)
from corver.credit.noise import (
    Correction,
    NoiseRates,
    RunningScale,
    correction_effect,
    judge_advantage,
    value_advantage,
    within_group_std,
)
from corver.errors import ConfigError, CorrectionUndoneError, TrainingError
from corver.text.answers import is_refusal
from corver.text.rollout import parse_rollout
from corver.train.rewards import completion_text, gold_answers

__all__ = ["NoisyVerifier", "appeal_cases", "verifier_column"]

Floats = NDArray[np.float64]
NoisyCorrection: TypeAlias = Correction | Literal["appealed", "off"]


@dataclass(frozen=True, slots=True)
class _Batch:
    """One generation batch over all processes: verdicts after flips, the rates that hold for them, values instead of
    them where appeals weigh (correction `appealed`), and what the verifier's reward adds to the response's."""

    verdict_B: Floats
    rates: NoiseRates
    value_B: Floats | None
    share_B: Floats


class NoisyVerifier:
    """The noise and appeals of one run.

    credit: with a section noise, appeals, or both. names, weights: TRL's reward functions. judge: who hears appeals.
    rule: how the rest of the advantage is scaled. Raises ConfigError for settings that contradict one another, and
    CorrectionUndoneError where the advantage would be z-scored after the correction.
    """

    def __init__(
        self,
        credit: CreditConfig,
        *,
        names: Sequence[str],
        weights: Sequence[float],
        rule: AdvantageRule,
        judge: AppealJudge | None = None,
        seed: int = 0,
    ) -> None:
        self._noise, self._appeals = credit.noise, credit.appeals
        settings = credit.noise or NoiseConfig(correction="off")
        self._column = verifier_column(settings.verifier, names)
        self._weight = float(weights[self._column])
        self._low, self._high = settings.values or (0.0, 1.0)
        self._judge, self._seed, self._batches = judge, seed, 0
        if credit.appeals is not None and judge is None:
            raise ConfigError("credit.appeals needs a judge to appeal to (argument appeal_judge)")
        if settings.correction != "off" and rule.scale != "none":
            raise CorrectionUndoneError(
                f"credit.noise.correction={settings.correction!r} with scale_rewards={rule.scale!r} (in a run: "
                "credit.advantage.scale): a z-score after the correction turns it back into the uncorrected advantage; "
                "set it to 'none', credit.noise.scale is the scale"
            )
        self.given = _given(settings)
        self._estimator = _estimator(credit.appeals, self.given)
        self._running = RunningScale(floor=credit.advantage.std_floor or 1e-3)
        self._batch: _Batch | None = None
        self._metrics: dict[str, float] = {}

    def take(
        self,
        rewards_BF: Floats,
        cases: Sequence[AppealCase | None],
        *,
        gather: Callable[[Floats], Floats],
        here: slice,
        learn: bool,
    ) -> Floats:
        """The rewards after appeals, shape as given: all completions of all processes.

        cases: of the local completions, None where there is nothing to judge. learn: False in evaluation, where nothing
        is appealed and nothing estimated. Raises TrainingError when the verifier pays something that is no verdict.
        """
        verdict_B = self._verdicts(rewards_BF[:, self._column])
        self._metrics = {"verifier_accepted": _mean(verdict_B)}
        rates, value_B = self._rates(), None
        if self._appeals is not None and learn:
            open_B = gather(np.array([case is not None for case in cases], dtype=np.float64)) > 0
            draw = self._draw(verdict_B, open_B)
            decision_B = gather(self._decide(cases, draw.chosen_B[here]))
            value_B = self._settle(verdict_B, decision_B, draw)
            rates = self._rates()
            if self._appeals.flip:
                rates = self._flipped_rates(rates, verdict_B, decision_B, draw)
                verdict_B = apply_flips(verdict_B, decision_B)
        rewards_BF = rewards_BF.copy()
        rewards_BF[:, self._column] = self._low + verdict_B * (self._high - self._low)
        share_B = np.nan_to_num(self._weight * rewards_BF[:, self._column])
        self._batch = _Batch(verdict_B, rates, value_B, share_B)
        return rewards_BF

    @property
    def corrects(self) -> bool:
        """Whether the judge's share of the advantage is made here; else appeals only change verdicts."""
        return self._noise is not None and self._noise.correction != "off"

    def without(self, response_B: Floats) -> Floats:
        """The response rewards without the verifier's share: what keeps the group's baseline."""
        return response_B - self._now().share_B

    def compose(
        self, rest_B: Floats, baseline: Baseline, group_B: NDArray[Any], response_B: Floats, *, learn: bool
    ) -> tuple[Floats, Baseline]:
        """Response and baseline whose quotient is A_judge + (rest − mean)/scale, with one scale for both.

        So the parts keep the ratio that their weights give them in every group. rest_B and baseline: of the rewards
        without the verifier's. The scale is fixed or runs slowly, and is never that of the group.
        """
        if self._noise is None:
            raise ValueError("there is no correction to compose")
        scale = self._noise.scale
        if scale == "running":
            scale = self._running.update(within_group_std(response_B, group_B)) if learn else self._running.value
        correction = self._noise.correction
        judged = self._judged(group_B, correction=correction, scale=scale)
        self._metrics["noise_scale"] = scale
        self._note_effect(judged, group_B, scale)
        fixed = Baseline(baseline.mean_B, np.full_like(baseline.scale_B, scale), np.zeros_like(baseline.floored_B))
        return rest_B + scale * judged, fixed

    def metrics(self) -> dict[str, float]:
        """Of the last batch; the same in every process."""
        return dict(self._metrics)

    def state(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "batches": self._batches,
            "scale": self._running.state(),
            "rates": self._estimator.state() if self._estimator else None,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """From a checkpoint. KeyError, TypeError or ValueError when it does not fit."""
        self._batches = int(state["batches"])
        self._running.restore(state["scale"])
        if self._estimator is not None:
            self._estimator.restore(state["rates"])

    def _now(self) -> _Batch:
        if self._batch is None:
            raise TrainingError("advantages were asked for before any verdict")
        return self._batch

    def _verdicts(self, reward_B: Floats) -> Floats:
        scaled = (reward_B - self._low) / (self._high - self._low)
        rounded = np.round(scaled)
        odd = np.isfinite(scaled) & ((np.abs(scaled - rounded) > 1e-6) | (rounded < 0) | (rounded > 1))
        if odd.any():
            raise TrainingError(
                f"the verifier paid {float(reward_B[odd][0]):g}, which is neither {self._low:g} (rejected) nor "
                f"{self._high:g} (accepted): only a binary verifier can be corrected (credit.noise.values)"
            )
        return rounded

    def _rates(self) -> NoiseRates:
        return self._estimator.rates() if self._estimator is not None else self.given

    def _draw(self, verdict_B: Floats, open_B: NDArray[np.bool_]) -> AppealDraw:
        settings = self._appeals
        assert settings is not None
        plan = AppealPlan(q=settings.q, q_accepted=settings.q_accepted, budget=settings.budget)
        self._batches += 1
        return draw_appeals(verdict_B, plan, seed=self._seed, batch=self._batches, appealable_B=open_B)

    def _decide(self, cases: Sequence[AppealCase | None], chosen_B: NDArray[np.bool_]) -> Floats:
        """The better judge's answers on the local completions: 1, 0, or NaN where it was not asked or gave none."""
        assert self._judge is not None
        started = time.perf_counter()
        places = [place for place, case in enumerate(cases) if chosen_B[place] and case is not None]
        decisions = self._judge.decide([case for place in places if (case := cases[place]) is not None])
        if len(decisions) != len(places):
            raise TrainingError(f"the appeal judge gave {len(decisions)} decisions on {len(places)} cases")
        result = np.full(len(cases), np.nan)
        for place, decision in zip(places, decisions, strict=True):
            if decision.correct is not None:
                result[place] = float(decision.correct)
        self._metrics["appeals_seconds"] = time.perf_counter() - started
        return result

    def _settle(self, verdict_B: Floats, decision_B: Floats, draw: AppealDraw) -> Floats | None:
        """Count, estimate, and for the correction `appealed` weigh."""
        answered = np.isfinite(decision_B)
        self._metrics |= {
            "appeals_made": float(draw.chosen_B.sum()),
            "appeals_failed": float((draw.chosen_B & ~answered).sum()),
            "appeals_flipped": float((answered & (decision_B != verdict_B)).sum()),
        }
        value_B = None
        if self._noise is not None and self._noise.correction == "appealed":
            rejected, accepted = (self._estimator or RateEstimator(self.given)).right_given()
            reached = [draw.inclusion_B * answered_share(verdict_B, decision_B, draw, of=of) for of in (0, 1)]
            inclusion_B = np.where(verdict_B == 1, reached[1], reached[0])
            value_B = appealed_reward(verdict_B, decision_B, inclusion_B, np.where(verdict_B == 1, accepted, rejected))
        if self._estimator is not None:
            self._estimator.update(verdict_B, decision_B, draw)
            self._metrics |= _named("false_negative", self._estimator.false_negative)
            self._metrics |= _named("false_positive", self._estimator.false_positive)
        return value_B

    def _flipped_rates(self, rates: NoiseRates, verdict_B: Floats, decision_B: Floats, draw: AppealDraw) -> NoiseRates:
        """The rates of verdicts after flips, from the chance that a verdict of either kind got a decision."""
        chance = [
            _mean(draw.inclusion_B[(verdict_B == of) & (draw.inclusion_B > 0)], empty=0.0)
            * answered_share(verdict_B, decision_B, draw, of=of)
            for of in (0, 1)
        ]
        return rates_after_flips(rates, rejected=chance[0], accepted=chance[1], judge=_judge_rates(self._appeals))

    def _judged(
        self, group_B: NDArray[Any], *, correction: Correction | Literal["appealed", "off"], scale: float
    ) -> Floats:
        batch, spread = self._now(), self._weight * (self._high - self._low)
        if correction == "appealed" and batch.value_B is not None:
            return value_advantage(batch.value_B, group_B, scale=scale, spread=spread)
        known: Correction = "none" if correction == "appealed" or correction == "off" else correction
        return judge_advantage(
            batch.verdict_B, group_B, correction=known, rates=batch.rates, scale=scale, spread=spread
        )

    def _note_effect(self, judged_B: Floats, group_B: NDArray[Any], scale: float) -> None:
        plain = self._judged(group_B, correction="none", scale=scale)
        self._metrics["correction_change"] = correction_effect(judged_B, plain, group_B).change


def appeal_cases(
    rows: Sequence[Mapping[str, Any]], completions: Sequence[Any], *, reads: Literal["answer", "completion"]
) -> list[AppealCase | None]:
    """What a better judge would see of each completion; None where there is no answer, or only a refusal.

    rows: with `question` (else the prompt's last message) and `answers`, `answer` or `solution`. reads: the answer
    block of a completion, or the whole of it.
    """
    return [_case(row, completion_text(completion), reads) for row, completion in zip(rows, completions, strict=True)]


def _case(row: Mapping[str, Any], text: str, reads: str) -> AppealCase | None:
    prediction: str | None = text.strip()
    if reads == "answer":
        span = parse_rollout(text).answer
        prediction = None if span is None else span.of(text).strip()
    if not prediction or is_refusal(prediction):
        return None
    golds = next((row[name] for name in ("answers", "answer", "solution") if row.get(name) is not None), None)
    question = row.get("question")
    if question is None and row.get("prompt"):
        prompt = row["prompt"]
        # completion_text reads the assistant's messages; the question is the user's.
        question = prompt if isinstance(prompt, str) else completion_text([{**prompt[-1], "role": "assistant"}])
    return AppealCase(str(question or ""), tuple(str(gold) for gold in gold_answers(golds)), prediction)


def verifier_column(name: str, names: Sequence[str]) -> int:
    """The place of the verifier `name` among the reward functions `names`. Raises ConfigError where it is none."""
    if name in names:
        return list(names).index(name)
    if len(names) == 1:
        return 0
    raise ConfigError(f"credit.noise.verifier={name!r}: the reward functions are {', '.join(names)}")


def _given(noise: NoiseConfig) -> NoiseRates:
    return NoiseRates(noise.false_positive or 0.0, noise.false_negative or 0.0)


def _judge_rates(appeals: AppealsConfig | None) -> NoiseRates:
    return NoiseRates(appeals.judge_false_positive, appeals.judge_false_negative) if appeals else NoiseRates(0.0, 0.0)


def _estimator(appeals: AppealsConfig | None, given: NoiseRates) -> RateEstimator | None:
    if appeals is None or not appeals.estimate:
        return None
    return RateEstimator(
        given,
        decay=appeals.decay,
        prior=appeals.prior,
        average=appeals.average,
        judge=_judge_rates(appeals),
        with_accepted=appeals.q_accepted > 0,
    )


def _named(name: str, estimate: RateEstimate) -> dict[str, float]:
    return {f"noise_{name}": estimate.value, f"noise_{name}_low": estimate.low, f"noise_{name}_high": estimate.high}


def _mean(values: Floats, *, empty: float = float("nan")) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else empty
