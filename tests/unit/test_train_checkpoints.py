"""Checkpoints of a CorverTrainer used by itself: what is saved, taken up and refused; and that repeating never pays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corver.config import CreditConfig, RewardConfig
from corver.errors import TrainingError
from corver.index import Index
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from tiny import good_completion
from trainers import HashedReward, dataset, ended, make_trainer

ASKED = [("Where was Marie Curie born?", ["Warsaw"]), ("Where was Newton born?", ["Woolsthorpe"])]
TEXTS = [
    good_completion("Marie Curie was born in Warsaw. Newton left.", "Warsaw"),
    good_completion("Marie Curie was born in Ulm.", "Ulm"),
    "no tags. It was Bern.",
    good_completion("This was London.", "London"),
]


def script(question: str, place: int) -> str:
    return ended(TEXTS[(place + len(question)) % 4])


def trainer_in(folder: Path, **more: Any) -> tuple[Any, Any]:
    changes = {"save_strategy": "steps", "save_steps": 1, "max_steps": more.pop("steps", 2)}
    credit = CreditConfig(reference_batches=2)
    return make_trainer(folder, script, ASKED, credit=credit, changes=changes, **more)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    folder = tmp_path_factory.mktemp("saved")
    trainer, recorded = trainer_in(folder, steps=3, fingerprints={"index": "a", "scorer": "b"})
    trainer.train()
    return folder, recorded.outputs


def test_every_checkpoint_carries_the_reward_state(saved: tuple[Path, list[Any]]) -> None:
    for step in (1, 2, 3):
        state = json.loads((saved[0] / f"checkpoint-{step}" / "corver_state.json").read_text())
        assert state["fingerprints"] == {"index": "a", "scorer": "b"}
        assert state["reference"]["seen"] == min(step, 2)
    assert not list(saved[0].rglob("*.part"))


@pytest.mark.parametrize("kind", [str, Path])
def test_a_run_taken_up_by_itself_goes_on_as_it_would_have(saved: tuple[Path, list[Any]], kind: Any) -> None:
    folder, outputs = saved
    trainer, recorded = trainer_in(folder / f"again-{kind.__name__}", steps=3, fingerprints={"index": "a"})
    trainer.train(resume_from_checkpoint=kind(folder / "checkpoint-2"))
    (output,) = recorded.outputs
    np.testing.assert_array_equal(output["advantages"], outputs[2]["advantages"])
    assert trainer._reference.state()["seen"] == 2


def test_true_takes_the_newest_checkpoint_with_its_state(saved: tuple[Path, list[Any]], tmp_path: Path) -> None:
    shutil.copytree(saved[0] / "checkpoint-2", tmp_path / "checkpoint-2")
    trainer, recorded = trainer_in(tmp_path, steps=3, fingerprints={"index": "a"})
    trainer.train(resume_from_checkpoint=True)
    assert len(recorded.outputs) == 1
    other, _ = trainer_in(tmp_path, steps=4, fingerprints={"index": "changed"})
    with pytest.raises(TrainingError, match="another index"):
        other.train(resume_from_checkpoint=True)


def test_true_without_a_checkpoint_and_false(tmp_path: Path) -> None:
    trainer, recorded = trainer_in(tmp_path, steps=1)
    with pytest.raises(TrainingError, match="no checkpoint"):
        trainer.train(resume_from_checkpoint=True)
    trainer.train(resume_from_checkpoint=False)
    assert len(recorded.outputs) == 1


@pytest.mark.parametrize("name", ["index", "scorer", "credit"])
def test_a_changed_fingerprint_is_named(saved: tuple[Path, list[Any]], tmp_path: Path, name: str) -> None:
    trainer, _ = trainer_in(tmp_path, fingerprints={"index": "a", "scorer": "b"} | {name: "changed"})
    with pytest.raises(TrainingError, match=f"another {name}"):
        trainer.train(resume_from_checkpoint=str(saved[0] / "checkpoint-1"))


@pytest.mark.parametrize("state", [None, "", "{", "[]", "{}", '{"fingerprints": {}, "reference": {"sum": 1}}'])
def test_a_checkpoint_without_a_usable_state_is_refused(tmp_path: Path, state: str | None) -> None:
    (tmp_path / "checkpoint-1").mkdir()
    if state is not None:
        (tmp_path / "checkpoint-1" / "corver_state.json").write_text(state)
    trainer, _ = trainer_in(tmp_path)
    said = refusal(trainer, tmp_path / "checkpoint-1")
    assert said.startswith(f"{tmp_path / 'checkpoint-1' / 'corver_state.json'}: ")


def refusal(trainer: Any, checkpoint: Path) -> str:
    with pytest.raises(TrainingError) as raised:
        trainer.train(resume_from_checkpoint=str(checkpoint))
    said = str(raised.value)
    assert "\n" not in said
    assert said.endswith("remove this folder to go on from the checkpoint before it, or from the beginning")
    return said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("trainer_state.json", None),
        ("trainer_state.json", b"[]"),
        ("trainer_state.json", b'{"global_step": "two"}'),
        ("optimizer.pt", "half"),
        ("scheduler.pt", b""),
        ("rng_state.pth", b"no"),
        ("model.safetensors", "half"),
        ("model.safetensors", None),
    ],
)
def test_a_damaged_part_of_a_checkpoint_is_one_line(
    saved: tuple[Path, list[Any]], tmp_path: Path, name: str, content: bytes | str | None
) -> None:
    checkpoint = tmp_path / "checkpoint-2"
    shutil.copytree(saved[0] / "checkpoint-2", checkpoint)
    whole = (checkpoint / name).read_bytes()
    (checkpoint / name).unlink()
    if content is not None:
        (checkpoint / name).write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    trainer, _ = trainer_in(tmp_path / "again", steps=3, fingerprints={"index": "a"})
    assert refusal(trainer, checkpoint).startswith(str(checkpoint))


def test_a_given_reference_is_not_measured(tmp_path: Path) -> None:
    credit = CreditConfig(reference=-0.25, silence="first_policy")
    trainer, recorded = make_trainer(tmp_path, script, ASKED, credit=credit, changes={"max_steps": 1})
    trainer.train()
    (row,) = [row for row in recorded.logs if "loss" in row]
    assert row["corver/reference"] == -0.25
    assert row["corver/silence_value"] == -0.25


def test_evaluation_neither_learns_the_reference_nor_logs_as_training(tmp_path: Path) -> None:
    trainer, recorded = make_trainer(
        tmp_path,
        script,
        ASKED,
        credit=CreditConfig(),
        changes={"max_steps": 1, "per_device_eval_batch_size": 8, "eval_strategy": "steps", "eval_steps": 1},
        eval_dataset=dataset(ASKED),
        reward=HashedReward(),
    )
    trainer.train()
    assert trainer._reference.state()["seen"] == 1
    assert any("eval_corver/claims" in row for row in recorded.logs)


@pytest.mark.parametrize("claim", ["Marie Curie was born in Warsaw.", "Marie Curie was born in Ulm."])
def test_repeating_a_sentence_never_pays_more_than_silence(tmp_path: Path, tiny_index: Path, claim: str) -> None:
    """Every further copy of a claim is worth at most what its tags, which claim nothing, are worth."""
    said = [
        good_completion(" ".join([claim] * 4), "Warsaw"),
        good_completion("Isaac Newton was born in Ulm.", "Warsaw"),
        good_completion("Albert Einstein was born in Warsaw.", "Warsaw"),
        good_completion("Ada Lovelace was born in Woolsthorpe.", "Warsaw"),
    ]
    with Index.open(tiny_index) as index:
        trainer, recorded = make_trainer(
            tmp_path,
            lambda question, place: ended(said[place]),
            ASKED[:1],
            credit=CreditConfig(lambda_c=2.0),
            reward=CooccurrenceReward(build_scorer(RewardConfig(), index=index)),
            changes={"max_steps": 1, "per_device_train_batch_size": 4},
        )
        trainer.train()
    (_, rollouts, scores, _) = recorded.batches[0]
    (place,) = [number for number, rollout in enumerate(rollouts) if rollout.completion == said[0]]
    copies = [score for score in scores[place] if score.text == claim]
    assert [score.repeated for score in copies] == [False, True, True, True]
    detokenize = trainer._scorer.detokenize
    ids = recorded.outputs[0]["completion_ids"][place][recorded.outputs[0]["completion_mask"][place].astype(bool)]
    tokens = detokenize(ids.tolist())
    values = recorded.outputs[0]["advantages"][place][: len(ids)]
    silent = values[0]  # "<think>"
    for score in copies[1:]:
        own = values[
            (tokens.start_T >= score.span.start) & (tokens.end_T <= score.span.end) & (tokens.end_T > tokens.start_T)
        ]
        assert own.size
        assert (own <= silent + 1e-6).all()
    (row,) = [row for row in recorded.logs if "loss" in row]
    assert row["corver/repeated_share"] > 0
