"""CorverTrainer: TRL's GRPOTrainer with sentence rewards laid on their own tokens.

In: a GRPOTrainer's own arguments, a SentenceReward and a CreditConfig. Out: (B, T) advantages in the trainer's loss and
corver/… metrics beside TRL's. Two methods are overridden and both call super(): `_calculate_rewards` scores the local
completions' sentences, `_generate_and_score_completions` replaces the advantages. Where scoring shall overlap the
log-probabilities of the old and the reference policy, `_generate` is a third. This module knows no corpus; how credit
is computed stands in corver.credit.

Groups may span processes: claim totals and completion means are gathered before any group statistic is taken.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

from corver.config import CreditConfig
from corver.credit.advantage import AdvantageRule, completion_means, group_baseline, token_advantages
from corver.credit.appeals import AppealJudge
from corver.credit.noise import within_group_std
from corver.credit.returns import ClaimTotals, claim_totals, shaping, silence_values
from corver.errors import ConfigError, TrainingError
from corver.policy.prompts import prompts_open_think
from corver.policy.tokens import detokenizer_of, end_ids
from corver.runs import write_text
from corver.train.checkpoints import STATE_FILE, check_trainer_state, checkpoint_faults, read_checkpoint_state
from corver.train.metrics import Metric, batch_metrics
from corver.train.order import EpochSampler
from corver.train.reference import Reference
from corver.train.scoring import BatchScorer, ScoredBatch
from corver.train.verifier import NoisyVerifier, appeal_cases
from corver.types import SentenceReward

__all__ = ["CorverTrainer"]


class CorverTrainer(GRPOTrainer):
    """GRPO in which every token gets the reward of its own sentence.

    Takes all arguments of `trl.GRPOTrainer`, and by keyword:

    sentence_reward: judges the sentences of a whole generation batch at once; None: there is none, as for a verifier of
    whole answers. appeal_judge: who hears the appeals of `credit.appeals`. credit: weights, alignment, silence and
    guards; its lambda_j and lambda_f are not read here, since `args.reward_weights` weighs the reward functions.
    record: called after each generation batch with (step, rollouts, scores, responses), for logs of samples.
    fingerprints: what the sentence rewards depend on (index, extractor, levels …); saved in every checkpoint and
    compared on resume. overlap: score in a thread of its own while TRL computes the log-probabilities of the old and
    the reference policy; the sentence reward must not mind being called from another thread.

    Raises ConfigError for TRL settings under which per-token advantages would be wrong.
    """

    def __init__(
        self,
        *args: Any,
        sentence_reward: SentenceReward | None = None,
        credit: CreditConfig | None = None,
        appeal_judge: AppealJudge | None = None,
        record: Any | None = None,
        fingerprints: dict[str, str] | None = None,
        overlap: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.credit = credit or CreditConfig()
        self.rule = _rule(self.args, self.credit)
        self.fingerprints = dict(fingerprints or {})
        self._record = record
        model, tokenizer = self.accelerator.unwrap_model(self.model), _tokenizer_of(self.processing_class)
        self._scorer = BatchScorer(
            sentence_reward,
            detokenizer_of(tokenizer, ids=model.config.get_text_config().vocab_size),
            ends=end_ids(model, tokenizer),
            asks=self.credit.lambda_c != 0 and sentence_reward is not None,
        )
        self._verifier = self._noisy_verifier(appeal_judge)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="corver-reward") if overlap else None
        self._ahead: Future[ScoredBatch] | None = None
        self._inputs: list[dict[str, Any]] = []
        self._scored: tuple[ScoredBatch, np.ndarray] | None = None
        self._reference = Reference(self.credit)
        self._clock = _Clock()
        self.add_callback(_Watch(self))

    def train(
        self, resume_from_checkpoint: str | os.PathLike[str] | bool | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """As in TRL. On resume, checks that index, extractor and levels are those of the checkpoint."""
        checkpoint = resume_from_checkpoint
        if isinstance(checkpoint, bool):
            checkpoint = self._newest_checkpoint() if checkpoint else None
        if checkpoint is None:
            return super().train(None, *args, **kwargs)
        self._load_state(Path(checkpoint))
        return super().train(os.fspath(checkpoint), *args, **kwargs)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, *args: Any, **kwargs: Any) -> None:
        with checkpoint_faults(resume_from_checkpoint):
            super()._load_from_checkpoint(resume_from_checkpoint, *args, **kwargs)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        with checkpoint_faults(checkpoint):
            super()._load_optimizer_and_scheduler(checkpoint)

    def _load_rng_state(self, checkpoint: str | None) -> None:
        with checkpoint_faults(checkpoint):
            super()._load_rng_state(checkpoint)

    def _newest_checkpoint(self) -> str:
        newest = get_last_checkpoint(self.args.output_dir)
        if newest is None:
            raise TrainingError(f"{self.args.output_dir}: holds no checkpoint to go on from")
        return str(newest)

    def _get_train_sampler(self, dataset: Any | None = None) -> EpochSampler:
        return EpochSampler(super()._get_train_sampler(dataset), seed=self.args.seed)

    def _generate(self, prompts: list[Any], *args: Any, **kwargs: Any) -> Any:
        output = super()._generate(prompts, *args, **kwargs)
        if self._pool is not None:
            opened = prompts_open_think(self.processing_class, prompts, self._template())
            self._ahead = self._pool.submit(self._scorer.score, self._inputs, output[1], think_opened=opened)
        return output

    def _calculate_rewards(
        self, inputs: list[dict[str, Any]], prompts: list[Any], completions: list[Any], completion_ids_list: Any
    ) -> torch.Tensor:
        if self.accelerator.num_processes > 1:  # that waiting for others be not counted as work
            self.accelerator.wait_for_everyone()
        started = time.perf_counter()
        rewards_BF = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        if self._verifier is not None:
            rewards_BF = self._heard(self._verifier, rewards_BF, inputs, completions)
        weighted = rewards_BF * self.reward_weights.to(rewards_BF.device).unsqueeze(0)
        response_B = weighted.nansum(dim=1)
        response_B[torch.isnan(rewards_BF).all(dim=1)] = torch.nan
        scored = self._verdicts(inputs, prompts, completion_ids_list)
        self._scored = (scored, response_B.double().cpu().numpy())
        self._clock.add(time.perf_counter() - started)
        return rewards_BF

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._inputs = inputs
        output = super()._generate_and_score_completions(inputs)
        if self._scored is None:
            raise TrainingError("TRL made advantages without asking for rewards; this TRL version is not supported")
        (scored, response_all), self._scored = self._scored, None
        mask = output["completion_mask"]
        if "tool_mask" in output:
            mask = mask * output["tool_mask"]
        advantages_BT = self._advantages(scored, response_all, mask.cpu().numpy())
        output["advantages"] = torch.tensor(advantages_BT, dtype=torch.float32, device=mask.device)
        return output

    def _verdicts(
        self, inputs: list[dict[str, Any]], prompts: list[Any], completion_ids: Sequence[Sequence[int]]
    ) -> ScoredBatch:
        """What was scored ahead, if it was these completions; else scored now."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            scored = ahead.result()
            if scored.ids == [list(ids) for ids in completion_ids]:
                return scored
        opened = prompts_open_think(self.processing_class, prompts, self._template())
        return self._scorer.score(inputs, completion_ids, think_opened=opened)

    def _template(self) -> dict[str, Any]:
        return dict(getattr(self, "chat_template_kwargs", None) or {})

    def _advantages(self, scored: ScoredBatch, response_all: np.ndarray, mask_BT: np.ndarray) -> np.ndarray:
        """(B, T) advantages of the local rows, with group statistics over all processes. response_all: R_resp of the
        completions of all processes."""
        started = time.perf_counter()
        size = len(scored.rollouts)
        here = slice(self.accelerator.process_index * size, (self.accelerator.process_index + 1) * size)
        generations = self.num_generations if self.model.training else self.num_generations_eval
        group_all = np.arange(len(response_all)) // generations

        totals_all = self._claims(scored, response_all, mask_BT)
        if self.model.training:
            self._reference.learn(totals_all)
        silence_all = silence_values(
            totals_all,
            group_all,
            policy=self.credit.silence,
            reference=self._reference.reward,
            bonus=self._reference.bonus,
        )
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
        noise = self._verifier if self._verifier is not None and self._verifier.corrects else None
        base_all = response_all if noise is None else noise.without(response_all)
        means_all = self._gather(completion_means(base_all[here], shaping_BT, mask_BT))
        baseline = group_baseline(means_all, group_all, rule=self.rule)
        if noise is not None:
            base_all, baseline = noise.compose(base_all, baseline, group_all, response_all, learn=self.model.training)
        values, report = token_advantages(base_all[here], shaping_BT, mask_BT, baseline.rows(here), rule=self.rule)

        self._clock.add(time.perf_counter() - started)
        local = batch_metrics(
            scored.rollouts, scored.scores, scored.sentence, report, seconds=self._clock.batch(), scoring=scored.seconds
        )
        self._log_batch(local, silence=float(silence_all.mean()))
        advantage_all = self._gather(values.sum(axis=1) / np.maximum(mask_BT.sum(axis=1), 1))
        self._replace_logged_advantages(advantage_all)
        self._log_spread(response_all, advantage_all, group_all)
        if self._record is not None:
            self._record(self.state.global_step, scored.rollouts, scored.scores, response_all[here])
        return values

    def _gather(self, values: np.ndarray) -> np.ndarray:
        # Through CPU float64 where the backend allows it; MPS has no float64.
        dtype = torch.float32 if self.accelerator.device.type == "mps" else torch.float64
        tensor = torch.tensor(np.asarray(values), dtype=dtype, device=self.accelerator.device)
        return self.accelerator.gather(tensor).double().cpu().numpy()

    def _claims(self, scored: ScoredBatch, response_all: np.ndarray, mask_BT: np.ndarray) -> ClaimTotals:
        """Claim totals of the completions of all processes; one that is not rated takes no part in its group's mean."""
        rated_all = ~np.isnan(response_all)
        own = claim_totals(scored.sentence, scored.scores, mask_BT)
        return own.each(lambda column_B: np.where(rated_all, self._gather(column_B), 0.0))

    def _log_batch(self, local: dict[str, Metric], *, silence: float) -> None:
        """Put metrics together over processes; keys are the same everywhere."""
        mode = "train" if self.model.training else "eval"
        names = sorted(local)
        flat = np.array([(local[name].sum, local[name].weight) for name in names], dtype=np.float64)
        gathered_PM2 = self._gather(flat.reshape(1, -1, 2))
        for number, name in enumerate(names):
            value = local[name].together(gathered_PM2[:, number, 0], gathered_PM2[:, number, 1])
            if value is not None:
                self._metrics[mode][f"corver/{name}"].append(value)
        self._metrics[mode]["corver/silence_value"].append(silence)
        self._metrics[mode]["corver/claim_bonus"].append(self._reference.bonus)
        for name, known in (("reference", self._reference.reward), ("claims_reference", self._reference.claims)):
            if known is not None:
                self._metrics[mode][f"corver/{name}"].append(known)

    def _log_spread(self, response_all: np.ndarray, advantage_all: np.ndarray, group_all: np.ndarray) -> None:
        """Spread of rewards within groups and of final advantages, and what the verifier's noise and appeals did."""
        mode = "train" if self.model.training else "eval"
        found = {
            "reward_group_std": within_group_std(response_all, group_all),
            "advantage_std": float(advantage_all.std()),
        } | (self._verifier.metrics() if self._verifier is not None else {})
        for name, value in found.items():
            self._metrics[mode][f"corver/{name}"].append(value)

    def _noisy_verifier(self, judge: AppealJudge | None) -> NoisyVerifier | None:
        if self.credit.noise is None and self.credit.appeals is None:
            return None
        return NoisyVerifier(
            self.credit,
            names=self.reward_func_names,
            weights=self.reward_weights.tolist(),
            rule=self.rule,
            judge=judge,
            seed=self.args.seed,
        )

    def _heard(
        self, verifier: NoisyVerifier, rewards_BF: torch.Tensor, inputs: list[dict[str, Any]], completions: list[Any]
    ) -> torch.Tensor:
        """The rewards of all processes after the appeals of this batch."""
        rank, size = self.accelerator.process_index, len(completions)
        appeals = self.credit.appeals
        taken = verifier.take(
            rewards_BF.double().cpu().numpy(),
            appeal_cases(inputs, completions, reads=appeals.reads) if appeals else [None] * size,
            gather=self._gather,
            here=slice(rank * size, (rank + 1) * size),
            learn=self.model.training,
        )
        return torch.tensor(taken, dtype=rewards_BF.dtype, device=rewards_BF.device)

    def _replace_logged_advantages(self, mean_B: np.ndarray) -> None:
        """TRL logged its own advantage of each completion; put the mean of ours in its place."""
        logged = self._logs["advantages"]
        for _ in range(min(len(mean_B), len(logged))):
            logged.pop()
        logged.extend(float(value) for value in mean_B)

    def _load_state(self, checkpoint: Path) -> None:
        """Raises TrainingError when the checkpoint is damaged, or does not fit this trainer."""
        path = checkpoint / STATE_FILE
        state = read_checkpoint_state(path)
        with checkpoint_faults(path):
            known, reference = dict(state["fingerprints"]), dict(state["reference"])
            self._reference.restore(reference)
            if self._verifier is not None:
                self._verifier.restore(state["verifier"])
        for name, value in self.fingerprints.items():
            if known.get(name) != value:
                raise TrainingError(
                    f"{checkpoint}: was trained with another {name} ({known.get(name)}, now {value}); "
                    "start a new run folder or restore the old setting"
                )
        check_trainer_state(checkpoint)

    def save_corver_state(self, folder: Path) -> None:
        """Write what a resumed run needs beside TRL's own checkpoint files."""
        state: dict[str, Any] = {"fingerprints": self.fingerprints, "reference": self._reference.state()}
        if self._verifier is not None:
            state["verifier"] = self._verifier.state()
        # By rename: `train.run` takes a checkpoint that has this file for whole.
        write_text(folder / STATE_FILE, json.dumps(state))


class _Clock:
    """Seconds that the training thread gave to rewards and credit: of this batch, and of this step."""

    def __init__(self) -> None:
        self._batch = 0.0
        self._step = 0.0
        self._began: float | None = None

    def add(self, seconds: float) -> None:
        self._batch += seconds
        self._step += seconds

    def batch(self) -> float:
        """Seconds since the last call."""
        seconds, self._batch = self._batch, 0.0
        return seconds

    def step_begins(self) -> None:
        self._step, self._began = 0.0, time.perf_counter()

    def share(self) -> float | None:
        """Rewards' and credit's share of the step's wall time so far."""
        return None if self._began is None else self._step / (time.perf_counter() - self._began)


class _Watch(TrainerCallback):
    """Adds the reward state to every checkpoint, and the share of rewards and credit to every step's metrics."""

    def __init__(self, trainer: CorverTrainer) -> None:
        self._trainer = trainer

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._trainer._clock.step_begins()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        share = self._trainer._clock.share()
        if share is not None:
            self._trainer._metrics["train"]["corver/reward_share"].append(share)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # Each process writes a part of the checkpoint; the reward state, which marks it as whole, comes last.
        if self._trainer.accelerator.num_processes > 1:
            self._trainer.accelerator.wait_for_everyone()
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        if state.is_world_process_zero and folder.is_dir():
            self._trainer.save_corver_state(folder)


def _tokenizer_of(processing: Any) -> Any:
    """The tokenizer of a processor of text and images, or the tokenizer itself."""
    return getattr(processing, "tokenizer", processing)


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
