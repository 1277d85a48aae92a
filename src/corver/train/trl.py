"""CorverTrainer: TRL's GRPOTrainer with sentence rewards laid on their own tokens.

In: a GRPOTrainer's own arguments, a SentenceReward and a CreditConfig. Out: (B, T) advantages in the trainer's loss and
corver/… metrics beside TRL's. Two methods are overridden and both call super(): `_calculate_rewards` scores the local
completions' sentences, `_generate_and_score_completions` replaces the advantages. This module knows no corpus; how
credit is computed stands in corver.credit.

Groups may span processes: claim totals and completion means are gathered before any group statistic is taken.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Sampler
from transformers import TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

from corver.config import CreditConfig
from corver.credit.advantage import AdvantageRule, completion_means, group_baseline, token_advantages
from corver.credit.align import sentence_of_tokens
from corver.credit.returns import ClaimTotals, claim_totals, shaping, silence_values
from corver.errors import ConfigError, TrainingError
from corver.policy.tokens import detokenizer_of
from corver.runs import write_text
from corver.text.rollout import rollout_sentences
from corver.train.metrics import batch_metrics
from corver.train.rewards import gold_answers
from corver.types import Rollout, SentenceReward, SentenceScore

__all__ = ["CorverTrainer"]

STATE_FILE = "corver_state.json"


class CorverTrainer(GRPOTrainer):
    """GRPO in which every token gets the reward of its own sentence.

    Takes all arguments of `trl.GRPOTrainer`, and by keyword:

    sentence_reward: judges the sentences of a whole generation batch at once. credit: weights, alignment, silence and
    guards; its lambda_j and lambda_f are not read here, since `args.reward_weights` weighs the reward functions.
    record: called after each generation batch with (step, rollouts, scores, responses), for logs of samples.
    fingerprints: what the sentence rewards depend on (index, extractor, levels …); saved in every checkpoint and
    compared on resume.

    Raises ConfigError for TRL settings under which per-token advantages would be wrong.
    """

    def __init__(
        self,
        *args: Any,
        sentence_reward: SentenceReward,
        credit: CreditConfig | None = None,
        record: Any | None = None,
        fingerprints: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.sentence_reward = sentence_reward
        self.credit = credit or CreditConfig()
        self.rule = _rule(self.args, self.credit)
        self.fingerprints = dict(fingerprints or {})
        self._record = record
        self._detokenize = detokenizer_of(
            self._tokenizer, ids=self.accelerator.unwrap_model(self.model).config.vocab_size
        )
        self._scored: _ScoredBatch | None = None
        self._reference = _Reference(self.credit)
        self.add_callback(_StateSaver(self))

    def train(
        self, resume_from_checkpoint: str | os.PathLike[str] | bool | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """As in TRL. On resume, checks that index, extractor and levels are those of the checkpoint."""
        checkpoint = resume_from_checkpoint
        if isinstance(checkpoint, bool):
            checkpoint = self._newest_checkpoint() if checkpoint else None
        if checkpoint is None:
            return super().train(None, *args, **kwargs)
        self._load_state(Path(checkpoint) / STATE_FILE)
        return super().train(os.fspath(checkpoint), *args, **kwargs)

    def _newest_checkpoint(self) -> str:
        newest = get_last_checkpoint(self.args.output_dir)
        if newest is None:
            raise TrainingError(f"{self.args.output_dir}: holds no checkpoint to go on from")
        return str(newest)

    def _get_train_sampler(self, dataset: Any | None = None) -> _EpochSampler:
        return _EpochSampler(super()._get_train_sampler(dataset), seed=self.args.seed)

    def _calculate_rewards(
        self, inputs: list[dict[str, Any]], prompts: list[Any], completions: list[Any], completion_ids_list: Any
    ) -> torch.Tensor:
        rewards_BF = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        weighted = rewards_BF * self.reward_weights.to(rewards_BF.device).unsqueeze(0)
        response_B = weighted.nansum(dim=1)
        response_B[torch.isnan(rewards_BF).all(dim=1)] = torch.nan
        self._scored = self._score(inputs, completion_ids_list, response_B.double().cpu().numpy())
        return rewards_BF

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        output = super()._generate_and_score_completions(inputs)
        if self._scored is None:
            raise TrainingError("TRL made advantages without asking for rewards; this TRL version is not supported")
        scored, self._scored = self._scored, None
        mask = output["completion_mask"]
        if "tool_mask" in output:
            mask = mask * output["tool_mask"]
        advantages_BT = self._advantages(scored, mask.cpu().numpy())
        output["advantages"] = torch.tensor(advantages_BT, dtype=torch.float32, device=mask.device)
        return output

    def _score(
        self, inputs: list[dict[str, Any]], completion_ids: Sequence[Sequence[int]], response_all: Any
    ) -> _ScoredBatch:
        """Text, σ(t) and verdicts of the local completions. response_all: gathered over all processes."""
        started = time.perf_counter()
        tokens_B = [self._detokenize(list(ids)) for ids in completion_ids]
        cut_B = [not ids or ids[-1] not in self.eos_token_ids for ids in completion_ids]
        spans_B = [
            tuple(rollout_sentences(tokens.text, drop_cut_off=cut)) for tokens, cut in zip(tokens_B, cut_B, strict=True)
        ]
        rollouts = [
            Rollout(
                tokens.text,
                question=row.get("question"),
                answers=gold_answers(row.get("answers")),
                sentences=spans,
            )
            for row, tokens, spans in zip(inputs, tokens_B, spans_B, strict=True)
        ]
        scores_B = self.sentence_reward.score(rollouts) if self.credit.lambda_c else [[] for _ in rollouts]
        if len(scores_B) != len(rollouts) or any(
            self.credit.lambda_c and len(scores) != len(spans) for scores, spans in zip(scores_B, spans_B, strict=False)
        ):
            raise TrainingError("the sentence reward did not return one verdict a sentence and one list a completion")
        sentence_B = [
            sentence_of_tokens(tokens, spans if scores else ())
            for tokens, spans, scores in zip(tokens_B, spans_B, scores_B, strict=True)
        ]
        seconds = time.perf_counter() - started
        return _ScoredBatch(rollouts, [list(scores) for scores in scores_B], sentence_B, response_all, seconds)

    def _advantages(self, scored: _ScoredBatch, mask_BT: np.ndarray) -> np.ndarray:
        """(B, T) advantages of the local rows, with group statistics over all processes."""
        started = time.perf_counter()
        size = len(scored.rollouts)
        here = slice(self.accelerator.process_index * size, (self.accelerator.process_index + 1) * size)
        generations = self.num_generations if self.model.training else self.num_generations_eval
        group_all = np.arange(len(scored.response_all)) // generations

        totals = claim_totals(scored.scores)
        totals_all = ClaimTotals(self._gather(totals.sum_B), self._gather(totals.count_B))
        reference = self._reference.value(totals_all, learn=self.model.training)
        silence_all = silence_values(totals_all, group_all, policy=self.credit.silence, reference=reference)
        shaping_BT = np.zeros(mask_BT.shape)
        for row, (sentence_T, scores, silence) in enumerate(
            zip(scored.sentence, scored.scores, silence_all[here], strict=True)
        ):
            shaping_BT[row, : sentence_T.size] = shaping(
                sentence_T,
                scores,
                weight=self.credit.lambda_c,
                silence=float(silence),
                alignment=self.credit.alignment,
            )
        response_B = scored.response_all[here]
        means_all = self._gather(completion_means(response_B, shaping_BT, mask_BT))
        baseline = group_baseline(means_all, group_all, rule=self.rule)
        values, report = token_advantages(response_B, shaping_BT, mask_BT, baseline.rows(here), rule=self.rule)

        seconds = scored.seconds + time.perf_counter() - started
        local = batch_metrics(scored.rollouts, scored.scores, scored.sentence, report, seconds=seconds)
        self._log_batch(local, silence=float(silence_all.mean()), reference=reference)
        self._replace_logged_advantages(self._gather(values.sum(axis=1) / np.maximum(mask_BT.sum(axis=1), 1)))
        if self._record is not None:
            self._record(self.state.global_step, scored.rollouts, scored.scores, response_B)
        return values

    def _gather(self, values: np.ndarray) -> np.ndarray:
        # Through CPU float64 where the backend allows it; MPS has no float64.
        dtype = torch.float32 if self.accelerator.device.type == "mps" else torch.float64
        tensor = torch.tensor(np.asarray(values), dtype=dtype, device=self.accelerator.device)
        return self.accelerator.gather(tensor).double().cpu().numpy()

    def _log_batch(self, local: dict[str, tuple[float, float]], *, silence: float, reference: float | None) -> None:
        """Average (sum, weight) metrics over processes; keys are the same everywhere."""
        mode = "train" if self.model.training else "eval"
        names = sorted(local)
        flat = np.array([local[name] for name in names], dtype=np.float64).reshape(1, -1, 2)
        gathered = self._gather(flat)
        for number, name in enumerate(names):
            sums, weights = gathered[:, number, 0], gathered[:, number, 1]
            if name.endswith("_max"):
                value = float(sums.max())
            else:
                value = float(sums.sum() / weights.sum()) if weights.sum() else math.nan
            self._metrics[mode][f"corver/{name}"].append(value)
        self._metrics[mode]["corver/silence_value"].append(silence)
        if reference is not None:
            self._metrics[mode]["corver/reference"].append(reference)

    def _replace_logged_advantages(self, mean_B: np.ndarray) -> None:
        """TRL logged its own advantage of each completion; put the mean of ours in its place."""
        logged = self._logs["advantages"]
        for _ in range(min(len(mean_B), len(logged))):
            logged.pop()
        logged.extend(float(value) for value in mean_B)

    def _load_state(self, path: Path) -> None:
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            known, reference = dict(state["fingerprints"]), dict(state["reference"])
            self._reference.restore(reference)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise TrainingError(f"{path}: the checkpoint has no usable reward state: {error}") from None
        for name, value in self.fingerprints.items():
            if known.get(name) != value:
                raise TrainingError(
                    f"{path.parent}: was trained with another {name} ({known.get(name)}, now {value}); "
                    "start a new run folder or restore the old setting"
                )

    def save_corver_state(self, folder: Path) -> None:
        """Write what a resumed run needs beside TRL's own checkpoint files."""
        state = {"fingerprints": self.fingerprints, "reference": self._reference.state()}
        # By rename: `train.run` takes a checkpoint that has this file for whole.
        write_text(folder / STATE_FILE, json.dumps(state))


class _ScoredBatch:
    """The local completions of one generation batch with their verdicts; response_all spans all processes."""

    __slots__ = ("response_all", "rollouts", "scores", "seconds", "sentence")

    def __init__(
        self,
        rollouts: list[Rollout],
        scores: list[list[SentenceScore]],
        sentence: list[np.ndarray],
        response_all: np.ndarray,
        seconds: float,
    ) -> None:
        self.rollouts = rollouts
        self.scores = scores
        self.sentence = sentence
        self.response_all = response_all
        self.seconds = seconds


class _Reference:
    """The first policy's mean claim reward: given, or measured on the first batches and then frozen."""

    def __init__(self, credit: CreditConfig) -> None:
        self._given = credit.reference
        self._batches = credit.reference_batches
        self._sum = 0.0
        self._count = 0.0
        self._seen = 0

    def value(self, totals: ClaimTotals, *, learn: bool) -> float | None:
        if self._given is not None:
            return self._given
        if learn and self._seen < self._batches:
            self._sum += float(totals.sum_B.sum())
            self._count += float(totals.count_B.sum())
            self._seen += 1
        return self._sum / self._count if self._count else None

    def state(self) -> dict[str, float]:
        return {"sum": self._sum, "count": self._count, "seen": self._seen}

    def restore(self, state: dict[str, float]) -> None:
        self._sum, self._count, self._seen = state["sum"], state["count"], int(state["seen"])


class _EpochSampler(Sampler[int]):
    """TRL's order of prompts as a function of the epoch, so that a run taken up in a later epoch sees what an unbroken
    one sees; TRL's own sampler begins again with the order of the first epoch."""

    def __init__(self, order: Any, *, seed: int) -> None:
        self._order = order
        self._seed = seed

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer at the start of each epoch."""
        generator = getattr(self._order, "generator", None)  # none where the prompts are not shuffled
        if generator is not None:
            generator.manual_seed(self._seed + epoch)

    def __iter__(self) -> Iterator[int]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)


class _StateSaver(TrainerCallback):
    """Adds the reward state to every checkpoint."""

    def __init__(self, trainer: CorverTrainer) -> None:
        self._trainer = trainer

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        if state.is_world_process_zero and folder.is_dir():
            self._trainer.save_corver_state(folder)


def _rule(args: GRPOConfig, credit: CreditConfig) -> AdvantageRule:
    if args.multi_objective_aggregation != "sum_then_normalize":
        raise ConfigError(
            f"multi_objective_aggregation={args.multi_objective_aggregation!r} normalises each reward function by "
            "itself and cannot carry sentence rewards; use 'sum_then_normalize'"
        )
    if getattr(args, "use_liger_kernel", False):
        raise ConfigError("use_liger_kernel computes its loss from one advantage a completion; set it to false")
    wanted = {True: "group", False: "none"}.get(args.scale_rewards, args.scale_rewards)
    if wanted not in ("group", "batch", "none"):
        raise ConfigError(f"scale_rewards={args.scale_rewards!r} is not one of 'group', 'batch', 'none'")
    own = credit.advantage
    if "scale" in own.model_fields_set and own.scale != wanted:
        raise ConfigError(f"scale_rewards={wanted!r} contradicts credit.advantage.scale={own.scale!r}; set one of them")
    return AdvantageRule(scale=wanted, epsilon=own.epsilon, std_floor=own.std_floor, cap=own.cap)
