"""CorverTrainer: real steps on a tiny model, its advantages against recomputations of their own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import LoraConfig
from trl import GRPOTrainer

from advantage_oracle import advantages, claim_weights, returns, silence
from corver.config import AdvantageConfig, CreditConfig
from corver.credit.advantage import response_advantage
from corver.errors import ConfigError, TrainingError
from corver.types import Rollout, SentenceScore
from tiny import END, make_tokenizer
from trainers import HashedReward, ended, make_trainer

BORN = "Where was Marie Curie born?"
WROTE = "Which city did Reymont write about?"
ASKED = ((BORN, ["Warsaw"]), (WROTE, ["Łódź"]))

TEXTS = {
    (BORN, 0): ended("<think>Marie Curie was born in Warsaw. She left for Paris.</think> <answer>Warsaw</answer>"),
    (BORN, 1): ended("<think>Marie Curie was born in Ulm.</think> <answer>Ulm</answer>"),
    (BORN, 2): ended("no tags here hush. Marie Curie was a physicist! And more."),
    (BORN, 3): END,
    (WROTE, 0): ended("<think>Władysław Reymont 🤣 wrote about Łódź. Né à Łódź.</think> <answer>Łódź</answer>"),
    (WROTE, 1): ended("<think>This one will fail. Reymont wrote about Bern.</think> <answer>Bern</answer>"),
    (WROTE, 2): "<think>Reymont wrote about London. This was cut off in the mid",
    (WROTE, 3): ended("<think>hush</think> <answer>I don't know</answer>"),
}


def script(question: str, place: int) -> str:
    return TEXTS[question, place]


def groups_of(recorded: Any, batch: int) -> list[slice]:
    questions = [rollout.question for rollout in recorded.batches[batch][1]]
    assert len(questions) == 8
    assert len(set(questions[:4])) == len(set(questions[4:])) == 1
    return [slice(0, 4), slice(4, 8)]


def recomputed(
    recorded: Any, batch: int, *, weight: float, references: list[float | None], bonus: float = 0.0
) -> list[list[float]]:
    """Advantages of a recorded batch by the oracle."""
    tokenizer = make_tokenizer()
    _, _, scores, response = recorded.batches[batch]
    output = recorded.outputs[batch]
    rows: list[list[float]] = []
    for group in groups_of(recorded, batch):
        ids_B = completion_ids(output, group)
        value = silence(tokenizer, ids_B, scores[group], response[group], reference=references[batch]) - bonus
        lines = [
            returns(tokenizer, ids, own, score, weight=weight, value=value)
            for ids, own, score in zip(ids_B, scores[group], response[group], strict=True)
        ]
        rows.extend(advantages(lines, floor=0.1, cap=10.0))
    return rows


def completion_ids(output: dict[str, Any], rows: slice) -> list[list[int]]:
    pairs = zip(output["completion_ids"][rows], output["completion_mask"][rows], strict=True)
    return [ids[mask.astype(bool)].tolist() for ids, mask in pairs]


def measured_references(recorded: Any, batches: int = 4) -> list[float | None]:
    """Mean reward of the claims' tokens of all batches up to each one, at most `batches` of them."""
    tokenizer = make_tokenizer()
    references: list[float | None] = []
    rewards, shares = 0.0, 0.0
    for number, (_, _, scores, response) in enumerate(recorded.batches):
        ids_B = completion_ids(recorded.outputs[number], slice(None))
        for ids, own, value in zip(ids_B, scores, response, strict=True):
            if number < batches and not np.isnan(value):
                reward, share = claim_weights(tokenizer, ids, own)
                rewards, shares = rewards + reward, shares + share
        references.append(rewards / shares if shares else None)
    return references


def compare_rows(output: dict[str, Any], rows: list[list[float]]) -> None:
    values, mask = output["advantages"], output["completion_mask"].astype(bool)
    assert values.shape == mask.shape
    assert values.dtype == np.float32
    for value_T, mask_T, row in zip(values, mask, rows, strict=True):
        assert mask_T.sum() == len(row)
        np.testing.assert_allclose(value_T[: len(row)], row, rtol=1e-5, atol=1e-6)
        assert not value_T[len(row) :].any()


@pytest.fixture(scope="module")
def two_steps(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    trainer, recorded = make_trainer(tmp_path_factory.mktemp("two"), script, ASKED, credit=CreditConfig(lambda_c=2.0))
    trainer.train()
    return trainer, recorded


def test_two_steps_give_the_advantages_of_an_independent_recomputation(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    assert [step for step, *_ in recorded.batches] == [0, 1]
    references = measured_references(recorded)
    for batch in range(2):
        compare_rows(recorded.outputs[batch], recomputed(recorded, batch, weight=2.0, references=references))


def test_where_claims_are_too_few_each_earns_a_bonus(tmp_path: Path) -> None:
    credit = CreditConfig(lambda_c=2.0, claim_floor=2.0)  # twice the first policy's: missing from the first batch on
    trainer, recorded = make_trainer(tmp_path, script, ASKED, credit=credit, changes={"max_steps": 1})
    trainer.train()
    (row,) = [row for row in recorded.logs if "loss" in row]
    _, _, scores, _ = recorded.batches[0]
    claims = [score.reward for own in scores for score in own if score.has_claim and not score.repeated]
    assert row["corver/claims_reference"] == pytest.approx(len(claims) / 8)
    assert min(claims) < max(claims)
    assert 0 < row["corver/claim_bonus"] <= (max(claims) - min(claims)) / 2
    references = measured_references(recorded)
    rows = recomputed(recorded, 0, weight=2.0, references=references, bonus=row["corver/claim_bonus"])
    compare_rows(recorded.outputs[0], rows)


def test_tokens_of_one_completion_differ_and_a_failed_sentence_moves_nothing(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    _, rollouts, scores, _ = recorded.batches[0]
    failed = next(row for row, rollout in enumerate(rollouts) if "fail" in rollout.completion)
    values = recorded.outputs[0]["advantages"][failed]
    assert [score.status.value for score in scores[failed]] == ["failed", "unsupported", "supported"] or scores[failed]
    assert len(np.unique(values[recorded.outputs[0]["completion_mask"][failed].astype(bool)])) >= 3
    assert (values[recorded.outputs[0]["completion_mask"][failed].astype(bool)] == 0).sum() >= 2


def test_the_cut_off_sentence_is_not_scored(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    _, rollouts, scores, _ = recorded.batches[0]
    cut = next(row for row, rollout in enumerate(rollouts) if "cut off" in rollout.completion)
    assert [score.text for score in scores[cut]] == ["Reymont wrote about London."]


def test_an_empty_completion_has_no_sentence_and_the_response_reward_alone(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    _, rollouts, scores, response = recorded.batches[0]
    empty = next(row for row, rollout in enumerate(rollouts) if not rollout.completion)
    assert scores[empty] == []
    assert response[empty] == -2.0
    assert recorded.outputs[0]["completion_mask"][empty].sum() == 1


def test_metrics_of_every_step(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    steps = [row for row in recorded.logs if "loss" in row]
    assert len(steps) == 2
    names = [
        "claims",
        "sentences",
        "no_claim_share",
        "no_evidence_share",
        "failed_share",
        "count_zero_share",
        "sentence_reward",
        "aligned_share",
        "format_rate",
        "std_floored_share",
        "advantage_capped_share",
        "advantage_max",
        "reward_seconds",
        "silence_value",
        "claim_bonus",
        "reference",
        "claims_reference",
    ]
    for row, (_, rollouts, scores, _) in zip(steps, recorded.batches, strict=True):
        assert {f"corver/{name}" for name in names} <= row.keys()
        flat = [score for some in scores for score in some]
        claims = [score for score in flat if score.has_claim]
        assert row["corver/claims"] == pytest.approx(len(claims) / 8)
        assert row["corver/sentences"] == pytest.approx(len(flat) / 8)
        assert row["corver/failed_share"] == pytest.approx(1 / len(flat))
        assert row["corver/sentence_reward"] == pytest.approx(sum(s.reward for s in claims) / len(claims))
        assert row["corver/format_rate"] == pytest.approx(5 / 8)
        assert math.isfinite(row["loss"])
        assert len(rollouts) == 8


def test_trl_logs_the_mean_of_our_advantages_for_each_completion(two_steps: tuple[Any, Any]) -> None:
    trainer, recorded = two_steps
    output = recorded.outputs[-1]
    means = output["advantages"].sum(axis=1) / output["completion_mask"].sum(axis=1)
    np.testing.assert_allclose(list(trainer._logs["advantages"])[-8:], means, rtol=1e-5, atol=1e-6)


PLAIN = AdvantageConfig(std_floor=None, cap=None)


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_weight_zero_is_the_response_level_baseline(tmp_path: Path, scale: str) -> None:
    changes = {"scale_rewards": scale, "shuffle_dataset": False}
    credit = CreditConfig(lambda_c=0.0, advantage=PLAIN)
    ours, recorded = make_trainer(tmp_path / "ours", script, ASKED, credit=credit, changes=changes)
    theirs, plain = make_trainer(tmp_path / "trl", script, ASKED, changes=changes, kind=GRPOTrainer)
    ours.train()
    theirs.train()
    group = np.repeat([0, 1], 4)
    for batch in range(2):
        values, mask = recorded.outputs[batch]["advantages"], recorded.outputs[batch]["completion_mask"]
        np.testing.assert_allclose(values, plain.outputs[batch]["advantages"][:, None] * mask, rtol=1e-5, atol=1e-6)
        expected = response_advantage(recorded.batches[batch][3], group, rule=ours.rule).astype(np.float32)
        assert (values == expected[:, None] * mask).all()
    own, other = ([row["loss"] for row in kept.logs if "loss" in row] for kept in (recorded, plain))
    assert own == pytest.approx(other, rel=1e-4, abs=1e-6)
    assert len(own) == 2


def test_a_completion_that_cannot_be_judged_leaves_its_group_alone(tmp_path: Path) -> None:
    def judge(*, completions: Any, **_: Any) -> list[float | None]:
        return [None if "Ulm" in item[0]["content"] else float(len(item[0]["content"]) % 3) for item in completions]

    trainer, recorded = make_trainer(tmp_path, script, ASKED, credit=CreditConfig(), reward_funcs=[judge])
    trainer.train()
    _, rollouts, _, response = recorded.batches[0]
    lost = next(row for row, rollout in enumerate(rollouts) if "Ulm" in rollout.completion)
    assert [row for row, value in enumerate(response) if math.isnan(value)] == [lost]
    assert not recorded.outputs[0]["advantages"][lost].any()
    references = measured_references(recorded)
    compare_rows(recorded.outputs[0], recomputed(recorded, 0, weight=1.0, references=references))
    assert all(math.isfinite(row["loss"]) for row in recorded.logs if "loss" in row)


def test_truncated_completions_leave_the_group_when_trl_masks_them(tmp_path: Path) -> None:
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=CreditConfig(lambda_c=0.0), changes={"mask_truncated_completions": True}
    )
    trainer.train()
    _, rollouts, _, response = recorded.batches[0]
    cut = next(row for row, rollout in enumerate(rollouts) if "cut off" in rollout.completion)
    assert not recorded.outputs[0]["advantages"][cut].any()
    known = np.array(response)
    known[cut] = np.nan
    expected = response_advantage(known, np.repeat([0, 1], 4), rule=trainer.rule)
    np.testing.assert_allclose(recorded.outputs[0]["advantages"][:, 0], expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("loss", ["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"])
def test_every_loss_type_takes_a_step_with_token_advantages(tmp_path: Path, loss: str) -> None:
    lora = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    trainer, recorded = make_trainer(
        tmp_path,
        script,
        ASKED,
        credit=CreditConfig(),
        changes={"loss_type": loss, "max_steps": 1, "beta": 0.01},
        peft_config=lora,
    )
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.train()
    (row,) = [row for row in recorded.logs if "loss" in row]
    assert math.isfinite(row["loss"])
    assert math.isfinite(row["grad_norm"])
    moved = [bool((now != old).any()) for now, old in zip(trainer.model.parameters(), before, strict=True)]
    assert any(moved)
    assert all(torch.isfinite(parameter).all() for parameter in trainer.model.parameters())


def test_batch_scale_divides_by_the_std_of_all_completions(tmp_path: Path) -> None:
    trainer, recorded = make_trainer(
        tmp_path, script, ASKED, credit=CreditConfig(lambda_c=0.0), changes={"scale_rewards": "batch", "max_steps": 1}
    )
    trainer.train()
    response = np.array(recorded.batches[0][3])
    centre = response.reshape(2, 4).mean(axis=1).repeat(4)
    np.testing.assert_allclose(
        recorded.outputs[0]["advantages"][:, 0], (response - centre) / (response.std(ddof=1) + 1e-4), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("changes", "credit", "named"),
    [
        ({"multi_objective_aggregation": "normalize_then_sum"}, CreditConfig(), "multi_objective_aggregation"),
        ({"scale_rewards": "none"}, CreditConfig(advantage=AdvantageConfig(scale="group")), "scale_rewards"),
        ({"scale_rewards": True}, CreditConfig(advantage=AdvantageConfig(scale="batch")), "scale_rewards"),
    ],
)
def test_settings_that_make_token_advantages_wrong_are_refused_by_name(
    tmp_path: Path, changes: dict[str, Any], credit: CreditConfig, named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        make_trainer(tmp_path, script, ASKED, credit=credit, changes=changes)


def test_a_sentence_reward_that_loses_a_verdict_is_refused(tmp_path: Path) -> None:
    class Forgetful(HashedReward):
        def score(self, rollouts: Any) -> list[list[SentenceScore]]:
            return [row[:1] for row in super().score(rollouts)]

    trainer, _ = make_trainer(tmp_path, script, ASKED, credit=CreditConfig(), reward=Forgetful())
    with pytest.raises(TrainingError, match="one verdict a sentence"):
        trainer.train()


def test_rollouts_carry_question_answers_and_the_sampled_text(two_steps: tuple[Any, Any]) -> None:
    _, recorded = two_steps
    golds = dict(ASKED)
    seen: dict[str, int] = {}
    for rollout in recorded.batches[0][1]:
        assert isinstance(rollout, Rollout)
        assert rollout.answers == tuple(golds[rollout.question])
        place = seen.setdefault(rollout.question, 0)
        seen[rollout.question] += 1
        assert rollout.completion == TEXTS[rollout.question, place].removesuffix(END)


def test_a_step_in_micro_batches_has_the_same_advantages(tmp_path: Path, two_steps: tuple[Any, Any]) -> None:
    trainer, recorded = make_trainer(
        tmp_path,
        script,
        ASKED,
        credit=CreditConfig(lambda_c=2.0),
        changes={"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 1},
    )
    trainer.train()
    whole = {
        r.completion: row
        for r, row in zip(two_steps[1].batches[0][1], two_steps[1].outputs[0]["advantages"], strict=True)
    }
    for rollout, row in zip(recorded.batches[0][1], recorded.outputs[0]["advantages"], strict=True):
        np.testing.assert_array_equal(row, whole[rollout.completion])
