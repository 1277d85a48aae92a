"""An evaluation by itself, without a training run: a model, questions, and what to judge and score with.

In: an `EvaluationJob`. Out: a JSONL file of answers, which another sitting continues, and its figures. The prompt,
the judge and the scorer are those of training. This module knows no command line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.config import EndpointConfig, PolicyConfig, RewardConfig
from corver.endpoint import ChatEndpoint
from corver.errors import ConfigError
from corver.evaluate.answering import Answerer, Completion, EndpointAnswerer, PolicyAnswerer, with_adapter
from corver.evaluate.figures import Figures, evaluation_figures
from corver.evaluate.questions import Question, read_questions
from corver.evaluate.run import collect_answers
from corver.policy.prompts import check_prompt
from corver.policy.sampling import SamplingSettings
from corver.policy.weights import folder_fingerprint, model_fingerprint
from corver.progress import Progress, no_progress
from corver.runs import key_file
from corver.types import SentenceReward

__all__ = ["EvaluationJob", "EvaluationResult", "evaluate_model"]


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """What to evaluate and how.

    model: a policy on this machine, under `adapter` if there is one, or the model of an endpoint, which also takes the
    name of the prompt. output: JSONL for the answers. index: for sentence figures, else none. ks: for Pass@k.
    """

    model: PolicyConfig | EndpointConfig
    questions: Path
    output: Path
    sampling: SamplingSettings
    prompt: str = "instruct"
    adapter: Path | None = None
    split: str | None = None
    limit: int | None = None
    reward: RewardConfig = RewardConfig()  # noqa: RUF009 - frozen
    index: Path | None = None
    ks: tuple[int, ...] = ()
    bootstrap: int = 10_000


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """figures: over the answered questions. failures: answers that could not be had, by reason."""

    figures: Figures
    failures: dict[str, int]


def evaluate_model(job: EvaluationJob, *, progress: Progress = no_progress) -> EvaluationResult:
    """Have the questions answered, or the rest of them, and compute the figures.

    progress: called as ("evaluate", done, total, "answers"). Raises InputError for questions, models, adapters and
    output files that cannot be used, EndpointError when the endpoint does not answer at all.
    """
    if any(not 1 <= k <= job.sampling.samples for k in job.ks):
        raise ConfigError(f"Pass@k needs k from 1 to the number of samples, {job.sampling.samples}")
    questions = read_questions(job.questions, split=job.split, limit=job.limit)
    with _sentence_reward(job) as (reward, scorer_key):
        job.output.parent.mkdir(parents=True, exist_ok=True)
        answers = collect_answers(
            _WhenNeeded(job),
            questions,
            job.output,
            sentence_reward=reward,
            reward=job.reward,
            key=_key(job) | scorer_key,
            samples=job.sampling.samples,
            progress=progress,
        )
    figures = evaluation_figures(
        answers.rows,
        questions,
        samples=job.sampling.samples,
        ks=job.ks,
        draws=job.bootstrap,
        seed=job.sampling.seed,
    )
    return EvaluationResult(figures, answers.failures)


class _WhenNeeded:
    """Loads the model for the first question that has no answer yet: a finished evaluation needs none."""

    def __init__(self, job: EvaluationJob) -> None:
        self._job = job
        self._made: Answerer | None = None

    @property
    def think_opened(self) -> bool:
        return self._answerer().think_opened

    def answer(self, questions: Sequence[Question]) -> Iterator[list[Completion]]:
        return self._answerer().answer(questions) if questions else iter(())

    def _answerer(self) -> Answerer:
        if self._made is None:
            self._made = _answerer(self._job)
        return self._made


def _answerer(job: EvaluationJob) -> Answerer:
    prompt: Any = job.prompt
    if isinstance(job.model, EndpointConfig):
        endpoint = ChatEndpoint(job.model)
        endpoint.check()
        return EndpointAnswerer(endpoint, prompt=prompt, settings=job.sampling)
    from corver.policy.load import load_policy

    policy = load_policy(job.model)
    template = job.model.chat_template_kwargs
    check_prompt(policy.tokenizer, prompt=prompt, template=template)
    if job.adapter is not None:
        policy = with_adapter(policy, job.adapter)
    return PolicyAnswerer(policy, prompt=prompt, settings=job.sampling, template=template)


@contextmanager
def _sentence_reward(job: EvaluationJob) -> Iterator[tuple[SentenceReward | None, dict[str, str]]]:
    """The scorer of the sentences and what its verdicts depend on."""
    if job.index is None:
        yield None, {}
        return
    from corver.index import Index
    from corver.reward.build import build_scorer
    from corver.reward.scorer import CooccurrenceReward

    with Index.open(job.index) as index:
        scorer = build_scorer(job.reward, index=index)
        yield CooccurrenceReward(scorer), {"index": index.fingerprint(), "scorer": scorer.fingerprint()}


def _key(job: EvaluationJob) -> dict[str, Any]:
    """All that the rows depend on, and nothing that only says how fast they come."""
    sampling = job.sampling
    if isinstance(job.model, EndpointConfig):
        model: dict[str, Any] = {
            "endpoint": job.model.base_url,
            "model": job.model.model,
            "extra_body": job.model.extra_body,
        }
    else:
        chosen = job.model.model_dump(mode="json", exclude={"lora", "device", "trust_remote_code", "prompt"})
        model = {f"policy.{name}": value for name, value in chosen.items()}
        model["policy.weights"] = _weights(job.model, job.output)
    return {
        **model,
        "adapter": None if job.adapter is None else folder_fingerprint(job.adapter),
        "prompt": job.prompt,
        "judge": job.reward.judge.rule,
        "samples": sampling.samples,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
    }


def _weights(config: PolicyConfig, output: Path) -> str | None:
    """The fingerprint of the model in a folder; None for a hub id, whose revision is part of the key.

    A finished evaluation outlives its model: where that is gone, what was written down of it holds.
    """
    if (found := model_fingerprint(config.model, gguf_file=config.gguf_file)) is not None:
        return found
    try:
        known = json.loads(key_file(output).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = isinstance(known, dict) and known.get("policy.model") == config.model
    return known.get("policy.weights") if same else None
