"""CorverTrainer in the set-ups that people train in: its advantages are the oracle's in each of them."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from datasets import Dataset
from peft import LoraConfig

from advantage_oracle import advantages, returns, silence
from corver.config import CreditConfig, RunConfig
from corver.errors import TrainingError
from corver.runs import read_jsonl
from corver.train.rewards import format_function, judge_function
from corver.train.run import train
from corver.types import Rollout, SentenceScore
from tiny import make_tokenizer
from trainers import HashedReward, dataset, ended, make_trainer, weights_of

ASKED = (("Where was Marie Curie born?", ["Warsaw"]), ("Which city did Reymont write about?", ["Łódź"]))
TEXTS = (
    ended("<think>Marie Curie was born in Warsaw. She left for Paris.</think> <answer>Warsaw</answer>"),
    ended("<think>This one will fail. Reymont wrote about 🤣 Łódź.</think> <answer>Łódź</answer>"),
    ended("no tags, hush. It was London!"),
    "<think>It was in Ulm. This was cut off in the mid",
)
FIXED = CreditConfig(reference=-0.05)
"""A reference that is not learned, so that a batch's advantages follow from the batch alone."""
LORA = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")


def script(question: str, place: int) -> str:
    return TEXTS[(place + len(question)) % 4]


def expected(recorded: Any, batch: int, *, group: int = 4) -> list[list[float]]:
    """The batch's advantages by the oracle: λ_c 1, the reference of FIXED, the default guards."""
    tokenizer = make_tokenizer()
    _, _, scores, response = recorded.batches[batch]
    output = recorded.outputs[batch]
    rows: list[list[float]] = []
    for start in range(0, len(response), group):
        own = slice(start, start + group)
        pairs = zip(output["completion_ids"][own], output["completion_mask"][own], strict=True)
        ids_B = [ids[mask.astype(bool)].tolist() for ids, mask in pairs]
        value = silence(tokenizer, ids_B, scores[own], response[own], reference=-0.05)
        lines = [
            returns(tokenizer, ids, said, score, weight=1.0, value=value)
            for ids, said, score in zip(ids_B, scores[own], response[own], strict=True)
        ]
        rows.extend(advantages(lines, floor=0.1, cap=10.0))
    return rows


def assert_oracle(recorded: Any) -> None:
    assert recorded.outputs
    for batch, output in enumerate(recorded.outputs):
        for value_T, mask_T, row in zip(
            output["advantages"], output["completion_mask"], expected(recorded, batch), strict=True
        ):
            np.testing.assert_allclose(value_T[mask_T.astype(bool)], row, rtol=1e-5, atol=1e-6)


SETUPS: dict[str, dict[str, Any]] = {
    "sequence-level importance sampling": {"importance_sampling_level": "sequence"},
    "sequence level over two iterations": {"importance_sampling_level": "sequence", "num_iterations": 2},
    "gradient accumulation": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4},
    "several steps on a generation batch": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2,
                                            "steps_per_generation": 4},
    "several iterations": {"num_iterations": 2},
    "iterations and steps": {"num_iterations": 2, "per_device_train_batch_size": 4, "steps_per_generation": 2},
    "a reference policy": {"beta": 0.1},
    "all at once": {"beta": 0.1, "num_iterations": 2, "epsilon_high": 0.28},
}  # fmt: skip
BATCHES = {"several steps on a generation batch": 1, "several iterations": 1, "iterations and steps": 1,
           "sequence level over two iterations": 1, "all at once": 1}  # fmt: skip


@pytest.mark.parametrize("name", list(SETUPS))
def test_two_steps_have_the_oracles_advantages(tmp_path: Path, name: str) -> None:
    trainer, recorded = make_trainer(tmp_path, script, ASKED, credit=FIXED, changes=SETUPS[name], peft_config=LORA)
    before = weights_of(trainer.model)
    trainer.train()
    assert len(recorded.outputs) == BATCHES.get(name, 2)
    assert_oracle(recorded)
    losses = [row for row in recorded.logs if "loss" in row]
    assert len(losses) == 2
    assert all(math.isfinite(row["loss"]) and row["grad_norm"] > 0 for row in losses)
    assert ("kl" in losses[-1]) == ("beta" in SETUPS[name])
    assert (weights_of(trainer.model) != before).any()


def test_sync_and_async_reward_functions_add_up(tmp_path: Path) -> None:
    def length(*, completions: Sequence[Any], **_: Any) -> list[float]:
        return [float(len(one[0]["content"]) % 5) for one in completions]

    async def vowels(*, completions: Sequence[Any], **_: Any) -> list[float | None]:
        counts = [sum(letter in "aeiou" for letter in one[0]["content"]) for one in completions]
        return [None if count > 20 else float(count) for count in counts]

    trainer, recorded = make_trainer(
        tmp_path,
        script,
        ASKED,
        credit=FIXED,
        changes={"reward_weights": [1.0, 2.0, 0.5], "max_steps": 1},
        reward_funcs=[judge_function(), length, vowels],
    )
    trainer.train()
    assert_oracle(recorded)
    (row,) = [row for row in recorded.logs if "loss" in row]
    for name in ("judge", "length", "vowels"):
        assert f"rewards/{name}/mean" in row
    _, rollouts, _, response = recorded.batches[0]
    assert len(set(response)) > 2
    for rollout, value in zip(rollouts, response, strict=True):
        text = make_tokenizer().decode(make_tokenizer()(rollout.completion)["input_ids"])
        count = sum(letter in "aeiou" for letter in text)
        right = 2.0 if any(f"<answer>{gold}<" in text for gold in rollout.answers) else -1.0
        assert value == pytest.approx(right + 2.0 * (len(text) % 5) + (0.0 if count > 20 else 0.5 * count))


def test_plain_prompts_and_completions(tmp_path: Path) -> None:
    """Prompts and completions as text."""
    asked = {f"Q: {text}\nA:": text for text, _ in ASKED}

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        assert set(prompts) <= asked.keys()
        tokenizer, places = trainer.processing_class, [prompts[:at].count(one) for at, one in enumerate(prompts)]
        said = [script(asked[one], place) for one, place in zip(prompts, places, strict=True)]
        encode = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in (*prompts, *said)]
        return {"prompt_ids": encode[: len(prompts)], "completion_ids": encode[len(prompts) :], "logprobs": None}

    rows = [{"prompt": f"Q: {text}\nA:", "question": text, "answers": golds} for text, golds in ASKED]
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=FIXED, train_dataset=Dataset.from_list(rows), rollout_func=rollout
    )
    trainer.train()
    assert_oracle(recorded)
    assert all(isinstance(text, str) for text in trainer._logs["completion"])
    questions = [rollout.question for _, rollouts, *_ in recorded.batches for rollout in rollouts]
    assert set(questions) == {text for text, _ in ASKED}


def test_plain_prompts_through_trls_own_generation(tmp_path: Path) -> None:
    """Whatever an unfitted model says, broken bytes too."""
    rows = [{"prompt": f"Q: {text}\nA:", "question": text, "answers": golds} for text, golds in ASKED]
    changes = {"max_completion_length": 24, "max_steps": 1}
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=FIXED, changes=changes, train_dataset=Dataset.from_list(rows), rollout_func=None
    )
    trainer.train()
    (output,) = recorded.outputs
    assert output["advantages"].shape == output["completion_ids"].shape == (8, 24)
    assert np.isfinite(output["advantages"]).all()
    assert [len(rollout.sentences or ()) for rollout in recorded.batches[0][1]] == [
        len(scores) for scores in recorded.batches[0][2]
    ]


def test_an_evaluation_during_training_has_its_own_groups(tmp_path: Path) -> None:
    changes = {
        "eval_strategy": "steps", "eval_steps": 1, "per_device_eval_batch_size": 4, "num_generations_eval": 2,
    }  # fmt: skip
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=FIXED, changes=changes, eval_dataset=dataset(ASKED)
    )
    trainer.train()
    evaluations = [batch for batch, output in enumerate(recorded.outputs) if len(output["advantages"]) == 4]
    assert len(evaluations) == 2
    for batch in evaluations:
        rows = expected(recorded, batch, group=2)
        output = recorded.outputs[batch]
        for value_T, mask_T, row in zip(output["advantages"], output["completion_mask"], rows, strict=True):
            np.testing.assert_allclose(value_T[mask_T.astype(bool)], row, rtol=1e-5, atol=1e-6)
    assert any("eval_corver/claims" in row and "eval_reward" in row for row in recorded.logs)


def test_all_weights_with_a_reference_policy(
    tmp_path: Path, tiny_model: Path, tiny_index: Path, tiny_questions: Path
) -> None:
    config = RunConfig.model_validate(
        {
            "output": tmp_path / "run", "index": tiny_index,
            "policy": {"model": str(tiny_model), "dtype": "float32", "device": "cpu", "lora": None},
            "data": {"questions": tiny_questions, "split": "train"},
            "sampling": {"max_completion_tokens": 16},
            "optimization": {"steps": 2, "prompts_per_step": 1, "scheduler": "constant", "generations": 4, "beta": 0.1,
                             "learning_rate": 1e-3,
                             "gradient_checkpointing": False},
        }
    )  # fmt: skip
    rows = read_jsonl(train(config).metrics)
    assert rows[0]["kl"] == pytest.approx(0.0, abs=1e-6)
    assert rows[1]["kl"] > 0


# -- ablations ---------------------------------------------------------------------------------------------------------


def ablated(letter: str) -> CreditConfig:
    raw = {"output": "o", "index": "i", "policy": {"model": "m"}, "data": {"questions": "q"}, "ablation": letter,
           "credit": {"reference": -0.05}}  # fmt: skip
    return RunConfig.model_validate(raw).credit


def one_step(folder: Path, credit: CreditConfig) -> Any:
    weights = [credit.lambda_j, credit.lambda_f]
    trainer, recorded = make_trainer(
        folder,
        script,
        ASKED,
        credit=credit,
        changes={"max_steps": 1, "reward_weights": weights},
        reward_funcs=[judge_function(), format_function()],
    )
    trainer.train()
    return recorded


def test_each_ablation_changes_what_it_is_about(tmp_path: Path) -> None:
    full, a1, a2, a3 = (one_step(tmp_path / name, ablated(name)) for name in ("none", "A1", "A2", "A3"))

    def values(recorded: Any) -> list[np.ndarray]:
        output = recorded.outputs[0]
        return [
            row[mask.astype(bool)] for row, mask in zip(output["advantages"], output["completion_mask"], strict=True)
        ]

    assert any(len(set(row)) > 1 for row in values(full))
    # A1: nothing of the sentences is left, and nothing was asked.
    assert all(len(set(row)) == 1 for row in values(a1))
    assert not any(a1.batches[0][2])
    # A2: only the format is left of the response.
    assert set(a2.batches[0][3]) == {1.0, -1.0}
    assert set(full.batches[0][3]) != {1.0, -1.0}
    assert any(len(set(row)) > 1 for row in values(a2))
    # A3: the same mean of each completion, on all of its tokens alike (those of a failed look-up aside).
    for spread, aligned, scores in zip(values(a3), values(full), full.batches[0][2], strict=True):
        if any(score.status.value == "failed" for score in scores):
            continue
        assert len(set(spread)) == 1
        assert spread.mean() == pytest.approx(aligned.mean(), rel=1e-4, abs=1e-5)


# -- scoring in a thread of its own ------------------------------------------------------------------------------------


class Waiting(HashedReward):
    """Judges once the reference policy's log-probabilities are being computed; a deadlock where nothing overlaps."""

    def __init__(self) -> None:
        self.at_work = threading.Event()
        self.threads: set[str] = set()
        self.waited: list[bool] = []

    def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
        self.threads.add(threading.current_thread().name)
        self.waited.append(self.at_work.wait(timeout=60))
        return super().score(rollouts)


def test_scoring_overlaps_the_log_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reward = Waiting()
    changes = {"beta": 0.1, "max_steps": 1}
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=FIXED, changes=changes, reward=reward, overlap=True, peft_config=LORA
    )
    computed = type(trainer)._get_per_token_logps_and_entropies

    def compute(self: Any, *args: Any, **kwargs: Any) -> Any:
        reward.at_work.set()
        return computed(self, *args, **kwargs)

    monkeypatch.setattr(type(trainer), "_get_per_token_logps_and_entropies", compute)
    trainer.train()
    assert reward.waited == [True]
    assert all(name.startswith("corver-reward") for name in reward.threads)
    assert_oracle(recorded)
    (row,) = [row for row in recorded.logs if "loss" in row]
    assert row["corver/scoring_seconds"] > 0


def test_overlapped_and_plain_scoring_train_alike(tmp_path: Path) -> None:
    runs = []
    for overlap in (False, True):
        trainer, recorded = make_trainer(
            tmp_path / str(overlap), script, ASKED, credit=CreditConfig(), changes={"beta": 0.1}, overlap=overlap,
            peft_config=LORA,
        )  # fmt: skip
        trainer.train()
        runs.append((weights_of(trainer.model), recorded))
    np.testing.assert_array_equal(runs[0][0], runs[1][0])
    for own, other in zip(runs[0][1].outputs, runs[1][1].outputs, strict=True):
        np.testing.assert_array_equal(own["advantages"], other["advantages"])


def test_a_failure_in_the_thread_ends_training(tmp_path: Path) -> None:
    class Broken(HashedReward):
        def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
            raise TrainingError("the corpus burnt down")

    trainer, _ = make_trainer(tmp_path, script, ASKED, credit=FIXED, reward=Broken(), overlap=True)
    with pytest.raises(TrainingError, match="burnt down"):
        trainer.train()
